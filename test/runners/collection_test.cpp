// SPDX-License-Identifier: Apache-2.0
// Collecting from a directory in which somebody hostile has been, or still is.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "core/fd.h"
#include "runners/artefacts.h"
#include "runners/results.h"
#include "test/runners/runs.h"

namespace sluice::runners {
namespace {

constexpr const char* honest = R"({"tests":[{"name":"S :: a","code":"FAIL"}]})";
constexpr const char* forged = R"({"tests":[{"name":"S :: a","code":"PASS"}]})";

class Collection : public testing::Test {
 protected:
  Collection() : dir_(std::move(core::TempDir::create("sluice-collect-")).value()) {
    std::filesystem::create_directory(build());
    put_file(outside(), forged);
  }
  std::string build() const { return dir_.path() + "/build"; }
  std::string outside() const { return dir_.path() + "/outside.json"; }
  std::string at(const std::string& name) const { return build() + "/" + name; }
  Collected collect(const std::string& pattern = "r.json") const { return collect_results(build(), pattern, "lit", 0); }
  void refused(const std::string& what, const Collected& collected) const {
    EXPECT_EQ(collected.trouble, "results_unreadable") << what << ": " << collected.detail;
    EXPECT_TRUE(collected.tests.empty()) << what;
  }
  core::TempDir dir_;
};

TEST_F(Collection, a_plain_report_is_read) {
  put_file(at("r.json"), honest);
  const auto collected = collect();
  ASSERT_EQ(collected.trouble, "") << collected.detail;
  ASSERT_EQ(collected.tests.size(), 1u);
  EXPECT_EQ(collected.tests[0].state, model::TestState::fail);
}

TEST_F(Collection, links_inside_and_out_are_refused) {
  put_file(at("real.json"), forged);
  for (const std::string& target : {outside(), std::string("../outside.json"), std::string("real.json"), std::string("/dev/zero"), std::string("/proc/self/fd/0")}) {
    std::filesystem::remove(at("r.json"));
    std::filesystem::create_symlink(target, at("r.json"));
    refused(target, collect());
  }
  std::filesystem::create_directory_symlink("..", at("up"));
  EXPECT_EQ(collect("up/outside.json").trouble, "results_missing");
  EXPECT_EQ(collect("up/*.json").trouble, "results_missing");
}

TEST_F(Collection, what_is_no_regular_file_is_refused_and_nobody_waits_for_it) {
  ASSERT_EQ(mkfifo(at("r.json").c_str(), 0600), 0);
  refused("FIFO", collect());
  std::filesystem::remove(at("r.json"));
  std::filesystem::create_directories(at("r.json/inner"));
  refused("directory", collect());
  std::filesystem::remove_all(at("r.json"));
  ASSERT_EQ(mknod(at("r.json").c_str(), S_IFSOCK | 0600, 0), 0);
  refused("socket", collect());
}

TEST_F(Collection, device_nodes_are_refused) {
  if (mknod(at("r.json").c_str(), S_IFCHR | 0600, static_cast<dev_t>(0x105)) != 0) GTEST_SKIP() << "needs the right to make device nodes";
  refused("zero", collect());
}

TEST_F(Collection, a_hard_link_is_refused) {
  std::filesystem::create_hard_link(outside(), at("r.json"));
  refused("hard link", collect());
}

TEST_F(Collection, a_directory_of_the_name_does_not_hide_among_files_of_a_glob) {
  put_file(at("reports/a.json"), honest);
  std::filesystem::create_directory(at("reports/b.json"));
  const auto collected = collect("reports/*.json");
  // A directory is no report, and its name alone must not add or hide one.
  ASSERT_EQ(collected.trouble, "") << collected.detail;
  EXPECT_EQ(collected.tests.size(), 1u);
}

TEST_F(Collection, huge_and_sparse_reports_are_refused_without_being_read) {
  put_file(at("r.json"), honest);
  ASSERT_EQ(truncate(at("r.json").c_str(), off_t{1} << 40), 0);
  refused("a sparse terabyte", collect());
}

TEST_F(Collection, sparse_programs_without_end_are_an_error_and_not_a_day_of_hashing) {
  put_file(at("tool"), "x");
  chmod(at("tool").c_str(), 0755);
  ASSERT_EQ(truncate(at("tool").c_str(), off_t{1} << 40), 0);
  const auto digest = digest_artefacts(build(), 1u << 30);
  ASSERT_FALSE(digest.ok());
  EXPECT_EQ(digest.error().kind, ErrorKind::invalid);
  put_file(at("lit.cfg"), "x");
  ASSERT_EQ(truncate(at("lit.cfg").c_str(), off_t{1} << 40), 0);
  EXPECT_FALSE(lit_configuration(build()).ok());
}

TEST_F(Collection, a_report_that_is_swapped_while_it_is_read_is_whole_or_refused) {
  put_file(at("honest"), honest);
  std::atomic<bool> done{false};
  std::atomic<long> swaps{0};
  // Three faces of one name, in turn: a file, a link to the outside, a FIFO.
  std::thread attacker([&] {
    for (int i = 0; !done; ++i) {
      const std::string next = at("next");
      unlink(next.c_str());
      if (i % 3 == 0) put_file(next, honest);
      else if (i % 3 == 1) (void)!symlink(outside().c_str(), next.c_str());
      else (void)mkfifo(next.c_str(), 0600);
      rename(next.c_str(), at("r.json").c_str());
      ++swaps;
    }
  });
  while (swaps < 10) std::this_thread::yield();
  int read = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto collected = collect();
    for (const auto& test : collected.tests) EXPECT_EQ(test.state, model::TestState::fail) << "the outside was read";
    read += collected.tests.empty() ? 0 : 1;
    if (!collected.trouble.empty()) {
      EXPECT_TRUE(collected.tests.empty());
    }
  }
  done = true;
  attacker.join();
  EXPECT_GT(swaps, 10);
  put_file(at("last"), honest);
  rename(at("last").c_str(), at("r.json").c_str());
  EXPECT_EQ(collect().tests.size(), 1u);
  RecordProperty("read", read);
}

TEST_F(Collection, a_program_that_is_swapped_for_a_fifo_or_link_is_not_followed) {
  std::atomic<bool> done{false};
  put_file(dir_.path() + "/secret", "secret");
  std::thread attacker([&] {
    for (int i = 0; !done; ++i) {
      const std::string next = at("next");
      unlink(next.c_str());
      if (i % 3 == 0) put_file(next, "program");
      else if (i % 3 == 1) (void)!symlink((dir_.path() + "/secret").c_str(), next.c_str());
      else (void)mkfifo(next.c_str(), 0700);
      chmod(next.c_str(), 0755);
      rename(next.c_str(), at("x.so").c_str());
    }
  });
  for (int i = 0; i < 2000; ++i) (void)digest_artefacts(build());  // returns: no FIFO holds it up
  done = true;
  attacker.join();
  std::filesystem::remove(at("x.so"));
  std::filesystem::remove(at("next"));
  std::filesystem::create_symlink(dir_.path() + "/secret", at("x.so"));
  const auto with_link = digest_artefacts(build());
  std::filesystem::remove(at("x.so"));
  const auto empty = digest_artefacts(build());
  ASSERT_TRUE(with_link.ok() && empty.ok());
  EXPECT_EQ(*with_link, *empty);
}

TEST_F(Collection, a_report_written_before_the_run_does_not_count) {
  put_file(at("r.json"), forged);
  const auto started = file_time_now(build());
  ASSERT_TRUE(started.ok());
  EXPECT_EQ(collect_results(build(), "r.json", "lit", *started + 1).trouble, "results_stale");
  ASSERT_TRUE(remove_old_results(build(), "r.json").ok());
  EXPECT_EQ(collect().trouble, "results_missing");
}

}  // namespace
}  // namespace sluice::runners
