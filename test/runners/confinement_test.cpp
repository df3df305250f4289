// SPDX-License-Identifier: Apache-2.0
// Backend B: ordinary builds and suites work where nothing can be mounted, or say why not.
#include "runners/confinement.h"

#include <unistd.h>

#include <thread>

#include "runners/sandbox.h"
#include "test/runners/runs.h"

namespace sluice::runners {
namespace {

TEST(PlacePaths, whole_names_are_replaced_and_nothing_else_is) {
  const Places places{{"/src", "/data/s"}, {"/build", "/build/b"}, {"/suites", "/src/t"}};
  const std::vector<std::pair<std::string, std::string>> table{
      {"/src", "/data/s"}, {"/src/a", "/data/s/a"}, {"-I/src/inc", "-I/data/s/inc"}, {"--dir=/build", "--dir=/build/b"},
      {"cat /src/a /suites", "cat /data/s/a /src/t"}, {"/src:/build", "/data/s:/build/b"}, {"\"/src\"", "\"/data/s\""},
      {"/usr/src/x", "/usr/src/x"}, {"/srcs", "/srcs"}, {"x/src", "x/src"}, {"/source", "/source"}, {"a-/src", "a-/src"},
      {"", ""}, {"/build/build", "/build/b/build"}};
  for (const auto& [text, want] : table) EXPECT_EQ(place_paths(text, places), want) << text;
}

TEST(PlacePaths, a_directory_that_a_shell_would_read_otherwise_is_refused) {
  EXPECT_TRUE(check_places({{"/src", "/var/lib/sluice/work/sluice-run-1/src"}}).ok());
  for (const char* bad : {"/a b", "/a;b", "/a'b", "/a$b", "/a:b", "/a\nb", "/a*b"}) EXPECT_FALSE(check_places({{"/src", bad}}).ok()) << bad;
}

class Confined : public RunTest {
 protected:
  void SetUp() override {
    force_ = Backend::landlock;
    RunTest::SetUp();
  }
};

TEST_F(Confined, the_record_names_the_backend_and_the_log_the_directories) {
  const auto evidence = shell("true");
  EXPECT_TRUE(evidence.sandbox.starts_with("B landlock:")) << evidence.sandbox;
  EXPECT_TRUE(evidence.sandbox.ends_with(std::string("uid:") + (geteuid() == 0 ? "sluice-build" : "caller") + " paths:replaced")) << evidence.sandbox;
  EXPECT_EQ(evidence.exit_code, 0) << evidence.trouble_detail;
  EXPECT_NE(evidence.log.find("/src is " + path("src")), std::string::npos) << evidence.log;
}

TEST_F(Confined, the_backend_is_part_of_the_environment) {
  const auto confined = runner_->environment_digest({}), again = runner_->environment_digest({});
  ASSERT_TRUE(confined.ok() && again.ok());
  EXPECT_EQ(*confined, *again);
  const auto other = make_local_runner({.allow_unsandboxed = true, .force = Backend::none}, clock_);
  ASSERT_TRUE(other.ok());
  EXPECT_NE(*(*other)->environment_digest({}), *confined);
}

TEST_F(Confined, a_compiler_cmake_and_ctest_work_with_the_names_of_the_configuration) {
  put_file(path("src/CMakeLists.txt"), "cmake_minimum_required(VERSION 3.20)\nproject(p CXX)\nenable_testing()\nadd_executable(p main.cpp)\nadd_test(NAME runs COMMAND p)\n");
  put_file(path("src/main.cpp"), "#include <cstdio>\nint main() { std::puts(\"it runs\"); }\n");
  const auto built = run({{"cmake", "-S", "/src", "-B", "/build/out"}, {"cmake", "--build", "/build/out"}});
  ASSERT_EQ(built.exit_code, 0) << built.log;
  request_.suite.kind = "ctest", request_.suite.results = "/build/r.xml";
  const auto tested = run({{"ctest", "--test-dir", "/build/out", "--output-junit", "/build/r.xml"}});
  ASSERT_EQ(tested.trouble, "") << tested.trouble_detail << tested.log;
  ASSERT_EQ(tested.tests.size(), 1u);
  EXPECT_EQ(tested.tests[0].state, model::TestState::pass);
}

TEST_F(Confined, common_tools_work_although_the_files_of_etc_are_closed) {
  const auto evidence = shell("set -e; git init -q repo; git -C repo status >/dev/null; perl -e 'use POSIX; print \"perl\\n\"'; awk 'BEGIN { print \"awk\" }'; "
                              "/usr/bin/python3 -c 'import ssl, tempfile; ssl.create_default_context(); tempfile.TemporaryFile(); print(\"python\")'; "
                              "echo null > /dev/null; echo stdout > /dev/stdout; echo stderr > /dev/stderr; echo done");
  EXPECT_EQ(evidence.exit_code, 0) << evidence.log;
  EXPECT_NE(output(evidence).find("perl\nawk\npython\nstdout\nstderr\ndone\n"), std::string::npos) << evidence.log;
}

TEST_F(Confined, variables_are_placed_as_words_are) {
  request_.environment.variables = {{"INCLUDES", "/src/include:/usr/src"}, {"ODD", "a b"}};
  const auto evidence = shell("echo \"$INCLUDES|$ODD|$SLUICE_SRC|$SLUICE_BUILD|$HOME\"; pwd");
  EXPECT_NE(output(evidence).find(path("src/include") + ":/usr/src|a b|" + path("src") + "|" + path("build") + "|" + path("build") + "\n" + path("build") + "\n"), std::string::npos)
      << evidence.log;
}

TEST_F(Confined, a_name_that_only_a_file_mentions_fails_loudly) {
  put_file(path("suites/run.sh"), "echo data > /build/out && cat /src/a.txt\n");
  const auto evidence = run({{"sh", "-e", "/suites/run.sh"}});
  EXPECT_NE(evidence.exit_code, 0) << evidence.log;
  EXPECT_FALSE(core::exists("/build/out"));
}

TEST_F(Confined, another_root_cannot_be_shown_and_that_is_said) {
  std::filesystem::create_directories(path("root/usr/bin"));
  request_.environment.root = path("root");
  const auto evidence = shell("true");
  EXPECT_EQ(evidence.trouble, "sandbox_unavailable");
  EXPECT_NE(evidence.trouble_detail.find("backend A"), std::string::npos) << evidence.trouble_detail;
}

TEST_F(Confined, a_directory_that_cannot_stand_in_a_command_is_refused) {
  std::filesystem::create_directory(path("my src"));
  request_.source_dir = path("my src");
  const auto evidence = shell("ls /src");
  EXPECT_EQ(evidence.trouble, "sandbox_unavailable");
  EXPECT_NE(evidence.trouble_detail.find("my src"), std::string::npos) << evidence.trouble_detail;
}

TEST_F(Confined, a_command_that_does_not_exist_is_named_as_the_suite_names_it) {
  for (const char* name : {"no-such-tool", "/build/no-such-tool", "/etc/no-such-tool"}) {
    const auto evidence = run({{name}});
    EXPECT_EQ(evidence.trouble, "command_not_found") << evidence.trouble_detail;
    EXPECT_NE(evidence.trouble_detail.find(name), std::string::npos);
  }
}

TEST_F(Confined, the_scratch_directory_is_private_and_gone_afterwards) {
  const auto evidence = shell("echo $TMPDIR; echo x > $TMPDIR/x && chmod 000 $TMPDIR && echo made; echo y > /tmp/sluice-y && echo WROTE");
  EXPECT_NE(output(evidence).find("made\n"), std::string::npos) << evidence.log;
  EXPECT_EQ(output(evidence).find("WROTE"), std::string::npos) << evidence.log;
  for (const auto& entry : std::filesystem::directory_iterator(dir_->path())) EXPECT_FALSE(entry.path().filename().string().starts_with("sluice-scratch")) << entry.path();
}

TEST_F(Confined, another_run_of_the_same_user_cannot_be_read) {
  put_file(path("other/secret"), "token");
  std::filesystem::permissions(path("other"), std::filesystem::perms::all);
  std::filesystem::permissions(path("other/secret"), std::filesystem::perms::all);
  const auto evidence = shell("cat " + path("other/secret") + " ../other/secret; ls ../other; ls /tmp");
  EXPECT_EQ(output(evidence).find("token"), std::string::npos) << evidence.log;
  EXPECT_NE(output(evidence).find("Permission denied"), std::string::npos) << evidence.log;
}

TEST_F(Confined, a_time_out_kills_the_whole_tree_and_says_so) {
  request_.suite.timeout_s = 1;
  const std::string mark = "sluice-confined-" + std::to_string(getpid());
  const auto evidence = shell("(setsid sh -c 'sh -c \"sleep 1000 # " + mark + "\" & sleep 1000 # " + mark + "') & sleep 1000 # " + mark);
  EXPECT_EQ(evidence.trouble, "timeout");
  EXPECT_EQ(processes_with(mark), 0);
}

TEST_F(Confined, cancelling_ends_the_run_and_says_so) {
  std::atomic<bool> cancel{false};
  cancel_ = &cancel;
  const std::string started = path("build/started");
  std::thread canceller([&] {
    while (!core::exists(started)) std::this_thread::yield();
    cancel = true;
  });
  const std::string mark = "sluice-confined-cancel-" + std::to_string(getpid());
  const auto evidence = shell("echo x > started; setsid sleep 1000 & sleep 1000 # " + mark);
  canceller.join();
  EXPECT_EQ(evidence.trouble, "cancelled");
  EXPECT_EQ(processes_with(mark), 0);
}

TEST_F(Confined, shared_memory_is_closed_and_python_says_so) {
  const auto evidence = python("import multiprocessing as m\nif __name__ == '__main__':\n  with m.Pool(2) as p: print('sum', sum(p.map(abs, [1])))");
  EXPECT_NE(evidence.exit_code, 0);
  EXPECT_NE(output(evidence).find("Permission"), std::string::npos) << evidence.log;
}

// A kernel of Linux 5.13: what Landlock did not do then, the system call filter does.
TEST_F(Confined, the_first_landlock_lets_nobody_empty_a_file_either) {
  const auto identity = find_identity();
  ASSERT_TRUE(identity.ok());
  const Sandbox old(Backend::landlock, *identity, 1);
  if (!old.cannot_end_all().empty()) GTEST_SKIP() << old.cannot_end_all();
  put_file(path("build/own"), "own");
  put_file(path("victim"), "victim");
  std::filesystem::permissions(path("victim"), std::filesystem::perms::all);
  ASSERT_TRUE(own_build_directory(*identity, path("build")).ok());
  Command command;
  command.argv = {"/usr/bin/python3", "-c",
                  "import os, sys\n"
                  "for call in (lambda: os.truncate(sys.argv[1], 0), lambda: os.open(sys.argv[1], os.O_RDONLY | os.O_TRUNC), lambda: open(sys.argv[1], 'w')):\n"
                  "  try: call(); print('REACHED')\n"
                  "  except PermissionError: print('denied')\n"
                  "open('/build/own', 'w').write('changed')\n",
                  path("victim")};
  command.mounts.build_dir = path("build");
  command.timeout_ms = 30'000;
  command.disk.bytes = 1u << 20;
  const auto outcome = old.run(command);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->process.out, "denied\ndenied\ndenied\n") << outcome->setup_error;
  EXPECT_EQ(get_file(path("victim")), "victim");
  EXPECT_EQ(get_file(path("build/own")), "changed");
}

}  // namespace
}  // namespace sluice::runners
