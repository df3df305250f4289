// SPDX-License-Identifier: Apache-2.0
// Tokens of C, C++, CUDA and TableGen. Total on any bytes, linear; no preprocessing.
#pragma once

#include <string_view>
#include <vector>

#include "guardrails/scan/python_tokens.h"

namespace sluice::guardrails {

struct CppTokens {
  std::vector<Token> tokens;      // without comments and preprocessor lines
  std::vector<Token> directives;  // each preprocessor line, continuation lines joined, from its '#'
};
// `#define NAME NUMBER` is told as the tokens NAME = NUMBER ; because it names a constant.
CppTokens tokenize_cpp(std::string_view source);

std::vector<SourceFact> cpp_facts(std::string_view source);

}  // namespace sluice::guardrails
