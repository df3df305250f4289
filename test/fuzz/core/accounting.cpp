// SPDX-License-Identifier: Apache-2.0
// The accounting record, as a file and as blocks of a message.
#include "core/model/accounting.h"

#include <fmt/format.h>

#include <charconv>

#include "core/text.h"
#include "test/fuzz/fuzz.h"

using namespace sluice;

namespace {

// `name:line: ...` with a line of the text.
void check_error(const Error& error, std::size_t lines) {
  FUZZ_CHECK(error.kind == ErrorKind::invalid);
  FUZZ_CHECK(core::is_utf8(error.message));
  constexpr std::string_view name = "record:";
  FUZZ_CHECK(error.message.starts_with(name));
  std::size_t line = 0;
  const char* const end = error.message.data() + error.message.size();
  const auto number = std::from_chars(error.message.data() + name.size(), end, line);
  FUZZ_CHECK(number.ec == std::errc() && number.ptr != end && *number.ptr == ':');
  FUZZ_CHECK(line >= 1 && line <= lines + 1);
}

void check_entries(const std::vector<model::AccountEntry>& entries) {
  FUZZ_CHECK(entries.size() <= model::account_entries_cap);
  for (const model::AccountEntry& entry : entries) {
    FUZZ_CHECK(!entry.path.empty() && !entry.code.empty() && entry.because.size() <= 600);
    FUZZ_CHECK(entry.norm_sha256.empty() ? entry.count == 0 : core::is_hex(entry.norm_sha256, 64) && entry.count >= 1);
  }
  const std::string printed = model::to_json(entries).dump();
  const auto again = model::parse_account_text(printed, "record");
  FUZZ_CHECK(again.ok());
  FUZZ_CHECK(model::to_json(*again).dump() == printed);
  const auto block = model::account_in_text(fmt::format("words\n\n```sluice-account\n{}\n```\n", printed), "record");
  FUZZ_CHECK(block.ok() && model::to_json(*block).dump() == printed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const std::size_t lines = fuzz::lines_of(text);
  if (const auto record = model::parse_account_text(text, "record"); record.ok())
    check_entries(*record);
  else
    check_error(record.error(), lines);
  if (const auto blocks = model::account_in_text(text, "record"); blocks.ok())
    check_entries(*blocks);
  else
    check_error(blocks.error(), lines);
  return 0;
}
