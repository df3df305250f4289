// SPDX-License-Identifier: Apache-2.0
// What `sluice gate` found, as people read it: where, whose line, and what would lift it.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "guardrails/guardrails.h"
#include "service/gate.h"

namespace sluice::service {

namespace {

using model::Judgement;

constexpr std::size_t brief_items = 12;  // of one rule
constexpr std::size_t brief_notes = 10;

std::string item_text(const std::string& rule, const model::VerdictItem& item) {
  std::string out = fmt::format("  {}{}{}{}\n", item.path.empty() ? "(whole change)" : core::printable(item.path), item.line > 0 ? fmt::format(":{}", item.line) : "",
                                item.text.empty() ? "" : "  " + core::printable(item.text),
                                item.judgement == Judgement::pass ? "" : fmt::format("  [{}]", model::item_id(rule, item)));
  std::string more = core::printable(item.detail, 400);
  if (!item.introduced_by.empty()) more += fmt::format(" (introduced by {})", item.introduced_by);
  if (!item.lifted_by.empty()) more += fmt::format(" (lifted by {})", core::printable(item.lifted_by));
  if (item.origin == "upstream" && item.judgement == Judgement::pass && item.lifted_by.empty()) more += " (upstream's own, listed only)";
  if (!more.empty()) out += fmt::format("      {}\n", more);
  return out;
}

// Entries of the configuration that would have kept what is lost, ready to be pasted.
std::string proposals_text(const std::vector<const model::VerdictItem*>& items) {
  std::string out;
  for (const model::VerdictItem* item : items) {
    for (const std::string_view line : core::split_lines(item->proposes)) out += fmt::format("    {}\n", core::printable(line, 400));
  }
  return out.empty() ? out : "  what would keep these lines from now on:\n" + out;
}

// The worst first, then what is only observed, then what is only listed.
int rank(const model::RuleResult& rule) {
  if (rule.judgement == Judgement::pass) return 10;
  return (rule.observed ? 5 : 0) + static_cast<int>(Judgement::block) - static_cast<int>(rule.judgement);
}

std::string rule_text(const model::RuleResult& rule, const guardrails::RuleInfo* info, Detail detail) {
  std::string out = fmt::format("{} {} ({}{})\n", rule.id, rule.title, model::to_string(rule.judgement), rule.observed ? ", observed only" : "");
  std::vector<const model::VerdictItem*> items;
  for (const model::VerdictItem& item : rule.items) items.push_back(&item);
  std::stable_sort(items.begin(), items.end(), [](const auto* a, const auto* b) { return a->judgement > b->judgement; });
  const auto open = static_cast<std::size_t>(std::count_if(items.begin(), items.end(), [](const auto* i) { return i->judgement != Judgement::pass; }));
  std::size_t shown = detail == Detail::full ? items.size() : std::min(items.size(), brief_items);
  if (detail == Detail::brief && open == 0) shown = std::min<std::size_t>(shown, 2);
  for (std::size_t i = 0; i < shown; ++i) out += item_text(rule.id, *items[i]);
  if (detail == Detail::full) out += proposals_text(items);
  if (shown < items.size()) {
    const std::size_t left = items.size() - shown, left_open = open > shown ? open - shown : 0;
    out += fmt::format("  ... and {} more{} (--verbose shows all)\n", left, left_open == left ? "" : fmt::format(", {} of them above pass", left_open));
  }
  if (open > 0 && info != nullptr && !info->lift.empty()) out += fmt::format("  what lifts it: {}\n", info->lift);
  return out;
}

std::string rules_text(const model::Verdict& verdict, Detail detail, const std::vector<guardrails::RuleInfo>& catalogue) {
  std::vector<const model::RuleResult*> rules;
  for (const model::RuleResult& rule : verdict.rules) {
    if (rule.applicable && !(rule.judgement == Judgement::pass && rule.items.empty())) rules.push_back(&rule);
  }
  std::stable_sort(rules.begin(), rules.end(), [](const auto* a, const auto* b) { return rank(*a) < rank(*b); });
  std::string out;
  for (const model::RuleResult* rule : rules) {
    const auto info = std::find_if(catalogue.begin(), catalogue.end(), [&](const auto& i) { return i.id == rule->id; });
    out += rule_text(*rule, info == catalogue.end() ? nullptr : &*info, detail);
  }
  return out;
}

std::string ids_of(const model::Verdict& verdict, const auto& wanted) {
  std::string out;
  for (const model::RuleResult& rule : verdict.rules) {
    if (wanted(rule)) out += " " + rule.id;
  }
  return out;
}

// Which rules were not asked, and which do not count.
std::string modes_text(const model::Verdict& verdict) {
  std::string out;
  const std::string off = ids_of(verdict, [](const auto& rule) { return rule.mode == "off"; });
  const std::string observed = ids_of(verdict, [](const auto& rule) { return rule.applicable && rule.observed; });
  const std::string rest = ids_of(verdict, [](const auto& rule) { return !rule.applicable && rule.mode != "off"; });
  if (!observed.empty()) out += fmt::format("observed, not counted:{}\n", observed);
  if (!off.empty()) out += fmt::format("off:{}\n", off);
  if (!rest.empty()) out += fmt::format("not applicable:{}\n", rest);
  return out;
}

bool explainable(const model::Verdict& verdict) {
  return std::any_of(verdict.rules.begin(), verdict.rules.end(), [](const model::RuleResult& rule) {
    return rule.applicable && !rule.observed && std::any_of(rule.items.begin(), rule.items.end(), [](const model::VerdictItem& item) {
             return item.judgement == Judgement::explain && !item.account.empty();
           });
  });
}

constexpr const char* how_to_explain =
    "An entry of an accounting record explains one difference: --account-template prints those that are missing.\n";
constexpr const char* where_to_read = "`sluice gate --catalogue` says what each rule means.\n";

std::string heading(const JudgedCommit& commit) {
  std::string of;
  if (commit.upstream.size() == 1) of = fmt::format(" of upstream {}", model::short_oid(commit.upstream.front()));
  if (commit.upstream.size() > 1) of = fmt::format(" of {} upstream commits", commit.upstream.size());
  std::string out = fmt::format("\n{}{}{}{}: {}\n", to_string(commit.kind), commit.commit.empty() ? "" : fmt::format(" {}", model::short_oid(commit.commit)), of,
                                commit.subject.empty() ? "" : fmt::format(" \"{}\"", core::printable(commit.subject, 80)),
                                commit.kind == JudgedCommit::Kind::listed ? "not judged" : std::string(model::to_string(commit.verdict.judgement)));
  if (!commit.note.empty()) out += fmt::format("  {}\n", core::printable(commit.note, 600));
  return out;
}

std::string notes_text(const std::vector<std::string>& notes, Detail detail) {
  std::string out;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    if (detail == Detail::brief && i == brief_notes) return out + fmt::format("note: {} more notes (--verbose shows all)\n", notes.size() - i);
    out += fmt::format("note: {}\n", core::printable(notes[i], 400));
  }
  return out;
}

}  // namespace

std::string verdict_text(const model::Verdict& verdict, Detail detail) {
  std::string out = fmt::format("verdict: {}\n", model::to_string(verdict.judgement)) + rules_text(verdict, detail, guardrails::catalogue());
  for (const model::SuiteResult& suite : verdict.suites) {
    out += fmt::format("suite {} {}{}\n", suite.id, model::to_string(suite.outcome), suite.reason.empty() ? "" : ": " + suite.reason);
  }
  out += modes_text(verdict);
  if (explainable(verdict)) out += how_to_explain;
  if (verdict.judgement != Judgement::pass) out += where_to_read;
  return out;
}

std::string gate_text(const GateReport& report, Detail detail) {
  const std::string policy = report.policy_source.empty() ? "" : fmt::format("policy: {}\n", core::printable(report.policy_source, 400));
  if (report.form == "pick") return verdict_text(report.commits.front().verdict, detail) + policy + notes_text(report.notes, detail);
  const auto catalogue = guardrails::catalogue();
  const Judgement worst = report.judgement();
  std::string out = fmt::format("verdict: {}\n{} {}..{}, {} judged\n", model::to_string(worst), report.form, model::short_oid(report.base),
                                model::short_oid(report.result), report.commits.size());
  std::size_t quiet = 0;
  bool explain = false;
  for (const JudgedCommit& commit : report.commits) {
    const bool pass = commit.verdict.judgement == Judgement::pass;
    // Of the many members that nothing is said about, their number is enough.
    if (detail == Detail::brief && commit.kind == JudgedCommit::Kind::member && pass) {
      ++quiet;
      continue;
    }
    out += heading(commit);
    if (detail == Detail::full || !pass) out += rules_text(commit.verdict, detail, catalogue);
    explain = explain || explainable(commit.verdict);
  }
  if (quiet > 0) out += fmt::format("\n{} members: pass (--verbose shows them)\n", quiet);
  out += "\n" + policy + notes_text(report.notes, detail);
  if (explain) out += how_to_explain;
  if (worst != Judgement::pass) out += where_to_read;
  return out;
}

}  // namespace sluice::service
