// SPDX-License-Identifier: Apache-2.0
// [registers]: entries with an owner and an end, and nothing that is silently without effect.
#include <unistd.h>

#include "core/file.h"
#include "test/config/support.h"

namespace sluice::config {
namespace {

class Registers : public ::testing::Test {
 protected:
  Registers() : dir_(std::move(core::TempDir::create("registers")).value()) {}
  Result<model::Config> load_with(const std::string& flakes, const std::string& known) {
    EXPECT_TRUE(core::write_file(dir_.path() + "/flakes.toml", flakes).ok());
    EXPECT_TRUE(core::write_file(dir_.path() + "/known.toml", known).ok());
    EXPECT_TRUE(core::write_file(dir_.path() + "/sluice.toml", with(build_suite + "[[suite]]\nid = \"unit\"\nkind = \"gtest\"\ncommand = [\"t\"]\nresults = \"r.xml\"\n" +
                                                                    "[registers]\nflakes = \"flakes.toml\"\nknown_failures = \"known.toml\"\n")).ok());
    return load(dir_.path() + "/sluice.toml");
  }
  std::string error(const std::string& flakes, const std::string& known) {
    const auto config = load_with(flakes, known);
    return config.ok() ? "" : config.error().message;
  }
  core::TempDir dir_;
};

const std::string flake = "[[flake]]\nsuite = \"unit\"\ntest = \"A.b\"\nreason = \"r\"\nowner = \"o\"\nsince = 2026-01-01\nexpires = 2026-03-01\n";

std::string known(const std::string& since, const std::string& expires, const std::string& more = "owner = \"o\"\n") {
  return "[[known_failure]]\nsuite = \"unit\"\ntest = \"A.b\"\nfingerprint = \"f-0123456789ab\"\nreason = \"r\"\nsince = " + since + "\nexpires = " + expires + "\n" + more;
}

TEST_F(Registers, AreReadFromTheFilesBesideTheConfiguration) {
  const auto config = load_with(flake, known("2026-01-01", "\"2026-01-08\""));
  ASSERT_TRUE(config.ok()) << config.error().message;
  ASSERT_EQ(config->policy.flakes.size(), 1u);
  ASSERT_EQ(config->policy.known_failures.size(), 1u);
  const model::RegisterEntry& entry = config->policy.known_failures[0];
  EXPECT_EQ(entry.suite + " " + entry.test + " " + entry.fingerprint + " " + entry.owner, "unit A.b f-0123456789ab o");
  EXPECT_EQ(entry.since, 1767225600);
  EXPECT_EQ(entry.expires, 1767225600 + 7 * 86400);
  EXPECT_NE(explain(*config).find("A.b fails as f-0123456789ab, until 2026-01-08, o: r"), std::string::npos);
}

TEST_F(Registers, AreInTheHashOfThePolicy) {
  const auto one = load_with(flake, ""), none = load_with("", ""), two = load_with("# a comment\n" + flake, "");
  ASSERT_TRUE(one.ok() && none.ok() && two.ok());
  EXPECT_NE(one->policy.sha256, none->policy.sha256);
  EXPECT_EQ(one->policy.sha256, two->policy.sha256);
}

TEST_F(Registers, AnEntryWithoutAnOwnerOrAnEndIsRefusedWithItsPlace) {
  const std::tuple<const char*, std::string, std::string, const char*> rows[] = {
      {"owner", flake.substr(0, flake.find("owner")) + "since = 2026-01-01\nexpires = 2026-03-01\n", "", "flakes.toml:1: [[flake]] lacks the key 'owner'"},
      {"end", flake.substr(0, flake.find("expires")), "", "[[flake]] lacks the key 'expires'"},
      {"8 days", "", known("2026-01-01", "2026-01-09"), "known.toml:7: [[known_failure]] expires: is 8 days behind since, the limit is 7"},
      {"backward", "", known("2026-01-08", "2026-01-01"), "must lie behind since"},
      {"no date", "", known("2026-02-30", "2026-03-01"), "known.toml:6"},
      {"no date in text", "", known("\"2026-1-01\"", "2026-01-02"), "must be a date like 2026-08-22"},
      {"fingerprint", "", known("2026-01-01", "2026-01-02").replace(known("", "").find("f-0"), 14, "the same one"), "'the same one' is none"},
      {"suite", std::string(flake).replace(flake.find("unit"), 4, "unti"), "", "'unti' is no [[suite]]; did you mean 'unit'?"},
      {"twice", flake + flake, "", "'A.b' has an entry already"},
      {"key", flake + "untill = 3\n", "", "unknown key 'untill' in [[flake]]"},
      {"kind", "[[known_failure]]\n", "", "flakes.toml:1: unknown 'known_failure'; this file holds [[flake]] alone"},
      {"garbage", "[[flake\n", "", "flakes.toml:1: "},
  };
  for (const auto& [name, flakes, failures, want] : rows) {
    const std::string message = error(flakes, failures);
    EXPECT_NE(message.find(want), std::string::npos) << name << "\n  wanted: " << want << "\n  got: " << message;
  }
}

TEST_F(Registers, AFileThatIsNotThereIsAnErrorAndNoEmptyRegister) {
  ASSERT_TRUE(load_with("", "").ok());
  ASSERT_EQ(::unlink((dir_.path() + "/known.toml").c_str()), 0);
  const auto config = load(dir_.path() + "/sluice.toml");
  ASSERT_FALSE(config.ok());
  EXPECT_NE(config.error().message.find("known.toml"), std::string::npos) << config.error().message;
}

TEST(RegistersSection, HasTheseTwoKeys) {
  EXPECT_NE(error_of(with("[registers]\nflake = \"x\"\n")).find("unknown key 'flake' in [registers]; did you mean 'flakes'?"), std::string::npos);
}

}  // namespace
}  // namespace sluice::config
