// SPDX-License-Identifier: Apache-2.0
#include "service/model/pick_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "agent/agent.h"
#include "core/file.h"
#include "core/text.h"

namespace sluice::service {

namespace {

// The name of a placeholder's value inside the sandbox.
std::string filled_in(std::string word, const std::string& path, int marker_size) {
  const std::pair<std::string_view, std::string> values[] = {
      {"%O", "/src/base"}, {"%A", "/build/ours"}, {"%B", "/src/theirs"}, {"%L", std::to_string(marker_size)}, {"%P", path}};
  std::string out;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto found = std::find_if(std::begin(values), std::end(values), [&](const auto& v) { return std::string_view(word).substr(i, 2) == v.first; });
    if (found == std::end(values)) {
      out += word[i];
      continue;
    }
    out += found->second;
    ++i;
  }
  return out;
}

}  // namespace

PickChecks::PickChecks(git::Repo& repo, const model::PolicyConfig& policy, const model::UpstreamCommit& upstream, const model::Pick& pick,
                       const model::Oid& onto_commit, Compile compile, OpenRunner open_runner)
    : repo_(repo), policy_(policy), compile_(std::move(compile)), open_runner_(std::move(open_runner)) {
  facts_.upstream = upstream.oid;
  facts_.upstream_parent = upstream.parent;
  facts_.upstream_tree = upstream.tree;
  facts_.base_tree = model::empty_tree;
  facts_.onto_tree = pick.onto;
  facts_.onto_commit = onto_commit;
  facts_.merge_tree = pick.tree;
  facts_.conflicted = true;
  facts_.conflicts = pick.conflicts;
  facts_.dropped = pick.dropped;
  facts_.renames_skipped = pick.renames_skipped;
}

void PickChecks::judge_companion(const model::Oid& pick_tree) {
  // As a unit's companion is judged: B is upstream's tree, so that lines which only the fork has are known.
  judged_ = guardrails::Judged::companion;
  facts_.base_tree = facts_.upstream_tree;
  facts_.onto_tree = facts_.merge_tree = pick_tree;
  facts_.conflicted = facts_.renames_skipped = false;
  facts_.conflicts.clear();
}

Result<model::Verdict> PickChecks::judge(const tools::Draft& draft, const model::AccountEntry* more) {
  if (!facts_.upstream_parent.empty() && judged_ == guardrails::Judged::pick) {
    TRY_ASSIGN(facts_.base_tree, repo_.reader().tree_of(facts_.upstream_parent));
  }
  TRY_ASSIGN(facts_.proposed_tree, agent::write_draft(repo_, draft));
  facts_.resolutions = draft.resolutions;
  facts_.account.clear();
  for (const model::DroppedPath& path : facts_.dropped) {
    if (path.why == "missing") continue;
    facts_.account.push_back({"proven", path.path, "", 0, "DROPPED_BY_POLICY", path.policy, "[[path]] keeps what the fork has"});
  }
  facts_.account.insert(facts_.account.end(), draft.account.begin(), draft.account.end());
  if (more != nullptr) facts_.account.push_back(*more);
  return guardrails::judge_pick(repo_.reader(), facts_, policy_, {}, judged_, &memory_);
}

Result<std::vector<tools::Finding>> PickChecks::findings(tools::Level level, const tools::Draft& draft) {
  std::vector<tools::Finding> out;
  if (level == tools::Level::compile) {
    if (!compile_) return std::vector<tools::Finding>{{"compile", model::Judgement::pass, "", 0, "", "no build is configured for this check", "", "", 1}};
    TRY(add_compile(draft, out));
    return out;
  }
  TRY_ASSIGN(const model::Verdict verdict, judge(draft, nullptr));
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::size_t> known;  // one finding a line, counted
  for (const model::RuleResult& rule : verdict.rules) {
    if (!rule.applicable || rule.observed) continue;
    const bool silent = rule.judgement != model::Judgement::pass && rule.items.empty();
    if (silent) out.push_back({rule.id, rule.judgement, "", 0, "", rule.title, "", "", 1});
    for (const model::VerdictItem& item : rule.items) {
      if (item.judgement == model::Judgement::pass) continue;
      const auto key = std::tuple(rule.id, item.path, item.account, item.norm_sha256);
      if (const auto again = known.find(key); again != known.end() && !item.norm_sha256.empty()) {
        ++out[again->second].count;
        continue;
      }
      known.emplace(key, out.size());
      out.push_back({rule.id, item.judgement, item.path, item.line, item.text, item.detail, item.account.empty() ? "" : item.norm_sha256, item.account, 1});
    }
  }
  // A repair that does not build is none.
  if (judged_ == guardrails::Judged::companion && compile_ && out.empty()) TRY(add_compile(draft, out));
  return out;
}

Result<void> PickChecks::add_compile(const tools::Draft& draft, std::vector<tools::Finding>& out) {
  TRY_ASSIGN(const model::Oid tree, agent::write_draft(repo_, draft));
  TRY_ASSIGN(const auto evidence, compile_(tree));
  for (const model::Evidence& e : evidence) {
    auto found = compile_findings(e);
    out.insert(out.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }
  return {};
}

Result<std::string> PickChecks::verify(const model::AccountEntry& entry, const tools::Draft& draft) {
  // The rules themselves say whether an entry is true: by what becomes of the items that it names.
  const auto items_of = [&](const model::Verdict& verdict) {
    std::vector<model::VerdictItem> out;
    for (const model::RuleResult& rule : verdict.rules)
      for (const model::VerdictItem& item : rule.items)
        if (item.path == entry.path && item.norm_sha256 == entry.norm_sha256 && !item.norm_sha256.empty()) out.push_back(item);
    return out;
  };
  TRY_ASSIGN(const model::Verdict before, judge(draft, nullptr));
  TRY_ASSIGN(const model::Verdict after, judge(draft, &entry));
  const auto was = items_of(before), is = items_of(after);
  if (is.empty()) return fmt::format("no rule asks about this line of {}", core::printable(entry.path));
  const auto blocks = [](const std::vector<model::VerdictItem>& items) {
    return std::count_if(items.begin(), items.end(), [](const auto& i) { return i.judgement == model::Judgement::block; });
  };
  if (blocks(is) <= blocks(was)) return std::string();
  const auto refuted = std::find_if(is.begin(), is.end(), [](const auto& i) { return i.judgement == model::Judgement::block; });
  return refuted->detail.empty() ? "it is not true of this draft" : refuted->detail;
}

Result<std::optional<std::string>> PickChecks::run_driver(const model::ResolverConfig& driver, const tools::DriverFiles& files) {
  if (!open_runner_) return make_error(ErrorKind::denied, "merge drivers cannot be run here");
  TRY_ASSIGN(runners::Runner* const runner, open_runner_());
  return run_driver_in(*runner, driver, files);
}

Result<std::optional<std::string>> run_driver_in(runners::Runner& runner, const model::ResolverConfig& driver, const tools::DriverFiles& files) {
  TRY_ASSIGN(const core::TempDir source, core::TempDir::create_in("/var/tmp", "sluice-driver-"));
  TRY_ASSIGN(const core::TempDir build, core::TempDir::create_in("/var/tmp", "sluice-driver-"));
  TRY(core::write_file(core::join_path(source.path(), "base"), files.base));
  TRY(core::write_file(core::join_path(source.path(), "theirs"), files.theirs));
  TRY(core::write_file(core::join_path(build.path(), "ours"), files.ours));
  model::RunRequest request;
  request.suite.id = "driver-" + driver.name;
  request.suite.kind = "build";
  request.suite.timeout_s = driver.timeout_s;
  request.suite.steps.emplace_back();
  for (const std::string& word : driver.command) request.suite.steps.front().push_back(filled_in(word, files.path, files.marker_size));
  request.source_dir = source.path();
  request.build_dir = build.path();
  TRY_ASSIGN(const model::Evidence evidence, runner.run(request, nullptr));
  if (!evidence.trouble.empty()) return make_error(ErrorKind::transient, fmt::format("{}: {}", evidence.trouble, evidence.trouble_detail));
  // git's contract: 0 = merged, 1 to 127 = a conflict is left, more = the driver itself failed.
  if (evidence.exit_code > 127) return make_error(ErrorKind::transient, fmt::format("exit status {}", evidence.exit_code));
  if (evidence.exit_code != 0) return std::optional<std::string>();
  TRY_ASSIGN(std::string merged, core::read_file_beneath(build.path(), "ours", 16u << 20));
  return std::optional(std::move(merged));
}

}  // namespace sluice::service
