// SPDX-License-Identifier: Apache-2.0
// G44: exit status and report of a suite agree, and every test that ran passed. The exit status alone
// says nothing: lit ends with 0 when everything is XFAIL, pytest when everything is skipped. A report that the
// code under test wrote itself is tried on a sample of its tests, each alone.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "guardrails/failure.h"
#include "guardrails/rules/rule.h"
#include "guardrails/suites.h"

namespace sluice::guardrails {
namespace {

using model::Judgement;
using model::TestState;

// What a test that passed in the whole suite was when it ran alone; nothing when it passed again.
std::string alone(const model::Evidence& sample, const std::string& id) {
  const auto found = std::find_if(sample.tests.begin(), sample.tests.end(), [&](const model::TestRecord& t) { return t.id == id; });
  if (found == sample.tests.end()) return "not reported";
  return was_executed(found->state) && !is_red(found->state) ? "" : std::string(model::to_string(found->state));
}

}  // namespace

static Result<Items> g44_runner(const UnitScope& scope) {
  Items items;
  for (const std::string& suite : required_suites(scope.context, scope.lane)) {
    const model::Evidence* now = evidence_for(scope.evidence, suite, scope.proposal.tree);
    if (now == nullptr || is_infrastructure(*now)) continue;  // G42
    const auto fail = [&](std::string_view test, std::string detail) {
      items.push_back(make_item(suite, test, std::move(detail), Judgement::block));
    };
    if (!now->trouble.empty() && now->trouble != "output_cap") {
      fail("",
           fmt::format("{}{}{}", now->trouble, now->trouble_detail.empty() ? "" : ": ", now->trouble_detail));
    }
    if (now->kind == "build") continue;  // its exit status is G50's
    TRY_ASSIGN(const auto accepted, accepted_red({scope.reader, scope.proposal, scope.evidence, scope.context}, suite));
    std::size_t red = 0;
    for (const model::TestRecord& test : now->tests) {
      if (!is_red(test.state)) continue;
      ++red;
      if (accepted.contains(test.id)) continue;  // G47, G48
      const std::string print = failure_fingerprint(test);
      fail(test.id, fmt::format("{}{}{}{}", model::to_string(test.state), print.empty() ? "" : " " + print,
                                test.detail.empty() ? "" : ": ", core::printable(test.detail)));
    }
    for (const model::Evidence& sample : scope.evidence) {
      if (sample.suite != suite || sample.tree != scope.proposal.tree || sample.selected.empty() || is_infrastructure(sample)) continue;
      for (const std::string& id : sample.selected) {
        const auto in_the_suite = std::find_if(now->tests.begin(), now->tests.end(), [&](const auto& t) { return t.id == id; });
        if (in_the_suite == now->tests.end() || is_red(in_the_suite->state)) continue;
        if (const std::string state = alone(sample, id); !state.empty())
          fail(id, fmt::format("the suite's report says {}; run by itself it is {}", model::to_string(in_the_suite->state), state));
      }
    }
    const bool reported = now->trouble.empty() || now->trouble == "output_cap";
    if (reported && now->exit_code == 0 && red > 0) {
      // lit 16 leaves with 0 after an XPASS; for everything else this is a contradiction.
      const bool only_xpass = std::all_of(now->tests.begin(), now->tests.end(), [](const auto& t) {
        return !is_red(t.state) || t.state == TestState::xpass;
      });
      if (now->kind != "lit" || !only_xpass)
        fail("", fmt::format("exit status 0, but {} tests of the report do not pass", red));
    }
    if (reported && now->exit_code != 0 && red == 0) {
      fail("", fmt::format("exit status {}, but no test of the report fails ({} tests)", now->exit_code,
                           now->tests.size()));
    }
  }
  cap(items);
  return items;
}

constexpr Threshold g44_thresholds[] = {
    {"sample", 3, "tests of each self-reported suite that run again, each alone, when a model or a candidate rule wrote lines"}};
constinit const Rule g44{
    .id = "G44",
    .title = "runner semantics",
    .fail = "BLOCK",
    .passes = "exit status and report agree; every test passed, but for those that G47 and G48 answer for; a sample of what a suite "
              "reports of itself is the same when each test runs alone",
    .lift = "a run that passes",
    .example = "lit ends with 0 when every test is XFAIL, ctest when there is none, pytest when all are skipped",
    .version = 2,
    .calibrated = 2,
    .thresholds = g44_thresholds,
    .unit = g44_runner,
    .needs_suites = true,
};

}  // namespace sluice::guardrails
