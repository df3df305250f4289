// SPDX-License-Identifier: Apache-2.0
// JSON: what is read can be written, and is then read as the same value.
#include "core/json.h"

#include "core/text.h"
#include "test/fuzz/fuzz.h"

using sluice::core::Json;

namespace {

std::size_t depth_of(const Json& json) {
  std::size_t deepest = 0;
  for (const Json& item : json.items()) deepest = std::max(deepest, depth_of(item));
  for (const auto& [key, value] : json.members()) deepest = std::max(deepest, depth_of(value));
  return json.is_array() || json.is_object() ? deepest + 1 : 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = sluice::fuzz::text_of(data, size);
  const auto json = Json::parse(text);
  if (!json.ok()) {
    FUZZ_CHECK(json.error().kind == sluice::ErrorKind::invalid);
    FUZZ_CHECK(!json.error().message.empty() && sluice::core::is_utf8(json.error().message));
    return 0;
  }
  FUZZ_CHECK(depth_of(*json) <= Json::Limits{}.max_depth);
  const std::string line = json->dump(), page = json->pretty();
  FUZZ_CHECK(sluice::core::is_utf8(line));
  const auto again = Json::parse(line), from_page = Json::parse(page);
  FUZZ_CHECK(again.ok() && *again == *json);
  FUZZ_CHECK(from_page.ok() && *from_page == *json);
  FUZZ_CHECK(again->dump() == line);
  FUZZ_CHECK(!Json::parse(text, {.max_bytes = size == 0 ? 0 : size - 1, .max_depth = 64}).ok());
  return 0;
}
