// SPDX-License-Identifier: Apache-2.0
#include "core/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <set>
#include <thread>

#include "core/fd.h"
#include "core/file.h"
#include "core/text.h"

namespace sluice::core {
namespace {

ProcessOptions shell(std::string script) {
  ProcessOptions o;
  o.argv = {"/bin/sh", "-c", std::move(script)};
  return o;
}

ProcessResult run(const ProcessOptions& o) {
  auto r = run_process(o);
  EXPECT_TRUE(r.ok()) << r.error().message;
  return r.ok() ? std::move(r).value() : ProcessResult{};
}

// Alive and able to run: a zombie that nobody reaps does not count.
bool alive(pid_t pid) {
  const auto stat = read_file("/proc/" + std::to_string(pid) + "/stat", 4096);
  if (!stat) return false;
  const char state = stat->at(stat->rfind(") ") + 2);
  return state != 'Z' && state != 'X';
}

TEST(Process, gives_exit_code_and_both_streams) {
  const ProcessResult r = run(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_FALSE(r.ok());
  EXPECT_EQ(r.out, "out\n");
  EXPECT_EQ(r.err, "err\n");
  EXPECT_EQ(r.out_bytes, 4u);
  EXPECT_GT(r.max_rss_kib, 0);
}

TEST(Process, a_signal_is_128_and_its_number) {
  const ProcessResult r = run(shell("kill -TERM $$"));
  EXPECT_EQ(r.exit_code, 128 + SIGTERM);
  EXPECT_EQ(r.signal, SIGTERM);
}

TEST(Process, arguments_are_passed_on_without_a_shell) {
  ProcessOptions o;
  o.argv = {"printf", "%s|", "a b", "$HOME", "'", ""};
  EXPECT_EQ(run(o).out, "a b|$HOME|'||");
}

TEST(Process, stderr_can_be_merged_in_order) {
  ProcessOptions o = shell("echo a; echo b >&2; echo c");
  o.merge_stderr = true;
  EXPECT_EQ(run(o).out, "a\nb\nc\n");
}

TEST(Process, input_larger_than_the_pipe_comes_back_whole) {
  ProcessOptions o;
  o.argv = {"cat"};
  for (int i = 0; i < 300'000; ++i) o.input += std::to_string(i) + "\n";
  const ProcessResult r = run(o);
  EXPECT_TRUE(r.ok());
  EXPECT_TRUE(r.out == o.input) << r.out.size() << " of " << o.input.size();
}

TEST(Process, input_that_nobody_reads_is_no_error_and_no_signal) {
  ProcessOptions o = shell("exec 0<&-; echo done");
  o.input = std::string(4 << 20, 'x');
  const ProcessResult r = run(o);
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_EQ(r.out, "done\n");
}

TEST(Process, time_limit_kills_and_is_a_value) {
  ProcessOptions o = shell("echo begun; sleep 1000 & wait");
  o.timeout_ms = 300;
  const ProcessResult r = run(o);
  EXPECT_TRUE(r.timed_out);
  EXPECT_EQ(r.exit_code, 128 + SIGKILL);
  EXPECT_EQ(r.out, "begun\n");
}

TEST(Process, cancelling_from_another_thread_ends_it) {
  std::atomic<bool> cancel = false;
  ProcessOptions o = shell("sleep 1000");
  o.cancel = &cancel;
  std::thread other([&] { cancel = true; });
  const ProcessResult r = run(o);
  other.join();
  EXPECT_TRUE(r.cancelled);
  EXPECT_FALSE(r.ok());
}

TEST(Process, output_is_capped_as_head_and_tail) {
  ProcessOptions o = shell("i=0; while [ $i -lt 2000 ]; do echo line$i; i=$((i+1)); done");
  o.output_cap = 100;
  const ProcessResult r = run(o);
  EXPECT_EQ(r.out.rfind("line0\nline1\n", 0), 0u);
  EXPECT_EQ(r.out.substr(r.out.size() - 9), "line1999\n");
  EXPECT_EQ(r.out_bytes, 10u * 6 + 90 * 7 + 900 * 8 + 1000 * 9);
  EXPECT_NE(r.out.find("\n[... truncated " + std::to_string(r.out_bytes - 100) + " bytes ...]\n"),
            std::string::npos)
      << r.out;
}

TEST(Process, a_writer_of_a_gigabyte_costs_only_the_cap) {
  struct rusage before {
  }, after{};
  ::getrusage(RUSAGE_SELF, &before);
  ProcessOptions o = shell("head -c 1000000000 /dev/zero; echo end");
  o.output_cap = 1 << 20;
  const ProcessResult r = run(o);
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_EQ(r.out_bytes, 1'000'000'004u);
  EXPECT_LT(r.out.size(), (1u << 20) + 100);
  EXPECT_EQ(r.out.substr(r.out.size() - 4), "end\n");
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 << 10) << "KiB";
}

TEST(Process, an_endless_writer_runs_into_its_time_limit) {
  ProcessOptions o = shell("yes");
  o.output_cap = 1000;
  o.timeout_ms = 300;
  const ProcessResult r = run(o);
  EXPECT_TRUE(r.timed_out);
  EXPECT_GT(r.out_bytes, 1000u);
}

TEST(Process, no_member_of_the_group_outlives_the_call) {
  // A grandchild whose parent has gone: init's child, still in the group, still holding the pipe.
  const ProcessResult r = run(shell("(sleep 1000 & echo $!) ; (sh -c 'sleep 1000 & echo $!') ; echo $$"));
  EXPECT_EQ(r.exit_code, 0);
  const auto pids = split_lines(r.out);
  ASSERT_EQ(pids.size(), 3u) << r.out;
  for (const auto pid : pids) EXPECT_FALSE(alive(std::stoi(std::string(pid)))) << pid;
}

TEST(Process, a_process_that_left_the_group_does_not_hold_us) {
  // The substitution ends when the escaped process has let go of stdout; it keeps our stderr pipe open.
  const ProcessResult r = run(shell("p=$(setsid sh -c 'echo $$; exec sleep 1000 >&2' &); echo $p"));
  EXPECT_EQ(r.exit_code, 0);
  const pid_t escaped = std::stoi(r.out);
  EXPECT_TRUE(alive(escaped)) << "then this test shows nothing";
  ::kill(escaped, SIGKILL);
}

TEST(Process, environment_is_inherited_extended_or_replaced) {
  ::setenv("SLUICE_TEST_ONE", "1", 1);
  ProcessOptions o = shell("echo $SLUICE_TEST_ONE-$SLUICE_TEST_TWO");
  o.extra_env = {{"SLUICE_TEST_TWO", "2"}};
  EXPECT_EQ(run(o).out, "1-2\n");
  o.env = std::map<std::string, std::string>{{"SLUICE_TEST_TWO", "3"}};
  EXPECT_EQ(run(o).out, "-3\n");
  ProcessOptions e;
  e.argv = {"/usr/bin/env"};
  e.env.emplace();
  EXPECT_EQ(run(e).out, "");
}

TEST(Process, runs_in_the_directory_it_is_told) {
  ProcessOptions o = shell("pwd");
  o.cwd = "/";
  EXPECT_EQ(run(o).out, "/\n");
}

TEST(Process, what_cannot_start_is_an_error_of_the_right_kind) {
  ProcessOptions o;
  EXPECT_EQ(run_process(o).error().kind, ErrorKind::invalid);
  o.argv = {"no-such-program-of-sluice"};
  EXPECT_EQ(run_process(o).error().kind, ErrorKind::not_found);
  o.argv = {"/no/such/program"};
  EXPECT_EQ(run_process(o).error().kind, ErrorKind::not_found);
  o.argv = {"/etc/passwd"};
  EXPECT_EQ(run_process(o).error().kind, ErrorKind::denied);
  o = shell("true");
  o.cwd = "/no/such/dir";
  EXPECT_EQ(run_process(o).error().kind, ErrorKind::invalid);
  o = shell("true");
  o.argv.push_back(std::string("a\0b", 3));
  EXPECT_EQ(run_process(o).error().kind, ErrorKind::invalid);
}

TEST(Process, only_the_kept_descriptors_reach_the_child) {
  const Fd kept(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Fd leaking(::fcntl(::open("/dev/null", O_RDONLY), F_DUPFD, 50));
  ProcessOptions o = shell("ls /proc/$$/fd");
  o.keep_fds = {kept.get()};
  const std::string out = run(o).out;
  std::set<std::string> open;
  for (const auto line : split_lines(out)) open.insert(std::string(line));
  EXPECT_EQ(open, (std::set<std::string>{"0", "1", "2", std::to_string(kept.get())})) << out;
}

TEST(Process, limits_and_signals_are_set_for_the_child) {
  ::signal(SIGPIPE, SIG_IGN);
  ProcessOptions o = shell("ulimit -n; grep SigIgn /proc/self/status");
  o.limits = {{RLIMIT_NOFILE, 32}};
  const std::string out = run(o).out;
  ::signal(SIGPIPE, SIG_DFL);
  EXPECT_EQ(out, "32\nSigIgn:\t0000000000000000\n");
}

TEST(Process, another_user_gets_no_new_privileges) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can run a program as another user";
  ProcessOptions o = shell("id -u; id -g; id -G; grep NoNewPrivs /proc/self/status");
  o.uid = 65534;
  o.gid = 65533;
  EXPECT_EQ(run(o).out, "65534\n65533\n65533\nNoNewPrivs:\t1\n");
}

TEST(Process, a_child_dies_with_us) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  const pid_t middle = ::fork();
  if (middle == 0) {
    ProcessOptions o;
    o.argv = {"/bin/sleep", "1000"};
    auto child = ChildProcess::start(o);
    const pid_t pid = child.ok() ? child->pid() : -1;
    (void)!::write(write_end.get(), &pid, sizeof pid);
    ::_exit(0);  // as a crash would: nothing is cleaned up
  }
  write_end.close();
  pid_t pid = -1;
  ASSERT_EQ(::read(read_end.get(), &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
  ASSERT_GT(pid, 0);
  const Fd watched(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  ::waitpid(middle, nullptr, 0);
  if (!watched) return;  // dead already
  struct pollfd end {
    watched.get(), POLLIN, 0
  };
  EXPECT_EQ(::poll(&end, 1, 10'000), 1) << "the child outlived its parent";
  if (end.revents == 0) ::kill(pid, SIGKILL);
}

TEST(ChildProcess, dies_with_its_object) {
  auto child = ChildProcess::start(shell("sleep 1000"));
  ASSERT_TRUE(child.ok());
  const pid_t pid = child->pid();
  EXPECT_TRUE(alive(pid));
  { const ChildProcess gone = std::move(*child); }
  EXPECT_FALSE(alive(pid));
}

TEST(ChildProcess, is_spoken_to_over_pipes) {
  ProcessOptions o;
  o.argv = {"cat"};
  auto child = ChildProcess::start(o);
  ASSERT_TRUE(child.ok()) << child.error().message;
  for (const std::string text : {"one\n", "two\n"}) {
    ASSERT_TRUE(child->write(text).ok());
    std::string got;
    while (got.size() < text.size()) {
      const auto n = child->read_some(got, 10'000);
      ASSERT_TRUE(n.ok()) << n.error().message;
      ASSERT_GT(*n, 0u);
    }
    EXPECT_EQ(got, text);
  }
  child->close_stdin();
  std::string rest;
  EXPECT_EQ(child->read_some(rest, 10'000).value_or(99), 0u) << "end of file";
  EXPECT_EQ(child->wait(10'000), 0);
  EXPECT_EQ(child->wait(10'000), 0) << "again";
}

TEST(ChildProcess, does_not_deadlock_when_both_sides_write) {
  ProcessOptions o;
  o.argv = {"cat"};
  auto child = ChildProcess::start(o);
  ASSERT_TRUE(child.ok());
  const std::string big(3 << 20, 'x');
  ASSERT_TRUE(child->write(big).ok());
  child->close_stdin();
  std::string got;
  while (true) {
    const auto n = child->read_some(got, 10'000);
    ASSERT_TRUE(n.ok());
    if (*n == 0) break;
  }
  EXPECT_EQ(got.size(), big.size());
}

TEST(ChildProcess, silence_and_death_are_transient_errors) {
  auto child = ChildProcess::start(shell("read x; echo complaint >&2; exit 7"));
  ASSERT_TRUE(child.ok());
  std::string out;
  const auto silent = child->read_some(out, 20);
  ASSERT_FALSE(silent.ok());
  EXPECT_EQ(silent.error().kind, ErrorKind::transient);
  ASSERT_TRUE(child->write("go\n").ok());
  EXPECT_EQ(child->wait(10'000), 7);
  EXPECT_EQ(child->take_stderr(), "complaint\n");
  EXPECT_EQ(child->take_stderr(), "");
  const auto gone = child->write(std::string(1 << 20, 'x'));
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().kind, ErrorKind::transient);
}

TEST(ChildProcess, is_killed_when_waiting_takes_too_long) {
  auto child = ChildProcess::start(shell("sleep 1000"));
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(child->wait(50), 128 + SIGKILL);
}

TEST(ShellQuote, gives_what_a_shell_reads_back) {
  EXPECT_EQ(shell_quote({"git", "log", "-1", "a b", "", "it's", "$x"}),
            "git log -1 'a b' '' 'it'\\''s' '$x'");
  ProcessOptions o = shell("printf '%s|' " + shell_quote({"a b", "it's", "*", "\n"}));
  EXPECT_EQ(run(o).out, "a b|it's|*|\n|");
}

}  // namespace
}  // namespace sluice::core
