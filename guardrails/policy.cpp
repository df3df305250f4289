// SPDX-License-Identifier: Apache-2.0
#include "guardrails/policy.h"

#include <algorithm>
#include <array>

#include "core/glob.h"

namespace sluice::guardrails {
namespace {

// What decides whether a change is tested at all, or how: a proposal never edits it.
constexpr std::array<std::string_view, 37> protected_globs = {".github/**",
                                                              ".gitlab-ci.yml",
                                                              ".gitlab/**",
                                                              ".circleci/**",
                                                              ".buildkite/**",
                                                              ".azure-pipelines/**",
                                                              "azure-pipelines.yml",
                                                              ".travis.yml",
                                                              "Jenkinsfile",
                                                              ".ci/**",
                                                              "lit.cfg*",
                                                              "lit.local.cfg",
                                                              "lit.site.cfg*",
                                                              "conftest.py",
                                                              "pytest.ini",
                                                              "tox.ini",
                                                              "**/test/CMakeLists.txt",
                                                              "**/tests/CMakeLists.txt",
                                                              "**/unittest/CMakeLists.txt",
                                                              "**/unittests/CMakeLists.txt",
                                                              "CTestTestfile.cmake",
                                                              "**/tolerances/**",
                                                              "*tolerance*.toml",
                                                              "*tolerance*.json",
                                                              "**/perf_baselines/**",
                                                              "**/reference_kernels/**",
                                                              "CODEOWNERS",
                                                              "AGENTS.md",
                                                              "CLAUDE.md",
                                                              "GEMINI.md",
                                                              ".claude/**",
                                                              ".cursor/**",
                                                              ".agents/**",
                                                              ".gitattributes",
                                                              ".gitmodules",
                                                              "sluice.toml",
                                                              "sluice-policy.toml"};

constexpr std::array<std::string_view, 14> pin_globs = {
    "**/llvm-hash.txt", "**/llvm-info.json", "Cargo.lock",        "poetry.lock",
    "uv.lock",          "Pipfile.lock",      "package-lock.json", "yarn.lock",
    "pnpm-lock.yaml",   "Gemfile.lock",      "composer.lock",     "go.sum",
    "flake.lock",       "conan.lock"};

constexpr std::array<std::string_view, 13> test_globs = {
    "**/test/**",      "**/tests/**",    "**/unittest/**", "**/unittests/**", "test_*.py",     "*_test.*", "*_tests.*",
    "**/testdata/**", "conftest.py", "lit.cfg*",       "lit.local.cfg",   "lit.site.cfg*", "pytest.ini"};

template <std::size_t N>
bool any_glob(const std::array<std::string_view, N>& globs, std::string_view path) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](std::string_view glob) { return core::glob_match(glob, path); });
}

}  // namespace

PathRule path_rule(const model::PolicyConfig& policy, std::string_view path) {
  PathRule rule;
  for (const model::PathConfig& entry : policy.paths) {
    if (!core::glob_match(entry.glob, path)) continue;
    if (rule.klass == model::PathClass::none) rule.klass = entry.klass;
    if (!rule.upstream_set && entry.upstream != model::UpstreamSay::list) {
      rule.upstream = entry.upstream;
      rule.upstream_set = true;
    }
  }
  return rule;
}

bool is_protected(const model::PolicyConfig& policy, std::string_view path) {
  return path_rule(policy, path).klass == model::PathClass::protected_ || any_glob(protected_globs, path);
}

bool is_pin(const model::PolicyConfig& policy, std::string_view path) {
  return path_rule(policy, path).klass == model::PathClass::pin || any_glob(pin_globs, path);
}

bool is_test_path(const model::PolicyConfig& policy, std::string_view path) {
  return path_rule(policy, path).klass == model::PathClass::test || any_glob(test_globs, path);
}

bool in_fork_surface(const model::PolicyConfig& policy, std::string_view path) {
  return path_rule(policy, path).klass == model::PathClass::fork ||
         std::any_of(policy.fork_surface.begin(), policy.fork_surface.end(),
                     [&](const std::string& glob) { return core::glob_match(glob, path); });
}

model::Judgement upstream_judgement(const model::PolicyConfig& policy, std::string_view path) {
  switch (path_rule(policy, path).upstream) {
    case model::UpstreamSay::explain:
      return model::Judgement::explain;
    case model::UpstreamSay::block:
      return model::Judgement::block;
    case model::UpstreamSay::list:
    case model::UpstreamSay::ours:
      break;
  }
  return model::Judgement::pass;
}

}  // namespace sluice::guardrails
