// SPDX-License-Identifier: Apache-2.0
// What one statement says in calls, keywords, subscripts and comparisons; the same for Python and C++ tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guardrails/scan/python_tokens.h"

namespace sluice::guardrails {

// A name with its qualification: a.b.c, a::b, a->b. `last` is its last part.
struct DottedName {
  std::string_view last;
  std::string text;     // parts joined by '.'
  std::size_t end = 0;  // token behind it
};
DottedName dotted_name(const std::vector<Token>& tokens, std::size_t at, std::size_t end);

// The token behind the bracket that closes the one at `open`; `end` when none does.
std::size_t close_of(const std::vector<Token>& tokens, std::size_t open, std::size_t end);
// The token that ends the expression at `at`: a comma, semicolon or closing bracket at its own depth, or
// `end`.
std::size_t end_of_expression(const std::vector<Token>& tokens, std::size_t at, std::size_t end);
// [begin, end) cut at its commas of depth 0, empty pieces left out.
std::vector<std::pair<std::size_t, std::size_t>> elements_of(const std::vector<Token>& tokens,
                                                             std::size_t begin, std::size_t end);

// Tolerances, calls that take them, named counts and named lists of the tokens [begin, end).
void scan_values(const std::vector<Token>& tokens, std::size_t begin, std::size_t end,
                 const std::string& context, std::vector<SourceFact>& out);
// The literal lists inside the expression [begin, end), all elements in one fact.
SourceFact list_fact(const std::vector<Token>& tokens, std::size_t begin, std::size_t end,
                     const std::string& context, std::string key);
// As plain_text, with every number that is a tolerance as '#'.
std::string without_tolerances(const std::vector<Token>& tokens, std::size_t begin, std::size_t end);

}  // namespace sluice::guardrails
