// SPDX-License-Identifier: Apache-2.0
// G44: exit status and report of a suite agree, and every test that ran passed. The exit status alone
// says nothing: lit ends with 0 when everything is XFAIL, pytest when everything is skipped.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "guardrails/rules/rule.h"
#include "guardrails/suites.h"

namespace sluice::guardrails {
namespace {

using model::Judgement;
using model::TestState;

// A test that passed on a repetition is accepted only if it wavers on the base as well.
bool wavers_on_base(const model::Evidence* base, const std::string& id) {
  if (base == nullptr) return false;
  const auto found = std::find_if(base->tests.begin(), base->tests.end(),
                                  [&](const model::TestRecord& t) { return t.id == id; });
  return found != base->tests.end() &&
         (found->state == TestState::flakypass || found->state == TestState::fail);
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
    const auto known = scope.context.base_evidence.find(suite);
    const model::Evidence* base = known == scope.context.base_evidence.end() ? nullptr : &known->second;
    std::size_t red = 0;
    for (const model::TestRecord& test : now->tests) {
      if (is_red(test.state)) {
        ++red;
        fail(test.id, fmt::format("{}{}{}", model::to_string(test.state), test.detail.empty() ? "" : ": ",
                                  core::printable(test.detail)));
      } else if (test.state == TestState::flakypass && !wavers_on_base(base, test.id)) {
        fail(test.id, "passed only when it was repeated; it does not waver on the base");
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

constinit const Rule g44{
    .id = "G44",
    .title = "runner semantics",
    .fail = "BLOCK",
    .passes = "exit status and report agree; every test passed; a pass on repetition also wavers on the base",
    .lift = "a run that passes",
    .example = "lit ends with 0 when every test is XFAIL, ctest when there is none, pytest when all are skipped",
    .unit = g44_runner,
    .needs_suites = true,
};

}  // namespace sluice::guardrails
