// SPDX-License-Identifier: Apache-2.0
// A git object id: 40 lower-case hex digits, or empty for "none". Always full, never abbreviated: the
// identity of a pick is the full upstream sha (DOMAIN: never a PR number, never a patch-id).
#pragma once

#include <string>
#include <string_view>

namespace sluice::model {

using Oid = std::string;

inline constexpr std::string_view empty_tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

bool is_oid(std::string_view text);
inline std::string_view short_oid(const Oid& oid) { return std::string_view(oid).substr(0, 10); }

}  // namespace sluice::model
