// SPDX-License-Identifier: Apache-2.0
#include "service/observe_match.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/hash.h"
#include "core/text.h"

namespace sluice::service {

namespace {

constexpr std::size_t max_side_commits = 2000;  // of one merge on trunk
constexpr std::size_t max_paths = 2000;         // of one landing that is compared by trees
constexpr std::size_t max_candidates = 8;       // upstream commits that touch the same paths

std::string paths_digest(std::vector<std::string> paths) {
  std::sort(paths.begin(), paths.end());
  core::Sha256 sha;
  for (const std::string& path : paths) {
    sha.add(path);
    sha.add(std::string_view("\0", 1));
  }
  return sha.hex();
}

}  // namespace

Result<LandingMatcher> LandingMatcher::open(App& app, const Plan& plan, std::int64_t max_picks) {
  TRY_ASSIGN(ingest::Sources sources,
             ingest::Sources::open(app.repo.reader(), plan.line.line, plan.line.base, app.config.trailer_patterns));
  LandingMatcher matcher(app, plan, std::move(sources));
  matcher.picks_left_ = max_picks;
  return matcher;
}

bool LandingMatcher::is_upstream(const Oid& oid) const { return sources_.on_line(oid).kind == ingest::Place::Kind::line; }

// Paths of upstream's line, read one commit at a time: the facts of a long line are large.
Result<void> LandingMatcher::load_paths() {
  if (indexed_) return {};
  std::int64_t position = 0;
  for (const Oid& oid : plan_->line.line) {
    ++position;
    TRY_ASSIGN(const auto facts, app_->store.facts(oid));
    if (!facts) continue;
    std::vector<std::string> paths;
    for (const model::FileChange& file : facts->files) {
      paths.push_back(file.path);
      if (file.old_path != file.path && file.status == model::ChangeStatus::renamed) paths.push_back(file.old_path);
    }
    if (!paths.empty() && paths.size() <= max_paths) by_paths_[paths_digest(std::move(paths))].push_back(position);
  }
  indexed_ = true;
  return {};
}

Result<void> LandingMatcher::by_message(const git::Commit& commit, std::vector<Found>& found, Match& match) {
  TRY_ASSIGN(const ingest::NamedSources said, sources_.named(commit));
  std::string foreign;
  for (const ingest::NamedSource& source : said.named) {
    if (!source.lands()) continue;
    if (!source.placed() && !source.older) {
      foreign += (foreign.empty() ? "" : ", ") + source.sha;
      continue;
    }
    if (std::any_of(found.begin(), found.end(), [&](const Found& f) { return f.oid == source.commit; })) continue;
    found.push_back({source.place.position, source.commit});
    const bool own = std::any_of(said.named.begin(), said.named.end(),
                                 [&](const auto& other) { return !other.configured && other.sha == source.sha; });
    if (match.how.empty() || !own) match.how = own ? "trailer" : "pattern";
  }
  if (!foreign.empty()) match.note = fmt::format("names {}, which is no commit of upstream", core::printable(foreign, 120));
  return {};
}

Result<void> LandingMatcher::by_list(const git::Commit& commit, std::vector<Found>& found, Match& match) {
  TRY_ASSIGN(const ingest::ListedSources listed, sources_.listed(commit));
  match.declared = listed.declared;
  const std::size_t before = found.size();
  for (const std::int64_t position : listed.positions) {
    const Oid& oid = sources_.at(position);
    if (std::none_of(found.begin(), found.end(), [&](const Found& f) { return f.oid == oid; })) found.push_back({position, oid});
  }
  if (found.size() > before) match.how = "list";
  return {};
}

Result<void> LandingMatcher::by_header(const git::Commit& commit, std::vector<Found>& found, Match& match) {
  TRY_ASSIGN(const ingest::HeaderSource header, sources_.header(commit));
  if (!header.undoes.empty()) match.note = fmt::format("undoes \"{}\"", core::printable(header.undoes, 100));
  if (header.position == 0) return {};
  found.push_back({header.position, sources_.at(header.position)});
  match.how = header.author ? "author" : "subject";
  return {};
}

Result<void> LandingMatcher::by_tree(const git::Commit& commit, const ingest::PickFn& pick, std::vector<Found>& found, Match& match) {
  const git::Reader& reader = app_->repo.reader();
  TRY_ASSIGN(const Oid onto, reader.tree_of(commit.parents[0]));
  if (onto == commit.tree) return {};
  TRY_ASSIGN(const auto deltas, reader.diff_trees(onto, commit.tree));
  if (deltas.empty() || deltas.size() > max_paths) return {};
  std::vector<std::string> paths;
  for (const git::TreeDelta& delta : deltas) paths.push_back(delta.path);
  TRY(load_paths());
  const auto candidates = by_paths_.find(paths_digest(std::move(paths)));
  if (candidates == by_paths_.end()) return {};
  std::size_t tried = 0;
  for (auto position = candidates->second.rbegin(); position != candidates->second.rend() && tried < max_candidates; ++position) {
    if (picks_left_ <= 0) {
      ++untried_;
      match.final = false;
      return {};
    }
    --picks_left_;
    ++tried;
    const Oid& oid = plan_->line.line[static_cast<std::size_t>(*position) - 1];
    const model::Pick made = pick(oid, onto);
    if (made.status != model::PickStatus::clean || made.tree != commit.tree) continue;
    found.push_back({*position, oid});
    match.how = "tree";
    return {};
  }
  return {};
}

Result<Match> LandingMatcher::match(const git::Commit& landed, const ingest::PickFn& pick) {
  Match out;
  std::vector<Found> found;
  if (landed.parents.empty()) return out;
  TRY_ASSIGN(const auto undone, sources_.undone(landed, plan_->remotes.upstream_tip));
  if (undone) {
    out.note = fmt::format("undoes {} of the fork", model::short_oid(*undone));
    return out;
  }
  TRY(by_message(landed, found, out));
  TRY(by_list(landed, found, out));
  for (std::size_t k = 1; k < landed.parents.size(); ++k) {
    TRY_ASSIGN(const auto side, app_->repo.reader().log(landed.parents[k], landed.parents[0], max_side_commits));
    for (auto oid = side.rbegin(); oid != side.rend(); ++oid) {
      if (const ingest::Place place = sources_.on_line(*oid); place.kind == ingest::Place::Kind::line) {
        found.push_back({place.position, *oid});
        out.how = "ancestry";
        continue;
      }
      TRY_ASSIGN(const git::Commit commit, app_->repo.reader().commit(*oid));
      Match one;
      std::vector<Found> there;
      TRY(by_message(commit, there, one));
      if (there.empty()) TRY(by_header(commit, there, one));
      for (Found& f : there) found.push_back(std::move(f));
      if (out.how.empty()) out.how = one.how;
    }
  }
  if (found.empty() && out.declared < 2) TRY(by_header(landed, found, out));
  if (found.empty() && landed.parents.size() == 1 && out.note.empty()) TRY(by_tree(landed, pick, found, out));
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.position < b.position; });
  for (Found& f : found) {
    if (std::find(out.upstream.begin(), out.upstream.end(), f.oid) == out.upstream.end()) out.upstream.push_back(std::move(f.oid));
  }
  return out;
}

}  // namespace sluice::service
