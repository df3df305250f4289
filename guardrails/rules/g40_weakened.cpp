// SPDX-License-Identifier: Apache-2.0
// G40: no test counts for less than before. A resolver that cannot make a test pass has one way left: to have
// it not run, not fail, or not look.
#include <fmt/format.h>

#include <algorithm>

#include "guardrails/policy.h"
#include "guardrails/rules/rule.h"
#include "guardrails/test_marks.h"

namespace sluice::guardrails {
namespace {

using model::Judgement;

constexpr std::string_view what_lifts = "; only a person can do that, by a change of their own";

void add(Items& items, const std::string& path, std::string_view text, std::uint32_t line,
         std::string detail) {
  items.push_back(make_item(path, text, std::move(detail) + std::string(what_lifts), Judgement::block));
  items.back().line = line;
}

// Marks that went away from a test elsewhere: the test may have come here with them.
using Pool = std::map<std::string, int>;

bool of_a_test(const std::string& key) {
  return key.find(" | ") != std::string::npos && !key.starts_with(" | ");
}

void weakened_marks(const std::string& path, const TestMarks& marks, Pool& pool, Items& items) {
  for (const auto& [key, tally] : marks.marks) {
    int gained = tally.gained();
    if (gained <= 0) continue;
    // Of a file that neither side has, a mark that says where the test runs takes nothing away.
    if (marks.file_fresh && tally.more == "conditional") continue;
    const auto elsewhere = of_a_test(key) ? pool.find(key) : pool.end();
    if (elsewhere != pool.end()) {
      const int taken = std::min(gained, elsewhere->second);
      elsewhere->second -= taken;
      gained -= taken;
    }
    if (gained <= 0) continue;
    add(items, path, tally.text, tally.proposed_line,
        fmt::format("{} is added; neither side has it", named(key)));
  }
  for (const auto& [key, tally] : marks.configuration) {
    if (tally.gained() > 0)
      add(items, path, tally.text, tally.proposed_line,
          "a statement that decides which tests count is added; neither side has it");
    else if (tally.lost() > 0)
      add(items, path, tally.text, tally.line, "a statement that decides which tests count is gone");
  }
}

void weakened_pipelines(const std::string& path, const TestMarks& marks, Items& items) {
  const auto first_lost = std::find_if(marks.pipelines.begin(), marks.pipelines.end(),
                                       [](const auto& entry) { return entry.second.lost() > 0; });
  const bool lost = first_lost != marks.pipelines.end();
  const std::string text = lost ? first_lost->second.text : std::string();
  const std::uint32_t line = lost ? first_lost->second.line : 0;
  const PipelineSums sums = marks.sums;
  if (sums.runs.lost() > 0)
    add(items, path, text, line,
        fmt::format("{} of {} RUN pipelines are gone, as lit joins them", sums.runs.lost(),
                    sums.runs.lost() + sums.runs.proposed));
  if (sums.file_checks.lost() > 0)
    add(items, path, text, line,
        fmt::format("{} of {} pipes into FileCheck are gone", sums.file_checks.lost(),
                    sums.file_checks.lost() + sums.file_checks.proposed));
  const auto more = [&](const Tally& tally, std::string_view what) {
    if (tally.gained() > 0)
      add(items, path, tally.text, tally.proposed_line, fmt::format("`{}` is added to a RUN pipeline", what));
  };
  more(sums.or_true, "|| true");
  more(sums.allow_empty, "--allow-empty");
  more(sums.allow_unused_prefixes, "--allow-unused-prefixes");
  // A pipeline of its own may expect a failure; one that stood there before may not turn round.
  if (lost && sums.nots_of_gained > sums.nots_of_lost)
    add(items, path, sums.nots.text, sums.nots.proposed_line, "`not` is inserted into a RUN pipeline");
}

Result<void> weakened_lines(PickView& view, const std::string& path, Items& items) {
  TRY_ASSIGN(const std::vector<git::DiffLine> lines, own_added_lines(view, path));
  for (const git::DiffLine& line : lines) {
    const std::string_view what = weakening_text(path, line.text);
    if (!what.empty()) add(items, path, line.text, line.line, fmt::format("`{}` is added", what));
  }
  return {};
}

struct Moving {
  std::string path, name, digest, text;
  std::uint32_t line = 0;
};

// A test that stands somewhere else under its name, or with its very body under another name of a test, has
// moved.
void lost_tests(std::vector<Moving>& lost, std::vector<Moving>& gained, Items& items) {
  for (const Moving& test : lost) {
    const auto found = std::find_if(gained.begin(), gained.end(), [&](const Moving& other) {
      return !other.name.empty() && (other.name == test.name || other.digest == test.digest);
    });
    if (found != gained.end()) {
      found->name.clear();
      continue;
    }
    add(items, test.path, test.text.empty() ? test.name : test.text, test.line,
        fmt::format("the test {} is gone", test.name));
  }
}

Result<void> listed(PickScope& scope, Items& items) {
  PickView& view = scope.view;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::base, Tree::upstream));
  for (const git::TreeDelta& delta : *deltas) {
    if (!is_test_path(view.policy(), delta.path) || view.dropped(delta.path) != nullptr) continue;
    TRY_ASSIGN(const std::vector<UpstreamMark> marks, upstream_marks(view, delta.path));
    for (const UpstreamMark& mark : marks) {
      model::VerdictItem item = make_item(delta.path, mark.text, mark.what + " by the upstream commit itself",
                                          upstream_judgement(view.policy(), delta.path));
      item.line = mark.line;
      item.origin = "upstream";
      items.push_back(std::move(item));
    }
  }
  return {};
}

struct Read {
  std::string path, now;
  TestMarks marks;
};

Result<std::vector<Read>> read_all(PickView& view) {
  std::vector<Read> out;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::merge, Tree::proposed));
  std::map<std::string, std::string> moved;
  if (std::any_of(deltas->begin(), deltas->end(),
                  [](const git::TreeDelta& delta) { return delta.after.oid.empty(); })) {
    TRY_ASSIGN(moved, moved_paths(view));
  }
  std::set<std::string> arrived;
  for (const auto& [from, to] : moved) {
    if (is_test_path(view.policy(), from) && is_test_path(view.policy(), to)) arrived.insert(to);
  }
  for (const git::TreeDelta& delta : *deltas) {
    if (!is_test_path(view.policy(), delta.path) || arrived.contains(delta.path)) continue;
    const auto to = moved.find(delta.path);
    Read read{delta.path, to != moved.end() && arrived.contains(to->second) ? to->second : delta.path, {}};
    TRY(read_marks(view, read.path, read.now, read.marks));
    out.push_back(std::move(read));
  }
  return out;
}

Result<Items> judge(PickScope& scope) {
  Items items;
  PickView& view = scope.view;
  TRY_ASSIGN(const std::vector<Read> files, read_all(view));
  Pool pool;
  std::vector<Moving> lost, gained;
  for (const Read& file : files) {
    for (const auto& [key, tally] : file.marks.marks) {
      if (tally.lost() > 0 && of_a_test(key)) pool[key] += tally.lost();
    }
    for (const auto& [name, tally] : file.marks.tests) {
      for (int i = 0; i < tally.lost(); ++i)
        lost.push_back({file.path, name, tally.more, tally.text, tally.line});
      for (int i = 0; i < tally.gained(); ++i)
        gained.push_back({file.now, name, tally.more, tally.text, tally.proposed_line});
    }
  }
  for (const Read& file : files) {
    if (file.marks.file_gone) {
      // Tests are named one by one; a file of lit is one test.
      const bool whole =
          !file.marks.pipelines.empty() || is_lit_config(file.path) || file.path.ends_with("conftest.py");
      if (file.marks.tests.empty() && whole) add(items, file.path, "", 0, "a test file is gone");
      continue;
    }
    weakened_marks(file.now, file.marks, pool, items);
    weakened_pipelines(file.now, file.marks, items);
    TRY(weakened_lines(view, file.now, items));
  }
  lost_tests(lost, gained, items);
  TRY(listed(scope, items));
  cap(items);
  return items;
}

}  // namespace

constinit const Rule g40{
    .id = "G40",
    .title = "test weakened",
    .fail = "BLOCK",
    .passes =
        "over test paths P adds no mark that makes a test not count (XFAIL, UNSUPPORTED, skip, `|| true`, "
        "`not`, ...) and "
        "removes no test, RUN line or FileCheck that D and U have; U's own marks are listed",
    .lift = "the change by a person, outside of a pick",
    .example =
        "facebookexperimental/triton ba165ee2f adds `// XFAIL: *` to a whole file; upstream's patch does "
        "not, and the message "
        "does not say so",
    .pick = judge,
    .companion = true,
};

}  // namespace sluice::guardrails
