// SPDX-License-Identifier: Apache-2.0
// GoogleTest's XML report: all of it or an error, every test by a name of its own.
#include "runners/runners.h"
#include "test/fuzz/runners/records.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = sluice::fuzz::text_of(data, size);
  sluice::fuzz::check_records(sluice::runners::parse_gtest_xml(text), text);
  return 0;
}
