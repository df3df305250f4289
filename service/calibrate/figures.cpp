// SPDX-License-Identifier: Apache-2.0
#include "service/calibrate/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace sluice::service::calibrate {

namespace {

using guardrails::PickMeasure;
using Test = std::function<bool(const Sample&)>;
using Number = std::function<double(const Sample&)>;

constexpr std::size_t most_examples = 5;

bool is(const Sample& sample, Kind kind) { return sample.kind == kind && !sample.member; }
Test of(Kind kind) {
  return [kind](const Sample& sample) { return is(sample, kind); };
}

Share share(const std::vector<Sample>& samples, const Test& among, const Test& hit) {
  Share out;
  for (const Sample& sample : samples) {
    if (!among(sample)) continue;
    ++out.n;
    out.hits += hit(sample) ? 1 : 0;
  }
  return out;
}

std::vector<double> numbers(const std::vector<Sample>& samples, const Test& among, const Number& number) {
  std::vector<double> out;
  for (const Sample& sample : samples) {
    if (among(sample)) out.push_back(number(sample));
  }
  return out;
}

bool clean(const Sample& sample) { return is(sample, Kind::as_merged) || is(sample, Kind::otherwise); }

std::int64_t lost(const Sample& sample) {
  const Alarm* alarm = sample.alarm("G23");
  return alarm == nullptr ? 0 : alarm->items;
}

bool loses(const Sample& sample) { return lost(sample) > 0; }

double to_account(const Sample& sample) { return static_cast<double>(lost(sample) + sample.measure.upstream_missing); }

std::size_t index_of(std::int64_t distance) {
  return static_cast<std::size_t>(std::find(guardrails::measured_distances.begin(), guardrails::measured_distances.end(), distance) - guardrails::measured_distances.begin());
}

// Nothing to explain: at most `lines` lines dropped and lost each, none of it elsewhere, no test weakened.
bool quiet(const Sample& sample, std::int64_t lines) {
  const PickMeasure& m = sample.measure;
  const bool near = lines > 0 || (m.lines_beyond[index_of(10)] == 0 && m.files_outside == 0);
  return near && m.upstream_missing <= lines && lost(sample) <= lines && (lines > 0 || sample.alarm("G40") == nullptr);
}

class Figures {
 public:
  explicit Figures(const std::vector<Sample>& samples) : samples_(samples) {}

  void shares(std::string key, std::string label, const Test& among, const std::vector<std::pair<std::string, Test>>& hits) {
    Figure out{std::move(key), std::move(label), 0, {}, {}};
    for (const auto& [name, hit] : hits) out.shares.emplace_back(name, share(samples_, among, hit));
    if (!out.shares.empty()) out.n = out.shares.front().second.n;
    made.push_back(std::move(out));
  }

  void numbers(std::string key, std::string label, const Test& among, const Number& number, const std::vector<int>& percents) {
    const std::vector<double> values = calibrate::numbers(samples_, among, number);
    Figure out{std::move(key), std::move(label), static_cast<std::int64_t>(values.size()), {}, {}};
    for (const int percent : percents) {
      out.values.emplace_back(percent == 100 ? "max" : fmt::format("p{}", percent), percentile(values, percent / 100.0));
    }
    made.push_back(std::move(out));
  }

  std::vector<Figure> made;

 private:
  const std::vector<Sample>& samples_;
};

void add_clean(Figures& out) {
  out.shares("landed_as_merged", "clean: landed as the machine merged it", clean, {{"share", of(Kind::as_merged)}});
  out.shares("as_merged_lose_fork_lines", "  of those: lose a line of the fork's own", of(Kind::as_merged), {{"share", loses}});
  out.shares("otherwise_lose_fork_lines", "clean, landed otherwise: lose a line of the fork's own", of(Kind::otherwise), {{"share", loses}});
  out.numbers("otherwise_lost_lines", "  lines lost", of(Kind::otherwise), [](const Sample& s) { return static_cast<double>(lost(s)); }, {50, 90, 100});
}

void add_conflict(Figures& out) {
  const Test conflict = of(Kind::conflict);
  out.shares("conflict_lose_fork_lines", "conflict: lose a line of the fork's own", conflict,
             {{"share", loses}, {"without a word about it", [](const Sample& s) { return loses(s) && !s.noted; }}});
  std::vector<std::pair<std::string, Test>> within;
  for (std::size_t i = 0; i < guardrails::measured_distances.size(); ++i) {
    within.emplace_back(fmt::format("{}", guardrails::measured_distances[i]), [i](const Sample& s) { return s.measure.lines_beyond[i] == 0; });
  }
  out.shares("within_lines", "conflict: all edits of conflicted files within N lines of a region", conflict, within);
  out.numbers("lines_outside", "conflict: lines edited outside the regions", conflict, [](const Sample& s) { return static_cast<double>(s.measure.lines_beyond[0]); },
              {50, 75, 90, 95, 100});
  out.shares("no_file_outside", "conflict: no file changed outside the conflicted ones", conflict, {{"share", [](const Sample& s) { return s.measure.files_outside == 0; }}});
  out.numbers("files_outside", "conflict: files changed outside the conflicted ones", conflict, [](const Sample& s) { return static_cast<double>(s.measure.files_outside); },
              {50, 90, 100});
  out.shares("no_upstream_line_missing", "conflict: no line that upstream adds is missing", conflict,
             {{"share", [](const Sample& s) { return s.measure.upstream_missing == 0; }}});
  out.numbers("upstream_lines_missing", "conflict: lines that upstream adds and that are missing", conflict,
              [](const Sample& s) { return static_cast<double>(s.measure.upstream_missing); }, {50, 75, 90, 95, 100});
  out.numbers("upstream_share_missing", "  in per cent of what upstream adds", conflict,
              [](const Sample& s) {
                return s.measure.upstream_added == 0 ? 0.0 : 100.0 * static_cast<double>(s.measure.upstream_missing) / static_cast<double>(s.measure.upstream_added);
              },
              {50, 75, 90, 95, 100});
  out.shares("nothing_to_explain", "conflict: within 10 lines, no other file, nothing dropped, lost or weakened", conflict,
             {{"share", [](const Sample& s) { return quiet(s, 0); }}, {"at most 5 dropped and 5 lost", [](const Sample& s) { return quiet(s, 5); }}});
  out.numbers("lines_to_account", "conflict: lines to account for (dropped and lost)", conflict, to_account, {50, 75, 90, 95, 100});
}

// Per kind of pick: how often it holds of clean and of conflicted ones.
void add_both(Figures& out, const std::string& key, const std::string& label, const Test& hit) {
  out.shares(key + "_clean", label + ": clean", clean, {{"share", hit}});
  out.shares(key + "_conflict", label + ": conflict", of(Kind::conflict), {{"share", hit}});
}

}  // namespace

Interval wilson(std::int64_t hits, std::int64_t n) {
  if (n <= 0) return {};
  constexpr double z = 1.96;
  const double count = static_cast<double>(n), p = static_cast<double>(hits) / count, zz = z * z;
  const double centre = (p + zz / (2 * count)) / (1 + zz / count);
  const double half = z * std::sqrt(p * (1 - p) / count + zz / (4 * count * count)) / (1 + zz / count);
  return {hits == 0 ? 0 : std::max(0.0, centre - half), hits == n ? 1 : std::min(1.0, centre + half)};
}

double percentile(std::vector<double> values, double p) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(p * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

Population population_of(const std::vector<Sample>& samples) {
  Population out;
  for (const Sample& sample : samples) ++(sample.member ? out.members : out.picks[static_cast<int>(sample.kind)]);
  return out;
}

std::vector<Figure> figures_of(const std::vector<Sample>& samples) {
  Figures out(samples);
  add_clean(out);
  add_conflict(out);
  const auto fires = [](const char* rule) { return [rule](const Sample& s) { return s.alarm(rule) != nullptr; }; };
  add_both(out, "orphans", "a symbol loses its last use (G24)", fires("G24"));
  add_both(out, "fork_line_lost", "a line of the fork is gone that upstream does not remove (G23)", fires("G23"));
  add_both(out, "own_line", "a line is added that upstream does not add", [](const Sample& s) { return s.measure.own_added > 0; });
  add_both(out, "upstream_line_missing", "a line that upstream adds is missing", [](const Sample& s) { return s.measure.upstream_missing > 0; });
  add_both(out, "duplicate", "something stands twice (G26)", fires("G26"));
  return std::move(out.made);
}

std::map<std::string, RuleFigures> rules_of(const std::vector<Sample>& samples) {
  std::map<std::string, RuleFigures> out;
  for (const Sample& sample : samples) {
    for (const std::string& id : sample.asked) {
      RuleFigures& rule = out[id];
      rule.id = id;
      Share& share = sample.kind == Kind::as_merged ? rule.as_merged : sample.kind == Kind::otherwise ? rule.otherwise : rule.conflict;
      ++share.n;
      const Alarm* alarm = sample.alarm(id);
      if (alarm == nullptr) continue;
      ++share.hits;
      ++rule.verdicts[std::string(model::to_string(alarm->judgement))];
      std::vector<Oid>& examples = sample.kind == Kind::as_merged ? rule.false_examples : rule.examples;
      if (examples.size() < most_examples) examples.push_back(sample.commit);
    }
  }
  return out;
}

std::vector<double> numbers_of(const std::vector<Sample>& samples, double (*number)(const PickMeasure&)) {
  return numbers(samples, of(Kind::conflict), [number](const Sample& sample) { return number(sample.measure); });
}

}  // namespace sluice::service::calibrate
