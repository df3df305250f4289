// SPDX-License-Identifier: Apache-2.0
// Calibration on small real histories: what landed is judged again, and only what was proposed is written.
#include "service/calibrate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "core/file.h"
#include "core/text.h"
#include "test/service/world.h"
#include "test/support/history.h"

namespace sluice::test {
namespace {

namespace calibrate = service::calibrate;
using calibrate::Kind;
using calibrate::Sample;
using model::Oid;
using model::RuleMode;

// Three picks whose block the fork had elsewhere in the file (something then stands twice, and people accepted it),
// three plain ones, one resolved by hand, one clean with a file on top, and a bundle of two.
constexpr const char* script = R"v(
  repo up
    for i in 1 2 3 4 5 6 7 8 9 10; do base40 f$i.cpp; done ; commit B "tiles: the first version"
  fork up down
    for i in 1 2 3; do insert f$i.cpp 30 "alpha_$i(value);\nbeta_$i(value);\ngamma_$i(value);"; done
    line f7.cpp 20 "line 20 of the fork" ; commit D "fork: blocks of its own"
  at up
    for i in 1 2 3; do insert f$i.cpp 5 "alpha_$i(value);\nbeta_$i(value);\ngamma_$i(value);" ; commit U$i "tiles: block $i"; done
    for i in 4 5 6 8 9 10; do line f$i.cpp 5 "line 5 of upstream" ; commit U$i "tiles: line 5 of $i"; done
    line f7.cpp 20 "line 20 of upstream" ; commit U7 "tiles: line 20"
  at down
    for i in 1 2 3 4 5 6; do pick_by_hand P$i U$i; done
    line f7.cpp 20 "line 20 of both" ; commit P7 "tiles: line 20, resolved" "(cherry picked from commit $(id U7))"
    line f8.cpp 5 "line 5 of upstream" ; put extra.txt "more\n" ; commit P8 "tiles: line 5 of 8" "(cherry picked from commit $(id U8))"
    for i in 9 10; do line f$i.cpp 5 "line 5 of upstream"; done
    commit P9 "tiles: two at once" "(cherry picked from commit $(id U9))\n(cherry picked from commit $(id U10))"
)v";

// The rows as a table, so that a test says itself which commits are looked at.
std::string table_of(const test_support::History& h, const std::string& path) {
  std::string text = "downstream_sha\tdownstream_parent_sha\tupstream_shas\tdate\n";
  for (int i = 1; i <= 9; ++i) {
    const std::string pick = fmt::format("P{}", i);
    const std::string parent = h.git("down", {"rev-parse", h.id(pick) + "^"});
    const std::string upstream = h.id(fmt::format("U{}", i)) + (i == 9 ? "," + h.id("U10") : "");
    text += fmt::format("{}\t{}\t{}\t2026-01-0{}\n", h.id(pick), parent, upstream, i);
  }
  EXPECT_TRUE(core::write_file(path, text).ok());
  return path;
}

class Calibrate : public ::testing::Test {
 protected:
  Calibrate() : h(script), dir(must(core::TempDir::create("calibrate"))) {
    options.fork_repo = h.path("down");
    options.upstream_repo = h.path("up");
    options.rows = table_of(h, in("rows.tsv"));
    options.out_dir = in("kept");
    options.jobs = 2;
    options.limits.picks = 3;
    options.limits.conflicts = 1;
  }
  template <class T>
  static T must(core::Result<T> result) {
    if (!result.ok()) throw std::runtime_error(result.error().message);
    return std::move(result).value();
  }
  std::string in(const std::string& name) const { return core::join_path(dir.path(), name); }
  service::CalibrateReport run() { return must(service::calibrate_rules(options)); }
  std::string write_config(const std::string& more) {
    const std::string path = in("sluice.toml");
    const std::string text = fmt::format(
        "# our fork\n[fork]\nurl = \"{}\"\nbranch = \"main\"\n[upstream]\nurl = \"{}\"\nbranch = \"main\"\n[store]\npath = \"store\"\n\n{}", h.path("down"),
        h.path("up"), more);
    EXPECT_TRUE(core::write_file(path, text).ok());
    options.config = path;
    return text;
  }

  test_support::History h;
  core::TempDir dir;
  service::CalibrateOptions options;
};

const calibrate::ProposedMode& mode_of(const service::CalibrateReport& report, const std::string& rule) {
  const auto found = std::find_if(report.modes.begin(), report.modes.end(), [&](const auto& mode) { return mode.rule == rule; });
  if (found == report.modes.end()) throw std::runtime_error("no mode of " + rule);
  return *found;
}

std::int64_t lines_of(const std::string& path) {
  const auto text = core::read_file(path);
  return text.ok() ? static_cast<std::int64_t>(core::split_lines(*text).size()) : -1;
}

TEST_F(Calibrate, PicksAreSortedByHowTheyLanded) {
  const auto report = run();
  EXPECT_EQ(report.singles, 8);
  EXPECT_EQ(report.bundles, 1);
  EXPECT_EQ(report.population.picks[static_cast<int>(Kind::as_merged)], 6);
  EXPECT_EQ(report.population.picks[static_cast<int>(Kind::otherwise)], 1);
  EXPECT_EQ(report.population.picks[static_cast<int>(Kind::conflict)], 1);
  EXPECT_EQ(report.population.picks[static_cast<int>(Kind::unresolved)], 0);
  EXPECT_EQ(report.population.members, 2);
  EXPECT_TRUE(report.left_out.empty());
}

TEST_F(Calibrate, ARuleThatAlarmsOnGoodPicksIsToObserve) {
  const auto report = run();
  const calibrate::RuleFigures& duplicate = report.rules.at("G26");
  EXPECT_EQ(duplicate.as_merged.hits, 3);
  EXPECT_EQ(duplicate.as_merged.n, 8) << "single picks and members of the bundle";
  EXPECT_EQ(duplicate.false_examples, (std::vector<Oid>{h.id("P1"), h.id("P2"), h.id("P3")}));
  EXPECT_EQ(mode_of(report, "G26").proposed, RuleMode::observe);
  EXPECT_EQ(mode_of(report, "G23").proposed, RuleMode::enforce);
  EXPECT_EQ(report.rules.at("G23").as_merged.hits, 0);
  // The pick with a file on top is no machine merge.
  EXPECT_EQ(report.rules.at("G02").otherwise.hits, 1);
  EXPECT_EQ(report.rules.at("G02").as_merged.hits, 0);
  const auto edit = std::find_if(report.edits.begin(), report.edits.end(), [](const auto& each) { return each.section == "rules.G26"; });
  ASSERT_NE(edit, report.edits.end());
  EXPECT_EQ(edit->values, (std::vector<std::pair<std::string, std::string>>{{"mode", "\"observe\""}}));
  EXPECT_NE(service::calibrate_text(report).find("[rules.G26]\nmode = \"observe\""), std::string::npos) << service::calibrate_text(report);
}

TEST_F(Calibrate, ARuleThatNoPickShowsKeepsWhatItHas) {
  const auto report = run();
  for (const char* rule : {"G01", "G03", "G43", "G50"}) {
    EXPECT_FALSE(mode_of(report, rule).proposed.has_value()) << rule;
    EXPECT_NE(mode_of(report, rule).why.find("not measured"), std::string::npos) << mode_of(report, rule).why;
  }
}

TEST_F(Calibrate, TooFewPicksSayNothing) {
  options.limits.picks = 9;
  options.limits.conflicts = 2;
  const auto report = run();
  EXPECT_TRUE(report.edits.empty());
  EXPECT_NE(mode_of(report, "G26").why.find("8 landed as merged, 9 are needed"), std::string::npos) << mode_of(report, "G26").why;
}

TEST_F(Calibrate, AMemberThatConflictsOnItsFoldIsCountedAndNotJudged) {
  // U7 conflicts on the fork's own line 20: as a bundle with U8 behind it.
  const std::string parent = h.git("down", {"rev-parse", h.id("P7") + "^"});
  ASSERT_TRUE(core::write_file(in("rows.tsv"), fmt::format("downstream_sha\tdownstream_parent_sha\tupstream_shas\n{}\t{}\t{},{}\n", h.id("P8"), parent, h.id("U7"),
                                                           h.id("U8"))).ok());
  const auto report = run();
  EXPECT_EQ(report.bundles, 1);
  EXPECT_EQ(report.population.members, 0);
  EXPECT_EQ(report.left_out, (std::map<std::string, std::int64_t>{{"bundle: conflicts on the fold", 1}, {"bundle: behind a member that is no clean merge", 1}}));
}

TEST_F(Calibrate, NothingIsJudgedTwice) {
  const auto first = run();
  EXPECT_EQ(first.kept, 0);
  EXPECT_EQ(lines_of(in("kept/calibrate.jsonl")), 9);
  const auto second = run();
  EXPECT_EQ(second.kept, 9);
  EXPECT_EQ(lines_of(in("kept/calibrate.jsonl")), 9);
  EXPECT_EQ(service::calibrate_json(second)["rules"].dump(), service::calibrate_json(first)["rules"].dump());
  EXPECT_EQ(service::calibrate_json(second)["figures"].dump(), service::calibrate_json(first)["figures"].dump());
  // Another number is another policy.
  write_config("[rules.G26]\nthreshold = 4\n");
  const auto third = run();
  EXPECT_EQ(third.kept, 0);
  EXPECT_EQ(third.rules.at("G26").as_merged.hits, 0) << "the blocks are three lines long";
  // The mode of a rule changes nothing of what it says.
  write_config("[rules.G26]\nmode = \"observe\"\n");
  EXPECT_EQ(run().kept, 9);
}

TEST_F(Calibrate, ALineThatWasCutOffIsJudgedAgain) {
  run();
  const std::string path = in("kept/calibrate.jsonl");
  std::string text = must(core::read_file(path));
  text.resize(text.size() - 40);
  { std::ofstream(path, std::ios::binary | std::ios::trunc) << text; }
  const auto again = run();
  EXPECT_EQ(again.kept, 8);
  EXPECT_EQ(run().kept, 9);
}

TEST_F(Calibrate, ARunThatIsCutShortIsGoneOnWith) {
  std::atomic<bool> cancel{true};
  options.cancel = &cancel;
  options.jobs = 1;
  const auto cut = service::calibrate_rules(options);
  if (!cut.ok()) {  // the thread may have been faster
    EXPECT_EQ(cut.error().kind, ErrorKind::transient);
    EXPECT_NE(cut.error().message.find("calibrate.jsonl"), std::string::npos) << cut.error().message;
  }
  const std::int64_t kept = lines_of(in("kept/calibrate.jsonl"));
  cancel = false;
  const auto rest = run();
  EXPECT_EQ(rest.kept, kept);
  EXPECT_EQ(rest.population.picks[static_cast<int>(Kind::as_merged)], 6);
}

TEST_F(Calibrate, TheHistoryIsMinedWhereThereIsNoTable) {
  options.rows.clear();
  options.upstream_tip = "main";
  const auto report = run();
  EXPECT_EQ(report.population.picks[static_cast<int>(Kind::as_merged)], 6);
  EXPECT_EQ(report.population.picks[static_cast<int>(Kind::conflict)], 1);
  EXPECT_EQ(report.rules.at("G26").as_merged.hits, 3);
  EXPECT_EQ(report.population.members, 2);
}

TEST_F(Calibrate, AppliedChangesKeepCommentsAndOrder) {
  const std::string before = write_config("[rules.G26]  # copies are our daily bread\nthreshold = 3 # lines\n\n# the end\n[fork_surface]\nglobs = [\"own/**\"]\n");
  auto report = run();
  ASSERT_FALSE(report.edits.empty());
  const auto applied = service::apply_calibration(report);
  ASSERT_TRUE(applied.ok()) << applied.error().message;
  EXPECT_TRUE(report.applied);
  const std::string after = must(core::read_file(options.config));
  EXPECT_NE(after.find("[rules.G26]  # copies are our daily bread\nthreshold = 3 # lines\nmode = \"observe\"\n\n# the end\n[fork_surface]\n"), std::string::npos) << after;
  EXPECT_EQ(after.substr(0, 10), "# our fork");
  // What is written now is in force: nothing is left to propose, and nothing is judged again but for new numbers.
  const auto again = run();
  EXPECT_TRUE(std::none_of(again.modes.begin(), again.modes.end(), [](const auto& mode) { return mode.proposed && *mode.proposed != mode.now; }))
      << service::calibrate_text(again);
}

TEST_F(Calibrate, AFileThatWasChangedMeanwhileIsLeftAlone) {
  const std::string text = write_config("");
  auto report = run();
  ASSERT_FALSE(report.edits.empty());
  ASSERT_TRUE(core::write_file(options.config, text + "# and a word by a person\n").ok());
  const auto applied = service::apply_calibration(report);
  ASSERT_FALSE(applied.ok());
  EXPECT_EQ(applied.error().kind, ErrorKind::conflict);
  EXPECT_EQ(must(core::read_file(options.config)), text + "# and a word by a person\n");
}

TEST_F(Calibrate, WithoutAConfigurationThereIsNothingToApplyTo) {
  auto report = run();
  ASSERT_FALSE(report.edits.empty());
  const auto applied = service::apply_calibration(report);
  ASSERT_FALSE(applied.ok());
  EXPECT_EQ(applied.error().kind, ErrorKind::invalid);
}

TEST_F(Calibrate, RulesWrittenInAnotherFormAreShownAndNotEdited) {
  const std::string text = write_config("[rules]\nG26 = { threshold = 3 }\n");
  auto report = run();
  EXPECT_NE(report.elsewhere.find("[rules.G26] as a section of its own"), std::string::npos) << report.elsewhere;
  EXPECT_FALSE(service::apply_calibration(report).ok());
  EXPECT_EQ(must(core::read_file(options.config)), text);
}

TEST_F(Calibrate, ATableThatSaysSomethingElseIsRefusedByItsLine) {
  ASSERT_TRUE(core::write_file(in("rows.tsv"), "downstream_sha\tdownstream_parent_sha\tupstream_shas\nabc\tdef\tghi\n").ok());
  const auto report = service::calibrate_rules(options);
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message.find("rows.tsv:2: "), std::string::npos) << report.error().message;
  options.rules = {"G999"};
  EXPECT_FALSE(service::calibrate_rules(options).ok());
}

TEST(CalibrateStore, AConfigurationAloneLooksAtWhatWasFetched) {
  World world(script);
  service::CalibrateOptions options;
  options.config = world.config_path;
  const auto early = service::calibrate_rules(options);
  ASSERT_FALSE(early.ok());
  EXPECT_NE(early.error().message.find("run `sluice plan`"), std::string::npos) << early.error().message;
  world.plan();
  const auto report = service::calibrate_rules(options);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->population.picks[static_cast<int>(Kind::as_merged)], 6);
  EXPECT_TRUE(core::exists(core::join_path(world.open(service::Access::read)->config.store_path, "calibrate.jsonl")));
}

TEST(CalibrateStore, APolicyInARefIsMeasuredAndShownAndNeverEdited) {
  test_support::History h(script);
  h.run("at down; branch policy main; put p.toml \"[rules.G26]\\nthreshold = 2\\n\"; commit POL \"policy\"; on main\nat up; push_bare up; at down; push_bare down");
  const std::string config = h.root() + "/sluice.toml";
  const std::string text =
      "[fork]\nurl = \"down.git\"\nbranch = \"main\"\n[upstream]\nurl = \"up.git\"\nbranch = \"main\"\n[store]\npath = \"store\"\n"
      "[policy]\nref = \"refs/heads/policy\"\npath = \"p.toml\"\n";
  ASSERT_TRUE(core::write_file(config, text).ok());
  {
    auto app = service::open_app(config, service::Access::write);
    ASSERT_TRUE(app.ok()) << app.error().message;
    const auto fetched = service::fetch_remotes(*app);
    ASSERT_TRUE(fetched.ok()) << fetched.error().message;
    ASSERT_TRUE(service::make_plan(*app, *fetched).ok());
  }
  service::CalibrateOptions options;
  options.config = config;
  options.limits.picks = 3;
  auto report = service::calibrate_rules(options);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->population.picks[static_cast<int>(Kind::as_merged)], 6);
  EXPECT_NE(report->elsewhere.find("refs/heads/policy:p.toml"), std::string::npos) << report->elsewhere;
  EXPECT_NE(service::calibrate_text(*report).find("[rules.G26]\nmode = \"observe\""), std::string::npos) << service::calibrate_text(*report);
  const auto applied = service::apply_calibration(*report);
  ASSERT_FALSE(applied.ok());
  EXPECT_NE(applied.error().message.find("refs/heads/policy:p.toml"), std::string::npos) << applied.error().message;
  EXPECT_EQ(core::read_file(config).value_or(""), text);
}

// Conflicted picks of which so many per mille keep within each distance.
std::vector<Sample> within(const std::array<int, 7>& per_mille) {
  std::vector<Sample> out(1000);
  for (int i = 0; i < 1000; ++i) {
    Sample& sample = out[static_cast<std::size_t>(i)];
    sample.kind = Kind::conflict;
    for (std::size_t d = 0; d < per_mille.size(); ++d) sample.measure.lines_beyond[d] = i < per_mille[d] ? 0 : 100;
  }
  return out;
}

double proposed(const std::vector<Sample>& samples, const std::string& rule, const std::string& key) {
  for (const auto& number : calibrate::propose_numbers(samples, {}, {}, {})) {
    if (number.rule == rule && number.key == key) return number.proposed.value_or(-1);
  }
  return -2;
}

TEST(CalibrateNumbers, TheDistanceIsWhereTheCurveGetsFlat) {
  EXPECT_EQ(proposed(within({670, 670, 710, 720, 750, 780, 840}), "G11", "threshold"), 10);
  EXPECT_EQ(proposed(within({670, 670, 670, 670, 670, 670, 670}), "G11", "threshold"), 0);
  EXPECT_EQ(proposed(within({100, 100, 100, 100, 100, 100, 900}), "G11", "threshold"), 50);
}

TEST(CalibrateNumbers, AShareLiesBetweenItsPercentiles) {
  std::vector<Sample> samples(100);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].kind = Kind::conflict;
    samples[i].measure.upstream_added = 100;
    samples[i].measure.upstream_missing = i < 94 ? 80 : 100;
    samples[i].measure.files_outside = i < 90 ? 2 : 30;
  }
  EXPECT_DOUBLE_EQ(proposed(samples, "G21", "threshold"), 0.9) << "of 0.8 and 1";
  EXPECT_EQ(proposed(samples, "G10", "threshold"), 2);
}

TEST(CalibrateNumbers, WilsonAndNearestRank) {
  const auto none = calibrate::wilson(0, 592), three = calibrate::wilson(3, 592);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 0.00645, 0.00005);
  EXPECT_NEAR(three.low, 0.0017, 0.00005);
  EXPECT_NEAR(three.high, 0.0148, 0.00005);
  EXPECT_EQ(calibrate::percentile({4, 1, 3, 2}, 0.5), 2);
  EXPECT_EQ(calibrate::percentile({4, 1, 3, 2}, 0.51), 3);
  EXPECT_EQ(calibrate::percentile({4, 1, 3, 2}, 1), 4);
  EXPECT_EQ(calibrate::percentile({}, 0.9), 0);
}

}  // namespace
}  // namespace sluice::test
