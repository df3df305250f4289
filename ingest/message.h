// SPDX-License-Identifier: Apache-2.0
// What a commit message says about other commits. Pure text; no repository is asked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/upstream_commit.h"
#include "core/regex.h"
#include "core/result.h"

namespace sluice::ingest {

// One place where a message reverts or relands something.
struct Mention {
  model::RevertLink::Kind kind = model::RevertLink::Kind::revert;
  std::vector<std::string> shas;  // 7 to 40 hex digits, as written; empty when only words say it
  std::string text;               // the words, one line, at most 200 bytes
};

class MessageRules {
 public:
  static Result<MessageRules> compile();

  // In the order of the text. Forms: `This reverts commit <sha>[, <sha> and <sha>]`, `Reverts owner/repo#N`,
  // `reverts #N`, `This reverts #A and follow up fixes`, `Partially revert ...`, `Revert "..."`,
  // `Back out "..."`, `Reapply`, `[Reland]`, `Reland #N`, `Resurrect`. The subject alone counts only when
  // the body says nothing more exact.
  std::vector<Mention> mentions(std::string_view subject, std::string_view message) const;
  // The subject begins with Revert, Back out, Reland or Reapply, tags aside.
  bool undoes(std::string_view subject) const;

 private:
  MessageRules(core::Regex by_sha, core::Regex by_number, core::Regex subject_revert,
               core::Regex subject_reland, core::Regex partial);
  core::Regex by_sha_, by_number_, subject_revert_, subject_reland_, partial_;
};

// N of a trailing "(#N)"; 0 = none.
std::int64_t trailing_pr(std::string_view subject);
// Runs of 7 to 40 hex digits separated by blanks, commas, "and" and "commit(s)", up to the first other word.
std::vector<std::string> leading_shas(std::string_view text);

}  // namespace sluice::ingest
