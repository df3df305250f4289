// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ingest/ingest.h"

namespace sluice::ingest {
namespace {

using model::Disposition;

struct Line {
  std::vector<Oid> line;
  std::map<Oid, model::LedgerRow> ledger;
  std::map<Oid, std::int64_t> times;

  explicit Line(const std::vector<Disposition>& dispositions, std::int64_t first_time = 86400) {
    for (std::size_t k = 0; k < dispositions.size(); ++k) {
      Oid oid(40, static_cast<char>('a' + k));
      line.push_back(oid);
      times[oid] = first_time + static_cast<std::int64_t>(k) * 86400;
      if (dispositions[k] == Disposition::pending) continue;
      model::LedgerRow row;
      row.upstream = oid;
      row.disposition = dispositions[k];
      ledger.emplace(oid, row);
    }
  }
};

TEST(Pins, TheContiguousPinHaltsAtAHoleAndTheFrontierGoesOn) {
  const Line l({Disposition::picked, Disposition::deferred, Disposition::already, Disposition::pending,
                Disposition::picked});
  const auto at = pins(l.line, l.ledger);
  EXPECT_EQ(at.contiguous, 1);
  EXPECT_EQ(at.contiguous_oid, l.line[0]);
  EXPECT_EQ(at.frontier, 3);
  EXPECT_EQ(at.frontier_oid, l.line[2]);
  const auto m = metrics(l.line, l.ledger, l.times, 0);
  EXPECT_DOUBLE_EQ(m.days_behind, 2.0);
  EXPECT_EQ(m.backlog_commits, 1);
  EXPECT_EQ(m.distance, 2);
  EXPECT_EQ(m.not_reached, 1) << "an isolated pick beyond the frontier is reached";
}

TEST(Pins, NothingDecidedIsTheBase) {
  const Line l({Disposition::pending, Disposition::deferred});
  const auto at = pins(l.line, l.ledger);
  EXPECT_EQ(at.frontier, 0);
  EXPECT_TRUE(at.frontier_oid.empty());
  const auto m = metrics(l.line, l.ledger, l.times, 0);
  EXPECT_DOUBLE_EQ(m.days_behind, 2.0);
  EXPECT_EQ(m.backlog_commits, 0) << "a deferral beyond the frontier is no backlog yet";
  EXPECT_EQ(m.distance, 2);
}

TEST(Pins, EveryDispositionMovesThePinsAsItShould) {
  for (const auto d : {Disposition::picked, Disposition::adapted, Disposition::picked_empty,
                       Disposition::already, Disposition::superseded, Disposition::reverted_upstream,
                       Disposition::follow_up_of, Disposition::wont_port})
    EXPECT_EQ(pins(Line({d}).line, Line({d}).ledger).contiguous, 1) << model::to_string(d);
  for (const auto d : {Disposition::deferred, Disposition::skip_for_current_base, Disposition::backed_out}) {
    const Line l({d});
    EXPECT_EQ(pins(l.line, l.ledger).contiguous, 0) << model::to_string(d);
    EXPECT_EQ(pins(l.line, l.ledger).frontier, 1) << model::to_string(d);
    EXPECT_EQ(metrics(l.line, l.ledger, l.times, 0).backlog_commits,
              d == Disposition::skip_for_current_base ? 0 : 1);
  }
}

TEST(Pins, TheOracleRowsOfTheModelForkComeOut) {
  struct Row {
    std::int64_t frontier, tip;
    double days;
  };
  for (const Row& row : {Row{1757524391, 1771186161, 158.122}, Row{1782252717, 1785969513, 43.018},
                         Row{1782484038, 1787111532, 53.559}}) {
    Line l({Disposition::picked, Disposition::pending});
    l.times[l.line[0]] = row.frontier;
    l.times[l.line[1]] = row.tip;
    EXPECT_NEAR(metrics(l.line, l.ledger, l.times, 0).days_behind, row.days, 0.0005);
  }
}

TEST(Pins, AClockThatRunsBackwardsGivesNoNegativeDays) {
  Line l({Disposition::picked, Disposition::pending});
  l.times[l.line[1]] = 5;
  EXPECT_DOUBLE_EQ(metrics(l.line, l.ledger, l.times, 0).days_behind, 0.0);
  EXPECT_DOUBLE_EQ(metrics({}, {}, {}, 7).days_behind, 0.0);
}

}  // namespace
}  // namespace sluice::ingest
