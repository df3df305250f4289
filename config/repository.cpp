// SPDX-License-Identifier: Apache-2.0
// [fork] [upstream] [store] [trailers] [message] [landing]
#include <fmt/format.h>

#include "config/config.h"
#include "config/draft.h"
#include "config/values.h"
#include "core/file.h"
#include "core/model/oid.h"
#include "core/text.h"

namespace sluice::config {
namespace {

void read_url(Section& section, Draft& draft, std::string& out) {
  section.require("url");
  section.text("url", out);
  if (out.empty()) return;
  const std::string wrong = check_url(out);
  if (!wrong.empty()) return section.problem("url", wrong);
  if (is_local_path(out)) out = core::absolute_path(core::join_path(draft.directory, out));
}

bool has_any_of(std::string_view text, std::string_view forbidden) {
  return text.find_first_of(forbidden) != std::string_view::npos;
}

}  // namespace

void read_fork(const toml::table& root, Draft& draft) {
  const toml::table* table = table_of(root, "fork", draft.problems, Presence::required);
  if (table == nullptr) return;
  Section section(*table, "[fork]", draft.problems);
  model::RemoteConfig& fork = draft.config.fork;
  read_url(section, draft, fork.url);
  section.require("branch");
  section.text("branch", fork.branch);
  if (!fork.branch.empty()) {
    const std::string wrong = check_branch(fork.branch);
    if (!wrong.empty()) section.problem("branch", wrong);
  }
  section.finish();
}

void read_upstream(const toml::table& root, Draft& draft) {
  const toml::table* table = table_of(root, "upstream", draft.problems, Presence::required);
  if (table == nullptr) return;
  Section section(*table, "[upstream]", draft.problems);
  model::RemoteConfig& upstream = draft.config.upstream;
  draft.upstream_line = section.line("url");
  read_url(section, draft, upstream.url);
  section.require("branch");
  section.text("branch", upstream.branch);
  if (!upstream.branch.empty() && !model::is_oid(upstream.branch)) {
    const std::string wrong = check_branch(upstream.branch);
    if (!wrong.empty()) section.problem("branch", wrong);
  }
  std::string& repo = draft.config.upstream_repo;
  section.text("repo", repo);
  if (!repo.empty() && (repo.find('/') == std::string::npos || repo.starts_with('/') || repo.ends_with('/') ||
                        repo.find("//") != std::string::npos || has_any_of(repo, " :@#?\\<>")))
    section.problem("repo", fmt::format("'{}' is not owner/name", core::printable(repo)));
  if (repo.empty()) repo = repo_of_url(upstream.url);
  section.integer("window_days", draft.config.window_days, 0, 3650);
  section.later({"expand_merges"});
  section.finish();
}

void read_store(const toml::table& root, Draft& draft) {
  const toml::table* table = table_of(root, "store", draft.problems, Presence::required);
  if (table == nullptr) return;
  Section section(*table, "[store]", draft.problems);
  section.require("path");
  std::string path;
  section.text("path", path);
  if (path.starts_with('~')) section.problem("path", "'~' is not expanded, write the whole path");
  if (!path.empty()) draft.config.store_path = core::absolute_path(core::join_path(draft.directory, path));
  section.finish();
}

void read_trailers(const toml::table& root, Draft& draft) {
  const toml::table* table = table_of(root, "trailers", draft.problems);
  if (table == nullptr) return;
  Section section(*table, "[trailers]", draft.problems);
  section.texts("import", draft.config.trailer_patterns);
  for (const std::string& pattern : draft.config.trailer_patterns) {
    const std::string wrong = check_trailer(pattern);
    if (!wrong.empty()) section.problem("import", wrong);
  }
  section.finish();
}

void read_message(const toml::table& root, Draft& draft) {
  const toml::table* table = table_of(root, "message", draft.problems);
  if (table == nullptr) return;
  Section section(*table, "[message]", draft.problems);
  model::Config& config = draft.config;
  section.text("subject_prefix", config.subject_prefix);
  if (config.subject_prefix.size() > 60)
    section.problem("subject_prefix",
                    fmt::format("is {} bytes long, at most 60", config.subject_prefix.size()));
  section.text("committer_name", config.committer_name);
  section.text("committer_email", config.committer_email);
  // git cuts a name at these, and the commit would differ from what is configured.
  if (has_any_of(config.committer_name, "<>")) section.problem("committer_name", "must not hold '<' or '>'");
  if (has_any_of(config.committer_email, "<> "))
    section.problem("committer_email", "must not hold '<', '>' or a space");
  section.finish();
}

void read_landing(const toml::table& root, Draft& draft) {
  const toml::table* table = table_of(root, "landing", draft.problems);
  if (table == nullptr) return;
  Section section(*table, "[landing]", draft.problems);
  using Word = std::pair<std::string_view, std::string>;
  static const Word modes[] = {{"push", "push"}};
  static const Word shapes[] = {{"linear", "linear"}, {"merge", "merge"}};
  static constexpr std::pair<std::string_view, model::Autonomy> autonomies[] = {
      {"observe", model::Autonomy::observe}, {"land", model::Autonomy::land}};
  static constexpr std::string_view later_modes[] = {"pull-request", "export"};
  static constexpr std::string_view later_autonomies[] = {"propose"};
  section.word<std::string>("mode", draft.config.landing_mode, modes, later_modes);
  section.word<std::string>("shape", draft.config.landing_shape, shapes, {});
  section.word<model::Autonomy>("autonomy", draft.config.autonomy, autonomies, later_autonomies);
  section.integer("bundle_max", draft.config.bundle_max, 1, 1000);
  section.boolean("push_ledger", draft.config.push_ledger);
  section.later({"signing", "signoff"});
  section.finish();
}

}  // namespace sluice::config
