// SPDX-License-Identifier: Apache-2.0
#include "service/observe_match.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/hash.h"
#include "core/text.h"
#include "service/observe_bundle.h"

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

std::string_view subject_line(std::string_view message) { return core::trim(message.substr(0, message.find('\n'))); }

// "Revert "..."", "Back out "...": the subject it quotes is what leaves.
bool undoes(std::string_view words) {
  const std::string lower = core::to_lower(words);
  for (const char* word : {"revert", "back out", "backout", "back-out", "backing out", "undo "}) {
    if (lower.find(word) != std::string::npos) return true;
  }
  return false;
}

std::string_view without_last_number(std::string_view subject) {
  const auto at = subject.rfind(" (#");
  return at == std::string_view::npos || !subject.ends_with(')') ? subject : core::trim(subject.substr(0, at));
}

bool starts_word(std::string_view text, std::size_t at) {
  return at == 0 || std::string_view(" '\"]:").find(text[at - 1]) != std::string_view::npos;
}

}  // namespace

LandingMatcher::LandingMatcher(App& app, const Plan& plan, ingest::TrailerRules own, ingest::TrailerRules all,
                               ingest::MessageRules messages)
    : app_(&app),
      plan_(&plan),
      own_(std::move(own)),
      all_(std::move(all)),
      messages_(std::move(messages)),
      placer_(std::make_unique<ingest::Placer>(app.repo.reader(), plan.line.line)) {}

Result<LandingMatcher> LandingMatcher::open(App& app, const Plan& plan, std::int64_t max_picks) {
  TRY_ASSIGN(ingest::TrailerRules own, ingest::TrailerRules::compile({}));
  TRY_ASSIGN(ingest::TrailerRules all, ingest::TrailerRules::compile(app.config.trailer_patterns));
  TRY_ASSIGN(ingest::MessageRules messages, ingest::MessageRules::compile());
  LandingMatcher matcher(app, plan, std::move(own), std::move(all), std::move(messages));
  matcher.picks_left_ = max_picks;
  return matcher;
}

bool LandingMatcher::is_upstream(const Oid& oid) const { return placer_->on_line(oid).kind == ingest::Place::Kind::line; }

// Subjects and paths of upstream's line, read one commit at a time: the facts of a long line are large.
Result<void> LandingMatcher::load_index() {
  if (indexed_) return {};
  std::int64_t position = 0;
  for (const Oid& oid : plan_->line.line) {
    ++position;
    TRY_ASSIGN(const auto facts, app_->store.facts(oid));
    if (!facts) continue;
    const auto [at, added] = by_subject_.emplace(std::string(core::trim(facts->subject)), position);
    if (!added) at->second = 0;
    if (facts->pr > 0) {
      const auto [number, fresh] = by_number_.emplace(facts->pr, position);
      if (!fresh) number->second = 0;
    }
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

// A message that reverts a commit of the fork may quote its trailers; what it quotes is what leaves.
Result<bool> LandingMatcher::undoes_fork_commit(const git::Commit& commit, std::string& which) const {
  const git::Reader& reader = app_->repo.reader();
  for (const ingest::Mention& mention : messages_.mentions(subject_line(commit.message), commit.message)) {
    if (mention.kind != model::RevertLink::Kind::revert) continue;
    for (const std::string& sha : mention.shas) {
      const auto oid = reader.resolve(sha);
      if (!oid.ok() || is_upstream(*oid) || commit.parents.empty()) continue;
      TRY_ASSIGN(const bool of_upstream, reader.is_ancestor(*oid, plan_->remotes.upstream_tip));
      if (of_upstream) continue;
      TRY_ASSIGN(const bool of_trunk, reader.is_ancestor(*oid, commit.parents[0]));
      if (!of_trunk) continue;
      which = *oid;
      return true;
    }
  }
  return false;
}

Result<void> LandingMatcher::by_message(const git::Commit& commit, std::vector<Found>& found, Match& match) {
  const ingest::BodyTrailers body = all_.scan(commit.message);
  if (body.carried.empty()) return {};
  const ingest::BodyTrailers own = own_.scan(commit.message);
  const git::Reader& reader = app_->repo.reader();
  std::vector<std::string> quoted;  // what the matched commits say in their own messages
  std::string foreign;
  // Last first: what the fork added stands below what it copied.
  for (auto carried = body.carried.rbegin(); carried != body.carried.rend(); ++carried) {
    if (carried->disposition != model::Disposition::picked && carried->disposition != model::Disposition::adapted) continue;
    if (std::any_of(quoted.begin(), quoted.end(),
                    [&](const std::string& q) { return q.starts_with(carried->sha) || carried->sha.starts_with(q); }))
      continue;
    TRY_ASSIGN(const ingest::Place place, placer_->find(carried->sha));
    auto oid = reader.resolve(carried->sha);
    bool before_base = false;
    if (place.kind == ingest::Place::Kind::absent && oid.ok() && !plan_->line.base.empty()) {
      TRY_ASSIGN(before_base, reader.is_ancestor(*oid, plan_->line.base));
    }
    const bool placed = place.kind == ingest::Place::Kind::line || place.kind == ingest::Place::Kind::side || before_base;
    if (!placed || !oid.ok()) {
      foreign += (foreign.empty() ? "" : ", ") + carried->sha;
      continue;
    }
    if (std::any_of(found.begin(), found.end(), [&](const Found& f) { return f.oid == *oid; })) continue;
    found.push_back({place.position, *oid});
    const bool is_own = std::any_of(own.carried.begin(), own.carried.end(), [&](const auto& c) { return c.sha == carried->sha; });
    if (match.how.empty() || !is_own) match.how = is_own ? "trailer" : "pattern";
    TRY_ASSIGN(const git::Commit upstream, reader.commit(*oid));
    for (const ingest::Carried& named : all_.scan(upstream.message).carried) quoted.push_back(named.sha);
  }
  if (!foreign.empty()) match.note = fmt::format("names {}, which is no commit of upstream", core::printable(foreign, 120));
  return {};
}

Result<void> LandingMatcher::by_list(const git::Commit& commit, std::vector<Found>& found, Match& match) {
  TRY_ASSIGN(const BundleWords words, bundle_words(commit.message));
  match.declared = words.declared;
  if (words.lines.empty() && words.numbers.empty()) return {};
  TRY(load_index());
  const std::size_t before = found.size();
  const auto add = [&](std::int64_t position) {
    const Oid& oid = plan_->line.line[static_cast<std::size_t>(position) - 1];
    if (std::none_of(found.begin(), found.end(), [&](const Found& f) { return f.oid == oid; })) found.push_back({position, oid});
  };
  for (const auto& [number, sha] : words.lines) {
    const ingest::Place place = placer_->on_line(sha);
    const auto at = by_number_.find(number);
    if (place.kind == ingest::Place::Kind::line && at != by_number_.end() && at->second == place.position) add(place.position);
  }
  for (const std::int64_t number : words.numbers) {
    if (const auto at = by_number_.find(number); at != by_number_.end() && at->second > 0) add(at->second);
  }
  if (found.size() > before) match.how = "list";
  return {};
}

Result<void> LandingMatcher::by_header(const git::Commit& commit, std::vector<Found>& found, Match& match) {
  const std::string_view subject = subject_line(commit.message);
  const std::size_t length = std::min<std::size_t>(subject.size(), 400);
  std::vector<std::string_view> endings{subject, without_last_number(subject)};
  for (std::size_t i = 0, n = endings.size(); i < n; ++i) {
    std::string_view text = endings[i];
    while (!text.empty() && (text.back() == '\'' || text.back() == '"')) endings.push_back(text = text.substr(0, text.size() - 1));
  }
  TRY(load_index());
  // The longest words that are a subject of upstream: `Revert "X (#1)" (#2)` is not X.
  for (std::size_t from = 0; from < length; ++from) {
    if (!starts_word(subject, from)) continue;
    for (const std::string_view ending : endings) {
      if (ending.size() <= from) continue;
      const auto hit = by_subject_.find(std::string(ending.substr(from)));
      if (hit == by_subject_.end() || hit->second == 0) continue;
      if (undoes(subject.substr(0, from))) {
        match.note = fmt::format("undoes \"{}\"", core::printable(hit->first, 100));
        return {};
      }
      const Oid& oid = plan_->line.line[static_cast<std::size_t>(hit->second) - 1];
      TRY_ASSIGN(const git::Commit upstream, app_->repo.reader().commit(oid));
      const bool author = upstream.author.time == commit.author.time && upstream.author.email == commit.author.email;
      if (!author && ingest::trailing_pr(hit->first) == 0) continue;
      found.push_back({hit->second, oid});
      match.how = author ? "author" : "subject";
      return {};
    }
  }
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
  TRY(load_index());
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
  std::string undone;
  TRY_ASSIGN(const bool revert, undoes_fork_commit(landed, undone));
  if (revert) {
    out.note = fmt::format("undoes {} of the fork", model::short_oid(undone));
    return out;
  }
  TRY(by_message(landed, found, out));
  TRY(by_list(landed, found, out));
  for (std::size_t k = 1; k < landed.parents.size(); ++k) {
    TRY_ASSIGN(const auto side, app_->repo.reader().log(landed.parents[k], landed.parents[0], max_side_commits));
    for (auto oid = side.rbegin(); oid != side.rend(); ++oid) {
      if (const ingest::Place place = placer_->on_line(*oid); place.kind == ingest::Place::Kind::line) {
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
