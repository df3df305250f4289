// SPDX-License-Identifier: Apache-2.0
#include "agent/further.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "agent/model_rung.h"
#include "agent/pieces.h"
#include "agent/rules/rules.h"
#include "core/glob.h"
#include "core/text.h"

namespace sluice::agent {
namespace {

using model::RungMode;

RungMode less(RungMode a, RungMode b) { return a < b ? a : b; }

// What stops an answer before anything is built. An escalation does not: a person will look at it anyway.
bool objects(const tools::Finding& f) {
  return f.judgement == model::Judgement::explain || f.judgement == model::Judgement::unresolved || f.judgement == model::Judgement::block;
}

std::string first_objection(const std::vector<tools::Finding>& findings) {
  const auto found = std::find_if(findings.begin(), findings.end(), objects);
  if (found == findings.end()) return {};
  return fmt::format("{} {}{}: {}", found->rule, core::printable(found->path), found->line > 0 ? fmt::format(":{}", found->line) : "",
                     core::printable(found->detail.empty() ? found->text : found->detail));
}

class Climb {
 public:
  Climb(git::Repo& repo, store::Store& store, const Ladder& ladder, const model::UpstreamCommit& upstream, const model::Pick& pick, const Sure& sure)
      : repo_(repo), store_(store), ladder_(ladder), sure_(sure) {
    world_.reader = &repo.reader();
    world_.upstream = upstream;
    world_.ours_tree = pick.onto;
    world_.theirs_tree = upstream.tree;
    world_.merged_tree = sure.merged;
    world_.onto_commit = ladder.onto_commit;
    world_.conflicts = sure.open;
    world_.protected_why = ladder.protected_why;
  }

  Result<void> climb(Answer& answer) {
    TRY_ASSIGN(const bool usable, open_buffer(answer));
    if (!usable) return {};
    if (protected_) {
      say(answer, "only a person answers it");
      return {};
    }
    TRY(collect_candidates());
    TRY(collect_drivers());
    TRY(try_candidates(answer));
    if (settled_) return {};
    return ask_model(answer);
  }

  Result<std::string> preview(Answer answer) {
    TRY_ASSIGN(const bool usable, open_buffer(answer));
    if (protected_) return make_error(ErrorKind::not_found, core::join(notes_, "; ") + "; only a person answers it");
    if (!usable) return make_error(ErrorKind::not_found, "no text answers this conflict, so no model is asked: " + core::join(answer.open, "; "));
    TRY(collect_candidates());
    TRY(try_candidates(answer));
    if (settled_) return make_error(ErrorKind::not_found, fmt::format("{} answer it, so no model is asked", core::join(rules_used(), ", ")));
    return ladder_.model->preview(store_, world_, *buffer_, *ladder_.checks, candidates_);
  }

 private:
  // False: no text answers it (a binary file, a submodule); the person's message stands as it is.
  Result<bool> open_buffer(const Answer& answer) {
    const auto open = [&](const std::string& path) {
      return std::any_of(sure_.open.begin(), sure_.open.end(), [&](const auto& c) { return c.path == path; });
    };
    for (const model::Resolution& r : answer.resolutions)
      if (!open(r.path)) world_.answered.push_back(r);
    // The buffer writes the entries SIDE of open files itself.
    for (const model::AccountEntry& e : answer.account)
      if (!open(e.path) || e.kind != "side_choice") world_.answered_account.push_back(e);
    if (!world_.upstream.parent.empty()) {
      TRY_ASSIGN(world_.base_tree, repo_.reader().tree_of(world_.upstream.parent));
    }
    auto opened = tools::Buffer::open(world_);
    if (!opened.ok() && opened.error().kind == ErrorKind::invalid) return false;
    if (!opened.ok()) return opened.error();
    buffer_.emplace(std::move(*opened));
    if (world_.protected_why) {
      for (const tools::Place& place : buffer_->places()) {
        const std::string why = world_.protected_why(place.path);
        if (why.empty()) continue;
        notes_.push_back(fmt::format("{}: {}", core::printable(place.path), why));
        protected_ = true;
      }
    }
    for (const auto& [id, given] : sure_.answers) {
      const auto taken = buffer_->resolve(id, given.first, {}, given.second.reason, given.second.rung, given.second.rule);
      if (!taken.ok()) return make_error(ErrorKind::internal, fmt::format("region {} of {} does not take the answer of {}: {}", id, given.second.path, given.second.rule, taken.error().message));
    }
    return true;
  }

  RungMode mode_of(std::string_view rule) const {
    const auto found = ladder_.rungs->rules.find(std::string(rule));
    return found != ladder_.rungs->rules.end() ? found->second : ladder_.rungs->candidate;
  }

  Result<void> collect_candidates() {
    std::vector<std::string_view> wanted;
    for (const RuleInfo& rule : region_rules())
      if (!rule.proven && mode_of(rule.id) != RungMode::off) wanted.push_back(rule.id);
    if (wanted.empty()) return {};
    for (const tools::Place& place : buffer_->places()) {
      if (place.answer || place.whole) continue;
      const RegionText text{place.region.base, place.region.ours, place.region.theirs, core::language_of(place.path)};
      auto answer = first_answer(text, wanted);
      if (!answer) continue;
      const RuleInfo* rule = region_rule(answer->rule);
      candidates_.push_back({place.region.id, std::string(answer->rule), std::move(answer->text), rule == nullptr ? "" : standing_of(*rule)});
    }
    return {};
  }

  bool has_candidate(std::string_view region) const {
    return std::any_of(candidates_.begin(), candidates_.end(), [&](const CandidateAnswer& c) { return c.region_id == region; });
  }

  // Each driver is asked for the files of which a region has no answer yet.
  Result<void> collect_drivers() {
    if (ladder_.rungs->external == RungMode::off) return {};
    for (const model::ResolverConfig& driver : ladder_.rungs->resolvers) {
      std::set<std::string> files;
      for (const tools::Place& place : buffer_->places()) {
        const bool wanted = driver.globs.empty() || std::any_of(driver.globs.begin(), driver.globs.end(), [&](const auto& g) { return core::glob_match(g, place.path); });
        if (wanted && !place.whole && !place.answer && !has_candidate(place.region.id)) files.insert(place.path);
      }
      for (const std::string& path : files) TRY(ask_driver(driver, path));
    }
    return {};
  }

  Result<void> ask_driver(const model::ResolverConfig& driver, const std::string& path) {
    const auto conflict = std::find_if(sure_.open.begin(), sure_.open.end(), [&](const auto& c) { return c.path == path; });
    if (conflict == sure_.open.end()) return {};
    tools::DriverFiles files;
    files.path = path;
    const std::array<std::string*, 3> sides = {&files.base, &files.ours, &files.theirs};
    for (const model::Stage& stage : conflict->stages) {
      if (stage.stage < 1 || stage.stage > 3) continue;
      TRY_ASSIGN(*sides[static_cast<std::size_t>(stage.stage) - 1], repo_.reader().blob(stage.oid));
    }
    const auto merged = ladder_.checks->run_driver(driver, files);
    if (!merged.ok()) {
      notes_.push_back(fmt::format("merge driver {} failed: {}", driver.name, merged.error().message));
      return {};
    }
    if (!*merged) {
      notes_.push_back(fmt::format("merge driver {} leaves a conflict in {}", driver.name, core::printable(path)));
      return {};
    }
    TRY_ASSIGN(const auto text, repo_.reader().file(sure_.merged, path));
    if (!text) return {};
    TRY_ASSIGN(const git::MergedFile cut, git::cut_regions(path, *text));
    // What a driver changed outside the regions is not an answer to them: such a file is not taken.
    const auto answers = answers_in(cut, **merged, Cut::only_way);
    if (!answers) {
      notes_.push_back(fmt::format("merge driver {} changed more of {} than the conflict", driver.name, core::printable(path)));
      return {};
    }
    for (std::size_t k = 0; k < answers->size(); ++k) {
      const tools::Place* place = buffer_->place(cut.regions[k].id);
      if (place == nullptr || place->answer || has_candidate(place->region.id)) continue;
      candidates_.push_back({place->region.id, driver.name, (*answers)[k], "of an external merge driver"});
    }
    return {};
  }

  bool is_driver(const std::string& rule) const {
    return std::any_of(ladder_.rungs->resolvers.begin(), ladder_.rungs->resolvers.end(), [&](const auto& r) { return r.name == rule; });
  }

  // All of them together, or none: one tree for the pick.
  Result<void> try_candidates(Answer& answer) {
    if (candidates_.empty()) return {};
    RungMode standing = RungMode::land;
    for (const CandidateAnswer& c : candidates_) {
      const bool driver = is_driver(c.rule);
      const auto taken = buffer_->resolve(c.region_id, c.text, {}, c.standing, driver ? model::Rung::external : model::Rung::candidate, c.rule);
      if (!taken.ok()) {
        notes_.push_back(fmt::format("the answer of {} for region {} cannot be taken: {}", c.rule, c.region_id, taken.error().message));
        drop_candidates();
        return {};
      }
      standing = less(standing, driver ? ladder_.rungs->external : mode_of(c.rule));
    }
    TRY_ASSIGN(tools::Draft draft, buffer_->draft());
    if (!draft.complete) {
      notes_.push_back(fmt::format("{} answer {} of the regions, not all", core::join(rules_used(), ", "), candidates_.size()));
      TRY(keep_draft(answer, draft));
      drop_candidates();
      return {};
    }
    TRY_ASSIGN(findings_, ladder_.checks->findings(tools::Level::static_rules, draft));
    if (const std::string why = first_objection(findings_); !why.empty()) {
      notes_.push_back(fmt::format("{} answered, and the rules object: {}", core::join(rules_used(), ", "), why));
      drop_candidates();
      return {};
    }
    // A rung that may land is asked before a person is, with these as its options.
    const bool model_may_more = ladder_.model != nullptr && ladder_.rungs->model > standing;
    const std::string doubt = why_a_person();
    TRY(take(answer, draft, doubt.empty() ? standing : less(standing, RungMode::propose)));
    if (!doubt.empty()) answer.open.push_back(doubt);
    if (model_may_more) drop_candidates();
    settled_ = !model_may_more;
    return {};
  }

  std::vector<std::string> rules_used() const {
    std::vector<std::string> out;
    for (const CandidateAnswer& c : candidates_)
      if (std::find(out.begin(), out.end(), c.rule) == out.end()) out.push_back(c.rule);
    return out;
  }

  void drop_candidates() {
    buffer_->forget(model::Rung::candidate);
    buffer_->forget(model::Rung::external);
  }

  Result<void> ask_model(Answer& answer) {
    if (ladder_.model == nullptr || ladder_.rungs->model == RungMode::off) {
      say(answer, "");
      return {};
    }
    const std::string note = notes_.empty() ? "" : core::join(notes_, "; ");
    TRY_ASSIGN(const RungEnd end, ladder_.model->answer(store_, world_, *buffer_, *ladder_.checks, candidates_, findings_, note));
    TRY_ASSIGN(tools::Draft draft, buffer_->draft());
    // The model's words go into records, messages and a ref that is pushed.
    for (model::Resolution& r : draft.resolutions)
      if (r.rung == model::Rung::model) r.reason = ladder_.model->desk().mask(r.reason);
    for (model::AccountEntry& e : draft.account) {
      e.because = ladder_.model->desk().mask(e.because);
      e.arg = ladder_.model->desk().mask(e.arg);
    }
    if (end.answered && draft.complete) {
      for (model::Resolution& r : draft.resolutions)
        if (r.rung == model::Rung::model) r.transcript = end.transcript;
      const std::string doubt = why_a_person();
      TRY(take(answer, draft, doubt.empty() ? ladder_.rungs->model : less(ladder_.rungs->model, RungMode::propose)));
      if (!doubt.empty()) answer.open.push_back(doubt);
      return {};
    }
    answer.later = end.later;
    if (answer.complete) return {};  // the candidates stand, for a person to look at
    const bool partly = std::any_of(draft.resolutions.begin(), draft.resolutions.end(), [](const auto& r) { return r.rung == model::Rung::model; });
    if (partly) TRY(keep_draft(answer, draft));
    say(answer, end.why);
    return {};
  }

  // What no rule can check of an answer that may be wrong, and a person can see at once. Empty: nothing.
  std::string why_a_person() const {
    if (!buffer_->adaptations().empty()) return fmt::format("it also edits {} outside of the conflict", core::printable(buffer_->adaptations().front().path));
    for (const tools::Place& place : buffer_->places()) {
      if (place.rung != model::Rung::candidate && place.rung != model::Rung::external && place.rung != model::Rung::model) continue;
      if (place.whole) return fmt::format("whether {} stays deleted is a decision", core::printable(place.path));
      if (place.answer && reindents(place.path, place.region, *place.answer)) return fmt::format("a line of {} is indented as on no side, and indentation has a meaning there", core::printable(place.path));
    }
    return {};
  }

  // The whole answer of the pick: what the surer rungs filled in, and the buffer.
  Result<void> take(Answer& answer, const tools::Draft& draft, RungMode standing) {
    TRY_ASSIGN(answer.tree, write_draft(repo_, draft));
    answer.draft = answer.tree;
    answer.complete = true;
    merge_record(answer, draft);
    answer.for_person = standing != RungMode::land;
    answer.open.clear();
    if (!answer.for_person) return {};
    for (const model::Resolution& r : draft.resolutions) {
      if (r.rung != model::Rung::candidate && r.rung != model::Rung::external && r.rung != model::Rung::model) continue;
      answer.open.push_back(fmt::format("{} region {}: {} {} proposes an answer that only a person may land ({})", core::printable(r.path),
                                        r.region_id.empty() ? "-" : r.region_id, model::to_string(r.rung), core::printable(r.rule), core::printable(r.reason, 120)));
    }
    return {};
  }

  // Incomplete: what was answered, with the markers of the rest, for a person.
  Result<void> keep_draft(Answer& answer, const tools::Draft& draft) {
    TRY_ASSIGN(answer.draft, write_draft(repo_, draft));
    merge_record(answer, draft);
    return {};
  }

  // A draft holds the record of the whole pick: World::answered is part of it.
  static void merge_record(Answer& answer, const tools::Draft& draft) {
    answer.resolutions = draft.resolutions;
    answer.account = draft.account;
  }

  void say(Answer& answer, const std::string& model_said) {
    std::string all = core::join(notes_, "; ");
    if (!model_said.empty()) all += (all.empty() ? "" : "; ") + model_said;
    if (!all.empty()) answer.open.push_back("tried: " + all);
  }

  git::Repo& repo_;
  store::Store& store_;
  const Ladder& ladder_;
  const Sure& sure_;
  tools::World world_;
  std::optional<tools::Buffer> buffer_;
  std::vector<CandidateAnswer> candidates_;
  std::vector<tools::Finding> findings_;
  std::vector<std::string> notes_;
  bool settled_ = false;
  bool protected_ = false;  // a conflict in a path that only its owner changes
};

}  // namespace

Result<model::Oid> write_draft(git::Repo& repo, const tools::Draft& draft) {
  std::vector<git::TreeUpdate> updates;
  for (const tools::DraftFile& file : draft.files) {
    if (!file.text) {
      updates.push_back({file.path, std::nullopt});
      continue;
    }
    TRY_ASSIGN(const model::Oid blob, repo.write_blob(*file.text));
    updates.push_back({file.path, git::TreeEntry{file.mode, blob}});
  }
  return repo.write_tree(draft.base, updates);
}

Result<void> climb_further(git::Repo& repo, store::Store& store, const Ladder& ladder, const model::UpstreamCommit& upstream,
                           const model::Pick& pick, const Sure& sure, Answer& answer) {
  return Climb(repo, store, ladder, upstream, pick, sure).climb(answer);
}

Result<std::string> preview_further(git::Repo& repo, store::Store& store, const Ladder& ladder, const model::UpstreamCommit& upstream,
                                    const model::Pick& pick, const Sure& sure, const Answer& answer) {
  return Climb(repo, store, ladder, upstream, pick, sure).preview(answer);
}

}  // namespace sluice::agent
