// SPDX-License-Identifier: Apache-2.0
// Tokens and logical lines of Python. Total on any bytes, linear; what is no Python still gives tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "guardrails/scan/source_fact.h"

namespace sluice::guardrails {

enum class TokenKind { name, number, text, op };

struct Token {
  TokenKind kind = TokenKind::op;
  std::string_view text;   // into the source; of a text literal with prefix and quotes
  std::uint32_t line = 0;  // 1-based
};

// One logical line: brackets and a trailing backslash join, comments and blank lines are gone.
struct PythonLine {
  std::size_t begin = 0, end = 0;  // tokens
  std::uint32_t indent = 0;        // columns; a tab ends at a multiple of eight
};

struct PythonTokens {
  std::vector<Token> tokens;
  std::vector<PythonLine> lines;
};
PythonTokens tokenize_python(std::string_view source);

// Between its quotes; empty for what is no text literal.
std::string_view inner_text(std::string_view literal);
// Tokens with one blank between, quotes alike, no comma before a closing bracket: as no formatter changes it.
std::string plain_text(const std::vector<Token>& tokens, std::size_t begin, std::size_t end);

std::vector<SourceFact> python_facts(std::string_view source);

}  // namespace sluice::guardrails
