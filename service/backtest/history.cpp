// SPDX-License-Identifier: Apache-2.0
#include "service/backtest/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "service/backtest/checks.h"
#include "service/pick_facts.h"

namespace sluice::service::backtest {

namespace {

constexpr std::size_t context_lines = 12;

// Written by programs: they would dominate the counts and say nothing of anybody's code.
bool written_by_programs(std::string_view path) {
  const std::string name = core::to_lower(path.substr(path.rfind('/') + 1));
  constexpr std::array<std::string_view, 6> names = {"package-lock.json", "yarn.lock", "poetry.lock", "cargo.lock", "pnpm-lock.yaml", "go.sum"};
  return std::find(names.begin(), names.end(), name) != names.end() || name.starts_with("changelog");
}

std::string last_lines(const std::string& text) {
  const auto lines = core::split_lines_keep(text);
  std::string out;
  for (std::size_t k = lines.size() - std::min(lines.size(), context_lines); k < lines.size(); ++k) out += lines[k];
  return out;
}

std::string first_lines(const std::string& text) {
  const auto lines = core::split_lines_keep(text);
  std::string out;
  for (std::size_t k = 0; k < std::min(lines.size(), context_lines); ++k) out += lines[k];
  return out;
}

std::string reason_of(const std::string& why) { return why.starts_with("object_missing") || why.find("object_missing") != std::string::npos ? "missing_object" : "git"; }

bool has_markers(const Case& one) {
  const auto alarms = check_hunk(one, one.resolved);
  return std::any_of(alarms.begin(), alarms.end(), [](const Alarm& alarm) { return alarm.check == "markers"; });
}

class Replayer {
 public:
  Replayer(const git::Reader& reader, const std::string& name, const guardrails::PickFacts& facts, Replay& out)
      : reader_(reader), name_(name), facts_(facts), out_(out) {}

  void add(const model::Conflict& conflict) {
    const bool content = conflict.kind == "contents" || conflict.kind == "add/add";
    if (!content || conflict.regions == 0) {
      ++out_.other[conflict.kind];
      return;
    }
    const auto merged_text = reader_.file(facts_.merge_tree, conflict.path);
    const auto landed = reader_.file(facts_.proposed_tree, conflict.path);
    if (!merged_text.ok() || !landed.ok() || !*merged_text) {
      ++out_.other["unreadable"];
      return;
    }
    const auto merged = git::cut_regions(conflict.path, **merged_text);
    if (!merged.ok() || merged->regions.empty()) {
      ++out_.other["unreadable"];
      return;
    }
    add_regions(conflict.path, *merged, landed->value_or(""), landed->has_value());
  }

 private:
  void add_regions(const std::string& path, const git::MergedFile& merged, const std::string& landed, bool exists) {
    const bool programs = written_by_programs(path);
    std::vector<git::RegionResult> results(merged.regions.size());
    if (exists && !programs) results = git::region_results(reader_, merged, landed);
    for (std::size_t k = 0; k < merged.regions.size(); ++k) {
      const git::Region& region = merged.regions[k];
      Case one;
      one.id = fmt::format("{}:{}:{}:{}:{}", name_, out_.pick.commit.substr(0, 12), out_.pick.upstream.substr(0, 12), path, k);
      one.path = path;
      one.repo = name_;
      one.landed = out_.pick.commit;
      one.upstream = out_.pick.upstream;
      one.date = out_.pick.date;
      one.region = region.id;
      one.base = region.base;
      one.ours = region.ours;
      one.theirs = region.theirs;
      one.before = last_lines(merged.text[k]);
      one.after = first_lines(merged.text[k + 1]);
      one.lang = lang_of(path);
      one.located = results[k].located;
      one.resolved = results[k].text;
      std::string why = programs ? "written_by_programs" : !exists ? "file_gone" : !one.located ? "context_lost" : has_markers(one) ? "markers_landed" : "";
      if (why.empty()) one.klass = class_of(one);
      if (!why.empty()) {
        one.located = false;
        one.resolved.clear();
        ++out_.left_out[why];
      }
      out_.cases.push_back(std::move(one));
    }
  }

  const git::Reader& reader_;
  const std::string& name_;
  const guardrails::PickFacts& facts_;
  Replay& out_;
};

}  // namespace

Result<Landed> landed_picks(const git::Reader& reader, const ingest::HistoryOptions& options, std::int64_t until, std::size_t limit,
                            const std::function<Result<void>(std::int64_t, std::int64_t)>& on_progress) {
  TRY_ASSIGN(const ingest::History history, ingest::mine_history(reader, options, on_progress));
  Landed out;
  out.scanned = history.scanned;
  for (const auto& [why, commits] : history.by_reason)
    if (why != ingest::LeftOut::no_source) out.left_out[std::string(ingest::to_string(why))] += commits;
  for (const ingest::HistoryRow& row : history.rows) {
    if (until > 0 && row.date >= until) {
      ++out.left_out["later"];
    } else if (row.contained) {
      ++out.left_out["had_it_already"];
    } else if (row.kind == ingest::HistoryRow::Kind::bundle || row.upstream.size() != 1) {
      ++out.bundles;
      ++out.left_out["bundles"];
    } else {
      out.picks.push_back({row.commit, row.parent, row.upstream[0], row.date});
    }
  }
  std::stable_sort(out.picks.begin(), out.picks.end(), [](const LandedPick& a, const LandedPick& b) { return a.date < b.date; });
  if (limit > 0 && out.picks.size() > limit) {
    out.left_out["beyond_limit"] += static_cast<std::int64_t>(out.picks.size() - limit);
    out.picks.erase(out.picks.begin(), out.picks.end() - static_cast<std::ptrdiff_t>(limit));
  }
  return out;
}

Replay replay_pick(const git::Reader& reader, git::Picker& picker, const LandedPick& pick, const std::string& name) {
  Replay out;
  out.pick = pick;
  const FoundFacts found = pick_facts(reader, picker, pick.upstream, pick.parent, pick.commit);
  if (!found.why.empty()) {
    out.why = reason_of(found.why);
    return out;
  }
  out.conflicted = found.facts.conflicted;
  Replayer replayer(reader, name, found.facts, out);
  for (const model::Conflict& conflict : found.facts.conflicts) replayer.add(conflict);
  return out;
}

}  // namespace sluice::service::backtest
