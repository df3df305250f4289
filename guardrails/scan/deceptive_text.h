// SPDX-License-Identifier: Apache-2.0
// Characters by which a line reads otherwise than it is compiled: bidirectional controls, what has no width,
// identifiers of two scripts. What writing needs of them (the joiners of Persian or of an emoji, a byte order mark at
// the start of a file) is not deceptive. Total on any bytes, linear in the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::guardrails {

struct Deception {
  enum class Kind { bidi, invisible, nul, invalid_utf8, mixed_script };
  Kind kind = Kind::bidi;
  std::size_t at = 0;      // byte of the line
  std::string what;        // "U+202E, a bidirectional control", "the identifier ... has letters of two scripts (...)"
};

// The first one of a line; `first_line` of its file may begin with a byte order mark.
std::optional<Deception> find_deception(std::string_view line, bool first_line);

// The line with every character but ASCII written as \u{202e}, every stray byte as \xNN: it can be shown.
std::string escaped(std::string_view line);

}  // namespace sluice::guardrails
