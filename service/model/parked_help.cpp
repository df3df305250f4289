// SPDX-License-Identifier: Apache-2.0
#include "service/model/parked_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "agent/text_job.h"
#include "core/log.h"
#include "core/text.h"
#include "guardrails/guardrails.h"
#include "guardrails/outgoing.h"
#include "service/model/pick_checks.h"

namespace sluice::service {

namespace {

std::string suggestion_key(const std::string& unit) { return "suggestion:" + unit; }
std::string text_key(const std::string& unit) { return "parked_text:" + unit; }

// A word that says something which can be wrong: it holds a digit, a path, a qualified name or an underscore.
bool is_claim(std::string_view word) {
  const bool digit = std::any_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  const std::size_t dot = word.find('.');
  return digit || word.find('/') != std::string_view::npos || word.find('_') != std::string_view::npos || word.find("::") != std::string_view::npos ||
         (dot != std::string_view::npos && dot + 1 < word.size());
}

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '/' || c == '.' || c == ':' || c == '-' || c == '+';
}

bool is_known(std::string_view sentence, std::string_view facts) {
  for (std::size_t i = 0; i < sentence.size();) {
    if (!is_word_char(sentence[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < sentence.size() && is_word_char(sentence[end])) ++end;
    std::string_view word = sentence.substr(i, end - i);
    while (!word.empty() && (word.back() == '.' || word.back() == ':' || word.back() == '-')) word.remove_suffix(1);
    if (is_claim(word) && facts.find(word) == std::string_view::npos) return false;
    i = end;
  }
  return true;
}

std::vector<std::string_view> sentences_of(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t from = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool end = text[i] == '.' || text[i] == '?' || text[i] == '!' || text[i] == '\n';
    const bool whole = i + 1 == text.size() || text[i + 1] == ' ' || text[i + 1] == '\n';
    if (!end || (!whole && text[i] != '\n')) continue;
    if (const auto sentence = core::trim(text.substr(from, i + 1 - from)); !sentence.empty()) out.push_back(sentence);
    from = i + 1;
  }
  if (const auto rest = core::trim(text.substr(from)); !rest.empty()) out.push_back(rest);
  return out;
}

core::Json untrusted(std::string source, std::string_view text) {
  return core::Json::object({{"source", std::move(source)}, {"untrusted", true}, {"text", core::to_utf8(text.substr(0, 4000))}});
}

// Of a unit that stays parked: which upstream commits, why, what is open, what was drafted.
Result<core::Json> facts_of(App& app, const model::Unit& unit, std::vector<std::string>& paths) {
  core::Json commits = core::Json::array();
  for (const Oid& oid : unit.commits) {
    if (commits.items().size() >= 20) break;
    TRY_ASSIGN(const auto facts, app.store.facts(oid));
    commits.push(core::Json::object({{"id", oid.substr(0, 12)}, {"subject", untrusted("subject of " + oid, facts ? facts->subject : "")}}));
  }
  TRY_ASSIGN(const auto record, app.store.proposal(unit.id));
  core::Json out = core::Json::object({{"unit", unit.id}, {"rule", unit.rule}, {"reason", untrusted("why the unit was parked", unit.reason)}, {"commits", std::move(commits)}});
  if (!record) return out;
  core::Json open = core::Json::array();
  for (const core::Json& member : (*record)["left_out"].items()) {
    for (const core::Json& line : member["open"].items()) open.push(untrusted("what is open", line.as_string()));
    for (const core::Json& draft : member["drafts"].items()) paths.push_back(draft["path"].as_string());
  }
  out.set("open", std::move(open));
  return out;
}

Result<void> write_text(App& app, Folder& folder, const model::Unit& unit) {
  TRY_ASSIGN(ModelOffice* const office, folder.resolver().office());
  if (office == nullptr) return {};
  std::vector<std::string> paths;
  TRY_ASSIGN(const core::Json facts, facts_of(app, unit, paths));
  TRY_ASSIGN(const agent::WrittenText written, agent::write_parked_text(office->rung().desk(), unit.id, facts, paths));
  if (written.obstacle.empty()) {
    core::log_warning(fmt::format("no text for {}: {}", unit.id, core::printable(written.why, 300)));
    return {};
  }
  int removed = 0;
  std::string text;
  for (const std::string* part : {&written.obstacle, &written.tried, &written.question}) {
    const std::string kept = known_sentences(guardrails::sanitize(*part, guardrails::Outgoing::comment, {}).text, facts.dump(), removed);
    if (!kept.empty()) text += (text.empty() ? "" : "\n") + kept;
  }
  if (text.empty()) return {};
  return app.store.put_value(text_key(unit.id), core::Json::object({{"text", text}, {"by", office->provider().endpoint().name}, {"transcript", written.transcript}, {"removed", removed}}).dump());
}

// The first member of the unit, on trunk as it is, when a build suite says no to it.
Result<void> suggest_fix(App& app, Folder& folder, Validator& validator, const model::Unit& unit, const Oid& trunk) {
  std::set<std::string> builds;
  for (const model::SuiteConfig& suite : app.config.policy.suites)
    if (suite.kind == "build" && suite.tier == "L1") builds.insert(suite.id);
  if (!builds.contains(unit.rule) || unit.commits.empty()) return {};
  TRY_ASSIGN(ModelOffice* const office, folder.resolver().office());
  if (office == nullptr) return {};
  model::Unit first = unit;
  first.commits.resize(1);
  TRY_ASSIGN(const Fold fold, folder.fold(first, trunk));
  if (fold.proposal.members.size() != 1) return {};
  const model::ProposalMember& member = fold.proposal.members.front();
  TRY_ASSIGN(const auto evidence, validator.run(member.tree, builds, fmt::format("{} alone", model::short_oid(first.commits.front()))));
  std::vector<tools::Finding> findings;
  for (const model::Evidence& e : evidence) {
    auto found = compile_findings(e);
    findings.insert(findings.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }
  if (findings.empty()) return {};  // alone on this trunk it builds

  PickChecks checks(app.repo, app.config.policy, member.upstream, member.pick, trunk, [&](const Oid& tree) { return validator.run(tree, builds, "a suggested fix"); }, {});
  checks.judge_companion(member.tree);
  tools::World world;
  world.reader = &app.repo.reader();
  world.upstream = member.upstream;
  if (!member.upstream.parent.empty()) {
    TRY_ASSIGN(world.base_tree, app.repo.reader().tree_of(member.upstream.parent));
  }
  world.ours_tree = member.onto;
  world.theirs_tree = member.upstream.tree;
  world.merged_tree = member.tree;
  world.onto_commit = trunk;
  world.protected_why = folder.resolver().protected_why();
  TRY_ASSIGN(tools::Buffer buffer, tools::Buffer::open(world));
  office->rung().set_unit(unit.id);
  TRY_ASSIGN(const agent::RungEnd end, office->rung().repair(app.store, world, buffer, checks, findings));
  if (!end.answered) {
    core::log_info(fmt::format("no suggested fix for {}: {}", unit.id, core::printable(end.why, 300)));
    return {};
  }
  TRY_ASSIGN(const tools::Draft draft, buffer.draft());
  TRY_ASSIGN(const auto left, checks.findings(tools::Level::static_rules, draft));
  if (!left.empty()) {
    core::log_info(fmt::format("the suggested fix for {} is not kept: {} {}", unit.id, left.front().rule, core::printable(left.front().text, 200)));
    return {};
  }
  TRY_ASSIGN(const Oid tree, agent::write_draft(app.repo, draft));
  const std::string words = fmt::format("Suggested fix: make {} build\n\n{}\n\nWritten by {} (run {}); a person decides.\n", model::short_oid(first.commits.front()),
                                        guardrails::sanitize(end.summary, guardrails::Outgoing::comment, {}).text, office->provider().endpoint().name, end.transcript);
  const core::Json record = core::Json::object({{"upstream", first.commits.front()}, {"pick_tree", member.tree}, {"tree", tree}, {"message", words}, {"transcript", end.transcript}});
  return app.store.put_value(suggestion_key(unit.id), record.dump());
}

}  // namespace

std::string known_sentences(std::string_view text, std::string_view facts, int& removed) {
  std::string out;
  for (const std::string_view sentence : sentences_of(text)) {
    if (!is_known(sentence, facts)) {
      ++removed;
      continue;
    }
    out += (out.empty() ? "" : " ") + std::string(sentence);
  }
  return out;
}

Result<std::optional<Suggestion>> suggestion_for(App& app, const std::string& unit) {
  TRY_ASSIGN(const auto text, app.store.value(suggestion_key(unit)));
  if (!text) return std::optional<Suggestion>();
  TRY_ASSIGN(const core::Json json, core::Json::parse(*text));
  return std::optional(Suggestion{json["upstream"].as_string(), json["pick_tree"].as_string(), json["tree"].as_string(), json["message"].as_string(), json["transcript"].as_string()});
}

Result<std::optional<ParkedText>> parked_text(App& app, const std::string& unit) {
  TRY_ASSIGN(const auto text, app.store.value(text_key(unit)));
  if (!text) return std::optional<ParkedText>();
  TRY_ASSIGN(const core::Json json, core::Json::parse(*text));
  return std::optional(ParkedText{json["text"].as_string(), json["by"].as_string(), json["transcript"].as_string(), static_cast<int>(json["removed"].as_int())});
}

Result<void> help_parked(App& app, Folder& folder, Validator& validator, const std::vector<model::Unit>& units, const Oid& trunk) {
  if (!app.config.model.repair && !app.config.model.parked_text) return {};
  std::set<std::string> done;
  for (const model::Unit& unit : units) {
    if (unit.state != model::UnitState::parked || unit.kind == model::UnitKind::revert || !done.insert(unit.id).second || app.cancelled()) continue;
    app.progress(fmt::format("notes on {}", unit.id), 0, 0);
    if (app.config.model.repair) TRY(suggest_fix(app, folder, validator, unit, trunk));
    if (app.config.model.parked_text) TRY(write_text(app, folder, unit));
  }
  return {};
}

}  // namespace sluice::service
