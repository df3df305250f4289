// SPDX-License-Identifier: Apache-2.0
#include "service/submission.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/agent.h"
#include "core/text.h"
#include "guardrails/guardrails.h"
#include "service/held_secrets.h"
#include "service/model/resolver.h"

namespace sluice::service {

namespace {

using core::Json;

std::string key_of(const std::string& unit) { return "submission " + unit; }

Json to_json(const Submission& s) {
  Json members = Json::array();
  for (const PersonsAnswer& a : s.members) {
    members.push(Json::object({{"upstream", a.upstream}, {"onto", a.onto}, {"clean", a.clean}, {"tree", a.tree}, {"end", a.end}, {"message", a.message},
                               {"author", Json::object({{"name", a.author.name}, {"email", a.author.email}, {"time", a.author.time}, {"zone", a.author.zone}})},
                               {"account", model::to_json(a.account)}}));
  }
  return Json::object({{"schema", "sluice.submission/1"}, {"unit", s.unit}, {"who", s.who}, {"base", s.base}, {"head", s.head},
                       {"members", std::move(members)}, {"given", s.given}, {"at", s.at}, {"outcome", s.outcome}, {"why", s.why}, {"verdict", s.verdict}});
}

Result<Submission> parse(const std::string& text) {
  TRY_ASSIGN(const Json json, Json::parse(text));
  Submission s;
  s.unit = json["unit"].as_string();
  s.who = json["who"].as_string();
  s.base = json["base"].as_string();
  s.head = json["head"].as_string();
  s.given = static_cast<std::size_t>(json["given"].as_int());
  s.at = json["at"].as_int();
  s.outcome = json["outcome"].as_string();
  s.why = json["why"].as_string();
  s.verdict = json["verdict"].as_string();
  for (const Json& item : json["members"].items()) {
    PersonsAnswer a;
    a.upstream = item["upstream"].as_string();
    a.onto = item["onto"].as_string();
    a.clean = item["clean"].as_bool();
    a.tree = item["tree"].as_string();
    a.end = item["end"].as_string();
    a.message = item["message"].as_string();
    const Json& author = item["author"];
    a.author = {author["name"].as_string(), author["email"].as_string(), author["time"].as_int(), static_cast<int>(author["zone"].as_int())};
    TRY_ASSIGN(a.account, model::parse_account(item["account"]));
    s.members.push_back(std::move(a));
  }
  return s;
}

std::string paths_of(const model::Pick& pick) {
  std::vector<std::string> paths;
  for (const model::Conflict& conflict : pick.conflicts) paths.push_back(core::printable(conflict.path, 120));
  return core::join(paths, ", ");
}

// `tree`, made on `from`, carried over to `onto`: what the person did to `from` is picked like a commit.
struct Carried {
  Oid tree;
  std::string why;  // it does not fit there
};

Result<Carried> carry(App& app, git::Picker& picker, const Oid& from, const Oid& tree, const Oid& onto) {
  if (from == onto) return Carried{tree, {}};
  if (tree == from) return Carried{onto, {}};
  // The date is that of the tip: merge-base walks by date, and both commits stand alone.
  git::CommitSpec spec;
  spec.author = spec.committer = {"sluice", "sluice@localhost", 1, 0};
  spec.message = "what a submission was made on\n";
  spec.tree = from;
  TRY_ASSIGN(const Oid before, app.repo.write_commit(spec));
  spec.message = "a submission\n";
  spec.tree = tree;
  spec.parents = {before};
  TRY_ASSIGN(const Oid answer, app.repo.write_commit(spec));
  const model::Pick pick = picker.pick(answer, onto);
  if (pick.status == model::PickStatus::error) return make_error(ErrorKind::internal, fmt::format("the answer cannot be carried over: {}: {}", pick.cause, pick.detail));
  if (pick.status == model::PickStatus::conflict) return Carried{{}, paths_of(pick)};
  for (const model::DroppedPath& path : pick.dropped) {
    if (path.why != "missing") return Carried{{}, fmt::format("{} (the fork's own by [[path]] {})", core::printable(path.path, 120), path.policy)};
  }
  return Carried{pick.tree, {}};
}

}  // namespace

std::string take_branch(const std::string& unit) { return "refs/heads/sluice/take/" + unit; }
std::string account_key(const std::string& unit) { return "account " + unit; }
std::string submitted_ref(const std::string& unit) { return fmt::format("refs/sluice/units/{}/submitted", unit); }

void mask(std::vector<model::AccountEntry>& account, const std::vector<std::string>& held) {
  for (model::AccountEntry& entry : account) {
    for (std::string* words : {&entry.because, &entry.arg}) *words = guardrails::without_secrets(*words, held);
  }
}

Result<void> put_submission(App& app, const Submission& submission) {
  // A refused answer is kept as well, and it may have been refused for a secret in its words (G61). One that passed has
  // none, and is stored as it is.
  Submission masked = submission;
  const std::vector<std::string> held = held_secrets(app.config);
  for (PersonsAnswer& answer : masked.members) {
    answer.message = guardrails::without_secrets(answer.message, held);
    mask(answer.account, held);
  }
  return app.store.put_value(key_of(submission.unit), to_json(masked).dump());
}

Result<std::optional<Submission>> submission_of(App& app, const std::string& unit) {
  TRY_ASSIGN(const auto text, app.store.value(key_of(unit)));
  if (!text || text->empty()) return std::optional<Submission>();
  TRY_ASSIGN(Submission found, parse(*text));
  return std::optional(std::move(found));
}

Result<std::optional<Submission>> open_submission(App& app, const std::string& unit) {
  TRY_ASSIGN(auto found, submission_of(app, unit));
  if (found && !found->outcome.empty()) found.reset();
  return found;
}

Result<void> close_submission(App& app, const std::string& unit, const std::string& outcome, const std::string& why,
                              const std::string& verdict) {
  TRY_ASSIGN(auto transaction, app.store.begin());
  TRY_ASSIGN(auto submission, submission_of(app, unit));
  TRY_ASSIGN(auto row, app.store.unit(unit));
  if (submission) {
    submission->outcome = outcome;
    submission->why = why;
    submission->verdict = verdict;
    TRY(put_submission(app, *submission));
  }
  if (row) {
    row->state = model::UnitState::taken;
    TRY(app.store.put_unit(*row));
  }
  TRY(app.store.append_event("submission." + outcome, unit, Json::object({{"who", submission ? submission->who : ""}, {"why", why}, {"verdict", verdict}}), app.clock.now()));
  return transaction.commit();
}

Result<std::vector<model::Unit>> units_with_open_submission(App& app) {
  std::vector<model::Unit> out;
  TRY_ASSIGN(const auto takes, app.store.takes());
  for (const store::TakeRow& row : takes) {
    TRY_ASSIGN(const auto open, open_submission(app, row.unit));
    TRY_ASSIGN(auto unit, app.store.unit(row.unit));
    if (open && unit) out.push_back(std::move(*unit));
  }
  return out;
}

Result<void> forget_submission(App& app, const std::string& unit) {
  for (const std::string& key : {key_of(unit), account_key(unit)}) {
    TRY_ASSIGN(const auto value, app.store.value(key));
    if (value && !value->empty()) TRY(app.store.put_value(key, ""));
  }
  return {};
}

Result<void> forget_take(App& app, const std::string& unit, const std::string& why) {
  TRY_ASSIGN(auto transaction, app.store.begin());
  TRY(app.store.remove_take(unit, why));
  TRY(forget_submission(app, unit));
  return transaction.commit();
}

Result<void> remove_take_refs(App& app, const std::string& unit) {
  for (const std::string& ref : {take_branch(unit), submitted_ref(unit)}) {
    TRY_ASSIGN(const auto there, app.repo.ref(ref));
    if (there) TRY(app.repo.delete_ref(ref));
  }
  return {};
}

Result<void> remove_refs_of_ended_takes(App& app) {
  std::vector<std::string> ended;
  for (const std::string& prefix : {take_branch(""), std::string("refs/sluice/units/")}) {
    TRY_ASSIGN(const auto refs, app.repo.refs(prefix));
    for (const auto& [name, oid] : refs) {
      if (prefix != take_branch("") && !name.ends_with("/submitted")) continue;
      const std::string tail = name.substr(prefix.size());
      TRY_ASSIGN(const auto row, app.store.take(tail.substr(0, tail.find('/'))));
      if (!row) ended.push_back(name);
    }
  }
  for (const std::string& name : ended) TRY(app.repo.delete_ref(name));
  return {};
}

Result<std::string> apply_answer(App& app, git::Picker& picker, const Submission& submission, const PersonsAnswer& answer,
                                 model::ProposalMember& member) {
  const std::string_view upstream = model::short_oid(answer.upstream);
  if (member.pick.status == model::PickStatus::error) {
    return fmt::format("{} cannot be picked: {}: {}", upstream, member.pick.cause, member.pick.detail);
  }
  const bool conflict = member.pick.status == model::PickStatus::conflict;
  const auto does_not_fit = [&](const std::string& where) {
    return fmt::format("trunk has changed since: the answer to {} was made on {} and does not fit any more in {}; take it again on "
                       "the present trunk: sluice take {} --refresh", upstream, model::short_oid(submission.base), where, submission.unit);
  };
  if (answer.clean && conflict) return does_not_fit(paths_of(member.pick));
  Carried tree{member.pick.tree, {}};
  if (!answer.clean) {
    TRY_ASSIGN(tree, carry(app, picker, answer.onto, answer.tree, member.onto));
  }
  if (!tree.why.empty()) return does_not_fit(tree.why);
  TRY_ASSIGN(const Carried end, carry(app, picker, answer.tree, answer.end, tree.tree));
  if (!end.why.empty()) return does_not_fit(end.why);
  if (end.tree == member.onto) {
    return fmt::format("the answer to {} leaves the fork as it is; that is a decision about the commit, and no pick: "
                       "sluice ledger wont-port {} --reason TEXT, or sluice ledger adopt when the fork has it already",
                       upstream, answer.upstream);
  }
  if (member.pick.status == model::PickStatus::empty) {
    return fmt::format("trunk has the change of {} already; give the unit back (sluice take {} --release) and the next sync "
                       "records it", upstream, submission.unit);
  }
  if (conflict) {
    if (tree.tree == member.onto) {
      return fmt::format("the pick of {} changes nothing, and only what was added beside it does; resolve the conflict in the "
                         "commits before those with Sluice-Companion-Of", upstream);
    }
    member.tree = tree.tree;
    member.resolved = true;
    TRY_ASSIGN(agent::Answer read, agent::by_person(app.repo, app.store, agent::sure_rungs(app.config.policy), member.upstream, member.pick, member.tree));
    member.resolutions = std::move(read.resolutions);
    // A draft that a person took over as it was brings the record that was checked with it.
    TRY_ASSIGN(const agent::Answer draft, Resolver(app).answer(submission.unit, member.upstream, member.pick, {}));
    if (draft.complete && draft.tree == member.tree) read.account = draft.account;
    for (auto& entry : read.account) member.account.push_back(std::move(entry));
  }
  // A clean pick stays the machine merge: what the person changed stands in a commit of its own.
  if (end.tree != member.tree) {
    model::Companion companion;
    companion.tree = end.tree;
    companion.author = answer.author;
    companion.message = guardrails::companion_message(
        answer.message.empty() ? fmt::format("Adapt the fork to \"{}\"", core::printable(member.upstream.subject, 60)) : answer.message,
        answer.upstream, submission.unit);
    member.companion = std::move(companion);
  }
  member.account.insert(member.account.end(), answer.account.begin(), answer.account.end());
  return std::string();
}

}  // namespace sluice::service
