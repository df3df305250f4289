// SPDX-License-Identifier: Apache-2.0
// Front door of config/: the text of sluice.toml -> checked structs (core/model/config.h).
//
// Every error is one line, `<file>:<line>: <what is wrong, with the value and what is allowed>`, kind
// invalid: an unknown key names the closest known one, and a key of the design that this version does not
// carry out is an error too, never ignored. It opens no repository. docs/configuration.md has every key.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/config.h"
#include "core/result.h"

namespace sluice::config {

// Relative paths in the file are relative to the file. Errors: not_found, denied (the file); invalid.
Result<model::Config> load(const std::string& path);
Result<model::Config> parse(std::string_view text, const std::string& file_name);

// A policy that stands in a ref of the fork ([policy] ref, path), read there by the caller: config/ opens no repository.
struct PolicyText {
  std::string text;
  std::string name;  // "refs/heads/policy:sluice-policy.toml", as errors show it
  std::string blob;  // its id
  // Reads a file that [registers] names, by its path in the same tree.
  std::function<Result<std::string>(const std::string& path)> beside;
  bool without_operator = false;  // there is no operator's file: names of environments and runners cannot be checked
};
// Of the sections only [[path]], [[suite]], [rules], [fork_surface], [[invariant]] and [registers] may stand there; they
// become config.policy. Errors: invalid, as `name:line: ...`; then `config` is as it was.
Result<void> read_policy(const PolicyText& given, model::Config& config);
// The policy stands elsewhere and was not read: nothing may be judged.
bool policy_missing(const model::PolicyConfig& policy);

// The effective values, defaults included, for people.
std::string explain(const model::Config& config);

// sha256 of what a verdict depends on: paths, suites, rules, fork surface, invariants and registers, in canonical JSON. Comments,
// order of keys, and every other section leave it as it is.
std::string policy_sha256(const model::PolicyConfig& policy);

// "owner/name" of a repository at a host (https, ssh, scp form); empty for local paths.
std::string repo_of_url(std::string_view url);

// A glob that matches exactly this path: bytes that a glob or a TOML string cannot hold become `?`.
std::string literal_glob(std::string_view path);

// What `sluice init` found out about the two repositories.
struct FoundTrailer {
  std::string pattern;  // regular expression with one group, the sha
  std::string example;
  std::int64_t count = 0;
};
struct FoundPath {
  std::string glob;
  std::string why;  // shown as a comment; one line
};
struct InitialConfig {
  model::RemoteConfig fork, upstream;
  std::string upstream_repo;  // owner/name; empty = unknown
  std::string store_path = ".sluice";
  std::vector<FoundTrailer> trailers;
  std::vector<FoundPath> missing;         // blobs that the object store lacks: missing = "drop"
  std::vector<FoundPath> deleted;         // upstream files that the fork deleted (its CI): class = "deleted"
  std::vector<FoundPath> pins;            // files that pin a toolchain: class = "pin"
  std::vector<std::string> fork_surface;  // files that only the fork has, or that it rewrote
  enum class Build { none, cmake_ninja, cmake_make } build = Build::none;
  bool ctest = false;         // the project registers tests with CTest
  std::string source_subdir;  // of the top CMakeLists.txt; empty = the root
};
// A commented file that parse() accepts as it is; autonomy is `observe`.
std::string render_initial(const InitialConfig& found);

}  // namespace sluice::config
