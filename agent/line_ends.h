// SPDX-License-Identifier: Apache-2.0
// The proven rules EOL and EOF: conflicts that are there only because the sides differ in line ends, byte
// order mark or final newline. Each of the three is merged as a property of the file; the text is merged
// with the differences taken out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace sluice::agent {

struct TextStyle {
  enum class Ending { none, lf, crlf, mixed } ending = Ending::none;  // none: no line end at all
  bool bom = false;                                                   // UTF-8 byte order mark
  bool final_newline = false;                                         // also true for an empty text
};
TextStyle style_of(std::string_view text);

struct StyledMerge {
  std::string text;
  std::string rule;  // EOL | EOF
  std::string reason;
};
using MergeText = std::function<Result<std::string>(std::string_view base, std::string_view ours,
                                                    std::string_view theirs, bool& clean)>;

// nullopt: the rule does not apply (upstream changed line ends itself, ends are mixed where they differ,
// nothing differs) or the texts still conflict. Errors: of `merge`.
Result<std::optional<StyledMerge>> merge_styled(std::string_view base, std::string_view ours,
                                                std::string_view theirs, const MergeText& merge);

}  // namespace sluice::agent
