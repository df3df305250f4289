// SPDX-License-Identifier: Apache-2.0
// Every known way out of a sandbox, tried by one hostile program (hostile.cpp) under backend A and under backend
// B. Prints one line a trap: `ctest --test-dir build/dev -R '^traps' -V`.
#include <fcntl.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "runners/access.h"
#include "runners/landlock.h"
#include "test/runners/runs.h"

namespace sluice::runners {
namespace {

struct Verdict {
  std::string word;  // denied, capped, killed, skipped; REACHED is a failure
  std::string how;
};

// What the hostile program said of itself.
Verdict said(const std::string& output) {
  Verdict verdict;
  for (const auto line : core::split_lines(output)) {
    for (const std::string_view word : {"denied", "capped", "killed", "skipped", "REACHED"}) {
      if (!line.starts_with(word) || !line.substr(word.size()).starts_with(": ")) continue;
      const std::string how(line.substr(word.size() + 2));
      if (verdict.word == "REACHED") verdict.how += "; " + how;
      else verdict = {std::string(word), how};
    }
  }
  return verdict;
}

struct Trap {
  const char* name;
  const char* argument;
  std::function<void(model::RunRequest&)> prepare = {};
  std::vector<std::string> command = {};  // instead of the hostile program itself
  // What the record says, where the program cannot know how it ended. Empty word: the program knows.
  std::function<Verdict(const model::Evidence&)> recorded = {};
};

Verdict ended_by_runner(const model::Evidence& evidence) {
  if (evidence.trouble == "timeout") return {"killed", evidence.trouble_detail};
  if (evidence.trouble == "disk_limit") return {"capped", evidence.trouble_detail};
  if (evidence.exit_code == 137 && evidence.trouble.empty())
    return {"killed", evidence.trouble_detail.empty() ? "by a limit of the process" : evidence.trouble_detail};
  return {};
}

// A forged report lies where the sandbox can read it; no way of planting it, or of making the reader hang, counts.
Verdict not_collected(const model::Evidence& evidence) {
  if (evidence.trouble.empty() || !evidence.tests.empty()) return {"REACHED", "a forged report was read"};
  const Verdict own = said(evidence.log);
  return own.word.empty() ? Verdict{"denied", evidence.trouble + ": " + evidence.trouble_detail} : own;
}
void wants_results(model::RunRequest& request) {
  request.suite.kind = "lit", request.suite.results = "r.json";
}

constexpr const char* lit = "/usr/lib/llvm-16/build/utils/lit/lit.py";
// A red test that attacks lit: red and observed it must stay.
Verdict still_red(const model::Evidence& evidence) {
  if (!core::exists(lit)) return {"skipped", "lit 16 is not installed (llvm-16-tools)"};
  const bool red = evidence.tests.size() == 1 && evidence.tests[0].state == model::TestState::fail;
  const bool honest = evidence.grade == "observed" || landlock::probe_abi() < landlock::abi_scope;
  return red && honest ? said(evidence.log) : Verdict{"REACHED", "grade " + evidence.grade + " " + evidence.trouble + " " + evidence.trouble_detail};
}

const std::vector<Trap>& all_traps() {
  static const std::vector<Trap> traps{
      {"network sockets", "network"},
      {"sockets of the host by path and name", "sockets"},
      {"/etc/shadow, files of the same user", "files"},
      {"environments of other processes", "environ"},
      {"inherited descriptors", "descriptors"},
      {"ptrace, memory, descriptors of others", "processes"},
      {"memory, limits and signals of lit", "harness", wants_results, {"python3", lit, "-a", "/suites"}, still_red},
      {"signals to supervisor and host", "signals"},
      {"nested namespaces", "namespaces"},
      {"mount, chroot, pivot_root", "mounts"},
      {"io_uring, keys, bpf, TIOCSTI, ...", "calls"},
      {"32-bit system calls", "calls32"},
      {"writing /src, /suites and /usr", "trusted"},
      {"set-uid programs", "privileges"},
      {"core dumps", "core"},
      {"System V and POSIX queues", "queues"},
      {"10 GB into /dev/shm", "shm", [](auto& r) { r.suite.memory_mib = 512; }, {}, ended_by_runner},
      {"files without end in the scratch", "inodes", {}, {}, ended_by_runner},
      {"10 GB into /build", "disk", [](auto& r) { r.suite.disk_mib = 64; }, {}, ended_by_runner},
      {"fork storm", "forks", [](auto& r) { r.suite.pids = 64; }},
      {"memory bomb", "memory", [](auto& r) { r.suite.memory_mib = 256; }, {}, ended_by_runner},
      {"memory bomb of shared pages", "memfd", [](auto& r) { r.suite.memory_mib = 256; }, {},
       [](const model::Evidence& e) {
         const Verdict ended = ended_by_runner(e);
         return ended.word.empty() && e.limits.find("memory") == std::string::npos ? Verdict{"skipped", "only a memory control group counts such pages, and none can be made here"} : ended;
       }},
      {"1 GB of output", "output", {}, {},
       [](const model::Evidence& e) {
         return e.log_bytes == 1u << 30 && e.log.size() < 9u << 20 ? Verdict{"capped", e.trouble_detail} : Verdict{"REACHED", "a log of " + std::to_string(e.log.size()) + " bytes"};
       }},
      {"a link as results", "plant-link", wants_results, {}, not_collected},
      {"a FIFO as results", "plant-fifo", wants_results, {}, not_collected},
      {"a socket as results", "plant-socket", wants_results, {}, not_collected},
      {"a device as results", "plant-device", wants_results, {}, not_collected},
      {"a directory as results", "plant-directory", wants_results, {}, not_collected},
      {"a hard link to /suites as results", "plant-hardlink", wants_results, {}, not_collected},
      {"a hard link to outside as results", "plant-outside", wants_results, {}, not_collected},
      {"daemons that outlive the run", "daemon", {}, {}, [](const model::Evidence&) { return Verdict{"killed", "no survivor"}; }},
      {"daemons that fork for ever", "storm", [](auto& r) { r.suite.pids = 128; }, {}, [](const model::Evidence&) { return Verdict{"killed", "no survivor"}; }},
  };
  return traps;
}

// A process of the user that runs untrusted code, with all that such code must not reach.
class Decoy {
 public:
  Decoy(const Identity& identity, const std::string& program) : home_(std::move(core::TempDir::create("sluice-decoy-")).value()) {
    mark_ = std::to_string(getpid());
    std::filesystem::copy_file(program, home_.path() + "/decoy");
    put_file(file(), "secret");
    for (const std::string& path : {home_.path(), home_.path() + "/decoy", file()}) {
      chmod(path.c_str(), path == file() ? 0600 : 0755);
      if (identity.dedicated && chown(path.c_str(), identity.uid, identity.gid) != 0) ADD_FAILURE() << "chown " << path;
    }
    core::ProcessOptions options;
    options.argv = {home_.path() + "/decoy", "decoy"};
    options.env = variables();
    options.env->emplace("SECRET", prefix() + "in-the-environment");
    if (identity.dedicated) options.uid = identity.uid, options.gid = identity.gid;
    auto started = core::ChildProcess::start(options);
    if (!started.ok()) ADD_FAILURE() << started.error().message;
    else process_.emplace(std::move(*started));
    std::string ready;
    if (process_ && (!process_->read_some(ready, 10'000).ok() || ready != "ready\n")) ADD_FAILURE() << "the decoy did not start: " << ready;
  }
  // What a hostile program is told; the pid comes on top.
  std::map<std::string, std::string> variables() const {
    std::map<std::string, std::string> all{{"TRAP_FILE", file()}, {"TRAP_SOCKET", home_.path() + "/socket"}, {"TRAP_ABSTRACT", "sluice-decoy-" + mark_},
                                           {"TRAP_SECRET_PREFIX", prefix()}, {"TRAP_KEY", mark_}, {"TRAP_QUEUE", "sluice-trap-" + mark_},
                                           {"TRAP_MARK", "sluice-survivor-" + mark_}, {"TRAP_CALLER", std::to_string(geteuid())}};
    if (process_) all.emplace("TRAP_PID", std::to_string(process_->pid()));
    return all;
  }
  std::string survivor_mark() const { return "sluice-survivor-" + mark_; }
  key_t key() const { return static_cast<key_t>(std::stoi(mark_)); }
  // Alive, and its file as it was.
  std::string harm() const {
    if (!process_ || get_file("/proc/" + std::to_string(process_->pid()) + "/stat").find(") S ") == std::string::npos) return "the decoy was killed or stopped";
    return get_file(file()) == "secret" ? "" : "the decoy's file was changed";
  }

 private:
  std::string file() const { return home_.path() + "/secret"; }
  std::string prefix() const { return "tell-no-one-" + mark_ + "-"; }
  core::TempDir home_;
  std::string mark_;
  std::optional<core::ChildProcess> process_;
};

class Traps : public RunTest, public testing::WithParamInterface<Backend> {
 protected:
  void SetUp() override {
    force_ = GetParam();
    RunTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    const auto identity = find_identity();
    ASSERT_TRUE(identity.ok());
    decoy_.emplace(*identity, SLUICE_HOSTILE);
    std::filesystem::copy_file(SLUICE_HOSTILE, path("suites/hostile"));
    for (const char* name : {"src/trusted.txt", "suites/trusted.txt"}) put_file(path(name), "trusted");
    put_file(path("suites/lit.cfg.py"), "import lit.formats, os\nconfig.name = 'S'\nconfig.test_format = lit.formats.ShTest(False)\nconfig.suffixes = ['.t']\n"
                                        "config.test_exec_root = os.environ['SLUICE_BUILD'] + '/lit'\nconfig.environment.update(os.environ)\n");
    put_file(path("suites/attack.t"), "RUN: %S/hostile harness\n");
    put_file(path("suites/forged.json"), R"({"tests":[{"name":"S :: a","code":"PASS"}]})");
    if (geteuid() == 0) {
      std::filesystem::copy_file(SLUICE_HOSTILE, path("suites/setuid"));
      chmod(path("suites/setuid").c_str(), 04755);
    }
    request_.environment.variables = decoy_->variables();
    if (landlock::probe_abi() >= landlock::abi_scope) request_.environment.variables["TRAP_SIGNALS"] = "scoped";
    plain_ = request_;
  }

  Verdict spring(const Trap& trap) {
    std::filesystem::remove_all(path("build"));
    std::filesystem::create_directory(path("build"));
    request_ = plain_;
    if (trap.prepare) trap.prepare(request_);
    // The mark in every command line: other hostile programs may run at the same time.
    const auto evidence = run({trap.command.empty() ? std::vector<std::string>{"/suites/hostile", trap.argument, decoy_->survivor_mark()} : trap.command});
    Verdict verdict = trap.recorded ? trap.recorded(evidence) : Verdict{};
    if (verdict.word.empty()) verdict = said(evidence.log);
    if (verdict.word.empty()) verdict = {"REACHED", "no verdict: " + evidence.trouble + " " + evidence.trouble_detail + " " + evidence.log.substr(0, 500)};
    const auto harmed = [&](const std::string& what) { verdict = {"REACHED", what}; };
    if (evidence.trouble == "runner_lost" || evidence.trouble == "sandbox_unavailable") harmed("the run was lost: " + evidence.trouble_detail);
    if (const std::string harm = decoy_->harm(); !harm.empty()) harmed(harm);
    if (processes_with(decoy_->survivor_mark()) > 0) harmed("a process survived");
    for (const char* name : {"src/trusted.txt", "suites/trusted.txt"})
      if (get_file(path(name)) != "trusted") harmed(std::string(name) + " was changed");
    if (shmget(decoy_->key(), 0, 0) >= 0) harmed("System V memory was left behind");
    for (const auto& entry : std::filesystem::directory_iterator(path("")))
      if (entry.path().filename().string().starts_with("sluice-scratch")) harmed("a temporary directory was left behind");
    return verdict;
  }

  std::optional<Decoy> decoy_;
  model::RunRequest plain_;
};

TEST_P(Traps, every_trap_is_denied_capped_or_killed) {
  const std::string backend = letter(GetParam());
  std::printf("%-40s %-7s %-8s %s\n", "trap", "backend", "verdict", "how");
  for (const Trap& trap : all_traps()) {
    const Verdict verdict = spring(trap);
    std::printf("%-40s %-7s %-8s %s\n", trap.name, backend.c_str(), verdict.word.c_str(), core::printable(verdict.how, 160).c_str());
    std::fflush(stdout);
    EXPECT_NE(verdict.word, "REACHED") << trap.name << " under backend " << backend << ": " << verdict.how;
  }
}

// Descriptors of ours that are open without close-on-exec, among them a file that only we may read.
TEST_P(Traps, a_careless_descriptor_of_ours_does_not_reach_the_command) {
  put_file(path("secret"), "token");
  const int secret = open(path("secret").c_str(), O_RDONLY);
  ASSERT_GE(secret, 3);
  const int seven = fcntl(7, F_GETFD) < 0 ? dup2(secret, 7) : 7, high = fcntl(secret, F_DUPFD, 200);
  const Verdict verdict = spring({"inherited descriptors", "descriptors"});
  close(secret), close(high);
  if (seven == 7) close(seven);
  EXPECT_EQ(verdict.word, "denied") << verdict.how;
}

TEST_P(Traps, a_record_says_what_a_limit_did) {
  request_.suite.pids = 32;
  const auto storm = run({{"/suites/hostile", "forks"}});
  if (storm.limits.find("pids") != std::string::npos) {
    EXPECT_NE(storm.trouble_detail.find("process limit"), std::string::npos) << storm.trouble_detail;
  }
  request_.suite.memory_mib = 128;
  const auto bomb = run({{"/suites/hostile", "memory"}});
  if (bomb.limits.find("memory") != std::string::npos) {
    EXPECT_NE(bomb.trouble_detail.find("memory limit"), std::string::npos) << bomb.trouble_detail;
    EXPECT_NE(bomb.exit_code, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Traps, testing::Values(Backend::bubblewrap, Backend::landlock),
                         [](const auto& backend) { return letter(backend.param); });

}  // namespace
}  // namespace sluice::runners
