// SPDX-License-Identifier: Apache-2.0
// The output of git log: the same commits, however the bytes are cut into pieces.
#include "git/change_stream.h"

#include <string>
#include <vector>

#include "test/fuzz/fuzz.h"

using namespace sluice;

namespace {

struct Outcome {
  std::string commits, error;
};

std::string told(const git::StreamedCommit& commit) {
  FUZZ_CHECK(model::is_oid(commit.oid));
  std::string out = commit.oid;
  for (const git::StreamedFile& file : commit.files) {
    FUZZ_CHECK(!file.change.binary || (file.removed.empty() && file.added.empty() && file.change.hunks.empty()));
    std::uint64_t removed = 0, added = 0;
    for (const model::Hunk& hunk : file.change.hunks) removed += hunk.old_count, added += hunk.new_count;
    FUZZ_CHECK(file.removed.size() <= removed && file.added.size() <= added);
    out += "\n" + file.change.path + "\t" + file.change.removed_sha + file.change.added_sha;
  }
  return out + "\n";
}

Outcome read(std::string_view text, std::size_t piece) {
  Outcome out;
  git::ChangeParser parser([&](git::StreamedCommit&& commit) -> Result<void> {
    out.commits += told(commit);
    return {};
  });
  for (std::size_t at = 0; at < text.size(); at += piece) {
    if (const auto fed = parser.feed(text.substr(at, piece)); !fed.ok()) {
      out.error = "unknown form";  // where it was found depends on the piece
      return out;
    }
  }
  if (const auto end = parser.finish(); !end.ok()) out.error = "breaks off";
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const Outcome whole = read(text, std::max<std::size_t>(text.size(), 1));
  for (const std::size_t piece : {size / 2 + 1, std::max<std::size_t>(size / 512, 7)}) {
    const Outcome pieces = read(text, piece);
    FUZZ_CHECK(pieces.error == whole.error);
    FUZZ_CHECK(pieces.commits == whole.commits);
  }
  return 0;
}
