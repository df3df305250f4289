// SPDX-License-Identifier: Apache-2.0
// The rung `model`: one run over one conflicted pick, or the answer of an earlier run over the same conflict.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "agent/loop/loop.h"
#include "store/agent.h"

namespace sluice::agent {

// What the rung works with. Nothing but `mask` and the strings is owned.
struct ModelDesk {
  Provider* provider = nullptr;
  Budget* budget = nullptr;
  // What may leave of a run about `world`: its own files may stand beside what never_send names.
  std::function<std::unique_ptr<Outgate>(const tools::World& world)> outgate;
  store::AgentStore* book = nullptr;
  const core::Clock* clock = nullptr;
  const std::atomic<bool>* cancel = nullptr;
  Mask mask;
  std::string transcripts;  // directory
  std::string fork, night;  // whom it is charged to
  std::string policy_sha256;
  LoopLimits limits;
  // Upstream commits that `upstream` needs and the fork lacks, by the ledger.
  std::function<std::vector<RelatedCommit>(const model::UpstreamCommit& upstream)> prerequisites;
  std::vector<model::InvariantConfig> invariants;
  bool leaves = true;        // false: a recording answers, so no path is sent to anybody
  bool only_stored = false;  // answers of earlier runs alone: nothing is sent
};

struct RungEnd {
  bool answered = false;       // the buffer holds a whole answer
  std::string why;             // not answered: one sentence, with the model's question where it has one
  std::string later;           // Answer::later
  std::string transcript;      // empty: it was not asked
  std::string summary = {};    // repair: the model's words
};

class ModelRung {
 public:
  explicit ModelRung(ModelDesk desk) : desk_(std::move(desk)) {}

  // For calls that the run makes on behalf of `unit`.
  void set_unit(std::string unit) { unit_ = std::move(unit); }
  // The buffer holds the answers of surer rungs; candidates come as options. An answer that an earlier run gave to the
  // same conflict, with the same model and prompt, is taken up again without a call. Errors: the store, the transcript,
  // git, the runner; never what the model does.
  Result<RungEnd> answer(store::Store& store, const tools::World& world, tools::Buffer& buffer, tools::Checks& checks,
                         std::vector<CandidateAnswer> candidates, std::vector<tools::Finding> findings, std::string attempt_note);
  // The job `repair`: a pick that merged and does not build. `world` has no conflicts; `buffer` takes edits outside of
  // them alone; `findings` are the compiler's. Whether it builds then, the caller finds out.
  Result<RungEnd> repair(store::Store& store, const tools::World& world, tools::Buffer& buffer, tools::Checks& checks, std::vector<tools::Finding> findings);
  const ModelDesk& desk() const { return desk_; }
  // The first request of that run, as bytes: what `sluice model preview` prints. Nothing is sent.
  Result<std::string> preview(store::Store& store, const tools::World& world, tools::Buffer& buffer, tools::Checks& checks,
                              std::vector<CandidateAnswer> candidates);
  const model::EndpointConfig& endpoint() const { return desk_.provider->endpoint(); }

 private:
  struct Job {
    std::string name;          // resolve | repair
    std::string_view prompt;
  };
  Result<LoopEnd> run(const Job& job, const tools::World& world, tools::Toolbox& toolbox, const Outgate& outgate, LlmRequest first);
  Result<LlmRequest> request(std::string_view prompt, store::Store& store, const tools::World& world, const tools::Buffer& buffer, const tools::Toolbox& toolbox,
                             std::vector<CandidateAnswer> candidates, std::vector<tools::Finding> findings, std::string attempt_note) const;
  tools::World seen_world(const tools::World& world, const Outgate& outgate) const;
  // Empty: it may be asked about these places.
  std::string why_not_asked(const tools::World& world, const tools::Buffer& buffer) const;
  std::string key_of(const tools::World& world, const tools::Buffer& buffer) const;
  ModelDesk desk_;
  std::string unit_;
};

}  // namespace sluice::agent
