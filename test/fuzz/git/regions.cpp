// SPDX-License-Identifier: Apache-2.0
// Conflict regions of a merged file: nothing of it is lost, and what a finished file has in their place stands in it.
#include "core/text.h"
#include "git/conflicts.h"
#include "git/read.h"
#include "test/fuzz/fuzz.h"

using namespace sluice;

namespace {

// The merged file again, its marker lines taken from itself.
std::string put_together(const git::MergedFile& file, std::string_view merged) {
  const auto lines = core::split_lines_keep(merged);
  std::string out = file.text.front();
  for (std::size_t i = 0; i < file.regions.size(); ++i) {
    const git::Region& region = file.regions[i];
    std::size_t marker = region.first_line - 1;
    for (const std::string* part : {&region.ours, &region.base, &region.theirs}) {
      FUZZ_CHECK(marker < lines.size());
      out += lines[marker];
      out += *part;
      marker += fuzz::lines_of(*part) + 1;
    }
    FUZZ_CHECK(marker + 1 == region.last_line && marker < lines.size());
    out += lines[marker];
    out += file.text[i + 1];
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view merged = fuzz::text_of(data, size);
  const auto cut = git::cut_regions("a/b.cpp", merged);
  if (!cut.ok()) {
    FUZZ_CHECK(cut.error().kind == ErrorKind::invalid && git::count_regions(merged) == 0);
    return 0;
  }
  FUZZ_CHECK(cut->text.size() == cut->regions.size() + 1);
  FUZZ_CHECK(static_cast<std::size_t>(git::count_regions(merged)) == cut->regions.size());
  std::size_t last = 0, number = 0;
  for (const git::Region& region : cut->regions) {
    FUZZ_CHECK(region.ordinal == number++ && core::is_hex(region.id, 12));
    FUZZ_CHECK(region.first_line > last && region.first_line + 3 <= region.last_line);
    last = region.last_line;
  }
  FUZZ_CHECK(last <= fuzz::lines_of(merged));
  FUZZ_CHECK(put_together(*cut, merged) == merged);
  const auto filled = git::fill_regions(*cut, std::vector<std::string>(cut->regions.size()));
  const auto again = git::cut_regions("a/b.cpp", filled);
  FUZZ_CHECK(filled.size() <= merged.size());
  // What is left has no region of ours, unless the empty answers put two halves of a line together.
  if (again.ok() && cut->regions.empty()) FUZZ_CHECK(again->regions.empty() && filled == merged);
  return 0;
}
