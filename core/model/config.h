// SPDX-License-Identifier: Apache-2.0
// sluice.toml, checked (DESIGN section 11). Plain values; config/ reads the text, everybody else reads these.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sluice::model {

enum class Autonomy { observe, propose, land };
enum class PathClass { none, deleted, protected_, pin, risk, generated, test, fork };
enum class UpstreamSay { list, explain, block, ours };
enum class MissingSay { fail, drop };
enum class RuleMode { enforce, observe, off };

struct RemoteConfig {
  std::string url;     // https, ssh, or a path / file URL
  std::string branch;  // branch name; upstream only: also a full commit id, which pins the tip
};

// One [[path]] entry. The first entry whose glob matches decides each property it sets.
struct PathConfig {
  std::string glob;
  PathClass klass = PathClass::none;
  UpstreamSay upstream = UpstreamSay::list;
  MissingSay missing = MissingSay::fail;
  std::string owner;
};

struct SuiteConfig {
  std::string id;
  std::string kind;  // build | lit | junit | gtest | ctest
  std::string tier = "L1";
  // One or more steps, each an argv, run in /build with the source at /src and trusted files at /suites.
  std::vector<std::vector<std::string>> steps;
  std::string results;      // file (or glob) below /build that the last step writes; not for build
  std::string needs;        // id of the build suite whose /build it runs in; empty = the only one
  std::string environment = "host";
  std::string runner = "local";
  std::int64_t timeout_s = 0;       // 0 = the class default of GUARDRAILS 8.4
  std::int64_t memory_mib = 0;      // 0 = default
  std::int64_t pids = 512;
  std::int64_t disk_mib = 8192;     // of /build
  std::vector<std::string> required_for = {"bundle", "chain", "pin"};
  std::map<std::string, std::string> allowed_skips;  // test id -> reason
};

struct EnvironmentConfig {
  std::string name = "host";
  std::string root;  // "" or "/" = the host's /usr
  std::map<std::string, std::string> variables;  // added to the sandbox's environment
};

struct RuleConfig {
  RuleMode mode = RuleMode::enforce;
  double threshold = -1;  // < 0 = the rule's default
};

// Everything that a verdict depends on; its text is hashed into the verdict.
struct PolicyConfig {
  std::vector<PathConfig> paths;
  std::vector<SuiteConfig> suites;
  std::map<std::string, RuleConfig> rules;  // "G26" -> ...
  std::vector<std::string> fork_surface;    // globs of files the fork owns
  std::string sha256;                       // of the policy's text
};

struct Config {
  std::string file;  // where it was read from, absolute
  RemoteConfig fork, upstream;
  std::string upstream_repo;       // [upstream] repo = "owner/name"; derived from a host URL when absent
  std::int64_t window_days = 0;    // hold back commits younger than this
  std::string store_path;          // absolute; directory that holds sluice.db and repo.git
  std::vector<std::string> trailer_patterns;  // [trailers] import: regexes with one group, the sha
  std::string subject_prefix;      // [message]
  std::string landing_mode = "push";
  std::string landing_shape = "linear";
  Autonomy autonomy = Autonomy::observe;
  std::int64_t bundle_max = 64;    // [landing] bundle_max: members of one bundle
  bool push_ledger = true;         // [landing] push_ledger: refs/sluice/ledger also on the fork's remote
  std::string committer_name = "sluice", committer_email = "sluice@localhost";
  bool allow_unsandboxed = false;  // [[runner]] allow_unsandboxed
  std::int64_t jobs = 0;           // [[runner]] jobs; 0 = number of cores
  std::vector<EnvironmentConfig> environments;
  PolicyConfig policy;
};

}  // namespace sluice::model
