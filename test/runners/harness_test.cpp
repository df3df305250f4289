// SPDX-License-Identifier: Apache-2.0
// Hostile tests against the harness that judges them: what is `observed` stays red, what cannot be protected says
// `self-reported`. The same attacks on a harness without protection do reach it, so they are real ones.
#include "runners/landlock.h"
#include "test/runners/runs.h"

namespace sluice::runners {
namespace {

constexpr const char* lit = "/usr/lib/llvm-16/build/utils/lit/lit.py";

// Tries all it can on every process of lit above itself, forges the report, then fails.
constexpr const char* attack = R"py(
import ctypes, os, resource, signal, socket, stat, sys
libc = ctypes.CDLL(None, use_errno=True)
build, lit, reached = sys.argv[1], [], []
def attempt(name, call):
    try:
        if call() not in (False, -1): reached.append(name)
    except OSError: pass
    except ValueError: pass
pid = os.getppid()
while pid > 1:
    try: fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split(); line = open(f"/proc/{pid}/cmdline").read()
    except OSError: break
    if "lit.py" in line and "attack" not in line: lit.append(pid)
    pid = int(fields[1])
class Vec(ctypes.Structure): _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]
byte = ctypes.create_string_buffer(8)
vec = Vec(ctypes.cast(byte, ctypes.c_void_p), 1)
for pid in lit:
    for name, mode in (("mem", "rb+"), ("environ", "rb"), ("maps", "rb")):
        attempt(f"{name} of lit", lambda: open(f"/proc/{pid}/{name}", mode).close())
    attempt("descriptors of lit", lambda: [os.readlink(f"/proc/{pid}/fd/{n}") for n in os.listdir(f"/proc/{pid}/fd")])
    attempt("ptrace of lit", lambda: libc.ptrace(16, pid, 0, 0))
    attempt("process_vm_writev to lit", lambda: libc.process_vm_writev(pid, ctypes.byref(vec), 1, ctypes.byref(vec), 1, 0))
    attempt("limits of lit", lambda: resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, 0)))
# The first is the worker that runs this test; whoever ends it ends this test.
for pid in lit[1:]:
    attempt("signal to lit", lambda: os.kill(pid, 0))
    if len(sys.argv) > 2:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL): attempt("signal to lit", lambda: os.kill(pid, number))
forged = '{"__version__":[16,0,6],"elapsed":1,"tests":[{"name":"S :: attack.t","code":"PASS","elapsed":0,"output":""}]}'
for number in map(int, os.listdir("/proc/self/fd")):
    if number > 2: attempt(f"inherited descriptor {number}", lambda: os.write(number, forged.encode()) > 0)
open(build + "/r.json", "w").write(forged)
open(build + "/other.json", "w").write(forged)
os.unlink(build + "/r.json")
os.symlink("other.json", build + "/r.json")
print("lit is", lit, "reached", sorted(set(reached)))
sys.exit(1)
)py";

class Harness : public RunTest, public testing::WithParamInterface<Backend> {
 protected:
  void SetUp() override {
    if (!core::exists(lit)) GTEST_SKIP() << "lit 16 is not installed (llvm-16-tools)";
    force_ = GetParam();
    RunTest::SetUp();
    put_file(path("suites/lit.cfg.py"), "import lit.formats, os\nconfig.name = 'S'\nconfig.test_format = lit.formats.ShTest(True)\n"
                                        "config.suffixes = ['.t']\nconfig.test_exec_root = os.environ['SLUICE_BUILD'] + '/lit'\n"
                                        "config.substitutions.append(('%build', os.environ['SLUICE_BUILD']))\n");
    put_file(path("suites/attack.py"), attack);
    request_.suite.kind = "lit", request_.suite.id = "lit", request_.suite.results = "r.json";
  }
  static std::vector<std::string> step() { return {"python3", lit, "-a", "-o", "r.json", "/suites"}; }
  model::TestState state_of(const model::Evidence& evidence, const std::string& id) const {
    for (const auto& test : evidence.tests)
      if (test.id == id) return test.state;
    return model::TestState::missing;
  }
};

TEST_P(Harness, no_attack_reaches_an_observer_and_red_stays_red) {
  if (landlock::probe_abi() < landlock::abi_scope) GTEST_SKIP() << "this kernel does not scope signals (Landlock 6)";
  put_file(path("suites/attack.t"), "RUN: /usr/bin/python3 %S/attack.py %build kill\n");
  put_file(path("suites/honest.t"), "RUN: true\n");
  const auto evidence = run({step()});
  ASSERT_EQ(evidence.trouble, "") << evidence.trouble_detail << evidence.log;
  EXPECT_EQ(evidence.grade, "observed");
  EXPECT_NE(evidence.log.find("reached []"), std::string::npos) << evidence.log;
  EXPECT_EQ(evidence.log.find("lit is []"), std::string::npos) << "the attack found no lit: " << evidence.log;
  EXPECT_EQ(state_of(evidence, "S :: attack.t"), model::TestState::fail);
  EXPECT_EQ(state_of(evidence, "S :: honest.t"), model::TestState::pass);
  EXPECT_EQ(evidence.tests.size(), 2u);
}

TEST_P(Harness, the_same_attack_reaches_a_lit_that_nobody_protects) {
  put_file(path("suites/attack.t"), "RUN: /usr/bin/python3 %S/attack.py %build\n");
  const auto evidence = shell("python3 " + std::string(lit) + " -a /suites; cp other.json r2.json; rm -f r.json; cp r2.json r.json");
  EXPECT_EQ(evidence.grade, "self-reported");
  if (GetParam() == Backend::landlock) {
    // Without its wrapper lit wants /dev/shm, which this backend does not lend: it fails, and loudly.
    EXPECT_EQ(evidence.trouble, "results_missing");
    EXPECT_NE(evidence.log.find("Permission denied"), std::string::npos) << evidence.log;
    return;
  }
  EXPECT_NE(evidence.log.find("mem of lit"), std::string::npos) << evidence.log;
  EXPECT_NE(evidence.log.find("signal to lit"), std::string::npos) << evidence.log;
  // The forged report is read: that is why the record does not call it observed.
  EXPECT_EQ(state_of(evidence, "S :: attack.t"), model::TestState::pass);
}

TEST_P(Harness, a_test_that_ends_its_worker_turns_nothing_green) {
  put_file(path("suites/attack.t"), "RUN: /usr/bin/python3 %S/kill.py\n");
  put_file(path("suites/kill.py"), "import os, signal\npid = os.getppid()\n"
                                   "while 'lit.py' not in open(f'/proc/{pid}/cmdline').read(): pid = int(open(f'/proc/{pid}/stat').read().rsplit(')', 1)[1].split()[1])\n"
                                   "print('worker', pid, flush=True)\nos.kill(pid, signal.SIGKILL)\n");
  put_file(path("suites/red.t"), "RUN: false\n");
  request_.suite.timeout_s = 5;
  const auto evidence = run({step()});
  for (const char* id : {"S :: attack.t", "S :: red.t"}) EXPECT_NE(state_of(evidence, id), model::TestState::pass) << id;
  EXPECT_EQ(evidence.trouble, "timeout") << "lit waits for its worker: " << evidence.log;
}

TEST_P(Harness, a_report_written_before_the_run_and_by_the_tests_is_not_read) {
  put_file(path("build/r.json"), R"({"tests":[{"name":"S :: red.t","code":"PASS"}]})");
  put_file(path("suites/red.t"), "RUN: rm -rf %build/r.json && mkfifo %build/r.json && false\n");
  const auto evidence = run({step()});
  ASSERT_EQ(evidence.trouble, "") << evidence.trouble_detail << evidence.log;
  EXPECT_EQ(evidence.grade, "observed");
  EXPECT_EQ(state_of(evidence, "S :: red.t"), model::TestState::fail);
}

TEST_P(Harness, programs_that_write_their_own_report_are_self_reported_and_may_lie) {
  const std::vector<std::pair<std::string, std::string>> reports{
      {"gtest", R"(<testsuites tests="1"><testsuite name="S"><testcase classname="S" name="red" status="run"/></testsuite></testsuites>)"},
      {"junit", R"(<testsuites><testsuite name="S" tests="1"><testcase classname="S" name="red"/></testsuite></testsuites>)"},
      {"ctest", R"(<testsuite name="S" tests="1" failures="0"><testcase name="red" classname="red" status="run"/></testsuite>)"}};
  for (const auto& [kind, report] : reports) {
    put_file(path("src/lie.xml"), report);
    const auto evidence = test_run(kind, "r.xml", "cp /src/lie.xml r.xml");
    EXPECT_EQ(evidence.trouble, "") << kind << evidence.trouble_detail << evidence.log;
    EXPECT_EQ(evidence.grade, "self-reported") << kind;
  }
}

TEST_P(Harness, where_signals_are_not_scoped_the_record_says_what_that_means) {
  auto runner = make_local_runner({.force = GetParam(), .landlock_abi = 3}, clock_);
  ASSERT_TRUE(runner.ok()) << runner.error().message;
  runner_ = std::move(*runner);
  put_file(path("suites/attack.t"), "RUN: /usr/bin/python3 %S/attack.py %build\n");
  const auto evidence = run({step()});
  if (evidence.trouble == "sandbox_unavailable") {
    EXPECT_NE(evidence.trouble_detail.find("control group"), std::string::npos) << evidence.trouble_detail;
    GTEST_SKIP() << evidence.trouble_detail;
  }
  ASSERT_EQ(evidence.trouble, "") << evidence.trouble_detail << evidence.log;
  EXPECT_EQ(state_of(evidence, "S :: attack.t"), model::TestState::fail);
  EXPECT_NE(evidence.log.find("reached ['signal to lit']"), std::string::npos) << evidence.log;
  EXPECT_EQ(evidence.grade, GetParam() == Backend::bubblewrap ? "observed" : "self-reported");
  if (GetParam() == Backend::landlock) {
    EXPECT_NE(evidence.trouble_detail.find("does not scope"), std::string::npos) << evidence.trouble_detail;
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Harness, testing::Values(Backend::bubblewrap, Backend::landlock),
                         [](const auto& backend) { return letter(backend.param); });

}  // namespace
}  // namespace sluice::runners
