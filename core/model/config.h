// SPDX-License-Identifier: Apache-2.0
// sluice.toml, checked (DESIGN section 11). Plain values; config/ reads the text, everybody else reads these.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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

// [rules.Gnn]. What is not set is the rule's own.
struct RuleConfig {
  std::optional<RuleMode> mode;
  int calibrated = 0;  // the version of the rule that `sluice calibrate` measured on this fork
  std::map<std::string, double> thresholds;  // "threshold" and the rule's other numbers
  int line = 0;        // of the section, for messages
};

// [[invariant]]: something of the fork that no pick may take away (G29).
struct InvariantConfig {
  std::string path;     // glob: the files in which it is looked for
  std::string pattern;  // regular expression (RE2), matched line by line
  std::int64_t min = 1; // matching lines over all files of `path`
  std::string why;      // cost of the loss, for people
};

// One line of a register file (docs/guardrails.md): a test that wavers (G47), or one that is known to fail on
// trunk (G48). An entry without owner, or past its day, counts for nothing.
struct RegisterEntry {
  std::string suite, test;   // ids as the suite reports them
  std::string fingerprint;   // known failures: of the failure, as the verdict prints it
  std::string reason, owner;
  std::int64_t since = 0, expires = 0;  // unix seconds; `expires` is the first that no longer counts
  int line = 0;              // of the register file
};

// An endpoint of a model: [model], or one of [model.endpoint.NAME]. What the provider's kind implies is filled in.
struct EndpointConfig {
  std::string name = "default";  // as `--model NAME` says it
  std::string provider;          // anthropic | openai | vllm | llamacpp | ollama
  std::string dialect;           // messages | chat
  std::string base_url, model;
  std::string auth;              // x-api-key | bearer | none
  std::string key_env, key_file; // where the credential stands; never the credential
  std::string ca_file, proxy;
  std::string max_tokens_field = "max_tokens";  // or max_completion_tokens (OpenAI)
  std::string effort;            // empty = the service's default
  bool can_force_tool = false, sends_usage_in_stream = false, strict_tools = false, parallel_tools = true;
  bool cache_breakpoints = false;
  std::int64_t context_tokens = 200'000, max_output_tokens = 8192;
  std::int64_t idle_timeout_s = 120;
  std::int64_t requests_per_minute = 0, tokens_per_minute = 0;  // 0 = not limited
  std::vector<std::string> final_codes;  // error codes of 429 and others that no retry mends (quota, credit)
  // Money for a million tokens, in millionths of the currency: 3.00 = 3'000'000. Negative = not known.
  std::int64_t price_input = -1, price_output = -1, price_cache_read = -1, price_cache_write = -1;
};

// A cap; 0 = none. Money in millionths of the currency.
struct BudgetCap {
  std::int64_t money = 0, tokens = 0;
};
struct BudgetConfig {
  BudgetCap call, run, unit, night, fork;
  std::string currency = "USD";
};

// What an answer of a rung or rule may do. propose: for a person to look at; land: like a clean pick.
enum class RungMode { off, propose, land };
// [[resolver]]: a merge driver by git's contract (%O %A %B %L %P).
struct ResolverConfig {
  std::string name;
  std::vector<std::string> command;
  std::vector<std::string> globs;  // empty = every text file
  std::int64_t timeout_s = 60;
};
struct LadderConfig {
  RungMode candidate = RungMode::propose, external = RungMode::propose, model = RungMode::propose;
  std::map<std::string, RungMode> rules;  // "B6" -> ...; what is not set follows `candidate`
  std::vector<ResolverConfig> resolvers;
  double land_floor = 0.97;               // lower bound of the interval that a rule needs to land
  std::int64_t cost_factor = 20;          // one wrong landing = so many manual resolutions
};
struct ModelConfig {
  std::string use;  // name of the endpoint in use; empty = no model
  std::vector<EndpointConfig> endpoints;
  std::vector<std::string> send, never_send;  // globs; `send` empty = everything that never_send does not name
  BudgetConfig budget;
  bool repair = false, parked_text = false;  // the other jobs
};

// Everything that a verdict depends on; its text is hashed into the verdict.
struct PolicyConfig {
  std::vector<PathConfig> paths;
  std::vector<SuiteConfig> suites;
  std::map<std::string, RuleConfig> rules;  // "G26" -> ...
  std::vector<std::string> fork_surface;    // globs of files the fork owns
  std::vector<InvariantConfig> invariants;
  std::vector<RegisterEntry> flakes, known_failures;  // [registers] flakes, known_failures: files beside the policy
  std::string ref, path;                    // [policy]: where in the fork the text stands; empty = the operator's file
  std::string blob;                         // its blob id in force; empty = the operator's file
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
  ModelConfig model;
  LadderConfig ladder;
  PolicyConfig policy;
};

}  // namespace sluice::model
