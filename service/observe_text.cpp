// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "service/observe.h"
#include "service/unit_text.h"

namespace sluice::service {

using core::Json;

namespace {

constexpr std::size_t examples = 5;  // of each kind, for people

struct Totals {
  std::map<Score, std::int64_t> scores;
  std::map<std::string, std::int64_t> how, stopped_by, errors, verdicts;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> objections;  // rule -> landings, items
  std::int64_t matched = 0, several = 0, upstream = 0, conflicted = 0, stopped_equal = 0, not_judged = 0, objected = 0, noted = 0;
};

Totals totals_of(const ObserveReport& report) {
  Totals out;
  for (const Landed& landed : report.landings) {
    ++out.scores[landed.score];
    if (landed.score == Score::unmatched) continue;
    ++out.matched;
    ++out.how[landed.how];
    out.upstream += static_cast<std::int64_t>(landed.upstream.size());
    out.several += landed.upstream.size() > 1;
    out.conflicted += landed.conflicted;
    out.noted += !landed.note.empty();
    if (landed.score == Score::stopped) ++out.stopped_by[landed.rule];
    if (landed.score == Score::error) ++out.errors[landed.rule];
    out.stopped_equal += landed.score == Score::stopped && landed.equal_tree;
    if (landed.landed_verdict.empty()) ++out.not_judged;
    else ++out.verdicts[landed.landed_verdict];
    out.objected += !landed.objections.empty();
    for (const Objection& objection : landed.objections) {
      ++out.objections[objection.rule].first;
      out.objections[objection.rule].second += objection.items;
    }
  }
  return out;
}

Json counts(const std::map<std::string, std::int64_t>& of) {
  Json out = Json::object();
  for (const auto& [name, n] : of) out.set(name, n);
  return out;
}

std::string listed(const std::map<std::string, std::int64_t>& of) {
  std::vector<std::pair<std::string, std::int64_t>> rows(of.begin(), of.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out;
  for (const auto& [name, n] : rows) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, n);
  return out;
}

std::string day(std::int64_t at) { return core::format_utc(at).substr(0, 10); }

std::string line_of(const Landed& landed) {
  std::string out = fmt::format("  {} {} {}\n", model::short_oid(landed.commit), day(landed.at), core::printable(landed.subject, 90));
  if (!landed.reason.empty()) out += fmt::format("      {}\n", landed.reason);
  return out;
}

void differing(const ObserveReport& report, std::string& out) {
  std::size_t n = 0;
  for (const Landed& landed : report.landings) {
    if (landed.score != Score::differs) continue;
    if (n == 0) out += "\nSluice would have landed something else:\n";
    if (n++ == examples) {
      out += "  ... (all of them: --json)\n";
      break;
    }
    out += line_of(landed) + fmt::format("      {} differ:", counted(static_cast<std::size_t>(landed.files_total), "file"));
    for (std::size_t i = 0; i < landed.files.size() && i < 3; ++i) out += " " + core::printable(landed.files[i], 80);
    out += landed.files_total > 3 ? " ...\n" : "\n";
  }
}

void stopped(const ObserveReport& report, const Totals& totals, std::string& out) {
  if (totals.stopped_by.empty()) return;
  out += "\nSluice would have stopped, and asked a person:\n";
  for (const auto& [rule, n] : totals.stopped_by) {
    std::size_t shown = 0;
    for (const Landed& landed : report.landings) {
      if (landed.score != Score::stopped || landed.rule != rule) continue;
      if (shown++ == 3) {
        out += fmt::format("  ... {} more by {}\n", n - 3, rule);
        break;
      }
      out += line_of(landed);
    }
  }
}

void objecting(const ObserveReport& report, const Totals& totals, std::string& out) {
  if (totals.matched == 0) return;
  out += fmt::format("\nWhat the rules say of the {} as they landed: {}{}\n", counted(static_cast<std::size_t>(totals.matched), "landing"),
                     listed(totals.verdicts), totals.not_judged > 0 ? fmt::format(", not judged {}", totals.not_judged) : "");
  for (const auto& [rule, n] : totals.objections) out += fmt::format("  {:<5} {} with {}\n", rule, counted(static_cast<std::size_t>(n.first), "landing"), counted(static_cast<std::size_t>(n.second), "item"));
  for (const auto& [rule, n] : totals.objections) {
    std::size_t shown = 0;
    for (const Landed& landed : report.landings) {
      const auto found = std::find_if(landed.objections.begin(), landed.objections.end(), [&](const Objection& o) { return o.rule == rule; });
      if (found == landed.objections.end()) continue;
      if (shown++ == 2) break;
      out += fmt::format("    {} {} {}\n        {}\n", rule, model::short_oid(landed.commit), core::printable(landed.subject, 80), found->first);
    }
  }
}

}  // namespace

Json landed_json(const Landed& landed) {
  Json upstream = Json::array(), files = Json::array(), objections = Json::array();
  for (const Oid& oid : landed.upstream) upstream.push(oid);
  for (const std::string& file : landed.files) files.push(file);
  for (const Objection& o : landed.objections) {
    objections.push(Json::object({{"rule", o.rule}, {"verdict", model::to_string(o.judgement)}, {"items", o.items}, {"first", o.first}}));
  }
  return Json::object({{"commit", landed.commit},
                       {"parent", landed.parent},
                       {"at", core::format_utc(landed.at)},
                       {"subject", landed.subject},
                       {"upstream", std::move(upstream)},
                       {"how", landed.how},
                       {"note", landed.note},
                       {"score", to_string(landed.score)},
                       {"rule", landed.rule},
                       {"reason", landed.reason},
                       {"conflicted", landed.conflicted},
                       {"equal_tree", landed.equal_tree},
                       {"files", std::move(files)},
                       {"files_total", landed.files_total},
                       {"landed_verdict", landed.landed_verdict},
                       {"landed_why", landed.landed_why},
                       {"objections", std::move(objections)}});
}

Result<Landed> parse_landed(const Json& json) {
  Landed out;
  out.commit = json["commit"].as_string();
  out.parent = json["parent"].as_string();
  TRY_ASSIGN(out.at, core::parse_utc(json["at"].as_string()));
  out.subject = json["subject"].as_string();
  for (const Json& oid : json["upstream"].items()) out.upstream.push_back(oid.as_string());
  out.how = json["how"].as_string();
  out.note = json["note"].as_string();
  bool known = false;
  for (const Score score : {Score::same, Score::differs, Score::stopped, Score::error, Score::unmatched}) {
    if (to_string(score) != json["score"].as_string()) continue;
    out.score = score;
    known = true;
  }
  if (!known || !model::is_oid(out.commit)) return make_error(ErrorKind::invalid, "a stored score cannot be read");
  out.rule = json["rule"].as_string();
  out.reason = json["reason"].as_string();
  out.conflicted = json["conflicted"].as_bool();
  out.equal_tree = json["equal_tree"].as_bool();
  for (const Json& file : json["files"].items()) out.files.push_back(file.as_string());
  out.files_total = json["files_total"].as_int();
  out.landed_verdict = json["landed_verdict"].as_string();
  out.landed_why = json["landed_why"].as_string();
  for (const Json& o : json["objections"].items()) {
    out.objections.push_back({o["rule"].as_string(), o["first"].as_string(),
                              model::parse_judgement(o["verdict"].as_string()).value_or(model::Judgement::unresolved), o["items"].as_int()});
  }
  return out;
}

Json observe_json(App& app, const ObserveReport& report) {
  const Totals totals = totals_of(report);
  Json scores = Json::object(), rules = Json::object(), landings = Json::array();
  for (const Score score : {Score::same, Score::differs, Score::stopped, Score::error, Score::unmatched}) {
    const auto found = totals.scores.find(score);
    scores.set(to_string(score), found == totals.scores.end() ? 0 : found->second);
  }
  for (const auto& [rule, n] : totals.objections) rules.set(rule, Json::object({{"landings", n.first}, {"items", n.second}}));
  for (const Landed& landed : report.landings) landings.push(landed_json(landed));
  return Json::object({{"schema", "sluice.observe/1"},
                       {"fork", Json::object({{"head", report.head}, {"branch", app.config.fork.branch}})},
                       {"since", core::format_utc(report.since)},
                       {"until", report.until > 0 ? Json(core::format_utc(report.until)) : Json()},
                       {"scores", std::move(scores)},
                       {"stopped_by", counts(totals.stopped_by)},
                       {"stopped_equal", totals.stopped_equal},
                       {"errors_by", counts(totals.errors)},
                       {"matched", Json::object({{"landings", totals.matched}, {"upstream_commits", totals.upstream}, {"several", totals.several},
                                                 {"conflicted", totals.conflicted}, {"noted", totals.noted}, {"by", counts(totals.how)}})},
                       {"landed", Json::object({{"verdicts", counts(totals.verdicts)}, {"not_judged", totals.not_judged},
                                                {"objected", totals.objected}, {"rules", std::move(rules)}})},
                       {"by_sluice", report.by_sluice},
                       {"scored_now", report.scored_now},
                       {"left", report.left},
                       {"untried", report.untried},
                       {"landings", std::move(landings)}});
}

std::string observe_text(App& app, const ObserveReport& report) {
  const Totals totals = totals_of(report);
  const auto score = [&](Score s) {
    const auto found = totals.scores.find(s);
    return found == totals.scores.end() ? std::int64_t{0} : found->second;
  };
  std::string out = fmt::format("What was landed on {} from {}{}: {}, {} of them with upstream commits ({})\n", app.config.fork.branch, day(report.since),
                                report.until > 0 ? " to " + day(report.until) : "", counted(report.landings.size(), "landing"),
                                totals.matched, counted(static_cast<std::size_t>(totals.upstream), "upstream commit"));
  if (report.by_sluice > 0) out += fmt::format("{} more landed by sluice itself, not scored\n", report.by_sluice);
  if (report.left > 0) out += fmt::format("{} more not looked at yet: the next run goes on with them\n", report.left);
  out += fmt::format("\n  same       {:>5}   sluice would have landed the same tree\n", score(Score::same));
  out += fmt::format("  differs    {:>5}   sluice would have landed another tree\n", score(Score::differs));
  out += fmt::format("  stopped    {:>5}   sluice would have landed nothing and asked{}\n", score(Score::stopped),
                     totals.stopped_by.empty() ? "" : ": " + listed(totals.stopped_by));
  out += fmt::format("  error      {:>5}   it cannot be said{}\n", score(Score::error), totals.errors.empty() ? "" : ": " + listed(totals.errors));
  out += fmt::format("  unmatched  {:>5}   no upstream commit in it: the fork's own work\n", score(Score::unmatched));
  out += fmt::format("\nMatched by: {}.", totals.how.empty() ? "nothing" : listed(totals.how));
  if (totals.several > 0) out += fmt::format(" {} with more than one upstream commit.", counted(static_cast<std::size_t>(totals.several), "landing"));
  out += fmt::format(" Picks with a conflict: {}.", totals.conflicted);
  if (totals.stopped_equal > 0) out += fmt::format(" Stopped although the trees are equal: {}.", totals.stopped_equal);
  if (report.untried > 0) out += fmt::format(" {} not compared by tree, for the limit on picks.", counted(static_cast<std::size_t>(report.untried), "landing"));
  out += "\n";
  differing(report, out);
  stopped(report, totals, out);
  objecting(report, totals, out);
  std::string odd;
  for (const Landed& landed : report.landings) {
    if (!landed.note.empty()) odd += fmt::format("  {} {}\n      {}\n", model::short_oid(landed.commit), core::printable(landed.subject, 90), landed.note);
  }
  if (!odd.empty()) out += "\nTo look at:\n" + odd;
  return out;
}

}  // namespace sluice::service
