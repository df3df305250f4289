// SPDX-License-Identifier: Apache-2.0
// G43: tests are counted by identity, not by number: one removed and one added keep the total. A test
// may disappear only with upstream's removal of its file or of its text.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/text.h"
#include "guardrails/member_change.h"
#include "guardrails/rules/rule.h"
#include "guardrails/suites.h"
#include "guardrails/touched.h"

namespace sluice::guardrails {
namespace {

using model::Judgement;
using model::TestState;

// What the upstream commits of the unit take away.
struct Removals {
  std::vector<std::string> files;  // paths deleted
  std::set<std::string> names;     // identifiers of removed lines that are not added again
  std::map<std::string, std::set<std::string>> touched;  // path -> identifiers of its removed lines
};

Result<Removals> removals_of(const UnitScope& scope) {
  Removals out;
  std::set<std::string> added;
  for (const model::ProposalMember& member : scope.proposal.members) {
    TRY_ASSIGN(const MemberChange change, change_of(scope.reader, member));
    TRY_ASSIGN(const std::vector<git::TreeDelta> deltas, scope.reader.diff_trees(change.before, change.after));
    for (const git::TreeDelta& delta : deltas) {
      if (delta.after.oid.empty()) out.files.push_back(delta.path);
      if (!is_blob_mode(delta.before.mode) && !is_blob_mode(delta.after.mode)) continue;
      const Oid& a = is_blob_mode(delta.before.mode) ? delta.before.oid : Oid{};
      const Oid& b = is_blob_mode(delta.after.mode) ? delta.after.oid : Oid{};
      auto diff = scope.reader.diff_blobs(a, b);
      if (!diff.ok())
        continue;  // a blob missing by policy removes no test; a real fault shows in the pick rules
      for (const git::DiffLine& line : diff->lines) {
        for (const std::string_view name : core::identifiers(line.text)) {
          if (line.side == '+') {
            added.emplace(name);
          } else {
            out.names.emplace(name);
            out.touched[delta.path].emplace(name);
          }
        }
      }
    }
  }
  for (const std::string& name : added) out.names.erase(name);
  return out;
}

// Upstream removed the file that the id names, or the words of which the test's name is made.
bool explained(const std::string& id, const Removals& gone) {
  const std::string_view file = test_file(id);
  if (!file.empty()) {
    for (const std::string& path : gone.files) {
      if (path == file || path.ends_with("/" + std::string(file))) return true;
    }
  }
  // `path/test_x.py::test_name[a-b]`, `Suite.Case/3`, `pkg.module.test_name`: the last name counts; a
  // parameter alone counts when upstream edited the lines of that very test file.
  const std::size_t bracket = id.find('[');
  const std::string_view name = std::string_view(id).substr(0, bracket);
  const auto words = core::identifiers(name);
  for (auto word = words.rbegin(); word != words.rend() && word != words.rbegin() + 2; ++word) {
    if (gone.names.contains(std::string(*word))) return true;
  }
  if (bracket == std::string::npos) return false;
  const auto parameters = core::identifiers(std::string_view(id).substr(bracket));
  for (const auto& [path, removed] : gone.touched) {
    const std::size_t slash = path.rfind('/');
    const std::string stem = path.substr(slash == std::string::npos ? 0 : slash + 1);
    if (file.empty() ? id.find(stem.substr(0, stem.find('.'))) == std::string::npos : !file.ends_with(stem))
      continue;
    if (removed.contains("parametrize")) return true;
    if (std::any_of(parameters.begin(), parameters.end(),
                    [&](std::string_view p) { return removed.contains(std::string(p)); }))
      return true;
  }
  return false;
}

bool skipped(TestState state) { return state == TestState::skip || state == TestState::unsupported; }

}  // namespace

static Result<Items> g43_counts(const UnitScope& scope) {
  Items items;
  std::optional<Removals> gone;
  for (const std::string& suite : required_suites(scope.context, scope.lane)) {
    const model::Evidence* now = evidence_for(scope.evidence, suite, scope.proposal.tree);
    if (now == nullptr || now->kind == "build" || is_infrastructure(*now)) continue;
    const auto fail = [&](std::string_view test, std::string detail) {
      items.push_back(make_item(suite, test, std::move(detail), Judgement::block));
    };
    if (now->tests.empty()) fail("", "no test was found; an exit status of 0 does not make that a pass");
    const auto executed = std::count_if(now->tests.begin(), now->tests.end(),
                                        [](const auto& t) { return was_executed(t.state); });
    TRY_ASSIGN(const auto accepted, accepted_red({scope.reader, scope.proposal, scope.evidence, scope.context}, suite));
    const auto passed = std::count_if(now->tests.begin(), now->tests.end(), [&](const auto& t) {
      return t.state == TestState::pass || (is_red(t.state) && !accepted.contains(t.id));
    });
    if (!now->tests.empty() && executed == 0)
      fail("", fmt::format("0 of {} tests were run", now->tests.size()));
    else if (executed > 0 && passed == 0)
      fail("", fmt::format("all {} tests that ran are expected failures{}", executed, accepted.empty() ? "" : ", or failures that are answered for"));

    std::map<std::string_view, TestState> before;
    const auto base = scope.context.base_evidence.find(suite);
    const bool compared = base != scope.context.base_evidence.end() && !base->second.tests.empty();
    if (compared) {
      for (const model::TestRecord& test : base->second.tests) before.emplace(test.id, test.state);
    } else {
      items.push_back(
          make_item(suite, "", "no result on the base tree: identities were not compared", Judgement::pass));
    }
    std::set<std::string_view> ids;
    for (const model::TestRecord& test : now->tests) ids.insert(test.id);
    for (const auto& [id, state] : before) {
      if (ids.contains(id)) continue;
      if (!gone) {
        TRY_ASSIGN(gone, removals_of(scope));
      }
      if (explained(std::string(id), *gone)) {
        model::VerdictItem item = make_item(suite, id, "removed by the upstream commit", Judgement::pass);
        item.origin = "upstream";
        items.push_back(std::move(item));
      } else {
        fail(id, "the base has this test, the result does not, and upstream does not remove it");
      }
    }
    const model::SuiteConfig* config = suite_of(scope.context.policy, suite);
    const auto allowed = scope.context.allowed_skips.find(suite);
    for (const model::TestRecord& test : now->tests) {
      if (!skipped(test.state)) continue;
      const auto was = before.find(test.id);
      if (was != before.end() && skipped(was->second)) continue;
      const bool listed = (config != nullptr && config->allowed_skips.contains(test.id)) ||
                          (allowed != scope.context.allowed_skips.end() && allowed->second.contains(test.id));
      if (listed) continue;
      if (!compared) {
        items.push_back(
            make_item(suite, test.id, "not run; whether the base runs it is not known", Judgement::pass));
      } else {
        fail(test.id,
             fmt::format("newly {}, and not on the list of allowed skips", model::to_string(test.state)));
      }
    }
  }
  cap(items);
  return items;
}

constinit const Rule g43{
    .id = "G43",
    .title = "test counts and identities",
    .fail = "BLOCK",
    .passes = "tests were found and run; a test of the base is gone only with its file or text in U; new skips are on the list",
    .lift = "an entry in the suite's `allowed_skips`",
    .example = "a three-way merge dropped 133 tests; the file still parsed (hermes-agent-evolution 1641)",
    .unit = g43_counts,
    .needs_suites = true,
};

}  // namespace sluice::guardrails
