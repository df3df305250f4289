// SPDX-License-Identifier: Apache-2.0
// Rewriting of upstream's words, so that they mean nothing on the fork's host: no link to the fork's
// own numbers, no issue closed, nobody notified.
#pragma once

#include <string>
#include <string_view>

namespace sluice::guardrails {

// One line or many. `upstream_repo` is owner/name; empty = bare numbers become `# 12`, which no host links.
std::string neutral_text(std::string_view text, std::string_view upstream_repo);
// A line that could be read as one of sluice's trailers or blocks.
bool looks_like_trailer(std::string_view line);
// The last lines of a companion's message.
std::string companion_trailers(const std::string& upstream, const std::string& unit);

}  // namespace sluice::guardrails
