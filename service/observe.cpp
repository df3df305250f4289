// SPDX-License-Identifier: Apache-2.0
#include "service/observe.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/text.h"
#include "service/observe_match.h"
#include "service/observe_score.h"

namespace sluice::service {

namespace {

constexpr std::int64_t default_days = 30;
constexpr std::size_t max_line = 200'000;  // landings of one trunk

std::string key_of(const Oid& commit) { return "observe." + commit; }

// First parents from the tip back to where upstream's own line or the fork's base begins, oldest first.
Result<std::vector<git::Commit>> trunk_line(App& app, const Plan& plan, const LandingMatcher& matcher,
                                            std::int64_t since, std::int64_t until) {
  std::vector<git::Commit> out;
  Oid at = plan.remotes.fork_tip;
  for (std::size_t n = 0; n < max_line && !at.empty() && at != plan.line.base && !matcher.is_upstream(at); ++n) {
    TRY_ASSIGN(git::Commit commit, app.repo.reader().commit(at));
    if (commit.parents.empty()) break;
    at = commit.parents[0];
    // Times of a trunk need not be in order: the whole line is read, headers only.
    if (commit.committer.time >= since && (until == 0 || commit.committer.time < until)) out.push_back(std::move(commit));
  }
  std::reverse(out.begin(), out.end());
  return out;
}

// Units that sluice itself landed: their commits carry its trailers.
Result<std::set<std::string>> units_landed(App& app) {
  std::set<std::string> out;
  TRY_ASSIGN(const auto rows, app.store.landings());
  for (const store::LandingRow& row : rows) {
    if (row.state == "landed") out.insert(row.unit);
  }
  return out;
}

// The stored answer when it still holds.
std::optional<Landed> stored(App& app, const Oid& commit, const std::string& recipe, const Oid& upstream_tip) {
  const auto value = app.store.value(key_of(commit));
  if (!value.ok() || !*value) return std::nullopt;
  const auto json = core::Json::parse(**value);
  if (!json.ok() || (*json)["recipe"].as_string() != recipe) return std::nullopt;
  // Upstream may have brought since then what this landing took from elsewhere.
  const std::string& tip = (*json)["upstream_tip"].as_string();
  if (!tip.empty() && tip != upstream_tip) return std::nullopt;
  auto landed = parse_landed((*json)["landed"]);
  if (!landed.ok()) return std::nullopt;
  return std::move(*landed);
}

Result<void> keep(App& app, const Landed& landed, const std::string& recipe, const Oid& upstream_tip) {
  core::Json json = core::Json::object({{"recipe", recipe}, {"landed", landed_json(landed)}});
  if (landed.score == Score::unmatched || landed.score == Score::error) json.set("upstream_tip", upstream_tip);
  return app.store.put_value(key_of(landed.commit), json.dump());
}

// A landing that touches nothing of what its upstream commits touch is matched wrongly, or only records them.
Result<void> doubt(App& app, const git::Commit& commit, Landed& landed) {
  const git::Reader& reader = app.repo.reader();
  TRY_ASSIGN(const Oid before, reader.tree_of(landed.parent));
  TRY_ASSIGN(const auto deltas, reader.diff_trees(before, commit.tree));
  std::set<std::string> touched;
  for (const git::TreeDelta& delta : deltas) touched.insert(delta.path);
  bool any = false;
  for (const Oid& oid : landed.upstream) {
    TRY_ASSIGN(const git::Commit upstream, reader.commit(oid));
    Oid base(model::empty_tree);
    if (!upstream.parents.empty()) {
      TRY_ASSIGN(base, reader.tree_of(upstream.parents[0]));
    }
    TRY_ASSIGN(const auto theirs, reader.diff_trees(base, upstream.tree));
    any = any || std::any_of(theirs.begin(), theirs.end(), [&](const auto& d) { return touched.contains(d.path); });
    if (any) return {};
  }
  landed.note += (landed.note.empty() ? "" : "; ");
  landed.note += deltas.empty() ? "changes nothing" : "touches no file that its upstream commits touch";
  return {};
}

}  // namespace

std::string_view to_string(Score score) {
  switch (score) {
    case Score::same: return "same";
    case Score::differs: return "differs";
    case Score::stopped: return "stopped";
    case Score::error: return "error";
    case Score::unmatched: break;
  }
  return "unmatched";
}

Result<ObserveReport> observe(App& app, const Plan& plan, const ObserveOptions& options) {
  ObserveReport report;
  report.head = plan.remotes.fork_tip;
  report.since = options.since;
  report.until = options.until;
  if (options.since == 0) {
    TRY_ASSIGN(const git::Commit newest, app.repo.reader().commit(report.head));
    report.since = std::max<std::int64_t>(0, (options.until > 0 ? options.until : newest.committer.time) - default_days * 86400);
  }
  TRY_ASSIGN(LandingMatcher matcher, LandingMatcher::open(app, plan));
  TRY_ASSIGN(Scorer scorer, Scorer::open(app));
  TRY_ASSIGN(const auto line, trunk_line(app, plan, matcher, report.since, report.until));
  TRY_ASSIGN(const auto own_units, units_landed(app));
  TRY_ASSIGN(const ingest::TrailerRules trailers, ingest::TrailerRules::compile({}));

  // Newest first, so that a limited run scores what people remember.
  std::int64_t done = 0;
  for (auto commit = line.rbegin(); commit != line.rend(); ++commit) {
    app.progress("scoring what the team landed", done++, static_cast<std::int64_t>(line.size()));
    if (app.cancelled()) return make_error(ErrorKind::transient, "cancelled; what was scored so far is stored");
    if (const std::string unit = trailers.scan(commit->message).unit; !unit.empty() && own_units.contains(unit)) {
      ++report.by_sluice;
      continue;
    }
    if (auto known = stored(app, commit->oid, scorer.recipe(), plan.remotes.upstream_tip)) {
      report.landings.push_back(std::move(*known));
      continue;
    }
    if (options.at_most > 0 && report.scored_now >= options.at_most) {
      ++report.left;
      continue;
    }
    Landed landed;
    landed.commit = commit->oid;
    landed.parent = commit->parents[0];
    landed.at = commit->committer.time;
    landed.subject = core::printable(std::string_view(commit->message).substr(0, commit->message.find('\n')), 200);
    TRY_ASSIGN(Match match, matcher.match(*commit, [&](const Oid& upstream, const Oid& onto) { return scorer.pick(upstream, onto); }));
    landed.upstream = std::move(match.upstream);
    landed.how = std::move(match.how);
    landed.note = std::move(match.note);
    if (match.declared > static_cast<std::int64_t>(landed.upstream.size())) {
      // What a part of the members would give says nothing about the whole.
      landed.score = Score::error;
      landed.rule = "members";
      landed.reason = fmt::format("the message says that it brings {} upstream commits, and names {} that are on upstream's line", match.declared, landed.upstream.size());
      landed.landed_why = landed.rule;
      landed.how = "list";
    } else if (!landed.upstream.empty()) {
      TRY(scorer.score(*commit, landed));
      if (const auto checked = doubt(app, *commit, landed); !checked.ok()) landed.note = checked.error().message;
    }
    if (match.final) TRY(keep(app, landed, scorer.recipe(), plan.remotes.upstream_tip));
    ++report.scored_now;
    report.landings.push_back(std::move(landed));
  }
  report.untried = matcher.untried();
  std::reverse(report.landings.begin(), report.landings.end());
  return report;
}

}  // namespace sluice::service
