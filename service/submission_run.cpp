// SPDX-License-Identifier: Apache-2.0
#include "service/submission_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/file.h"
#include "core/text.h"
#include "git/work_tree.h"
#include "guardrails/guardrails.h"
#include "landing/landing.h"
#include "service/held_secrets.h"
#include "service/judging.h"
#include "service/recovery.h"
#include "service/remotes.h"
#include "service/submission_read.h"
#include "service/sync.h"
#include "service/unit_text.h"

namespace sluice::service {

namespace {

using model::Judgement;

Result<store::TakeRow> the_take(App& app, const SubmitOptions& options) {
  TRY_ASSIGN(const auto takes, app.store.takes());
  if (options.unit.empty() && takes.size() != 1) {
    std::vector<std::string> names;
    for (const store::TakeRow& row : takes) names.push_back(fmt::format("{} ({})", row.unit, core::printable(row.owner)));
    return make_error(ErrorKind::not_found, takes.empty() ? std::string("no unit is taken; `sluice take UNIT` takes a parked one")
                                                          : fmt::format("{} units are taken, name one: {}", takes.size(), core::join(names, ", ")));
  }
  for (const store::TakeRow& row : takes) {
    if (!options.unit.empty() && row.unit != options.unit) continue;
    if (row.owner == options.who) return row;
    return make_error(ErrorKind::conflict, fmt::format("unit {} was taken by {} {} ago; `sluice take {} --steal --reason TEXT` takes it over", row.unit,
                                                       core::printable(row.owner), age_text(app.clock.now() - row.at), row.unit));
  }
  return make_error(ErrorKind::not_found, fmt::format("unit {} is not taken; `sluice take` comes first", core::printable(options.unit)));
}

// What is uncommitted in the work tree and no part of the asking itself: `--account-template > FILE` has made FILE
// before anything runs, and `--account FILE` reads it from there.
std::vector<std::string> unfinished(std::vector<std::string> changed, const std::string& dir, const SubmitOptions& options) {
  std::error_code failed;
  const auto account = std::filesystem::weakly_canonical(core::absolute_path(options.account_file), failed);
  std::erase_if(changed, [&](const std::string& entry) {
    if (!entry.starts_with("?? ")) return false;
    if (options.account_template) return true;
    return !options.account_file.empty() && std::filesystem::weakly_canonical(core::join_path(dir, entry.substr(3)), failed) == account;
  });
  return changed;
}

// The person's last commit, now in the store under the submitted ref.
Result<Oid> bring_head(App& app, const store::TakeRow& row, const SubmitOptions& options) {
  const std::string ref = submitted_ref(row.unit);
  if (!row.work_tree.empty()) {
    if (!core::exists(row.work_tree)) {
      return make_error(ErrorKind::not_found, fmt::format("the work tree {} of unit {} is gone: move it back there, or `sluice take {}` makes it again as it "
                                                          "was given", row.work_tree, row.unit, row.unit));
    }
    TRY_ASSIGN(const git::WorkTree tree, git::look_at_work_tree(row.work_tree, options.from));
    const std::vector<std::string> changed = unfinished(tree.changed, row.work_tree, options);
    if (options.from.empty() && !changed.empty()) {
      return make_error(ErrorKind::invalid, fmt::format("{} is not committed in {}: commit it, drop it, or name a commit with --from; nothing was submitted",
                                                        core::join(changed, ", "), row.work_tree));
    }
    TRY(git::fetch_from_work_tree(app.repo, row.work_tree, tree.head, ref, git::FetchLimits{}, app.cancel));
    return tree.head;
  }
  TRY_ASSIGN(const Oid head, app.repo.reader().resolve(options.from.empty() ? row.branch : options.from));
  TRY(app.repo.set_ref(ref, head, std::nullopt));
  return head;
}

Result<std::vector<model::AccountEntry>> read_account(const std::string& text, const std::string& name) {
  const auto wrong = [&](const Error& error) { return make_error(ErrorKind::invalid, fmt::format("{}: {}", name, error.message)); };
  auto json = core::Json::parse(text);
  if (!json.ok()) return wrong(json.error());
  auto parsed = model::parse_account(*json);
  if (!parsed.ok()) return wrong(parsed.error());
  return parsed;
}

// A person's answer, judged by policy alone until nothing is left to explain or nobody explains it.
class Preparing {
 public:
  Preparing(App& app, const SubmitOptions& options, model::Unit& unit, const store::TakeRow& row)
      : app_(app), options_(options), unit_(unit), row_(row) {}

  // True: the submission is stored and waits for the suites. False: `report` says why not.
  Result<bool> prepare(SubmitReport& report) {
    TRY_ASSIGN(const Oid head, bring_head(app_, row_, options_));
    TRY_ASSIGN(remotes_, fetch_remotes(app_));
    TRY_ASSIGN(Folder folder, Folder::open(app_));
    TRY_ASSIGN(Validator validator, Validator::open(app_));
    TRY_ASSIGN(submission_, read_submission(app_, folder, unit_, row_, remotes_.fork_tip, head, options_.who));
    TRY(load_account());
    for (bool again = true; again;) {
      TRY_ASSIGN(const bool fits, judge(folder, validator, report));
      if (!fits) return false;
      again = false;
      open_ = open_items(verdict_);
      if (options_.account_template) {
        report.outcome = "template";
        report.missing = account_template(open_);
        return false;
      }
      if (!open_.empty() && options_.ask && !asked_) {
        asked_ = true;
        TRY_ASSIGN(again, ask_all(report));
      }
    }
    const bool pass = verdict_.judgement == Judgement::pass;
    if (pass || verdict_.judgement == Judgement::unresolved) {
      TRY(put_submission(app_, submission_));
      report.outcome = "undecided";  // for the unresolved: nothing was decided, and the next run tries again
      report.why = stopper_of(verdict_).reason;
      return pass;
    }
    report.outcome = "refused";
    if (report.why.empty()) report.why = stopper_of(verdict_).reason;
    report.verdict = model::to_json(verdict_);
    report.missing = account_template(open_);
    TRY_ASSIGN(auto transaction, app_.store.begin());
    TRY(app_.store.put_verdict(unit_.id, verdict_.digest(), report.verdict));
    TRY(keep_refused(report.why, verdict_.digest()));
    TRY(transaction.commit());
    return false;
  }

 private:
  Result<void> load_account() {
    TRY_ASSIGN(const auto kept, app_.store.value(account_key(unit_.id)));
    if (kept && !kept->empty()) {
      TRY_ASSIGN(account_, read_account(*kept, "the kept accounting entries"));
    }
    if (options_.account_file.empty()) return {};
    // A file is the whole record: what was said before and is not in it does not count any more.
    TRY_ASSIGN(const std::string text, core::read_file(options_.account_file, 4u << 20));
    TRY_ASSIGN(account_, read_account(text, options_.account_file));
    return {};
  }

  // False: the answer does not fit on trunk.
  Result<bool> judge(Folder& folder, const Validator& validator, SubmitReport& report) {
    for (int pass = 0; pass < 2; ++pass) {  // entries are given to the findings that they speak of, then count
      TRY_ASSIGN(Fold fold, folder.fold(unit_, remotes_.fork_tip, submission_));
      if (!fold.refused.empty()) {
        report.outcome = "refused";
        report.why = fold.refused;
        const bool next = !fold.left_out.empty() && fold.left_out.front().status == model::PickStatus::conflict;
        if (next) TRY(give_next(folder, report));
        if (!next) TRY(keep_refused(report.why, ""));
        return false;
      }
      TRY_ASSIGN(const model::JudgeContext context, judge_context(app_, validator, unit_, remotes_.upstream_tip, {}));
      verdict_ = guardrails::judge_diff(app_.repo.reader(), fold.proposal, unit_.kind, context);
      if (pass == 0) {
        if (account_.empty()) break;
        assign_account(submission_, account_, verdict_);
      }
    }
    return true;
  }

  // True: an entry was filled in for every item.
  Result<bool> ask_all(SubmitReport& report) {
    std::size_t number = 0;
    for (const OpenItem& item : open_) {
      ++number;
      const std::string form = account_form(app_, item, number, open_.size(), unit_.id);
      auto text = options_.ask("sluice-account-" + item.id, form);
      Result<model::AccountEntry> entry = text.ok() ? read_form(item, *text) : Result<model::AccountEntry>(text.error());
      if (!entry.ok() || entry->code.empty()) {
        report.why = fmt::format("{} of {} are explained, {}; what was filled in is kept for the next submit", number - 1, open_.size(),
                                 entry.ok() ? "then the asking was ended" : "then: " + entry.error().message);
        return number > 1;  // judged once more with what there is
      }
      account_.push_back(std::move(*entry));
      std::vector<model::AccountEntry> masked = account_;
      mask(masked, held_secrets(app_.config));
      TRY(app_.store.put_value(account_key(unit_.id), model::to_json(masked).dump()));
    }
    return true;
  }

  // The next conflict stands on the answer, for the person to go on with.
  Result<void> give_next(Folder& folder, SubmitReport& report) {
    TRY_ASSIGN(report.next, write_branch(app_, folder, unit_, submission_.given, submission_.head));
    if (report.next.conflicted.empty()) {
      // It conflicts on the trunk of today alone.
      report.why += fmt::format("; take it again on the present trunk: sluice take {} --refresh", unit_.id);
      return keep_refused(report.why, "");
    }
    report.outcome = "next_conflict";
    store::TakeRow row = row_;
    row.head = report.next.head;
    TRY(app_.repo.set_ref(row.branch, row.head, std::nullopt));
    TRY(app_.store.put_take(row));
    report.commands = next_commands(app_, row, report.next);
    if (row.work_tree.empty()) return {};
    const auto moved = git::move_work_tree(row.work_tree, row.branch, row.head, "");
    if (!moved.ok()) report.commands.insert(report.commands.begin() + 1, "git merge --ff-only " + row.head);
    return {};
  }

  Result<void> keep_refused(const std::string& why, const std::string& verdict) {
    TRY_ASSIGN(auto transaction, app_.store.begin());
    TRY(put_submission(app_, submission_));
    TRY(close_submission(app_, unit_.id, "refused", why, verdict));
    return transaction.commit();
  }

  App& app_;
  const SubmitOptions& options_;
  model::Unit& unit_;
  const store::TakeRow& row_;
  Remotes remotes_;
  Submission submission_;
  std::vector<model::AccountEntry> account_;
  model::Verdict verdict_;
  std::vector<OpenItem> open_;
  bool asked_ = false;
};

// How the run left the unit.
Result<void> conclude(App& app, const SyncReport& run, SubmitReport& report) {
  TRY_ASSIGN(const auto unit, app.store.unit(report.unit.id));
  if (unit) report.unit = *unit;
  if (report.unit.state == model::UnitState::landed) {
    report.outcome = "landed";
    return {};
  }
  TRY_ASSIGN(const auto submission, submission_of(app, report.unit.id));
  if (submission && !submission->outcome.empty()) {
    report.outcome = submission->outcome;
    report.why = submission->why;
    if (!submission->verdict.empty() && submission->outcome == "refused") {
      TRY_ASSIGN(auto verdict, app.store.verdict(submission->verdict));
      if (verdict) report.verdict = std::move(*verdict);
    }
    return {};
  }
  report.outcome = "undecided";
  std::vector<std::string> said = run.errors;
  said.insert(said.end(), run.notices.begin(), run.notices.end());
  report.why = said.empty() ? "the run ended before it was judged" : core::join(said, "; ");
  return {};
}

}  // namespace

Result<SubmitReport> submit(App& app, const SubmitOptions& options) {
  // What a killed process pushed is decided by trunk before anything of it is replaced.
  landing::Queue queue(app.repo, app.store, app.config, app.clock);
  TRY_ASSIGN(const auto recovered, recover_landings(app, queue));
  SubmitReport report;
  report.who = options.who;
  for (const model::Unit& unit : recovered) {
    if (unit.id != options.unit || unit.state != model::UnitState::landed) continue;
    report.unit = unit;
    report.outcome = "landed";
    return report;
  }
  TRY_ASSIGN(const store::TakeRow row, the_take(app, options));
  TRY_ASSIGN(const auto stored, app.store.unit(row.unit));
  if (!stored) return make_error(ErrorKind::internal, fmt::format("unit {} is taken and not stored", row.unit));
  report.unit = *stored;
  for (const Oid& oid : stored->commits) {
    TRY_ASSIGN(const auto ledger, app.store.ledger(oid));
    if (ledger && ledger->disposition == model::Disposition::deferred && ledger->unit == stored->id) continue;
    return make_error(ErrorKind::conflict, fmt::format("{} of unit {} is {} meanwhile; give the unit back (sluice take {} --release), and the next sync offers "
                                                       "what is left of it", oid, stored->id,
                                                       ledger ? model::to_string(ledger->disposition) : std::string_view("pending"), stored->id));
  }
  TRY_ASSIGN(const bool ready, Preparing(app, options, report.unit, row).prepare(report));
  if (!ready) {
    TRY_ASSIGN(const auto now, app.store.unit(row.unit));
    if (now) report.unit = *now;
    return report;
  }
  auto run = run_units(app, "submit", [&](App&, const Plan&) -> Result<std::vector<model::Unit>> {
    TRY_ASSIGN(const auto unit, app.store.unit(row.unit));
    TRY_ASSIGN(const auto open, open_submission(app, row.unit));
    if (!unit || !open) return std::vector<model::Unit>{};
    return std::vector<model::Unit>{*unit};
  });
  if (!run.ok()) return run.error();
  TRY(conclude(app, *run, report));
  return report;
}

}  // namespace sluice::service
