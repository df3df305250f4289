// SPDX-License-Identifier: Apache-2.0
// [registers], and the files that it names: [[flake]] and [[known_failure]].
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <tuple>
#include <utility>

#include "config/draft.h"
#include "config/values.h"
#include "core/file.h"
#include "core/text.h"

namespace sluice::config {
namespace {

constexpr std::size_t max_bytes = 1u << 20;
constexpr std::int64_t day = 86400;
// A failure that may stay red for longer is a state, not a loan, and hides what comes after it.
constexpr std::int64_t longest_loan_days = 7;

enum class Kind { flake, known_failure };

std::optional<std::int64_t> midnight(int year, unsigned month, unsigned date) {
  const std::chrono::year_month_day ymd{std::chrono::year(year), std::chrono::month(month), std::chrono::day(date)};
  if (!ymd.ok() || year < 1970 || year > 9999) return std::nullopt;
  return std::chrono::sys_seconds(std::chrono::sys_days(ymd)).time_since_epoch().count();
}

// 2026-08-22, as a date of TOML or as text.
std::int64_t read_date(Section& section, std::string_view key) {
  section.require(key);
  const toml::node* node = section.node(key);
  if (node == nullptr) return 0;
  std::optional<std::int64_t> at;
  if (const auto* date = node->as_date()) {
    at = midnight(date->get().year, date->get().month, date->get().day);
  } else if (const auto* text = node->as_string()) {
    const std::string& s = text->get();
    int year = 0, end = 0;
    unsigned month = 0, date_of_month = 0;
    const bool shape = s.size() == 10 && std::sscanf(s.c_str(), "%4d-%2u-%2u%n", &year, &month, &date_of_month, &end) == 3 && end == 10;
    if (shape) at = midnight(year, month, date_of_month);
  }
  if (!at) section.problem(key, "must be a date like 2026-08-22");
  return at.value_or(0);
}

void read_entry(const toml::table& table, Kind kind, const std::vector<std::string>& suites, Problems& problems,
                std::vector<model::RegisterEntry>& out) {
  Section section(table, kind == Kind::flake ? "[[flake]]" : "[[known_failure]]", problems);
  model::RegisterEntry entry;
  entry.line = section.line();
  for (const std::string_view key : {"suite", "test", "reason", "owner"}) section.require(key);
  section.text("suite", entry.suite);
  section.text("test", entry.test);
  section.text("reason", entry.reason);
  section.text("owner", entry.owner);
  if (!entry.suite.empty() && std::find(suites.begin(), suites.end(), entry.suite) == suites.end())
    section.problem("suite", fmt::format("'{}' is no [[suite]]{}", core::printable(entry.suite), suggest(entry.suite, suites)));
  if (kind == Kind::known_failure) {
    section.require("fingerprint");
    section.text("fingerprint", entry.fingerprint);
    const std::string_view digits = std::string_view(entry.fingerprint).substr(std::min<std::size_t>(2, entry.fingerprint.size()));
    if (!entry.fingerprint.empty() && (!entry.fingerprint.starts_with("f-") || !core::is_hex(digits, 12)))
      section.problem("fingerprint", fmt::format("'{}' is none; a verdict prints it beside the failure as f- and 12 digits", core::printable(entry.fingerprint)));
  }
  entry.since = read_date(section, "since");
  entry.expires = read_date(section, "expires");
  if (entry.since > 0 && entry.expires > 0) {
    const std::int64_t days = (entry.expires - entry.since) / day;
    if (days <= 0) {
      section.problem("expires", "must lie behind since");
    } else if (kind == Kind::known_failure && days > longest_loan_days) {
      section.problem("expires", fmt::format("is {} days behind since, the limit is {}: who still wants it then writes it again", days, longest_loan_days));
    }
  }
  section.finish();
  const bool twice = std::any_of(out.begin(), out.end(), [&](const auto& e) {
    return !entry.test.empty() && e.suite == entry.suite && e.test == entry.test && e.fingerprint == entry.fingerprint;
  });
  if (twice) section.problem("test", fmt::format("'{}' has an entry already", core::printable(entry.test)));
  out.push_back(std::move(entry));
}

Result<std::vector<model::RegisterEntry>> read_register(const Draft& draft, const std::string& path, Kind kind, const std::vector<std::string>& suites) {
  TRY_ASSIGN(const std::string text, draft.beside ? draft.beside(path) : core::read_file(path, max_bytes));
  if (text.size() > max_bytes) return make_error(ErrorKind::invalid, fmt::format("{}: {} bytes are more than {}", path, text.size(), max_bytes));
  TRY_ASSIGN(const toml::table root, read_toml(text, path));
  const std::string name = kind == Kind::flake ? "flake" : "known_failure";
  Problems problems(path);
  std::vector<model::RegisterEntry> out;
  for (const auto& [key, value] : root) {
    if (key.str() != name)
      problems.add(static_cast<int>(key.source().begin.line), fmt::format("unknown '{}'; this file holds [[{}]] alone", core::printable(key.str()), name));
  }
  for (const toml::table* table : entries_of(root, name, problems)) read_entry(*table, kind, suites, problems, out);
  if (problems.any()) return problems.error();
  return out;
}

}  // namespace

void read_registers(const toml::table& root, Draft& draft) {
  const toml::table* table = table_of(root, "registers", draft.problems);
  if (table == nullptr) return;
  Section section(*table, "[registers]", draft.problems);
  section.text("flakes", draft.flakes_path);
  section.text("known_failures", draft.known_failures_path);
  section.finish();
  if (draft.beside) return;  // paths of the tree
  for (std::string* path : {&draft.flakes_path, &draft.known_failures_path}) {
    if (!path->empty()) *path = core::absolute_path(core::join_path(draft.directory, *path));
  }
}

Result<void> fill_registers(Draft& draft) {
  model::PolicyConfig& policy = draft.config.policy;
  std::vector<std::string> suites;
  for (const model::SuiteConfig& suite : policy.suites) suites.push_back(suite.id);
  if (!draft.flakes_path.empty()) {
    TRY_ASSIGN(policy.flakes, read_register(draft, draft.flakes_path, Kind::flake, suites));
  }
  if (!draft.known_failures_path.empty()) {
    TRY_ASSIGN(policy.known_failures, read_register(draft, draft.known_failures_path, Kind::known_failure, suites));
  }
  return {};
}

core::Json register_json(const std::vector<model::RegisterEntry>& entries) {
  std::vector<model::RegisterEntry> sorted = entries;
  const auto key = [](const model::RegisterEntry& e) { return std::tie(e.suite, e.test, e.fingerprint, e.expires, e.owner); };
  std::sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  core::Json out = core::Json::array();
  for (const model::RegisterEntry& e : sorted) {
    out.push(core::Json::object({{"suite", e.suite}, {"test", e.test}, {"fingerprint", e.fingerprint}, {"reason", e.reason},
                                 {"owner", e.owner}, {"since", e.since}, {"expires", e.expires}}));
  }
  return out;
}

}  // namespace sluice::config
