// SPDX-License-Identifier: Apache-2.0
// What the team lands by itself, scored against what sluice would have landed in its place (DESIGN section 8,
// "Autonomy"): the way to find out, before sluice may land anything, whether it would have done the same.
//
// A landing is one commit L of trunk's first-parent line with its parent D. It is matched to the upstream
// commits that it brings (observe_match.h). For these, sluice's answer on the tree of D is computed by the same
// recipe, ladder and rules as a sync uses (observe_score.h), and compared with what L holds. The rules are
// asked about L itself as well. Nothing is landed, built or run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/model/verdict.h"
#include "service/planning.h"

namespace sluice::service {

enum class Score {
  same,       // sluice would have landed the same tree
  differs,    // ... another one: `files`
  stopped,    // ... nothing: `rule` and its first item; "conflict": no rung answers, a person would have been asked
  error,      // it cannot be said: an object is missing, git failed, a limit
  unmatched,  // no upstream commit: the fork's own work
};
std::string_view to_string(Score score);

// One rule's complaint about a tree.
struct Objection {
  std::string rule, first;  // its first item, one line
  model::Judgement judgement = model::Judgement::pass;
  std::int64_t items = 0;
};

struct Landed {
  Oid commit, parent;
  std::int64_t at = 0;  // committer time
  std::string subject;
  std::vector<Oid> upstream;  // in upstream order; empty = unmatched
  std::string how;            // the weakest hint that was needed; see observe_match.h
  std::string note;           // what is odd about the match, for people
  Score score = Score::unmatched;
  std::string rule, reason;         // stopped, error
  bool conflicted = false;          // a pick had a conflict
  bool equal_tree = false;          // sluice's tree is the landed one; also when a rule would have stopped it
  std::vector<std::string> files;   // differs: paths, the first ones
  std::int64_t files_total = 0;
  // What the rules say of the landed tree itself. "": not judged, `landed_why` says why.
  std::string landed_verdict, landed_why;
  std::vector<Objection> objections;
};

struct ObserveOptions {
  std::int64_t since = 0, until = 0;  // committer time, since <= t < until; 0 = 30 days before the newest landing / no end
  std::int64_t at_most = 0;           // score no more new ones than this, newest first; 0 = all
};

struct ObserveReport {
  Oid head;
  std::int64_t since = 0, until = 0;
  std::vector<Landed> landings;         // oldest first
  std::int64_t by_sluice = 0;           // sluice's own landings in the range: not scored
  std::int64_t scored_now = 0, left = 0;  // the others came from the store; not looked at for at_most
  std::int64_t untried = 0;             // commits whose trees were not compared, for the limit on picks
};

// Scores what is new since the last call and stores each answer at once, so that a call that was cut short is
// continued by the next one. An answer is made again when policy, recipe or trailer patterns changed, or, of
// an unmatched landing, when upstream has moved. Errors: transient when cancelled; those of reading trunk.
Result<ObserveReport> observe(App& app, const Plan& plan, const ObserveOptions& options);

core::Json observe_json(App& app, const ObserveReport& report);  // sluice.observe/1
std::string observe_text(App& app, const ObserveReport& report);

// As it stands in the store and in `landings` of sluice.observe/1.
core::Json landed_json(const Landed& landed);
Result<Landed> parse_landed(const core::Json& json);

}  // namespace sluice::service
