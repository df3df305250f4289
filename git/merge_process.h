// SPDX-License-Identifier: Apache-2.0
// One long-lived `git merge-tree --write-tree --stdin` and its wire format. Inner header of git/.
//
// A request is the line "OURS SP THEIRS". An answer, every field ended by NUL:
//   STATUS ("1" clean, "0" conflict: the reverse of git's exit status)   TREE
//   per conflicted entry  MODE SP OID SP STAGE TAB PATH
//   ""                                                                  (empty field)
//   per message           NPATHS PATH*NPATHS TYPE TEXT
//   advice for people, without NUL, after a conflict of a submodule
//   ""
// git flushes before that last NUL, so it arrives only with the next answer. A client that waited for it
// would wait for ever; so every request is followed by a sentinel, the merge of a commit of the empty
// tree with itself, and an answer is whole when the sentinel's has arrived up to its last NUL.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/pick.h"
#include "core/process.h"
#include "core/result.h"

namespace sluice::git {

struct MergeMessage {
  std::vector<std::string> paths;
  std::string type, text;
};

struct MergeAnswer {
  bool clean = false;
  model::Oid tree;
  std::vector<model::Stage> stages;
  std::vector<MergeMessage> messages;
  bool renames_skipped = false;
};

// The settings of the one recipe, as `name=value`.
const std::vector<std::string>& merge_settings();

// Reads one answer from the start of `bytes` and removes it; nullopt while it is incomplete, an error
// when it cannot be one.
Result<std::optional<MergeAnswer>> take_answer(std::string_view& bytes);

class MergeProcess {
 public:
  // `sentinel` = a commit of the empty tree in that repository. After `most_merges` a new process is started.
  MergeProcess(std::string git_dir, model::Oid sentinel, int most_merges);

  // Errors: not_found "object_missing: ..." (git named an object it could not read), transient
  // (time-out), internal (git's words). After an error the next call starts a new process.
  Result<MergeAnswer> merge(const model::Oid& ours, const model::Oid& theirs);
  int starts() const { return starts_; }

 private:
  Result<MergeAnswer> attempt(const std::string& request);
  Result<MergeAnswer> receive();
  Error failure();

  std::string git_dir_;
  model::Oid sentinel_;
  int most_merges_;
  std::optional<core::ChildProcess> child_;
  int merges_ = 0;   // by this process
  int starts_ = 0;
};

}  // namespace sluice::git
