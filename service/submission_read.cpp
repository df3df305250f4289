// SPDX-License-Identifier: Apache-2.0
#include "service/submission_read.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"

namespace sluice::service {

namespace {

constexpr std::size_t most_commits = 2000;

std::vector<Oid> trailers(std::string_view message, std::string_view key) {
  std::vector<Oid> out;
  for (const std::string_view line : core::split_lines(message)) {
    if (!line.starts_with(key)) continue;
    const std::string_view value = core::trim(line.substr(key.size()));
    if (model::is_oid(value)) out.emplace_back(value);
  }
  return out;
}

// The commits of one pick, oldest first.
struct Part {
  Oid upstream;
  std::vector<git::Commit> commits;
};

// The person's own commits from trunk to `head`, oldest first, and the trunk commit they stand on.
struct Own {
  Oid base;
  std::vector<git::Commit> commits;
};

Result<Own> own_commits(const git::Reader& reader, const store::TakeRow& taken, const Oid& trunk, const Oid& head) {
  Own own;
  auto base = reader.merge_base(head, trunk);
  const bool stands = base.ok() && reader.is_ancestor(taken.base, *base).ok() &&
                      (taken.base == *base || *reader.is_ancestor(taken.base, *base));
  if (!stands) {
    return make_error(ErrorKind::invalid, fmt::format("{} does not stand on trunk {}, where unit {} was taken; rebase it onto that or a "
                                                      "later trunk commit", head, taken.base, taken.unit));
  }
  own.base = *base;
  for (Oid oid = head; oid != own.base;) {
    TRY_ASSIGN(git::Commit commit, reader.commit(oid));
    if (commit.parents.size() != 1) {
      return make_error(ErrorKind::invalid, fmt::format("{} is a merge; an answer is a straight line of commits on trunk: git rebase {}", oid, own.base));
    }
    if (own.commits.size() >= most_commits) return make_error(ErrorKind::invalid, fmt::format("{} stands more than {} commits above trunk", head, most_commits));
    oid = commit.parents.front();
    own.commits.push_back(std::move(commit));
  }
  std::reverse(own.commits.begin(), own.commits.end());
  if (own.commits.empty()) return make_error(ErrorKind::invalid, fmt::format("{} is trunk itself: nothing was committed for unit {}", head, taken.unit));
  return own;
}

Result<std::vector<Part>> parts_of(const model::Unit& unit, const Own& own) {
  std::vector<Part> parts;
  for (const git::Commit& commit : own.commits) {
    std::vector<Oid> named = trailers(commit.message, "Upstream-Commit:");
    std::erase_if(named, [&](const Oid& oid) { return std::find(unit.commits.begin(), unit.commits.end(), oid) == unit.commits.end(); });
    std::sort(named.begin(), named.end());
    named.erase(std::unique(named.begin(), named.end()), named.end());
    if (named.size() > 1) {
      return make_error(ErrorKind::invalid, fmt::format("{} holds {} picks in one commit ({}, {} ..): keep one commit or more for each, with its trailer Upstream-Commit",
                                                        commit.oid, named.size(), model::short_oid(named[0]), model::short_oid(named[1])));
    }
    if (!named.empty() && (parts.empty() || parts.back().upstream != named.front())) {
      const bool again = std::any_of(parts.begin(), parts.end(), [&](const Part& part) { return part.upstream == named.front(); });
      if (again) return make_error(ErrorKind::invalid, fmt::format("the commits of {} do not stand together: {} comes after another pick", named.front(), commit.oid));
      parts.push_back({named.front(), {}});
    } else if (parts.empty()) {
      if (unit.commits.size() > 1) {
        return make_error(ErrorKind::invalid, fmt::format("{} has no trailer Upstream-Commit, and no commit before it says to which of the {} picks of {} it belongs",
                                                          commit.oid, unit.commits.size(), unit.id));
      }
      parts.push_back({unit.commits.front(), {}});  // rewritten without trailers: there is one pick it can be
    }
    parts.back().commits.push_back(commit);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].upstream == unit.commits[i]) continue;
    return make_error(ErrorKind::invalid, fmt::format("pick {} of unit {} is {}, and the next commit with a trailer Upstream-Commit names {}; every pick needs "
                                                      "its own commits, in the unit's order", i + 1, unit.id, unit.commits[i], parts[i].upstream));
  }
  return parts;
}

bool is_marker(std::string_view line) {
  if (line.size() < 31) return false;
  const char c = line.front();
  if (c != '<' && c != '|' && c != '=' && c != '>') return false;
  if (line.substr(0, 31).find_first_not_of(c) != std::string_view::npos) return false;
  return line.size() == 31 || line[31] == ' ' || line[31] == '\r';
}

// What the person forgot: markers, and the files beside the real one that git makes for some conflicts.
Result<void> check_finished(const git::Reader& reader, const model::Pick& pick, const Oid& tree) {
  for (const model::Conflict& conflict : pick.conflicts) {
    std::vector<std::string> paths{conflict.path};
    for (const model::Stage& stage : conflict.stages) {
      if (stage.path.empty() || stage.path == conflict.path) continue;
      TRY_ASSIGN(const auto there, reader.entry(tree, stage.path));
      TRY_ASSIGN(const auto fork, reader.entry(pick.onto, stage.path));
      if (there && !fork && stage.path.find('~') != std::string::npos) {
        return make_error(ErrorKind::invalid, fmt::format("{} is what git made for the conflict of {}: merge it there and git rm it", core::printable(stage.path), core::printable(conflict.path)));
      }
      paths.push_back(stage.path);
    }
    for (const std::string& path : paths) {
      TRY_ASSIGN(const auto text, reader.file(tree, path));
      if (!text) continue;
      std::size_t number = 0;
      for (const std::string_view line : core::split_lines(*text)) {
        ++number;
        if (is_marker(line)) return make_error(ErrorKind::invalid, fmt::format("{}:{} still holds a conflict marker; resolve it, commit, and submit again", core::printable(path), number));
      }
    }
  }
  return {};
}

// Words and author of what was added to a pick.
void describe(const std::vector<git::Commit>& commits, PersonsAnswer& answer) {
  // An amended pick carries upstream's author and words; the person is its committer.
  answer.author = commits.back().committer;
  for (const git::Commit& commit : commits) {
    if (!trailers(commit.message, "Upstream-Commit:").empty()) continue;
    answer.author = commit.author;
    if (!answer.message.empty()) answer.message += "\n\n";
    for (const std::string_view line : core::split_lines(core::trim(commit.message))) {
      if (!line.starts_with("Sluice-Companion-Of:")) answer.message += fmt::format("{}\n", line);
    }
    answer.message = std::string(core::trim(answer.message));
  }
}

}  // namespace

Result<Submission> read_submission(App& app, Folder& folder, const model::Unit& unit, const store::TakeRow& taken,
                                   const Oid& trunk, const Oid& head, const std::string& who) {
  const git::Reader& reader = app.repo.reader();
  TRY_ASSIGN(const Own own, own_commits(reader, taken, trunk, head));
  TRY_ASSIGN(const std::vector<Part> parts, parts_of(unit, own));
  Submission out;
  out.unit = unit.id;
  out.who = who;
  out.base = own.base;
  out.head = head;
  out.given = parts.size();
  out.at = app.clock.now();
  TRY_ASSIGN(Oid onto, reader.tree_of(own.base));
  for (const Part& part : parts) {
    const model::Pick pick = folder.pick(part.upstream, onto);
    if (pick.status == model::PickStatus::error) return make_error(ErrorKind::internal, fmt::format("{} cannot be picked: {}: {}", part.upstream, pick.cause, pick.detail));
    PersonsAnswer answer;
    answer.upstream = part.upstream;
    answer.onto = onto;
    answer.end = part.commits.back().tree;
    answer.clean = pick.status != model::PickStatus::conflict;
    answer.tree = answer.clean ? pick.tree : answer.end;
    std::vector<git::Commit> added = part.commits;
    if (!answer.clean) {
      // What stands beside the resolution is marked as such by the person.
      const auto first = std::find_if(part.commits.begin(), part.commits.end(), [](const git::Commit& commit) {
        return commit.message.find("\nSluice-Companion-Of:") != std::string::npos;
      });
      if (first == part.commits.begin()) return make_error(ErrorKind::invalid, fmt::format("{} says Sluice-Companion-Of, and the conflict before it is not resolved", first->oid));
      if (first != part.commits.end()) answer.tree = std::prev(first)->tree;
      added.erase(added.begin(), added.begin() + (first - part.commits.begin()));
      TRY(check_finished(reader, pick, answer.tree));
    }
    if (answer.end != answer.tree) describe(added, answer);
    onto = answer.end;
    if (!answer.clean || answer.end != answer.tree) out.members.push_back(std::move(answer));
  }
  return out;
}

}  // namespace sluice::service
