// SPDX-License-Identifier: Apache-2.0
// What lit and FileCheck read of a test file.
#include "guardrails/scan/lit_file.h"

#include "core/text.h"
#include "test/fuzz/fuzz.h"

using namespace sluice;

namespace {

void check_pipelines(const guardrails::LitFile& file, const std::vector<std::string_view>& lines) {
  std::uint32_t last = 0;
  for (const guardrails::LitPipeline& pipeline : file.pipelines) {
    FUZZ_CHECK(pipeline.first_line > last && pipeline.first_line <= pipeline.last_line && pipeline.last_line <= lines.size());
    last = pipeline.last_line;
    FUZZ_CHECK(!pipeline.source.empty() && pipeline.source.size() <= pipeline.last_line - pipeline.first_line + 1);
    FUZZ_CHECK(pipeline.source.front() == lines[pipeline.first_line - 1]);
    FUZZ_CHECK(pipeline.source.back() == lines[pipeline.last_line - 1]);
    for (const int count : {pipeline.file_checks, pipeline.nots, pipeline.or_true, pipeline.allow_empty, pipeline.allow_unused_prefixes})
      FUZZ_CHECK(count >= 0);
  }
}

void check_checks(const std::vector<guardrails::LitCheck>& checks, const std::vector<std::string_view>& lines) {
  std::uint32_t last = 0;
  for (const guardrails::LitCheck& check : checks) {
    FUZZ_CHECK(check.line >= std::max(last, 1u) && check.line <= lines.size());
    last = check.line;
    FUZZ_CHECK(check.source == lines[check.line - 1] && !check.text.empty());
  }
}

// A checkout with other line ends is the same test.
void check_line_ends(std::string_view text, const guardrails::LitFile& file) {
  const guardrails::LitFile other = guardrails::read_lit_file(fuzz::with_crlf(text));
  FUZZ_CHECK(other.prefixes == file.prefixes);
  FUZZ_CHECK(other.pipelines.size() == file.pipelines.size() && other.marks.size() == file.marks.size());
  for (std::size_t i = 0; i < file.pipelines.size(); ++i) FUZZ_CHECK(other.pipelines[i].text == file.pipelines[i].text);
  for (std::size_t i = 0; i < file.marks.size(); ++i) FUZZ_CHECK(other.marks[i].text == file.marks[i].text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto lines = core::split_lines(text);
  const guardrails::LitFile file = guardrails::read_lit_file(text);
  check_pipelines(file, lines);
  FUZZ_CHECK(!file.prefixes.empty());
  for (const guardrails::LitMark& mark : file.marks) {
    FUZZ_CHECK(mark.line >= 1 && mark.line <= lines.size());
    FUZZ_CHECK(lines[mark.line - 1].find(mark.keyword) != std::string_view::npos);
  }
  check_checks(guardrails::read_checks(text, file.prefixes), lines);
  if (text.find('\r') == std::string_view::npos) check_line_ends(text, file);
  return 0;
}
