// SPDX-License-Identifier: Apache-2.0
// What lit and FileCheck read of a test file, by their own rules: lit's keywords at any place of a line (the
// first one of a line decides), RUN lines joined over a trailing backslash, FileCheck's directives by the
// prefixes that the pipelines name. Total on any bytes, linear in the text.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::guardrails {

// One RUN pipeline after joining, as lit would hand it to its shell (before substitutions).
struct LitPipeline {
  std::string text;                             // blanks outside quotes are one blank
  std::uint32_t first_line = 0, last_line = 0;  // 1-based
  std::vector<std::string> source;              // the lines of the file that it was joined from
  int file_checks = 0;                          // commands that are FileCheck
  int nots = 0;                                 // commands under `not`
  int or_true = 0;                              // `|| true`, `|| :`
  int allow_empty = 0, allow_unused_prefixes = 0;
};

// One expression of XFAIL, REQUIRES, UNSUPPORTED; the value of ALLOW_RETRIES; END.; a DEFINE or REDEFINE.
struct LitMark {
  std::string keyword;  // "XFAIL", "REQUIRES", "UNSUPPORTED", "ALLOW_RETRIES", "END", "DEFINE", "REDEFINE"
  std::string text;     // without blanks; DEFINE, REDEFINE: blanks are one blank
  std::uint32_t line = 0;
};

// A CHECK line or an expected-error, -warning, -remark, -note annotation.
struct LitCheck {
  std::string
      text;  // "CHECK-NEXT: tt.return", "expected-error {{...}}": what it demands, blanks are one blank
  std::string source;  // the line of the file
  std::uint32_t line = 0;
};

struct LitFile {
  std::vector<LitPipeline> pipelines;
  std::vector<LitMark> marks;
  std::set<std::string> prefixes;  // of its FileCheck commands; {"CHECK"} when it has none
};

LitFile read_lit_file(std::string_view text);

// The lines that FileCheck with `prefixes` or -verify-diagnostics would act on.
std::vector<LitCheck> read_checks(std::string_view text, const std::set<std::string>& prefixes);

}  // namespace sluice::guardrails
