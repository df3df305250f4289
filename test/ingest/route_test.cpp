// SPDX-License-Identifier: Apache-2.0
// Routing as a pure function: invented facts, picks answered by a table.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "ingest/ingest.h"

namespace sluice::ingest {
namespace {

using model::Disposition;
using model::PickStatus;
using model::Route;
using model::UpstreamCommit;

Oid oid(int n) { return fmt::format("{:040x}", n); }

UpstreamCommit commit(int n, const std::string& path, std::uint32_t line) {
  UpstreamCommit out;
  out.oid = oid(n);
  out.parent = oid(n - 1);
  out.parents = {out.parent};
  out.position = n;
  out.committer.time = n;
  out.subject = fmt::format("commit {}", n);
  model::FileChange file;
  file.path = file.old_path = path;
  file.old_mode = file.new_mode = 0100644;
  file.hunks = {{line, 1, line, 1}};
  out.files.push_back(file);
  return out;
}

// Every pick is clean and gives a new tree, unless the table says otherwise.
struct Picks {
  std::map<Oid, PickStatus> status;
  int asked = 0;
  PickFn fn() {
    return [this](const Oid& upstream, const Oid& onto) {
      ++asked;
      model::Pick pick;
      pick.upstream = upstream;
      pick.onto = onto;
      const auto found = status.find(upstream);
      pick.status = found == status.end() ? PickStatus::clean : found->second;
      pick.tree = pick.status == PickStatus::clean ? onto.substr(0, 20) + upstream.substr(20) : onto;
      if (pick.status == PickStatus::conflict)
        pick.conflicts.push_back({.path = "f", .kind = "contents", .stages = {}, .regions = 1});
      if (pick.status == PickStatus::error) {
        pick.cause = "object_missing";
        pick.detail = "blob 123 is absent";
      }
      return pick;
    };
  }
};

RouteInput window(std::vector<UpstreamCommit> commits) {
  RouteInput in;
  in.commits = std::move(commits);
  in.trunk = oid(0xfff);
  in.trunk_tree = std::string(40, 'e');
  return in;
}

RoutePlan plan_of(const RouteInput& in, Picks& picks) {
  auto result = route(in, picks.fn(), nullptr);
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return std::move(result).value();
}

TEST(Route, ABundleIsCutIntoUnitsOfTheLargestSize) {
  std::vector<UpstreamCommit> commits;
  for (int n = 1; n <= 7; ++n) commits.push_back(commit(n, fmt::format("f{}", n), 1));
  RouteInput in = window(std::move(commits));
  in.bundle_max = 3;
  Picks picks;
  const auto plan = plan_of(in, picks);
  ASSERT_EQ(plan.units.size(), 3U);
  EXPECT_EQ(plan.units[0].commits.size(), 3U);
  EXPECT_EQ(plan.units[2].commits, std::vector<Oid>{oid(7)});
  EXPECT_EQ(plan.commits[3].unit, plan.units[1].id);
}

TEST(Route, AnErrorKeepsTheCommitPendingAndStopsNobodyElse) {
  Picks picks;
  picks.status[oid(2)] = PickStatus::error;
  const auto plan =
      plan_of(window({commit(1, "a", 1), commit(2, "b", 1), commit(3, "b", 1), commit(4, "c", 1)}), picks);
  EXPECT_EQ(plan.commits[1].route, Route::none);
  EXPECT_EQ(plan.commits[1].pick.status, PickStatus::error);
  EXPECT_NE(plan.commits[1].reasons[0].find("object_missing"), std::string::npos);
  EXPECT_EQ(plan.commits[2].route, Route::none) << "it builds on what could not be tried";
  EXPECT_EQ(plan.commits[3].route, Route::bundle);
  EXPECT_TRUE(plan.settled.empty());
  ASSERT_EQ(plan.units.size(), 1U);
  EXPECT_EQ(plan.units[0].commits, (std::vector<Oid>{oid(1), oid(4)}));
}

TEST(Route, YoungCommitsAndWhatBuildsOnThemAreHeldBack) {
  RouteInput in = window({commit(1, "a", 1), commit(2, "b", 1), commit(3, "b", 1)});
  in.commits[1].committer.time = 50;
  in.hold_back_before = 10;
  Picks picks;
  const auto plan = plan_of(in, picks);
  EXPECT_EQ(plan.commits[0].route, Route::bundle);
  EXPECT_EQ(plan.commits[1].route, Route::none);
  EXPECT_NE(plan.commits[1].reasons[0].find("held back"), std::string::npos);
  EXPECT_EQ(plan.commits[2].route, Route::none);
}

TEST(Route, RiskyPathsSkippedRenamesAndEvilMergesAreChains) {
  RouteInput in = window({commit(1, "risky/a", 1), commit(2, "b", 1), commit(3, "c", 1)});
  in.policy.paths = {{.glob = "risky/", .klass = model::PathClass::risk, .owner = {}}};
  in.commits[1].evil_merge = true;
  const PickFn pick = [](const Oid& upstream, const Oid& onto) {
    model::Pick out;
    out.upstream = upstream;
    out.onto = onto;
    out.status = PickStatus::clean;
    out.tree = upstream;
    out.renames_skipped = upstream == oid(3);
    return out;
  };
  const auto plan = route(in, pick, nullptr).value();
  for (const auto& routing : plan.commits) EXPECT_EQ(routing.route, Route::chain) << routing.oid;
  EXPECT_EQ(plan.units.size(), 3U) << "nothing connects them";
  EXPECT_NE(plan.commits[0].reasons[0].find("risky"), std::string::npos);
}

TEST(Route, ASymbolThatAChainIntroducesDrawsItsUserIn) {
  RouteInput in = window({commit(1, "risky/a", 1), commit(2, "b", 1), commit(3, "c", 1)});
  in.policy.paths = {{.glob = "risky/", .klass = model::PathClass::risk, .owner = {}}};
  in.commits[0].symbols_defined = {"tileSize"};
  in.commits[1].symbols_named = {"tileSize"};
  in.commits[2].symbols_named = {"somethingElse"};
  Picks picks;
  const auto plan = plan_of(in, picks);
  EXPECT_EQ(plan.commits[1].route, Route::chain);
  EXPECT_EQ(plan.commits[1].unit, plan.commits[0].unit);
  EXPECT_NE(plan.commits[1].reasons[0].find("`tileSize`"), std::string::npos);
  EXPECT_EQ(plan.commits[2].route, Route::bundle);
}

TEST(Route, ANameThatEverybodyUsesConnectsNobody) {
  std::vector<UpstreamCommit> commits;
  for (int n = 1; n <= 60; ++n) {
    commits.push_back(commit(n, fmt::format("f{}", n), 1));
    commits.back().symbols_named = {"context"};
  }
  commits[0].symbols_defined = {"context"};
  commits[0].evil_merge = true;
  Picks picks;
  const auto plan = plan_of(window(std::move(commits)), picks);
  EXPECT_EQ(plan.commits[0].route, Route::chain);
  EXPECT_EQ(plan.commits[30].route, Route::bundle);
}

TEST(Route, ACommitOnTwoChainsJoinsThem) {
  Picks picks;
  picks.status[oid(1)] = picks.status[oid(2)] = PickStatus::conflict;
  UpstreamCommit both = commit(3, "a", 1);
  both.files.push_back(commit(3, "b", 1).files[0]);
  const auto plan = plan_of(window({commit(1, "a", 1), commit(2, "b", 1), both, commit(4, "c", 1)}), picks);
  ASSERT_EQ(plan.units.size(), 2U);
  EXPECT_EQ(plan.units[1].commits, (std::vector<Oid>{oid(1), oid(2), oid(3)}));
  EXPECT_EQ(plan.commits[2].depends_on, (std::vector<Oid>{oid(1), oid(2)}));
  EXPECT_EQ(plan.commits[0].handling, model::Handling::semantic_adapt);
}

TEST(Route, ACommitOnAPinMoveIsAChainAndThePinStaysAlone) {
  RouteInput in =
      window({commit(1, "llvm-hash.txt", 1), commit(2, "llvm-hash.txt", 1), commit(3, "llvm-hash.txt", 2)});
  in.policy.paths = {{.glob = "llvm-hash.txt", .klass = model::PathClass::pin, .owner = {}}};
  in.commits[0].symbols_defined = {"newApi"};
  in.commits[2] = commit(3, "x", 1);
  in.commits[2].symbols_named = {"newApi"};
  Picks picks;
  const auto plan = plan_of(in, picks);
  EXPECT_EQ(plan.commits[0].route, Route::pin);
  EXPECT_EQ(plan.commits[1].route, Route::pin);
  EXPECT_NE(plan.commits[0].unit, plan.commits[1].unit) << "one bump at a time";
  EXPECT_EQ(plan.commits[2].route, Route::chain);
}

TEST(Route, EmptyOnTopOfTheBundleAloneIsNotAlready) {
  RouteInput in = window({commit(1, "a", 1), commit(2, "a", 30)});
  const PickFn pick = [&](const Oid& upstream, const Oid& onto) {
    model::Pick out;
    out.upstream = upstream;
    out.onto = onto;
    const bool second_on_first = upstream == oid(2) && onto != in.trunk_tree;
    out.status = second_on_first ? PickStatus::empty : PickStatus::clean;
    out.tree = second_on_first ? onto : oid(0xaa);
    return out;
  };
  const auto plan = route(in, pick, nullptr).value();
  EXPECT_TRUE(plan.settled.empty());
  EXPECT_EQ(plan.commits[1].route, Route::none);
  EXPECT_EQ(plan.commits[1].pick_trunk, PickStatus::clean);
}

TEST(Route, TrunkPicksNamesWhatWillBeAskedOfTrunk) {
  RouteInput in = window({commit(1, "a", 1), commit(2, "b", 1), commit(3, "c", 1)});
  in.commits[1].files.clear();
  model::LedgerRow row;
  row.upstream = oid(3);
  row.disposition = Disposition::wont_port;
  in.ledger[oid(3)] = row;
  EXPECT_EQ(trunk_picks(in), std::vector<Oid>{oid(1)});
}

TEST(Route, ProgressCanCancel) {
  Picks picks;
  const auto result =
      route(window({commit(1, "a", 1), commit(2, "b", 1)}), picks.fn(),
            [](std::int64_t done, std::int64_t) -> Result<void> {
              return done < 2 ? Result<void>{} : make_error(ErrorKind::transient, "cancelled");
            });
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "cancelled");
}

TEST(Route, EqualInputsGiveEqualPlans) {
  std::vector<UpstreamCommit> commits;
  for (int n = 1; n <= 300; ++n)
    commits.push_back(commit(n, fmt::format("f{}", n % 7), static_cast<std::uint32_t>(n * 13 % 90 + 1)));
  const RouteInput in = window(std::move(commits));
  const auto digest = [&] {
    Picks picks;
    for (int n = 3; n <= 300; n += 41) picks.status[oid(n)] = PickStatus::conflict;
    const auto plan = plan_of(in, picks);
    std::string out;
    for (const auto& r : plan.commits) {
      out += fmt::format("{} {} {} {}\n", r.oid, model::to_string(r.route), r.unit, r.depends_on.size());
      for (const auto& reason : r.reasons) out += reason + "\n";
    }
    for (const auto& unit : plan.units) out += unit.id + "\n";
    return out;
  };
  const std::string first = digest();
  EXPECT_EQ(first, digest());
  EXPECT_NE(first.find("chain"), std::string::npos);
}

TEST(Route, AnEmptyWindowIsAnEmptyPlan) {
  Picks picks;
  const auto plan = plan_of(window({}), picks);
  EXPECT_TRUE(plan.commits.empty());
  EXPECT_TRUE(plan.units.empty());
  EXPECT_EQ(picks.asked, 0);
}

}  // namespace
}  // namespace sluice::ingest
