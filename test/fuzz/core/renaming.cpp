// SPDX-License-Identifier: Apache-2.0
// One name in the place of another: what is worked out of two texts makes the second of the first.
#include "core/renaming.h"

#include "core/text.h"
#include "test/fuzz/fuzz.h"

using namespace sluice;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [before, after] = fuzz::two_parts(fuzz::text_of(data, size));
  const auto arg = core::one_renaming(before, after);
  if (!arg) return 0;
  const auto names = core::renaming_of(*arg);
  FUZZ_CHECK(names.has_value() && names->from != names->to);
  FUZZ_CHECK(core::strip_space(core::rename_in(before, names->from, names->to)) == core::strip_space(after));
  FUZZ_CHECK(before.find(names->from) != std::string_view::npos);
  return 0;
}
