// SPDX-License-Identifier: Apache-2.0
// Which commit of the window last wrote which line, kept for each file while the window is walked forward.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/model/upstream_commit.h"

namespace sluice::ingest {

// One dependency on an earlier commit of the window, with the file that shows it.
struct TextLink {
  std::size_t to = 0;
  const std::string* path = nullptr;  // of the later commit's FileChange
};

// For each commit its links, ascending by `to`, one per earlier commit. The commits must outlive the result.
std::vector<std::vector<TextLink>> text_links(const std::vector<const model::UpstreamCommit*>& window,
                                              std::uint32_t context);

// The owned lines of one file. Positions count the lines before, so line 1 has position 0. A run of zero
// lines marks a place where its owner deleted lines.
class LineOwners {
 public:
  struct Run {
    std::uint64_t at = 0, lines = 0;
    std::size_t owner = 0;
  };

  // Owners of what lies within `context` lines of the hunks' old ranges are appended to `found`.
  void query(const std::vector<model::Hunk>& hunks, std::uint32_t context,
             std::vector<std::size_t>& found) const;
  // Rewrites the runs as `owner` having applied the hunks (sorted, in the coordinates of the old file).
  void apply(const std::vector<model::Hunk>& hunks, std::size_t owner);
  const std::vector<Run>& runs() const { return runs_; }

 private:
  std::vector<Run> runs_;
};

}  // namespace sluice::ingest
