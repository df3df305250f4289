// SPDX-License-Identifier: Apache-2.0
// When two texts say the same: every form of every language, on any bytes.
#include "core/format.h"

#include <array>

#include "test/fuzz/fuzz.h"

using namespace sluice;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [a, b] = fuzz::two_parts(fuzz::text_of(data, size));
  for (const core::Language language :
       {core::Language::python, core::Language::c_family, core::Language::mlir, core::Language::other}) {
    const auto form = core::strict_form(a, language);
    FUZZ_CHECK(core::format_equal(a, a, language) == form.has_value());
    const bool equal = core::format_equal(a, b, language);
    FUZZ_CHECK(equal == core::format_equal(b, a, language));
    if (equal) FUZZ_CHECK(core::loose_form(a) == core::loose_form(b));
    if (equal) FUZZ_CHECK(form == core::strict_form(b, language));
  }
  const std::string loose = core::loose_form(a);
  FUZZ_CHECK(loose.size() <= a.size());
  FUZZ_CHECK(loose.find_first_of(" \t\n\r") == std::string::npos);
  return 0;
}
