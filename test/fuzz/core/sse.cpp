// SPDX-License-Identifier: Apache-2.0
// An event stream says the same wherever it is cut, and nothing longer than its cap is kept.
#include "core/sse.h"

#include <vector>

#include "test/fuzz/fuzz.h"

using namespace sluice;

namespace {

constexpr std::size_t cap = 512;
using Events = std::vector<std::pair<std::string, std::string>>;

Events read(std::string_view text, std::size_t step, bool& too_long) {
  core::SseParser parser(cap);
  Events out;
  const auto sink = [&](const core::SseEvent& e) {
    FUZZ_CHECK(e.data.size() <= cap && e.name.size() <= cap);
    FUZZ_CHECK(e.data.find('\r') == std::string::npos && e.name.find('\n') == std::string::npos);
    out.emplace_back(e.name, e.data);
  };
  for (std::size_t at = 0; at < text.size(); at += step) {
    too_long = !parser.feed(text.substr(at, step), sink).ok();
    if (too_long) return out;
  }
  parser.finish(sink);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  bool long_whole = false, long_cut = false;
  const Events whole = read(text, std::max<std::size_t>(1, size), long_whole);
  for (const std::size_t step : {1, 2, 7}) {
    const Events cut = read(text, step, long_cut);
    FUZZ_CHECK(long_cut == long_whole);
    FUZZ_CHECK(cut == whole);
  }
  return 0;
}
