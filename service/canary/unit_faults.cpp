// SPDX-License-Identifier: Apache-2.0
// Faults in messages, order, labels and evidence of a unit.
#include <algorithm>
#include <string>

#include "service/canary/faults.h"

namespace sluice::service::canary {
namespace {

Result<void> landed_before(World& world, Case& spoiled) {
  spoiled.context.landed.insert(world.upstream(1));
  return {};
}

Result<void> out_of_order(World&, Case& spoiled) {
  std::swap(spoiled.proposal.members[0].upstream.position, spoiled.proposal.members[1].upstream.position);
  return {};
}

Result<void> old_result(World&, Case& spoiled) {
  spoiled.evidence[1].started_at -= 30 * 86'400;
  return {};
}

Result<void> message_rewritten(World&, Case& spoiled) {
  std::string& message = spoiled.proposal.members[1].message;
  message.insert(message.find('\n'), " for good");
  return {};
}

Result<void> other_ref(World&, Case& spoiled) {
  spoiled.proposal.branch = "refs/heads/release";
  return {};
}

Result<void> suite_silent(World&, Case& spoiled) {
  spoiled.evidence.pop_back();
  return {};
}

Result<void> test_vanished(World&, Case& spoiled) {
  spoiled.evidence[1].tests.pop_back();
  return {};
}

Result<void> report_and_exit_disagree(World&, Case& spoiled) {
  spoiled.evidence[1].exit_code = 1;
  return {};
}

Result<void> more_warnings(World&, Case& spoiled) {
  spoiled.evidence[0].warnings = 1'000'000;
  return {};
}

Result<void> label_untrue(World&, Case& spoiled) {
  std::string& message = spoiled.proposal.members[0].message;
  const std::size_t at = message.find("Sluice-Resolution: resolved");
  if (at == std::string::npos) return make_error(ErrorKind::internal, "canary: no label");
  message.replace(at, 27, "Sluice-Resolution: clean");
  return {};
}

void fail_first_test(model::Evidence& evidence) {
  evidence.exit_code = 1;
  evidence.tests.front().state = model::TestState::fail;
  evidence.tests.front().detail = "lower.mlir: CHECK: expected string not found in input";
}

Result<void> green_on_repetition(World&, Case& spoiled) {
  model::Evidence first = spoiled.evidence[1];
  fail_first_test(first);
  spoiled.evidence.insert(spoiled.evidence.begin() + 1, std::move(first));
  spoiled.evidence.back().started_at += 60;
  return {};
}

// The register knows another failure of that test.
Result<void> other_failure_subtracted(World&, Case& spoiled) {
  fail_first_test(spoiled.evidence[1]);
  model::Evidence& base = spoiled.context.base_evidence.at("lit");
  base.exit_code = 1;
  base.tests.front().state = model::TestState::fail;
  base.tests.front().detail = "tool: unknown option";
  model::RegisterEntry known;
  known.suite = "lit";
  known.test = base.tests.front().id;
  known.fingerprint = "000000000000";
  known.reason = "canary";
  known.owner = "nobody";
  known.since = spoiled.context.now - 86'400;
  known.expires = spoiled.context.now + 86'400;
  spoiled.context.policy.known_failures = {known};
  return {};
}

constexpr Fault faults[] = {
    {"G01", "an upstream commit is picked a second time", landed_before},
    {"G03", "members stand out of upstream order", out_of_order},
    {"G04", "a result is a month old", old_result},
    {"G05", "the subject of a message is not upstream's", message_rewritten},
    {"G06", "the unit is meant for another ref", other_ref},
    {"G42", "a required suite did not report", suite_silent},
    {"G43", "a test of the base was not run", test_vanished},
    {"G44", "the suite ended with an error, and its report says that all passed", report_and_exit_disagree},
    {"G47", "a test fails, and passes when it is run again", green_on_repetition, "G44"},
    {"G48", "a failure is subtracted that the register does not know", other_failure_subtracted, "G44"},
    {"G50", "the build has a million warnings more", more_warnings},
    {"G68", "a resolved commit says that it is clean", label_untrue, "G05"},
};

constexpr Unproven without[] = {
    {"G49", "it records that a new test proves nothing, and stops nothing"},
};

}  // namespace

std::span<const Fault> unit_faults() { return faults; }
std::span<const Unproven> unproven() { return without; }

}  // namespace sluice::service::canary
