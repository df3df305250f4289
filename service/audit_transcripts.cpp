// SPDX-License-Identifier: Apache-2.0
// Every transcript of a model: its chain, its blobs, and that it ends where the store says it ended.
#include <fmt/format.h>

#include "agent/loop/loop.h"
#include "core/file.h"
#include "service/audit_parts.h"
#include "store/agent.h"

namespace sluice::service {

Result<void> Auditor::transcripts() {
  const std::string dir = core::join_path(app_.config.store_path, "transcripts");
  auto book = store::AgentStore::open(app_.config.store_path);
  if (!book.ok()) {
    unchecked("transcripts", dir, book.error().message, audit_restore);
    return {};
  }
  TRY_ASSIGN(const auto rows, (*book)->transcripts());
  for (const store::TranscriptRow& row : rows) {
    ++audit_.transcripts;
    const auto checked = agent::verify_transcript(dir, row.run);
    if (!checked.ok()) {
      // A run that was killed before its first line was written has no file.
      const bool never_begun = row.ended_at == 0 && checked.error().kind == ErrorKind::not_found;
      if (!never_begun) wrong("transcript", row.run, checked.error().message, audit_restore);
      continue;
    }
    if (row.ended_at == 0) continue;
    if (checked->last_sha256 != row.last_sha256 || checked->lines != row.lines)
      wrong("transcript", row.run, fmt::format("ends after {} lines with {}, and the run ended after {} with {}", checked->lines, checked->last_sha256.substr(0, 12), row.lines, row.last_sha256.substr(0, 12)),
            audit_restore);
  }
  return {};
}

}  // namespace sluice::service
