// SPDX-License-Identifier: Apache-2.0
#include "service/model/resolver.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "agent/rules/rules.h"
#include "core/glob.h"
#include "core/log.h"
#include "guardrails/guardrails.h"
#include "service/model/pick_checks.h"

namespace sluice::service {

namespace {

constexpr const char* proofs_key = "ladder.rule_proofs";
constexpr std::int64_t least_answers = 100;

}  // namespace

Result<model::LadderConfig> effective_rungs(store::Store& store, const model::LadderConfig& configured) {
  model::LadderConfig out = configured;
  TRY_ASSIGN(const auto text, store.value(proofs_key));
  const auto proofs = text ? core::Json::parse(*text) : Result<core::Json>(core::Json::object());
  for (const agent::RuleInfo& rule : agent::region_rules()) {
    if (rule.proven) continue;
    const std::string id(rule.id);
    const auto own = configured.rules.find(id);
    const model::RungMode mode = own != configured.rules.end() ? own->second : configured.candidate;
    if (mode != model::RungMode::land) continue;
    const core::Json& proof = proofs.ok() ? (*proofs)[id] : core::Json();
    const bool proven = proof["answers"].as_int() >= least_answers && proof["low"].as_double() >= configured.land_floor;
    if (!proven) out.rules[id] = model::RungMode::propose;
  }
  return out;
}

Result<void> put_rule_proofs(store::Store& store, const std::map<std::string, RuleProof>& proofs, std::int64_t at) {
  core::Json out = core::Json::object();
  for (const auto& [rule, proof] : proofs) out.set(rule, core::Json::object({{"answers", proof.answers}, {"low", proof.low}, {"at", at}}));
  return store.put_value(proofs_key, out.dump());
}

Result<void> Resolver::open_office() {
  if (office_tried_) return {};
  office_tried_ = true;
  if (app_.config.ladder.model == model::RungMode::off) return {};
  auto office = ModelOffice::open(app_, validator_ != nullptr);
  if (!office.ok()) {
    // A key that is not there, a budget below one call: conflicts wait for it, everything else goes on.
    if (office.error().kind != ErrorKind::invalid && office.error().kind != ErrorKind::not_found) return office.error();
    office_error_ = office.error().message;
    return {};
  }
  office_ = std::move(*office);
  if (office_) office_->know(depends_on_);
  return {};
}

std::unique_ptr<PickChecks> Resolver::checks_for(const model::UpstreamCommit& upstream, const model::Pick& pick, const Oid& onto_commit) {
  PickChecks::Compile compile;
  std::set<std::string> builds;
  for (const model::SuiteConfig& suite : app_.config.policy.suites)
    if (suite.kind == "build" && suite.tier == "L1") builds.insert(suite.id);
  if (validator_ != nullptr && !builds.empty()) {
    compile = [this, builds](const Oid& tree) { return validator_->run(tree, builds, "a draft of the model"); };
  }
  return std::make_unique<PickChecks>(app_.repo, app_.config.policy, upstream, pick, onto_commit, std::move(compile), [this]() -> Result<runners::Runner*> {
    if (!driver_runner_) {
      TRY_ASSIGN(driver_runner_, runners::make_local_runner({.allow_unsandboxed = app_.config.allow_unsandboxed}, app_.clock));
    }
    return driver_runner_.get();
  });
}

Result<ModelOffice*> Resolver::office() {
  TRY(open_office());
  if (!office_error_.empty()) core::log_warning(office_error_);
  return office_.get();
}

std::function<std::string(std::string_view)> Resolver::protected_why() const {
  return [this](std::string_view path) -> std::string {
    for (const model::PathConfig& entry : app_.config.policy.paths) {
      if (entry.klass == model::PathClass::none || !core::glob_match(entry.glob, path)) continue;
      if (entry.klass != model::PathClass::protected_ && entry.klass != model::PathClass::pin) return {};
      return fmt::format("[[path]] {} is {}: only its owner changes it", entry.glob, entry.klass == model::PathClass::pin ? "a pin" : "protected");
    }
    if (guardrails::is_protected(app_.config.policy, path)) return "a protected path (CI, test configuration, instructions of agents)";
    return {};
  };
}

Result<agent::Ladder> Resolver::ladder(const std::string& unit, PickChecks& checks, const Oid& onto_commit) {
  agent::Ladder out;
  TRY_ASSIGN(rungs_, effective_rungs(app_.store, app_.config.ladder));
  TRY(open_office());
  out.policy = &app_.config.policy;
  out.rungs = &rungs_;
  out.checks = &checks;
  out.onto_commit = onto_commit;
  out.protected_why = protected_why();
  if (office_) {
    office_->rung().set_unit(unit);
    out.model = &office_->rung();
  }
  return out;
}

Result<agent::Answer> Resolver::answer(const std::string& unit, const model::UpstreamCommit& upstream, const model::Pick& pick, const Oid& onto_commit) {
  const auto checks = checks_for(upstream, pick, onto_commit);
  TRY_ASSIGN(const agent::Ladder rungs, ladder(unit, *checks, onto_commit));
  if (validator_ != nullptr) app_.progress(fmt::format("resolving {}", model::short_oid(upstream.oid)), 0, 0);
  TRY_ASSIGN(agent::Answer out, agent::propose(app_.repo, app_.store, rungs, upstream, pick));
  const bool wanted = !out.complete || (out.for_person && rungs_.model == model::RungMode::land);
  if (validator_ != nullptr && !office_error_.empty() && wanted) out.later = office_error_;
  return out;
}

Result<std::string> Resolver::preview(const std::string& unit, const model::UpstreamCommit& upstream, const model::Pick& pick, const Oid& onto_commit) {
  const auto checks = checks_for(upstream, pick, onto_commit);
  TRY_ASSIGN(const agent::Ladder rungs, ladder(unit, *checks, onto_commit));
  if (!office_error_.empty()) return make_error(ErrorKind::invalid, office_error_);
  if (rungs.model == nullptr) return make_error(ErrorKind::not_found, "no model is configured ([model]), or the ladder does not ask one ([ladder] model = \"off\")");
  return agent::preview(app_.repo, app_.store, rungs, upstream, pick);
}

}  // namespace sluice::service
