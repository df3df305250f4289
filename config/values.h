// SPDX-License-Identifier: Apache-2.0
// Checks of single values. Each gives the empty string when the value is fine, else what is wrong with it
// (without the place; never a credential).
#pragma once

#include <string>
#include <string_view>

namespace sluice::config {

// https, ssh (URL and scp form), file, local paths. Refuses everything through which git would run a
// program or send in the clear, and credentials inside (they would reach logs).
std::string check_url(std::string_view url);
bool is_local_path(std::string_view url);  // neither a URL nor the scp form
std::string check_branch(std::string_view branch);
std::string check_glob(std::string_view glob);
// A regular expression with exactly one group.
std::string check_trailer(const std::string& pattern);
// A path or glob below /build.
std::string check_results(std::string_view path);
// Names of suites, environments and runners: they become directory and trailer names.
std::string check_id(std::string_view id);
std::string check_rule_id(std::string_view id);

}  // namespace sluice::config
