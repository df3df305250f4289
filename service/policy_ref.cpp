// SPDX-License-Identifier: Apache-2.0
#include "service/policy_ref.h"

#include <fmt/format.h>

#include <string_view>

#include "config/config.h"
#include "core/text.h"
#include "guardrails/guardrails.h"

namespace sluice::service {

namespace {

constexpr const char* local_ref = "refs/sluice/policy";
constexpr std::string_view heads = "refs/heads/";

std::string name_of(const model::PolicyConfig& policy) { return policy.ref + ":" + policy.path; }

}  // namespace

Result<void> check_rules_of(const model::PolicyConfig& policy, const std::string& file) {
  auto checked = guardrails::check_policy(policy);
  if (checked.ok()) return {};
  std::string_view words = checked.error().message;
  constexpr std::string_view head = "line ";
  if (words.starts_with(head)) return make_error(checked.error().kind, fmt::format("{}:{}", file, words.substr(head.size())));
  return make_error(checked.error().kind, fmt::format("{}: {}", file, words));
}

Result<void> read_policy_at(const git::Reader& reader, const Oid& commit, const std::string& path, const std::string& name,
                            bool without_operator, model::Config& config) {
  const auto missing = [&](const std::string& what, const std::string& why) {
    return make_error(ErrorKind::transient, fmt::format("{} cannot be read at {}: {}; nothing is judged without the policy", what, commit, why));
  };
  const auto tree = reader.tree_of(commit);
  if (!tree.ok()) return missing(name, tree.error().message);
  const auto read = [&](const std::string& file) -> Result<std::string> {
    const std::string shown = name.substr(0, name.size() - path.size()) + file;
    auto text = reader.file(*tree, file);
    if (!text.ok()) return missing(shown, text.error().message);
    if (!*text) return missing(shown, "there is no such file");
    return std::move(**text);
  };
  const auto entry = reader.entry(*tree, path);
  if (!entry.ok()) return missing(name, entry.error().message);
  if (!*entry || (*entry)->mode == 0120000) return missing(name, "there is no such file");
  config::PolicyText given;
  TRY_ASSIGN(given.text, read(path));
  given.name = name;
  given.blob = (*entry)->oid;
  given.beside = read;
  given.without_operator = without_operator;
  model::Config with = config;
  TRY(config::read_policy(given, with));
  TRY(check_rules_of(with.policy, name));
  config = std::move(with);
  return {};
}

Result<void> fetch_policy(App& app) {
  model::PolicyConfig& policy = app.config.policy;
  if (policy.ref.empty()) return {};
  policy.blob.clear();  // until it is read again
  const std::string branch = policy.ref.substr(heads.size());
  app.progress("fetching the policy", 0, 0);
  const auto fetched = app.repo.fetch(app.config.fork.url, branch, local_ref, git::FetchLimits{}, app.cancel);
  if (!fetched.ok()) {
    const Error& error = fetched.error();
    return make_error(error.kind == ErrorKind::not_found ? ErrorKind::transient : error.kind,
                      fmt::format("the policy {} cannot be fetched: {}; nothing is judged without it", name_of(policy), error.message));
  }
  return read_policy_at(app.repo.reader(), fetched->tip, policy.path, name_of(policy), false, app.config);
}

void remember_policy(App& app) {
  if (app.config.policy.ref.empty()) return;
  const auto tip = app.repo.ref(local_ref);
  if (!tip.ok() || !*tip) return;
  // What is wrong with it, the next fetch says; whoever judges asks for a policy that was read.
  const auto read = read_policy_at(app.repo.reader(), **tip, app.config.policy.path, name_of(app.config.policy), false, app.config);
  if (!read.ok()) app.config.policy.blob.clear();
}

std::string policy_source(const model::Config& config) {
  if (config.policy.ref.empty()) return config.file;
  if (config.policy.blob.empty()) return fmt::format("{} of the fork, not fetched yet", name_of(config.policy));
  return fmt::format("{} of the fork, blob {}", name_of(config.policy), config.policy.blob);
}

}  // namespace sluice::service
