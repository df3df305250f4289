// SPDX-License-Identifier: Apache-2.0
// Characters that a reader does not see: where one is found, and that what is shown of a line is plain ASCII.
#include "guardrails/scan/deceptive_text.h"

#include "core/text.h"
#include "guardrails/scan/path_names.h"
#include "test/fuzz/fuzz.h"

using namespace sluice;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  bool first = true;
  for (const std::string_view line : core::split_lines(text)) {
    const auto found = guardrails::find_deception(line, first);
    first = false;
    if (found) FUZZ_CHECK(found->at < line.size() && !found->what.empty());
    const bool ascii = std::all_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80 && c != 0; });
    if (ascii) FUZZ_CHECK(!found);
    if (!core::is_utf8(line) || line.find('\0') != std::string_view::npos) FUZZ_CHECK(found);
    for (const char c : guardrails::escaped(line)) FUZZ_CHECK((c >= ' ' && c < 0x7f) || c == '\t');
    const std::string folded = guardrails::folded_path(line);
    FUZZ_CHECK(guardrails::folded_path(folded) == folded);
  }
  return 0;
}
