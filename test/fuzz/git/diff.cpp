// SPDX-License-Identifier: Apache-2.0
// Differences of two texts: the one and the difference give the other.
#include <filesystem>
#include <fstream>

#include "core/text.h"
#include "git/read.h"
#include "test/fuzz/fuzz.h"

using namespace sluice;

namespace {

// diff_text belongs to a Reader, which is opened on a repository: an empty one.
const git::Reader& reader() {
  struct Place {
    std::filesystem::path path;
    Place() {
      std::string name = (std::filesystem::temp_directory_path() / "sluice-fuzz-XXXXXX").string();
      FUZZ_CHECK(mkdtemp(name.data()) != nullptr);
      path = name;
      std::filesystem::create_directories(path / "objects");
      std::filesystem::create_directories(path / "refs");
      std::ofstream(path / "HEAD") << "ref: refs/heads/main\n";
      std::ofstream(path / "config") << "[core]\n\trepositoryformatversion = 0\n\tbare = true\n";
    }
    ~Place() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  };
  static const Place place;
  static const Result<git::Reader> opened = git::Reader::open(place.path.string());
  FUZZ_CHECK(opened.ok());
  return *opened;
}

// The lines of `before` as `diff` changes them.
std::vector<std::string> apply(const git::TextDiff& diff, std::string_view before) {
  const auto lines = core::split_lines(before);
  std::vector<std::string> out;
  std::size_t taken = 0, next = 0;
  for (const auto& hunk : diff.hunks) {
    // A hunk that removes nothing stands behind its line.
    const std::size_t begin = hunk.old_count == 0 ? hunk.old_start : hunk.old_start - 1;
    FUZZ_CHECK(begin >= taken && begin + hunk.old_count <= lines.size());
    while (taken < begin) out.emplace_back(lines[taken++]);
    std::uint32_t removed = 0, added = 0;
    for (; next < diff.lines.size() && (removed < hunk.old_count || added < hunk.new_count); ++next) {
      const git::DiffLine& line = diff.lines[next];
      if (line.side == '-') {
        FUZZ_CHECK(line.line == taken + 1 && lines[taken] == line.text);
        ++taken;
        ++removed;
      } else {
        out.push_back(line.text);
        FUZZ_CHECK(line.line == out.size());
        ++added;
      }
    }
    FUZZ_CHECK(removed == hunk.old_count && added == hunk.new_count);
  }
  FUZZ_CHECK(next == diff.lines.size());
  while (taken < lines.size()) out.emplace_back(lines[taken++]);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [before, after] = fuzz::two_parts(fuzz::text_of(data, size));
  const git::TextDiff diff = reader().diff_text(before, after);
  if (diff.binary) {
    FUZZ_CHECK(before != after && diff.hunks.empty() && diff.lines.empty());
  } else {
    const auto lines = core::split_lines(after);
    const auto rebuilt = apply(diff, before);
    // Two texts that are no texts are equal or binary.
    if (before.find('\0') == std::string_view::npos && after.find('\0') == std::string_view::npos)
      FUZZ_CHECK(std::equal(rebuilt.begin(), rebuilt.end(), lines.begin(), lines.end()));
  }
  const git::TextDiff same = reader().diff_text(before, before);
  FUZZ_CHECK(!same.binary && same.hunks.empty() && same.lines.empty());
  return 0;
}
