// SPDX-License-Identifier: Apache-2.0
// Lexical reading of source text: comments and strings blanked, identifiers told apart as definition
// or use. Not a parser: where a form is ambiguous it is called a definition, because a rule that says
// "its last definition is gone" must not cry wolf.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::guardrails {

// TableGen and C++ are one family: records of the one become classes of the other.
enum class Family { c, python, cmake, none };
Family family_of(std::string_view path);

// Same length and same line breaks; comments and, unless kept, the contents of strings are blanks.
enum class Strings { blanked, kept };
std::string blank_comments(std::string_view text, Family family, Strings strings = Strings::blanked);

enum class Role {
  definition,  // a function, type, macro or record that other code can refer to
  local,       // defines the name in some narrower way (variable, parameter, import under a name)
  call,        // NAME(
  mention,     // any other occurrence
};

struct Occurrence {
  std::string name;
  Role role = Role::mention;
  bool type_like = false;  // definition only: class, struct, alias, macro, record: any mention is a use
  std::uint32_t line = 0;  // 1-based
};

// Every identifier of at least `min_length` bytes in `blanked` (output of blank_comments), with its role.
std::vector<Occurrence> occurrences(std::string_view blanked, Family family, std::size_t min_length);

}  // namespace sluice::guardrails
