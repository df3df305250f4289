// SPDX-License-Identifier: Apache-2.0
// One file of the virtual buffer: the machine merge's text in pieces, the answers between them, and the edits of the
// pieces. Inner header of tools/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "git/read.h"
#include "tools/splice.h"
#include "tools/tools.h"

namespace sluice::tools {

// An edit of one piece: the whole lines that it touched, before and after.
struct PieceEdit {
  std::string code, arg, reason;            // arg: of API_RENAME, the old and the new name
  std::vector<std::string> before, after;   // without whitespace
};

class ProposedFile {
 public:
  // `cut` may have no region: then its only piece is the file. `merged`: the text that was cut.
  ProposedFile(std::string path, std::uint32_t mode, git::MergedFile cut, std::string_view merged, LineStyle style);

  const std::string& path() const { return path_; }
  std::uint32_t mode() const { return mode_; }
  const std::vector<git::Region>& regions() const { return cut_.regions; }
  const LineStyle& style() const { return style_; }

  // `answers`, one for each region; null = its markers stand there. `spans` (may be null): bytes of each region.
  struct Span {
    std::size_t begin = 0, end = 0;
  };
  std::string render(const std::vector<const std::string*>& answers, std::vector<Span>* spans = nullptr) const;

  // Replaces `old_text`, which must stand in one place only and in a piece. Errors: invalid, one sentence.
  Result<void> edit(const std::vector<const std::string*>& answers, std::string_view old_text, std::string_view new_text,
                    const std::string& code, const std::string& reason);
  bool edited() const { return !edits_.empty(); }
  // An entry `adapt` for what differs from the machine merge (G10, G11).
  std::vector<model::AccountEntry> entries(const git::Reader& reader) const;

 private:
  std::string path_;
  std::uint32_t mode_;
  git::MergedFile cut_;
  std::vector<std::string> marked_;  // the lines of each region in the merged file, markers included
  std::vector<std::string> text_;    // the pieces as edited
  LineStyle style_;
  std::vector<PieceEdit> edits_;
};

}  // namespace sluice::tools
