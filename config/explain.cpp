// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "config/config.h"
#include "config/names.h"
#include "core/clock.h"
#include "core/process.h"
#include "core/text.h"

namespace sluice::config {
namespace {

std::string_view word_of(model::Autonomy autonomy) {
  switch (autonomy) {
    case model::Autonomy::observe:
      return "observe (plans and judges, writes nothing outside the store)";
    case model::Autonomy::propose:
      return "propose (change requests only)";
    case model::Autonomy::land:
      return "land (moves the fork's branch when every guardrail has passed)";
  }
  return "";
}

void line(std::string& out, std::string_view key, std::string_view value) {
  out += fmt::format("  {:<18} {}\n", key, value.empty() ? std::string_view("-") : value);
}

std::string limits_of(const model::SuiteConfig& s) {
  return fmt::format("time {}, memory {}, {} processes, disk {} MiB",
                     s.timeout_s == 0 ? "by class" : fmt::format("{} s", s.timeout_s),
                     s.memory_mib == 0 ? "by default" : fmt::format("{} MiB", s.memory_mib), s.pids,
                     s.disk_mib);
}

void explain_paths(std::string& out, const std::vector<model::PathConfig>& paths) {
  out += "paths (the first entry that matches decides each property)\n";
  if (paths.empty()) out += "  none\n";
  for (const model::PathConfig& p : paths) {
    std::string what = fmt::format("upstream {}, missing blob {}", name_of(p.upstream, upstream_says),
                                   name_of(p.missing, missing_says));
    if (p.klass != model::PathClass::none)
      what = fmt::format("class {}, {}", name_of(p.klass, path_classes), what);
    if (!p.owner.empty()) what += fmt::format(", owner {}", core::printable(p.owner));
    line(out, core::printable(p.glob), what);
  }
}

void explain_suites(std::string& out, const std::vector<model::SuiteConfig>& suites) {
  out += "suites\n";
  if (suites.empty()) out += "  none: nothing is built or tested, so nothing can land\n";
  for (const model::SuiteConfig& s : suites) {
    out += fmt::format("  {} ({}, {})\n", s.id, s.kind, s.tier);
    for (const std::vector<std::string>& argv : s.steps)
      line(out, "  runs", core::printable(core::shell_quote(argv), 400));
    if (s.kind != "build") line(out, "  results", "/build/" + core::printable(s.results));
    if (!s.needs.empty()) line(out, "  in the build of", s.needs);
    line(out, "  required for", core::join(s.required_for, ", "));
    line(out, "  environment", fmt::format("{}, runner {}", s.environment, s.runner));
    line(out, "  limits", limits_of(s));
    for (const auto& [test, reason] : s.allowed_skips)
      line(out, "  may skip", fmt::format("{}: {}", core::printable(test), core::printable(reason)));
  }
}

std::string cap_text(const model::BudgetCap& cap, const std::string& currency) {
  std::string out;
  if (cap.money > 0) out = fmt::format("{:.2f} {}", static_cast<double>(cap.money) / 1e6, currency);
  if (cap.tokens > 0) out += fmt::format("{}{} tokens", out.empty() ? "" : ", ", cap.tokens);
  return out.empty() ? "no cap" : out;
}

void explain_model(std::string& out, const model::Config& c) {
  out += "conflicts (remembered and proven answers land; then)\n";
  line(out, "candidate rules", name_of(c.ladder.candidate, rung_modes));
  for (const auto& [id, mode] : c.ladder.rules) line(out, "  " + core::printable(id), name_of(mode, rung_modes));
  for (const model::ResolverConfig& r : c.ladder.resolvers)
    line(out, "merge driver", fmt::format("{}: {} ({})", r.name, core::printable(core::shell_quote(r.command), 400), name_of(c.ladder.external, rung_modes)));
  if (c.model.use.empty()) {
    line(out, "model", "none");
    return;
  }
  for (const model::EndpointConfig& e : c.model.endpoints) {
    if (e.name != c.model.use) continue;
    line(out, "model", fmt::format("{} at {} ({}, {}), {}", core::printable(e.model), core::printable(e.base_url, 400), e.provider, e.dialect, name_of(c.ladder.model, rung_modes)));
    line(out, "  key", e.auth == "none" ? "none" : e.key_file.empty() ? "from $" + core::printable(e.key_env) : "from " + core::printable(e.key_file, 400));
  }
  line(out, "  may be sent", c.model.send.empty() ? std::string("every path") : core::printable(core::join(c.model.send, ", "), 400));
  line(out, "  never", core::printable(core::join(c.model.never_send, ", "), 400));
  const model::BudgetConfig& b = c.model.budget;
  for (const auto& [name, cap] : {std::pair{"  a call", &b.call}, std::pair{"  a run", &b.run}, std::pair{"  a unit", &b.unit},
                                  std::pair{"  a night", &b.night}, std::pair{"  the fork", &b.fork}})
    line(out, name, cap_text(*cap, b.currency));
}

}  // namespace

std::string explain(const model::Config& c) {
  std::string out = fmt::format("{}\n", core::printable(c.file, 400));
  line(out, "fork", fmt::format("{} branch {}", core::printable(c.fork.url, 400), c.fork.branch));
  line(out, "upstream", fmt::format("{} branch {}", core::printable(c.upstream.url, 400), c.upstream.branch));
  line(out, "upstream repo",
       c.upstream_repo.empty() ? "unknown: #N in messages stays unqualified" : c.upstream_repo);
  line(out, "window",
       c.window_days == 0 ? std::string("every commit at once")
                          : fmt::format("commits older than {} days", c.window_days));
  line(out, "store", core::printable(c.store_path, 400));
  line(out, "autonomy", word_of(c.autonomy));
  line(out, "landing",
       fmt::format("{}, {}, bundles of at most {}", c.landing_mode, c.landing_shape, c.bundle_max));
  line(out, "ledger", c.push_ledger ? "refs/sluice/ledger, also on the fork" : "refs/sluice/ledger, not pushed");
  line(out, "committer", fmt::format("{} <{}>", c.committer_name, c.committer_email));
  line(out, "subject prefix", c.subject_prefix);
  for (const std::string& pattern : c.trailer_patterns) line(out, "imports", core::printable(pattern));
  line(out, "jobs", c.jobs == 0 ? std::string("one per core") : std::to_string(c.jobs));
  line(out, "sandbox",
       c.allow_unsandboxed ? "may be missing (allow_unsandboxed): results say so" : "required");
  for (const model::EnvironmentConfig& e : c.environments) {
    line(out, "environment",
         fmt::format("{}: root {}", e.name, e.root.empty() ? "/" : core::printable(e.root)));
    for (const auto& [name, value] : e.variables)
      line(out, "  variable", fmt::format("{}={}", name, core::printable(value)));
  }
  explain_model(out, c);
  if (!c.policy.ref.empty()) {
    line(out, "policy", fmt::format("{}:{} of the fork, {}", core::printable(c.policy.ref), core::printable(c.policy.path, 400),
                                    c.policy.blob.empty() ? "not read yet" : "blob " + c.policy.blob));
    if (c.policy.blob.empty()) return out;
  }
  explain_paths(out, c.policy.paths);
  explain_suites(out, c.policy.suites);
  out += "rules (every other rule has its own mode and numbers)\n";
  for (const auto& [id, rule] : c.policy.rules) {
    std::string text = rule.mode ? std::string(name_of(*rule.mode, rule_modes)) : std::string("its own mode");
    if (rule.calibrated > 0) text += fmt::format(", calibrated for version {}", rule.calibrated);
    for (const auto& [key, value] : rule.thresholds) text += fmt::format(", {} {}", key, value);
    line(out, id, text);
  }
  out += "fork surface\n";
  for (const std::string& glob : c.policy.fork_surface) out += fmt::format("  {}\n", core::printable(glob));
  out += "invariants of the fork (no pick may take them away)\n";
  if (c.policy.invariants.empty()) out += "  none\n";
  for (const model::InvariantConfig& i : c.policy.invariants) {
    line(out, core::printable(i.path), fmt::format("{} or more lines match {}", i.min, core::printable(i.pattern)));
    if (!i.why.empty()) line(out, "  why", core::printable(i.why));
  }
  out += "registers (tests that waver, and failures of trunk that are known)\n";
  if (c.policy.flakes.empty() && c.policy.known_failures.empty()) out += "  none\n";
  for (const auto* entries : {&c.policy.flakes, &c.policy.known_failures}) {
    for (const model::RegisterEntry& e : *entries) {
      line(out, core::printable(e.suite), fmt::format("{}{}{}, until {}, {}: {}", core::printable(e.test), e.fingerprint.empty() ? " wavers" : " fails as ",
                                                      e.fingerprint, core::format_utc(e.expires).substr(0, 10), core::printable(e.owner), core::printable(e.reason)));
    }
  }
  out += fmt::format("policy sha256 {}\n", c.policy.sha256);
  return out;
}

}  // namespace sluice::config
