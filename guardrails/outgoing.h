// SPDX-License-Identifier: Apache-2.0
// G65: text for a forge. Whatever a test, a commit or a model wrote into it, it must not notify people, close or link
// issues, load pictures, lead elsewhere, hide anything, or give a bot an order.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::guardrails {

enum class Outgoing { issue, pull_request, comment };

struct Sanitized {
  std::string text;  // UTF-8, at most the limit of its kind
  // What became of the rest, each kind once: "html comments", "invisible characters", "images", "links",
  // "mentions and references", "markup", "commands", "length".
  std::vector<std::string> removed;
};

std::size_t limit_of(Outgoing kind);  // bytes

// Total on any bytes, and sanitize(sanitize(x).text).text == sanitize(x).text. Links stay where their host is one of
// `allowed_hosts` (exactly, without port). Fenced code stays as it is, without what cannot be seen; its language is
// kept when it is one that no forge gives a meaning of its own. Markers of our own are added afterwards.
Sanitized sanitize(std::string_view body, Outgoing kind, const std::vector<std::string>& allowed_hosts);

}  // namespace sluice::guardrails
