// SPDX-License-Identifier: Apache-2.0
// The facts of one upstream commit: computed once, stored, never changed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/oid.h"

namespace sluice::model {

// Name and e-mail are UTF-8 (re-encoded as git does); time in unix seconds, zone in minutes east.
struct Person {
  std::string name, email;
  std::int64_t time = 0;
  int zone = 0;
  friend bool operator==(const Person&, const Person&) = default;
};

enum class ChangeStatus { added, deleted, modified, renamed, type_changed };
std::string_view to_string(ChangeStatus);

// Line ranges of one hunk without context (-U0), 1-based; count 0 = pure insertion / deletion, then
// `start` is the line after which it happens (git's convention).
struct Hunk {
  std::uint32_t old_start = 0, old_count = 0, new_start = 0, new_count = 0;
};

struct FileChange {
  std::string path;      // bytes; the new path of a rename
  std::string old_path;  // equal to path unless renamed
  ChangeStatus status = ChangeStatus::modified;
  std::uint32_t old_mode = 0, new_mode = 0;  // 0100644, 0100755, 0120000, 0160000; 0 = absent
  Oid old_blob, new_blob;
  bool binary = false;
  std::vector<Hunk> hunks;
  // sha256 over the removed / added lines in order: a commit is the exact inverse of another when
  // these are swapped for every file. Empty for binary files.
  std::string removed_sha, added_sha;
};

// What a message says about an earlier commit.
struct RevertLink {
  enum class Kind { revert, reland, partial_revert } kind = Kind::revert;
  Oid oid;              // resolved full sha; empty when the text could not be resolved
  std::string text;     // the words that said so
};

enum class CommitKind { code, test, docs, ci, pin, merge };
std::string_view to_string(CommitKind);

struct UpstreamCommit {
  Oid oid;
  Oid parent;                // mainline parent (parents[0]); empty for a root commit
  std::vector<Oid> parents;
  Oid tree;
  std::int64_t position = 0;  // on the first-parent line, 1 = first after the fork base
  Person author, committer;
  std::string subject;  // first line of the message, UTF-8
  std::string message;  // whole message, UTF-8 (re-encoded from its encoding header)
  std::int64_t pr = 0;  // from a trailing "(#N)" of the subject; 0 = none. Shown, never an identity
  CommitKind kind = CommitKind::code;
  std::vector<FileChange> files;
  std::vector<std::string> symbols_defined;  // identifiers whose definition the commit adds
  std::vector<std::string> symbols_removed;  // ... removes or renames away, or re-signs
  std::vector<std::string> symbols_named;    // identifiers in its added and removed lines
  std::vector<RevertLink> reverts;
  // A merge whose tree is not git's own merge of its parents ("evil merge"): always a chain.
  bool evil_merge = false;
};

}  // namespace sluice::model
