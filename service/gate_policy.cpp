// SPDX-License-Identifier: Apache-2.0
#include "service/gate_policy.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "core/text.h"
#include "service/policy_ref.h"

namespace sluice::service {

namespace {

// A configuration in the work tree of the fork that the judged commit carries as well is the candidate's, not the
// operator's.
Result<void> not_of_the_judged(const GateOptions& options, const git::Reader& fork) {
  std::error_code failed;
  const auto file = std::filesystem::weakly_canonical(options.config, failed);
  auto top = std::filesystem::weakly_canonical(options.fork_repo, failed);
  if (top.filename() == ".git") top = top.parent_path();  // the work tree lies around it
  if (failed) return {};  // whoever opens them says what is wrong
  const std::string below = file.lexically_relative(top).generic_string();
  if (below.empty() || below.starts_with("..")) return {};
  const auto result = fork.resolve(options.branch.empty() ? options.result : options.branch);
  if (!result.ok()) return {};
  const auto tree = fork.tree_of(*result);
  if (!tree.ok()) return {};
  const auto entry = fork.entry(*tree, below);
  if (!entry.ok() || !*entry) return {};
  return make_error(ErrorKind::invalid, fmt::format("--config {} is a file of the judged commit, which must not choose its own policy; name a file outside "
                                                    "of it, or --policy REF:PATH with a ref that is not judged", core::printable(options.config)));
}

// The same of a ref: a commit that the judged ones bring may say of the policy only what stood there before them.
Result<void> not_brought_along(const GateOptions& options, const git::Reader& fork, const Oid& policy, const model::Config& config, const std::string& name) {
  const auto judged = fork.resolve(options.branch.empty() ? options.result : options.branch);
  if (!judged.ok()) return {};  // --rules and --canaries judge nothing; else whoever opens it says what is wrong
  const auto reaches = [&](const Oid& from) { return policy == from || fork.is_ancestor(policy, from).value_or(false); };
  if (!reaches(*judged)) return {};
  std::vector<std::string> places = {options.onto};
  if (options.onto.empty() && options.branch.empty()) places = {*judged + "^"};
  if (options.onto.empty() && !options.branch.empty()) places = {"refs/remotes/origin/" + config.fork.branch, "refs/heads/" + config.fork.branch};
  Oid before;
  for (const std::string& place : places) {
    if (const auto found = fork.resolve(place); before.empty() && found.ok()) before = *found;
  }
  if (before.empty() || reaches(before)) return {};
  const auto blob = [&](const Oid& commit) -> Oid {
    const auto tree = fork.tree_of(commit);
    if (!tree.ok()) return {};
    const auto entry = fork.entry(*tree, config.policy.path);
    return entry.ok() && *entry ? (*entry)->oid : Oid{};
  };
  if (const Oid here = blob(policy); here.empty() || here == blob(before)) return {};
  return make_error(ErrorKind::invalid, fmt::format("the policy {} is what the judged commits bring ({}), and they must not choose their own; "
                                                    "name a ref that they are meant for", core::printable(name), policy));
}

Result<void> read_ref(const GateOptions& options, const git::Reader* given, const std::string& ref, const std::string& name, bool without_operator, model::Config& config) {
  if (given == nullptr) {
    TRY_ASSIGN(const git::Reader own, git::Reader::open(options.fork_repo));
    return read_ref(options, &own, ref, name, without_operator, config);
  }
  const git::Reader& fork = *given;
  constexpr std::string_view heads = "refs/heads/";
  // In a clone the branches of the fork's remote stand below origin.
  auto commit = ref.starts_with(heads) ? fork.resolve("refs/remotes/origin/" + ref.substr(heads.size())) : fork.resolve(ref);
  if (!commit.ok() && ref.starts_with(heads)) commit = fork.resolve(ref);
  if (!commit.ok()) {
    return make_error(ErrorKind::transient, fmt::format("the policy {} cannot be read: {}; nothing is judged without it", core::printable(name), commit.error().message));
  }
  TRY(not_brought_along(options, fork, *commit, config, name));
  return read_policy_at(fork, *commit, config.policy.path, name, without_operator, config);
}

}  // namespace

Result<GatePolicy> gate_policy(const GateOptions& options, const git::Reader* fork) {
  GatePolicy out;
  out.source = "built-in defaults";
  if (!options.config.empty() && !options.policy.empty()) {
    return make_error(ErrorKind::invalid, "--config and --policy cannot both be given: the policy is that of one of them");
  }
  if (!options.config.empty()) {
    if (fork != nullptr) TRY(not_of_the_judged(options, *fork));
    TRY_ASSIGN(out.config, config::load(options.config));
    TRY(check_rules_of(out.config.policy, out.config.file));
    if (!out.config.policy.ref.empty()) {
      const std::string ref = out.config.policy.ref;
      TRY(read_ref(options, fork, ref, ref + ":" + out.config.policy.path, false, out.config));
    }
    out.source = policy_source(out.config);
  }
  if (!options.policy.empty()) {
    const std::size_t colon = options.policy.find(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == options.policy.size()) {
      return make_error(ErrorKind::invalid, fmt::format("--policy {}: must be REF:PATH, e.g. origin/main:sluice-policy.toml", core::printable(options.policy)));
    }
    out.config.policy.ref = options.policy.substr(0, colon);
    out.config.policy.path = options.policy.substr(colon + 1);
    TRY(read_ref(options, fork, out.config.policy.ref, options.policy, true, out.config));
    out.source = policy_source(out.config);
  }
  for (const std::string& glob : options.drop_missing) {
    model::PathConfig path;
    path.glob = glob;
    path.missing = model::MissingSay::drop;
    out.config.policy.paths.insert(out.config.policy.paths.begin(), path);
  }
  return out;
}

}  // namespace sluice::service
