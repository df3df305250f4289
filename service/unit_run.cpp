// SPDX-License-Identifier: Apache-2.0
#include "service/unit_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/log.h"
#include "core/text.h"
#include "guardrails/guardrails.h"
#include "service/judging.h"
#include "service/ledger_log.h"
#include "service/ledger_writes.h"
#include "service/pause.h"
#include "service/remotes.h"
#include "service/revert_unit.h"

namespace sluice::service {

namespace {

// The record as it is kept: with how long each rule took.
core::Json timed(const model::Verdict& verdict) {
  core::Json out = model::to_json(verdict);
  return out.set("timings_us", model::timings_json(verdict));
}

// The proposal cut after `k` members.
model::Proposal prefix_of(const model::Proposal& proposal, std::size_t k) {
  model::Proposal out = proposal;
  out.members.resize(k);
  out.tree = k == 0 ? proposal.base_tree : out.members.back().end_tree();
  out.merge_message.clear();  // it is judged, never landed
  return out;
}

}  // namespace

UnitRun::UnitRun(App& app, Folder& folder, Validator& validator, landing::Queue& queue, Round& round)
    : app_(app), folder_(folder), validator_(validator), queue_(queue), round_(round), trunk_(round.trunk) {}

Result<std::optional<UnitEnd>> UnitRun::brake(bool outside) {
  if (outside) {
    if (const auto looked = look_for_stop_branch(app_); !looked.ok()) {
      TRY_ASSIGN(const UnitEnd end, without_verdict(looked.error()));
      return std::optional(end);
    }
  }
  TRY_ASSIGN(const std::string why, halted(app_));
  if (why.empty()) return std::optional<UnitEnd>();
  return std::optional(UnitEnd{UnitEnd::Kind::halted, why});
}

Result<UnitEnd> UnitRun::without_verdict(const Error& error) {
  if (error.kind != ErrorKind::transient) return error;
  TRY_ASSIGN(const std::string why, halted(app_));
  if (!why.empty()) return UnitEnd{UnitEnd::Kind::halted, why};
  return UnitEnd{UnitEnd::Kind::outside, error.message};
}

Result<void> UnitRun::advance(model::Unit& unit, model::UnitState state) {
  unit.state = state;
  unit.base = trunk_;
  TRY_ASSIGN(const auto stored, app_.store.unit(unit.id));
  using State = model::UnitState;
  const bool under_way = stored && stored->base == trunk_ &&
                         (stored->state == State::proposed || stored->state == State::validating || stored->state == State::cleared);
  // A run that goes on after a crash repeats steps; what they say is stored already.
  if (under_way && stored->state >= state) {
    unit.validations = stored->validations;
    return {};
  }
  return app_.store.put_unit(unit);
}

Result<void> UnitRun::notice(std::string text) {
  if (std::find(round_.notices.begin(), round_.notices.end(), text) != round_.notices.end()) return {};
  round_.notices.push_back(std::move(text));
  return put_round(app_, round_);
}

Result<std::optional<std::size_t>> UnitRun::find_culprit(const model::Unit& unit, const model::Proposal& proposal,
                                                         const std::vector<std::string>& red,
                                                         const model::JudgeContext& context) {
  std::vector<core::Probe> seen;
  const std::size_t n = proposal.members.size();
  for (;;) {
    const landing::Need need = landing::next_need(n, seen);
    if (need.kind == landing::Need::Kind::eject) return std::optional<std::size_t>(need.prefix - 1);
    if (need.kind == landing::Need::Kind::give_up) return std::optional<std::size_t>();
    TRY_ASSIGN(const auto stop, brake(false));
    if (stop) return make_error(ErrorKind::transient, stop->detail);
    const model::Proposal part = prefix_of(proposal, need.prefix);
    const std::set<std::string> suites = red.empty() ? validator_.required(unit.kind) : std::set<std::string>(red.begin(), red.end());
    model::JudgeContext present = context;  // its clock moves on: by that of the first judgement these results lie in the future (G04)
    TRY_ASSIGN(const auto evidence, results_of(unit, part, suites, fmt::format("bisecting {} at {} of {}", unit.id, need.prefix, n), present));
    const model::Verdict verdict = guardrails::judge_unit(app_.repo.reader(), part, unit.kind, evidence, present);
    core::Observed observed = core::Observed::good;
    if (red.empty()) {
      // Every suite passes and a rule objects (more warnings, a test that went missing): the rules decide.
      if (verdict.judgement != model::Judgement::pass) observed = core::Observed::bad;
      if (cannot_be_judged(verdict)) observed = core::Observed::skip;
    }
    for (const std::string& id : red) {
      const auto has = std::find_if(evidence.begin(), evidence.end(), [&](const auto& e) { return e.suite == id; });
      if (has == evidence.end()) {
        // Its build is red here for another reason: this prefix says nothing about the suite.
        if (observed == core::Observed::good) observed = core::Observed::skip;
        continue;
      }
      for (const model::SuiteResult& suite : verdict.suites) {
        if (suite.id == id && suite.outcome != model::Outcome::pass) observed = core::Observed::bad;
      }
    }
    seen.push_back({need.prefix, observed});
  }
}

Result<UnitEnd> UnitRun::land(model::Unit& unit, model::Proposal& proposal, const model::Verdict& verdict,
                              std::vector<model::Unit>& changed) {
  const std::string digest = verdict.digest();
  TRY(app_.store.put_verdict(unit.id, digest, timed(verdict)));
  TRY(folder_.write_commits(proposal, unit, digest));
  TRY(advance(unit, model::UnitState::cleared));
  if (app_.config.autonomy != model::Autonomy::land) {
    // observe: judged, kept, nothing outside is touched. What follows is judged on top of it.
    trunk_ = proposal.tip();
    changed.push_back(unit);
    return UnitEnd{};
  }
  const auto clearance = guardrails::clear(verdict, proposal);
  if (!clearance) return make_error(ErrorKind::internal, fmt::format("unit {} passed, and no clearance was given", unit.id));
  const auto last_look = [&]() -> std::string {
    const auto why = halted(app_);
    return why.ok() ? *why : why.error().message;
  };
  TRY_ASSIGN(const landing::LandOutcome outcome, queue_.land(proposal, *clearance, last_look));
  using Kind = landing::LandOutcome::Kind;
  switch (outcome.kind) {
    case Kind::landed: break;
    case Kind::moved: return UnitEnd{UnitEnd::Kind::moved, outcome.detail};
    case Kind::rewound:
      TRY(stop_line(app_, fmt::format("TRUNK_REWOUND: trunk was at {} when unit {} was judged and is now at {}, which does "
                                      "not contain it; nothing was pushed (`sluice sync --accept-trunk {}` continues from there)",
                                      trunk_, unit.id, outcome.tip, outcome.tip)));
      return UnitEnd{UnitEnd::Kind::stopped, "trunk was rewound"};
    case Kind::mismatch:
      TRY(stop_line(app_, fmt::format("LANDED_TREE_DIFFERS: {} on trunk does not hold the tree that was judged for unit {}",
                                      outcome.tip, unit.id)));
      return UnitEnd{UnitEnd::Kind::stopped, "landed tree differs from the judged one"};
    case Kind::stopped: {
      TRY_ASSIGN(const auto stop, brake(true));  // so that status knows it as well
      if (stop) return UnitEnd{stop->kind, fmt::format("{} is judged and does not land: {}", unit.id, stop->detail)};
      return UnitEnd{UnitEnd::Kind::outside, fmt::format("{} is judged and does not land: {}", unit.id, outcome.detail)};
    }
    case Kind::rejected:
      push_refused_ = fmt::format("the fork refused the push of {}: {}", unit.id, outcome.detail);
      return UnitEnd{UnitEnd::Kind::outside, push_refused_};
    case Kind::lost:
      return UnitEnd{UnitEnd::Kind::outside, fmt::format("the push of {} had no answer: {}", unit.id, outcome.detail)};
  }
  trunk_ = outcome.tip;
  TRY_ASSIGN(auto transaction, app_.store.begin());
  TRY(record_landed(app_, unit, proposal));
  round_.trunk = trunk_;
  TRY(put_round(app_, round_));
  TRY(transaction.commit());
  changed.push_back(unit);
  // What landed has landed: a log that cannot be written now is written by the next run.
  if (const auto flushed = flush_ledger(app_, Flush::after_landing); !flushed.ok()) errors_.push_back(flushed.error().message);
  return UnitEnd{};
}

Result<UnitEnd> UnitRun::run(model::Unit unit, std::vector<model::Unit>& changed) {
  TRY_ASSIGN(unit, rest_of(app_, std::move(unit)));
  TRY_ASSIGN(const auto answered, open_submission(app_, unit.id));
  if (unit.kind == model::UnitKind::pin && !unit.commits.empty() && !answered) {
    TRY(park(unit, unit.commits, {"pin", "pin", "moves a pinned toolchain or dependency: its owners decide", nullptr}, {}, changed));
    return UnitEnd{};
  }
  while (!unit.commits.empty()) {
    if (app_.cancelled()) return UnitEnd{UnitEnd::Kind::outside, "cancelled"};
    TRY_ASSIGN(auto stop, brake(true));
    if (stop) return *stop;
    app_.progress(fmt::format("picking {}", unit.id), 0, static_cast<std::int64_t>(unit.commits.size()));
    TRY_ASSIGN(Fold fold, folder_.fold(unit, trunk_));
    if (!fold.refused.empty()) return refuse(unit, fold.refused, nullptr, changed);
    if (unit.kind == model::UnitKind::revert) {
      TRY_ASSIGN(const auto end, settle_revert(unit, fold, changed));
      if (end) return *end;
    } else {
      TRY_ASSIGN(const bool left, settle_left_out(unit, fold, changed));
      if (unit.commits.empty()) break;
      if (left) continue;  // the unit has a new id: its messages name it
    }
    TRY_ASSIGN(stop, brake(false));
    if (stop) return *stop;
    model::Proposal& proposal = fold.proposal;
    TRY(advance(unit, model::UnitState::proposed));

    // Policy on the diff first: it costs no build.
    TRY_ASSIGN(model::JudgeContext context, judge_context(app_, validator_, unit, round_.upstream_tip, {}));
    const model::Verdict diff = guardrails::judge_diff(app_.repo.reader(), proposal, unit.kind, context);
    if (diff.judgement != model::Judgement::pass) {
      const Stopper why = stopper_of(diff);
      if (unit.kind == model::UnitKind::revert) {
        if (cannot_be_judged(diff)) return UnitEnd{UnitEnd::Kind::outside, fmt::format("{} stays open: {}", unit.id, why.reason)};
        TRY(park(unit, unit.commits, {"dead-end", why.rule, why.reason, &diff}, {}, changed));
        return UnitEnd{};
      }
      if (fold.submission && !cannot_be_judged(diff)) return refuse(unit, why.reason, &diff, changed);
      if (fold.submission) return keep_answer(unit, why.reason);
      const std::vector<Oid> blamed = blamed_members(diff);
      const std::vector<Oid> members = member_oids(proposal);
      TRY(app_.store.put_verdict(unit.id, diff.digest(), timed(diff)));
      std::size_t culprit = 0;
      for (; culprit < members.size(); ++culprit) {
        if (std::find(blamed.begin(), blamed.end(), members[culprit]) != blamed.end()) break;
      }
      if (culprit == members.size()) {
        if (cannot_be_judged(diff)) return UnitEnd{UnitEnd::Kind::outside, fmt::format("{} stays pending: {}", unit.id, why.reason)};
        TRY(park(unit, unit.commits, {"dead-end", why.rule, why.reason, nullptr}, {}, changed));
        return UnitEnd{};
      }
      const model::Verdict own = only_member(diff, members[culprit]);
      const Stopper member_why = stopper_of(own);
      if (cannot_be_judged(own)) {
        // No verdict, so no end: the commit stays pending and is tried again with the next run.
        TRY(set_aside(unit, proposal, fallout(unit, proposal, culprit), member_why.reason));
        continue;
      }
      TRY(eject(unit, proposal, fallout(unit, proposal, culprit), {"dead-end", member_why.rule, member_why.reason, &diff}, changed));
      continue;
    }

    TRY_ASSIGN(stop, brake(false));
    if (stop) return *stop;
    TRY(advance(unit, model::UnitState::validating));
    const std::set<std::string> required = validator_.required(unit.kind);
    auto base = validator_.run(proposal.base_tree, required, fmt::format("trunk {}", model::short_oid(trunk_)), true);
    if (!base.ok()) return without_verdict(base.error());
    TRY_ASSIGN(const bool red_base, trunk_is_red(unit, *base));
    if (red_base) return UnitEnd{UnitEnd::Kind::stopped, "trunk is red"};
    TRY_ASSIGN(context, judge_context(app_, validator_, unit, round_.upstream_tip, *base));
    auto evidence = results_of(unit, proposal, required, fmt::format("{} ({} commits)", unit.id, proposal.members.size()), context);
    if (!evidence.ok()) return without_verdict(evidence.error());
    if (const auto tried = try_new_tests(unit, proposal, *evidence, context); !tried.ok()) return without_verdict(tried.error());
    ++unit.validations;
    TRY_ASSIGN(stop, brake(true));
    if (stop) return *stop;

    const model::Verdict verdict = guardrails::judge_unit(app_.repo.reader(), proposal, unit.kind, *evidence, context);
    if (verdict.judgement == model::Judgement::pass) {
      TRY_ASSIGN(const UnitEnd end, land(unit, proposal, verdict, changed));
      const bool held = fold.submission && end.kind == UnitEnd::Kind::done && unit.state == model::UnitState::cleared;
      if (held) TRY(close_submission(app_, unit.id, "cleared", "autonomy is observe: judged, not landed", verdict.digest()));
      return end;
    }

    TRY(app_.store.put_verdict(unit.id, verdict.digest(), timed(verdict)));
    Stopper why = stopper_of(verdict);
    why.reason += first_complaint(*evidence, why.rule);
    if (cannot_be_judged(verdict)) return UnitEnd{UnitEnd::Kind::outside, fmt::format("{} stays pending: {}", unit.id, why.reason)};
    if (fold.submission) return refuse(unit, why.reason, &verdict, changed);
    const std::vector<std::string> red = failing_suites(verdict, *evidence);
    if (proposal.members.size() == 1 || unit.kind == model::UnitKind::revert) {
      TRY(park(unit, unit.commits, {"build-verified", why.rule, why.reason, &verdict}, {}, changed));
      return UnitEnd{};
    }
    TRY_ASSIGN(const bool noise, is_noise(proposal, red, *evidence, context, why.rule));
    if (noise) why.reason += "; it passes when it is repeated (G47)";
    auto culprit = noise ? Result<std::optional<std::size_t>>(std::nullopt) : find_culprit(unit, proposal, red, context);
    if (!culprit.ok()) return without_verdict(culprit.error());
    if (!*culprit) {
      if (unit.kind == model::UnitKind::bundle) return one_by_one(unit, proposal, changed);
      TRY(park(unit, unit.commits, {"build-verified", why.rule, why.reason, nullptr}, {}, changed));
      return UnitEnd{};
    }
    const std::string reason = fmt::format("{} (first red at member {} of {}: {})", why.reason, **culprit + 1, proposal.members.size(),
                                           core::printable(proposal.members[**culprit].upstream.subject, 80));
    TRY(eject(unit, proposal, fallout(unit, proposal, **culprit), {"build-verified", why.rule, reason, &verdict}, changed));
  }
  return UnitEnd{};
}

}  // namespace sluice::service
