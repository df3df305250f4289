// SPDX-License-Identifier: Apache-2.0
// Front door of guardrails/: judges only. Reads git and values; runs nothing, opens no store.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/judge_context.h"
#include "core/model/proposal.h"
#include "core/model/unit.h"
#include "core/model/verdict.h"
#include "git/read.h"

namespace sluice::guardrails {

using model::Oid;

// What the diff-policy rules read of one member: trees B, U, D, M, P and the conflict record.
struct PickFacts {
  Oid upstream;                                                        // U
  Oid upstream_parent;                                                 // B; empty for a root commit
  Oid base_tree, upstream_tree, onto_tree, merge_tree, proposed_tree;  // of B, U, D, M, P
  Oid onto_commit;                         // D as a commit, for blame; empty when unknown
  bool conflicted = false;                 // C not empty
  bool renames_skipped = false;            // finding RENAMES_SKIPPED of the machine merge
  std::vector<model::Conflict> conflicts;  // C
  std::vector<model::DroppedPath> dropped;
  std::vector<model::Resolution> resolutions;
  std::vector<model::AccountEntry> account;
};

struct RuleFilter {
  std::vector<std::string> rules;  // empty = all
  std::vector<std::string> paths;  // globs; empty = all
};

// companion: what a person added to a pick, by the rules that ask about that. own_change: the fork's own work, which
// no rule of a pick may stop; of the rules that ask about a companion those that read text as text (G16, G20, G61)
// count, the others are observed.
enum class Judged { pick, companion, own_change };

class SymbolIndex;
// What picks that are judged one after the other share: consecutive trees have nearly every blob in common.
class JudgeMemory {
 public:
  JudgeMemory();
  JudgeMemory(JudgeMemory&&) noexcept;
  JudgeMemory& operator=(JudgeMemory&&) noexcept;
  ~JudgeMemory();
  SymbolIndex& symbols() { return *symbols_; }

 private:
  std::unique_ptr<SymbolIndex> symbols_;
};

// Groups B and C and G02 on one pick, no store and no build (`sluice gate` single-pick mode). Rules
// that need a unit or evidence are listed with applicable = false.
// Trouble inside a rule makes that rule `unresolved`; the call itself does not fail. `memory` may be null.
model::Verdict judge_pick(const git::Reader& reader, const PickFacts& pick, const model::PolicyConfig& policy,
                          const RuleFilter& filter, Judged what = Judged::pick, JudgeMemory* memory = nullptr);

// A whole unit: every member by rules A to C, the fold (G03), messages (G05), and the evidence of its
// suites (G42-G44, G50).
model::Verdict judge_unit(const git::Reader& reader, const model::Proposal& proposal, model::UnitKind lane,
                          std::span<const model::Evidence> evidence, const model::JudgeContext& context);

// Diff policy alone, before anything is built: the same rules without suites. A member above PASS
// leaves the bundle before a build is spent on it. Its mode is "diff", and clear() refuses it.
model::Verdict judge_diff(const git::Reader& reader, const model::Proposal& proposal, model::UnitKind lane,
                          const model::JudgeContext& context);

// The suites that still need a run: required for `lane`, without usable evidence for `tree`.
std::vector<std::string> missing_suites(const model::PolicyConfig& policy, model::UnitKind lane,
                                        const Oid& tree, std::span<const model::Evidence> evidence);

// Tests that should run again before `evidence` is judged, or a culprit is looked for.
struct Repetition {
  std::string suite;
  std::vector<std::string> tests;
  bool one_by_one = false;  // a sample of what a suite reports of itself: each test in a run of its own (G44)
  bool on_base = false;     // on the base tree as well: do they waver there too? (G47)
};
// Failing tests, once, outside the touched area and within the budget of G47; and the sample of G44. Nothing for what
// `evidence` holds a repetition of.
Result<std::vector<Repetition>> repetitions_wanted(const git::Reader& reader, const model::Proposal& proposal, model::UnitKind lane,
                                                   std::span<const model::Evidence> evidence, const model::JudgeContext& context);
// A suite is red by nothing but tests that passed when they were repeated: a search would find noise.
Result<bool> red_by_flakes_alone(const git::Reader& reader, const model::Proposal& proposal, const std::string& suite,
                                 std::span<const model::Evidence> evidence, const model::JudgeContext& context);
// Which failure a red test shows, for the register of known failures: the same in another run, directory and at another
// address. Empty when it says nothing, because then any other failure would be the same one.
std::string failure_fingerprint(const model::TestRecord& test);
// The registers answer for every red test of a result on trunk: it can be judged against.
bool answered_by_registers(const model::PolicyConfig& policy, const model::Evidence& evidence, std::int64_t now);
// D with the test files laid over it that U adds, path by path; empty when there are none, or the policy does not ask
// ([rules.G49] mode): it costs a run.
Result<std::map<std::string, git::TreeEntry>> new_test_files(const git::Reader& reader, const model::Proposal& proposal,
                                                             const model::PolicyConfig& policy);
// Known forms of secrets, and the exact values of `held`, masked: for what is stored or shown (G61).
std::string without_secrets(std::string_view text, std::span<const std::string> held);

// The proof, if and only if the verdict is PASS and belongs to this proposal's base and tree.
std::optional<model::Clearance> clear(const model::Verdict& verdict, const model::Proposal& proposal);

// G05: the message of a pick as it must be, without the Sluice-Evidence line; landing/ and service/
// use the same function to write it.
std::string pick_message(const model::UpstreamCommit& upstream, const std::string& unit, bool resolved,
                         const std::string& upstream_repo, const std::string& subject_prefix);
// The same for a revert of `landed`, whose own message it reads for the subject. `reason` is the operator's
// text: lines of it that look like trailers are quoted.
std::string revert_message(const git::Commit& landed, const std::string& reason, const std::string& unit,
                           const std::string& subject_prefix);
// Of the two-parent commit that a unit of several commits lands as (shape merge). Which upstream commits it
// brings stands in its members' messages alone.
std::string merge_message(const model::Proposal& proposal, const std::string& subject_prefix);
// The message of a companion: a person's words, lines that look like sluice's own quoted, and the trailers
// that tie it to `upstream`. Nothing else of it is rewritten: its numbers are the fork's.
std::string companion_message(std::string_view words, const Oid& upstream, const std::string& unit);
std::string with_evidence(const std::string& message, const std::string& verdict_digest);

// CI, test configuration, tolerances, instructions of agents, and what the policy protects: not the proposal's to touch (G12).
bool is_protected(const model::PolicyConfig& policy, std::string_view path);

// The catalogue as text: what docs/guardrails.md is made of.
struct RuleInfo {
  std::string id, title, passes, fail, lift, example;
  int version = 1, calibrated = 1;
  struct Number {
    std::string key, meaning;
    double value = 0;
  };
  std::vector<Number> thresholds;
  bool single_pick = false;  // judged by `sluice gate`, without a unit
  bool companion = false, needs_suites = false;
};
std::vector<RuleInfo> catalogue();  // the rules that exist, in order
// enforce, observe or off, for each rule by id: the policy's word, or what the rule's version makes of it.
std::map<std::string, model::RuleMode> modes(const model::PolicyConfig& policy);
// [rules.Gnn] for a rule or a number that does not exist: would be silently without effect. Errors: invalid,
// naming the line, the key and what there is.
Result<void> check_policy(const model::PolicyConfig& policy);

}  // namespace sluice::guardrails
