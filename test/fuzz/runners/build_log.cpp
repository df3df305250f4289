// SPDX-License-Identifier: Apache-2.0
// Warnings of a build log: at most one a line, and the same ones twice are one.
#include "runners/runners.h"
#include "test/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(sluice::fuzz::text_of(data, size));
  const int warnings = sluice::runners::count_warnings(text);
  FUZZ_CHECK(warnings >= 0 && static_cast<std::size_t>(warnings) <= sluice::fuzz::lines_of(text));
  FUZZ_CHECK(sluice::runners::count_warnings(text + "\n" + text) == warnings);
  return 0;
}
