// SPDX-License-Identifier: Apache-2.0
// Hostile build scripts in the real sandbox: each is denied or capped, the record says so, nothing survives.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "runners/seccomp.h"
#include "test/runners/runs.h"

namespace sluice::runners {
namespace {

using SandboxTest = RunTest;

TEST_F(SandboxTest, the_record_names_the_backend_the_user_and_the_limits_in_force) {
  const auto evidence = shell("true");
  const std::string uid = geteuid() == 0 ? "sluice-build" : "caller";
  EXPECT_EQ(evidence.sandbox, "A bwrap uid:" + uid);
  EXPECT_EQ(evidence.limits, probe_sandbox().limits);
  EXPECT_NE(evidence.limits.find("rlimits"), std::string::npos);
  EXPECT_EQ(evidence.exit_code, 0);
  EXPECT_EQ(evidence.trouble, "");
  EXPECT_EQ(evidence.grade, "self-reported");
}

TEST_F(SandboxTest, files_made_inside_belong_to_the_build_user_and_not_to_the_superuser) {
  shell("echo x > made");
  struct stat info {};
  ASSERT_EQ(stat(path("build/made").c_str(), &info), 0);
  struct stat own {};
  ASSERT_EQ(stat(path("build").c_str(), &own), 0);
  EXPECT_EQ(info.st_uid, own.st_uid);
  if (geteuid() == 0) {
    EXPECT_NE(info.st_uid, 0u);
  }
}

TEST_F(SandboxTest, the_process_has_no_capabilities_no_new_privileges_and_a_seccomp_filter) {
  const auto evidence = shell("grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/self/status");
  EXPECT_NE(output(evidence).find("CapEff:\t0000000000000000"), std::string::npos) << evidence.log;
  EXPECT_NE(output(evidence).find("NoNewPrivs:\t1"), std::string::npos);
  EXPECT_NE(output(evidence).find("Seccomp:\t2"), std::string::npos);
}

TEST_F(SandboxTest, sockets_of_the_network_cannot_be_made_but_local_ones_can) {
  const auto evidence = python(R"(
import socket
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET):
    try:
        socket.socket(family, socket.SOCK_DGRAM); print("open", family)
    except OSError as e: print("denied", e.errno)
a, b = socket.socketpair(); a.send(b"x"); print("local", b.recv(1))
print(open("/proc/net/dev").read())
)");
  EXPECT_EQ(output(evidence).find("open"), std::string::npos) << evidence.log;
  EXPECT_NE(output(evidence).find("local b'x'"), std::string::npos);
  EXPECT_EQ(output(evidence).find("eth"), std::string::npos);
  EXPECT_EQ(evidence.exit_code, 0);
}

TEST_F(SandboxTest, the_shadow_file_and_home_directories_are_not_there) {
  EXPECT_NE(shell("cat /etc/shadow").exit_code, 0);
  EXPECT_NE(shell("cat /etc/passwd").exit_code, 0);
  const auto listing = shell("ls -A / /etc; ls /root /home /run /var");
  for (const char* name : {"\nroot\n", "\nhome\n", "\nrun\n", "\nvar\n"}) EXPECT_EQ(listing.log.find(name), std::string::npos) << listing.log;
  EXPECT_NE(listing.log.find("/etc:\nalternatives\n"), std::string::npos) << listing.log;
}

TEST_F(SandboxTest, a_root_only_file_that_is_bound_in_cannot_be_read) {
  if (geteuid() != 0) GTEST_SKIP() << "needs the superuser to make a file that the build user may not read";
  shell("true");  // opens the source directory
  put_file(path("build/secret"), "token");
  chmod(path("build/secret").c_str(), 0600);  // owned by root, inside the user's own directory
  const auto evidence = shell("cat secret");
  EXPECT_NE(evidence.exit_code, 0);
  EXPECT_EQ(output(evidence).find("token"), std::string::npos);
}

TEST_F(SandboxTest, source_suites_and_system_directories_cannot_be_written) {
  put_file(path("src/a.txt"), "a");
  put_file(path("suites/t.txt"), "t");
  const auto evidence = shell(
      "for f in /src/a.txt /src/new /suites/t.txt /suites/new /usr/new /dev/new /new /etc/new; do "
      "  if echo x > $f; then echo WROTE $f; fi; done; rm -f /src/a.txt /suites/t.txt; chmod 777 /src; true");
  EXPECT_EQ(output(evidence).find("WROTE"), std::string::npos) << evidence.log;
  EXPECT_EQ(get_file(path("src/a.txt")), "a");
  EXPECT_EQ(get_file(path("suites/t.txt")), "t");
}

TEST_F(SandboxTest, a_private_source_export_is_readable_inside) {
  put_file(path("src/sub/a.txt"), "hello");
  chmod(path("src/sub/a.txt").c_str(), 0600);
  chmod(path("src/sub").c_str(), 0700);
  chmod(path("src").c_str(), 0700);
  EXPECT_NE(shell("cat /src/sub/a.txt").log.find("hello"), std::string::npos);
  struct stat info {};
  ASSERT_EQ(stat(path("src").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07, 0u) << "opened to every user of the machine";
}

TEST_F(SandboxTest, a_process_that_goes_to_the_background_does_not_survive) {
  const std::string mark = "sluice-daemon-" + std::to_string(getpid());
  const auto evidence = shell("for i in 1 2 3; do setsid sh -c 'trap \"\" TERM HUP INT; while :; do sleep 1; done # " + mark +
                              "' >/dev/null 2>&1 </dev/null & done; echo started");
  EXPECT_NE(output(evidence).find("started"), std::string::npos);
  EXPECT_EQ(evidence.trouble, "");
  EXPECT_EQ(processes_with(mark), 0);
}

TEST_F(SandboxTest, a_time_out_kills_the_whole_tree_and_says_so) {
  request_.suite.timeout_s = 1;
  const std::string mark = "sluice-tree-" + std::to_string(getpid());
  const auto evidence = shell("(setsid sh -c 'sh -c \"sleep 1000 # " + mark + "\" & sleep 1000 # " + mark + "') & sleep 1000 # " + mark);
  EXPECT_EQ(evidence.trouble, "timeout");
  EXPECT_NE(evidence.exit_code, 0);
  EXPECT_EQ(processes_with(mark), 0);
}

TEST_F(SandboxTest, cancelling_ends_the_run_and_says_so) {
  std::atomic<bool> cancel{false};
  cancel_ = &cancel;
  const std::string started = path("build/started");
  std::thread canceller([&] {
    while (!core::exists(started)) std::this_thread::yield();
    cancel = true;
  });
  const std::string mark = "sluice-cancel-" + std::to_string(getpid());
  const auto evidence = shell("echo x > started; setsid sleep 1000 & sleep 1000 # " + mark);
  canceller.join();
  EXPECT_EQ(evidence.trouble, "cancelled");
  EXPECT_EQ(processes_with(mark), 0);
}

TEST_F(SandboxTest, a_fork_storm_is_stopped_by_the_process_limit_and_recorded) {
  request_.suite.pids = 64;
  request_.suite.timeout_s = 20;
  const auto evidence = python(R"(
import os, time
made = 0
try:
    while made < 400:
        if os.fork() == 0:
            time.sleep(60); os._exit(0)
        made += 1
except OSError as e:
    print("stopped at", made, e)
print("made", made)
)");
  EXPECT_EQ(output(evidence).find("made 400"), std::string::npos) << evidence.log;
  EXPECT_NE(output(evidence).find("stopped at"), std::string::npos) << evidence.log;
  if (evidence.limits.find("pids") != std::string::npos) {
    EXPECT_NE(evidence.trouble_detail.find("process limit"), std::string::npos);
  }
}

TEST_F(SandboxTest, a_memory_bomb_is_killed_and_recorded) {
  request_.suite.memory_mib = 200;
  const auto evidence = python("x = []\nwhile len(x) < 40: x.append(b'x' * (50 << 20))\nprint('survived')");
  EXPECT_NE(evidence.exit_code, 0);
  EXPECT_EQ(output(evidence).find("survived"), std::string::npos);
  if (evidence.limits.find("memory") != std::string::npos) {
    EXPECT_NE(evidence.trouble_detail.find("memory limit"), std::string::npos);
  }
}

TEST_F(SandboxTest, filling_the_build_directory_ends_the_run_as_its_own_fault) {
  request_.suite.disk_mib = 64;
  const auto one = shell("dd if=/dev/zero of=big bs=1M count=10240");
  EXPECT_NE(one.exit_code, 0);  // the largest file is no larger than the quota
  const auto many = shell("i=0; while :; do i=$((i+1)); dd if=/dev/zero of=big$i bs=1M count=16 2>/dev/null; done");
  EXPECT_EQ(many.trouble, "disk_limit");
  EXPECT_NE(many.trouble_detail.find("64 MiB"), std::string::npos) << many.trouble_detail;
}

TEST_F(SandboxTest, a_build_that_ends_beyond_its_quota_is_red_even_when_it_was_quick) {
  request_.suite.disk_mib = 1;
  const auto evidence = shell("for i in 1 2 3 4; do dd if=/dev/zero of=f$i bs=1k count=600 2>/dev/null; done");
  EXPECT_EQ(evidence.trouble, "disk_limit");
}

TEST_F(SandboxTest, a_build_that_closes_its_directory_does_not_break_the_next_suite) {
  shell("chmod 000 /build");
  const auto next = shell("echo still here > /build/x && cat /build/x");
  EXPECT_EQ(next.trouble, "") << next.trouble_detail;
  EXPECT_EQ(next.exit_code, 0);
}

TEST_F(SandboxTest, shared_memory_and_scratch_are_capped) {
  request_.suite.memory_mib = 256;
  const auto evidence = shell("dd if=/dev/zero of=/dev/shm/x bs=1M count=10240; ls -s --block-size=M /dev/shm/x; rm /dev/shm/x; "
                              "dd if=/dev/zero of=/tmp/x bs=1M count=10240; rm -f /tmp/x; echo x > /dev/other; true");
  EXPECT_NE(output(evidence).find("No space left on device"), std::string::npos) << evidence.log;
  EXPECT_NE(output(evidence).find("64M /dev/shm/x"), std::string::npos) << evidence.log;
  EXPECT_EQ(output(evidence).find("10240+0 records out"), std::string::npos);
  EXPECT_NE(output(evidence).find("/dev/other"), std::string::npos);
}

TEST_F(SandboxTest, a_gigabyte_of_output_is_kept_as_head_and_tail) {
  auto runner = make_local_runner({.log_cap = 1u << 20}, clock_);
  ASSERT_TRUE(runner.ok());
  runner_ = std::move(*runner);
  const auto evidence = shell("echo FIRST; head -c 1073741824 /dev/zero | tr '\\0' 'x'; echo; echo LAST");
  EXPECT_EQ(evidence.log_bytes, 1073741824u + 12u);
  EXPECT_LT(evidence.log.size(), 2u << 20);
  EXPECT_NE(output(evidence).find("FIRST"), std::string::npos);
  EXPECT_NE(output(evidence).find("LAST"), std::string::npos);
  EXPECT_NE(output(evidence).find("truncated"), std::string::npos);
  EXPECT_EQ(evidence.trouble, "");
  EXPECT_NE(evidence.trouble_detail.find("cut"), std::string::npos);
}

TEST_F(SandboxTest, no_variable_of_ours_is_visible_not_even_in_the_first_process) {
  setenv("SLUICE_TEST_SECRET", "tell-no-one", 1);
  setenv("LIT_FILTER", "tell-no-one", 1);
  const auto evidence = shell("env; wc -c < /proc/1/environ; cat /proc/*/environ | tr '\\0' '\\n'");
  unsetenv("SLUICE_TEST_SECRET");
  unsetenv("LIT_FILTER");
  EXPECT_EQ(output(evidence).find("tell-no-one"), std::string::npos);
  EXPECT_NE(output(evidence).find("/proc/1/environ: Permission denied"), std::string::npos) << evidence.log;
  EXPECT_NE(output(evidence).find("HOME=/build\n"), std::string::npos);
  EXPECT_NE(output(evidence).find("TMPDIR=/tmp\n"), std::string::npos);
}

TEST_F(SandboxTest, variables_of_the_environment_are_set_inside) {
  request_.environment.variables = {{"CC", "/usr/bin/gcc"}, {"ODD", "a b=c"}};
  const auto evidence = shell("echo \"$CC|$ODD\"");
  EXPECT_NE(output(evidence).find("/usr/bin/gcc|a b=c"), std::string::npos);
}

TEST_F(SandboxTest, no_descriptor_of_ours_is_inherited) {
  const int secret = open("/dev/null", O_RDONLY);
  ASSERT_GE(secret, 3);
  const int high = fcntl(secret, F_DUPFD, 200);
  const auto evidence = python("import os\nfor p in ('self', '1'): print(p, sorted(map(int, os.listdir('/proc/' + p + '/fd'))) if p == 'self' else '')");
  close(secret);
  close(high);
  // 3 is the directory that is being listed.
  EXPECT_NE(output(evidence).find("self [0, 1, 2, 3]"), std::string::npos) << evidence.log;
}

TEST_F(SandboxTest, namespaces_mounts_and_tracing_are_denied_inside) {
  const auto evidence = python(R"(
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, result):
    print(name, "WORKED" if result >= 0 else "denied", ctypes.get_errno())
attempt("unshare", libc.unshare(0x10000000))
attempt("mount", libc.mount(b"none", b"/tmp", b"tmpfs", 0, None))
attempt("setns", libc.setns(0, 0))
attempt("ptrace", libc.ptrace(16, os.getppid(), 0, 0))
attempt("io_uring", libc.syscall(425, 8, ctypes.create_string_buffer(256)))
attempt("bpf", libc.syscall(321, 0, ctypes.create_string_buffer(256), 128))
attempt("keyctl", libc.syscall(250, 0, 0, 0, 0, 0))
SIGCHLD, NEWUSER = 17, 0x10000000
pid = libc.syscall(56, NEWUSER | SIGCHLD, 0, 0, 0, 0)
if pid == 0: os._exit(0)
attempt("clone", pid)
)");
  EXPECT_EQ(output(evidence).find("WORKED"), std::string::npos) << evidence.log;
  EXPECT_NE(output(evidence).find("clone denied"), std::string::npos) << evidence.log;
  const auto nested = run({{"bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"}});
  EXPECT_NE(nested.exit_code, 0);
}

TEST_F(SandboxTest, processes_outside_cannot_be_seen_or_signalled) {
  const auto evidence = shell("ls -d /proc/[0-9]* | wc -l; kill -0 " + std::to_string(getpid()) + " && echo REACHED");
  EXPECT_EQ(output(evidence).find("REACHED"), std::string::npos);
}

TEST_F(SandboxTest, an_ordinary_compiler_runs_and_its_program_too) {
  put_file(path("src/main.cpp"), "#include <cstdio>\nint main() { int unused; std::puts(\"it runs\"); }\n");
  const auto evidence = run({{"c++", "-Wall", "-o", "prog", "/src/main.cpp"}, {"./prog"}});
  EXPECT_EQ(evidence.exit_code, 0) << evidence.log;
  EXPECT_NE(output(evidence).find("it runs"), std::string::npos);
  EXPECT_EQ(evidence.warnings, 1);
  EXPECT_EQ(evidence.artefact_digest.size(), 64u);
}

TEST_F(SandboxTest, the_log_can_be_opened_by_name) {
  const auto evidence = shell("echo one > /dev/stdout; echo two > /dev/stderr; echo three");
  EXPECT_NE(output(evidence).find("one\ntwo\nthree\n"), std::string::npos) << evidence.log;
}

TEST_F(SandboxTest, python_multiprocessing_works) {
  const auto evidence = python("import multiprocessing as m\nif __name__ == '__main__':\n  with m.Pool(3) as p: print(sum(p.map(abs, range(-5, 5))))");
  EXPECT_NE(output(evidence).find("25"), std::string::npos) << evidence.log;
}

TEST(SeccompFilter, is_a_program_of_whole_instructions) {
  const auto fd = make_seccomp_filter();
  ASSERT_TRUE(fd.ok()) << fd.error().message;
  struct stat info {};
  ASSERT_EQ(fstat(*fd, &info), 0);
  EXPECT_GT(info.st_size, 100);
  EXPECT_EQ(info.st_size % 8, 0);
  close(*fd);
}

}  // namespace
}  // namespace sluice::runners
