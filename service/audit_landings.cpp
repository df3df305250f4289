// SPDX-License-Identifier: Apache-2.0
// Every landing read back: the commit, its tree, its trailers, and the members that are kept.
#include <fmt/format.h>

#include <algorithm>

#include "core/hash.h"
#include "core/text.h"
#include "service/audit_parts.h"

namespace sluice::service {

namespace {

constexpr const char* restore = audit_restore;
constexpr const char* fetch_it = "run `sluice sync`, which fetches the fork, and audit again";

std::string landing_name(const store::LandingRow& row) { return fmt::format("landing {} of {}", row.id, row.unit); }

}  // namespace

std::string message_line(std::string_view message, std::string_view key) {
  std::string out;
  for (const std::string_view line : core::split_lines(message)) {
    if (line.starts_with(key)) out = core::trim(line.substr(key.size()));
  }
  return out;
}

// A rewind that an operator accepted after the landing. The rows do not say so for long: what was backed out may have
// been picked again since, and a revert has no rows of its own.
Result<bool> Auditor::rewind_was_accepted(const store::LandingRow& row) {
  if (!rewinds_) {
    rewinds_.emplace();
    std::int64_t seq = 0;
    for (;;) {
      TRY_ASSIGN(const auto events, app_.store.events(seq, 5000));
      if (events.empty()) break;
      for (const store::Event& event : events) {
        if (event.type == "landing.landed") rewinds_->landed[event.body["landing"].as_int()] = event.seq;
        if (event.type == "line.resumed" && model::is_oid(event.body["trunk"].as_string())) {
          rewinds_->accepted.emplace_back(event.seq, event.body["trunk"].as_string());
        }
      }
      seq = events.back().seq;
    }
  }
  const auto landed = rewinds_->landed.find(row.id);
  const std::int64_t since = landed == rewinds_->landed.end() ? 0 : landed->second;
  const git::Reader& reader = app_.repo.reader();
  for (const auto& [seq, trunk] : rewinds_->accepted) {
    if (seq < since || !reader.has(trunk)) continue;
    TRY_ASSIGN(const bool kept, reader.is_ancestor(row.commit, trunk));
    if (!kept) return true;
  }
  return false;
}

Result<void> Auditor::landings() {
  TRY_ASSIGN(auto rows, app_.store.landings());
  std::reverse(rows.begin(), rows.end());
  for (const store::LandingRow& row : rows) {
    if (row.state == "intent")
      unchecked("journal", landing_name(row), fmt::format("a push of {} was begun and its end is not stored", model::short_oid(row.commit)),
                "`sluice sync` closes it by what the fork says");
    if (row.state == "landed") TRY(landing(row));
  }
  return {};
}

Result<void> Auditor::landing(const store::LandingRow& row) {
  ++audit_.landings;
  const git::Reader& reader = app_.repo.reader();
  if (!reader.has(row.commit)) {
    wrong("landing", landing_name(row), fmt::format("its commit {} is not in {}", row.commit, app_.repo.git_dir()), fetch_it);
  } else {
    const auto tree = reader.tree_of(row.commit);
    if (!tree.ok()) {
      wrong("landing", landing_name(row), fmt::format("its commit {} cannot be read: {}", row.commit, tree.error().message), fetch_it);
    } else if (*tree != row.tree) {
      wrong("landing", landing_name(row), fmt::format("its commit {} holds the tree {}, stored is {}", row.commit, *tree, row.tree), restore);
    }
    TRY_ASSIGN(const Oid tip, trunk());
    if (tip.empty()) {
      unchecked("landing", landing_name(row), "no trunk has been fetched to look for it in", fetch_it);
    } else {
      TRY_ASSIGN(const bool there, on_trunk(row.commit));
      bool accepted = there;
      if (!there) {
        TRY_ASSIGN(accepted, rewind_was_accepted(row));
      }
      if (!accepted)
        wrong("landing", landing_name(row), fmt::format("trunk {} does not contain its commit {}", model::short_oid(tip), row.commit),
              "somebody rewound trunk: look at it, then `sluice sync --accept-trunk COMMIT`");
    }
    TRY(landed_commits(row));
  }
  TRY(verdict(row));
  return kept_members(row);
}

Result<void> Auditor::landed_commits(const store::LandingRow& row) {
  const git::Reader& reader = app_.repo.reader();
  if (!reader.has(row.base)) {
    unchecked("landing", landing_name(row), fmt::format("its base {} is not in the repository", row.base), fetch_it);
    return {};
  }
  TRY_ASSIGN(const auto commits, reader.log(row.commit, row.base, most_commits));
  if (commits.empty()) wrong("landing", landing_name(row), fmt::format("{} brings no commit behind {}", row.commit, row.base), restore);
  for (const Oid& oid : commits) {
    ++audit_.commits;
    TRY_ASSIGN(const git::Commit commit, reader.commit(oid));
    const std::string where = fmt::format("commit {} of {}", model::short_oid(oid), row.unit);
    const std::string unit = message_line(commit.message, "Sluice-Unit:"), evidence = message_line(commit.message, "Sluice-Evidence:");
    if (unit != row.unit)
      wrong("landing", where, fmt::format("its trailer Sluice-Unit says \"{}\"", core::printable(unit, 60)), restore);
    if (evidence != row.verdict_digest)
      wrong("landing", where, fmt::format("its trailer Sluice-Evidence says \"{}\", the landing's verdict is {}", core::printable(evidence, 80),
                                          row.verdict_digest), restore);
    const bool names_something = !message_line(commit.message, "Upstream-Commit:").empty() || !message_line(commit.message, "Sluice-Reverts:").empty() ||
                                 !message_line(commit.message, "Sluice-Companion-Of:").empty();
    if (commit.parents.size() == 1 && !names_something) wrong("landing", where, "it names no upstream commit", restore);
  }
  return {};
}

Result<void> Auditor::kept_members(const store::LandingRow& row) {
  TRY_ASSIGN(const auto unit, app_.store.unit(row.unit));
  if (!unit) {
    wrong("landing", landing_name(row), "its unit is not stored", restore);
    return {};
  }
  // A unit that landed, was taken back and landed again keeps the members of its last landing.
  if (!unit->landed.empty() && unit->landed != row.commit) return {};
  const git::Reader& reader = app_.repo.reader();
  for (std::size_t k = 1; k <= unit->commits.size(); ++k) {
    ++audit_.refs;
    const std::string name = fmt::format("refs/sluice/units/{}/{}", row.unit, k);
    TRY_ASSIGN(const auto at, app_.repo.ref(name));
    // One commit of trunk may carry several upstream commits; it is taken back by one.
    if (!at && k > 1 && unit->kind == model::UnitKind::revert) break;
    if (!at) {
      wrong("refs", name, "it is gone: nothing keeps the tree of that member", fmt::format("the commits are on trunk; set it again from {}..{}",
                                                                                           model::short_oid(row.base), model::short_oid(row.commit)));
      continue;
    }
    if (!reader.has(*at) || !reader.has(row.commit)) continue;  // said above
    TRY_ASSIGN(const bool part, reader.is_ancestor(*at, row.commit));
    if (!part) wrong("refs", name, fmt::format("it is at {}, which {} does not contain", *at, model::short_oid(row.commit)), restore);
  }
  return {};
}

}  // namespace sluice::service
