// SPDX-License-Identifier: Apache-2.0
// Reverts in every position (DOMAIN section 9). What settles a commit here is a proof: swapped line hashes,
// or trees of real picks. Words alone settle nothing.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "ingest/inverse.h"
#include "ingest/planner.h"
#include "ingest/words.h"

namespace sluice::ingest {
namespace {

using model::Disposition;
using model::PickStatus;
using Kind = model::RevertLink::Kind;

// A revert that names no sha is compared with what it touches; more than this is no series of fixes.
constexpr std::size_t max_series = 16;

bool in_trunk(Disposition d) {
  return d == Disposition::picked || d == Disposition::adapted || d == Disposition::already ||
         d == Disposition::follow_up_of;
}

// The one earlier commit of the window whose subject ends in the number that the words name; nullopt when
// none or several do. A number is a hint: what follows from it is proved by lines or trees, or is an order
// alone.
std::optional<std::size_t> by_number(const std::vector<Node>& nodes, std::size_t revert) {
  for (const auto& link : nodes[revert].facts->reverts) {
    const std::size_t at = link.text.find('#');
    if (link.kind != Kind::revert || !link.oid.empty() || at == std::string::npos) continue;
    std::int64_t number = 0;
    const char* const begin = link.text.data() + at + 1;
    if (std::from_chars(begin, link.text.data() + link.text.size(), number).ec != std::errc() || number == 0)
      continue;
    std::optional<std::size_t> found;
    for (std::size_t k = 0; k < revert; ++k) {
      if (nodes[k].facts->pr != number) continue;
      if (found) return std::nullopt;
      found = k;
    }
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace

// Commits before the revert that build on what it takes back.
std::vector<std::size_t> Planner::stranded(const std::vector<std::size_t>& originals,
                                           std::size_t revert) const {
  std::vector<std::size_t> out;
  for (std::size_t k = originals.front() + 1; k < revert; ++k) {
    const Node& node = nodes_[k];
    if (node.fate == Fate::settled || std::binary_search(originals.begin(), originals.end(), k)) continue;
    const bool needs = std::any_of(node.links.begin(), node.links.end(), [&](const Link& link) {
      return std::binary_search(originals.begin(), originals.end(), link.to);
    });
    if (needs) out.push_back(k);
  }
  return out;
}

void Planner::revert_pending(std::size_t original, std::size_t revert) {
  Node& a = nodes_[original];
  Node& r = nodes_[revert];
  if (!exact_inverse(*a.facts, *r.facts)) return;  // picked in their order like any two commits
  const auto between = stranded({original}, revert);
  if (between.empty()) {
    settle(a, Disposition::superseded, "revert",
           fmt::format("reverted upstream by {} inside the window", name_of(*r.facts)), r.facts->oid);
    settle(r, Disposition::superseded, "revert",
           fmt::format("reverts {}, which was never picked", name_of(*a.facts)), a.facts->oid);
    return;
  }
  std::vector<std::string> names;
  for (const std::size_t k : between) names.push_back(name_of(*nodes_[k].facts));
  const std::string because =
      fmt::format("the pair {} and its revert {} cannot cancel: {} builds on the original", name_of(*a.facts),
                  name_of(*r.facts), list_words(names));
  a.chain_because.push_back(because);
  r.chain_because.push_back(because);
  for (const std::size_t k : between)
    if (pending(k)) nodes_[k].chain_because.push_back(because);
  const auto linked =
      std::any_of(r.links.begin(), r.links.end(), [&](const Link& link) { return link.to == original; });
  if (!linked) r.links.insert(r.links.begin(), Link{original, nullptr, "revert"});
}

// A later reland makes a revert moot when picking both gives the tree of picking the reland alone.
bool Planner::relanded(std::size_t revert) {
  Node& r = nodes_[revert];
  for (std::size_t k = revert + 1; k < nodes_.size(); ++k) {
    Node& later = nodes_[k];
    const bool builds_on = std::any_of(later.links.begin(), later.links.end(),
                                       [&](const Link& link) { return link.to == revert; });
    if (!builds_on || later.fate == Fate::settled) continue;
    const auto& says = later.facts->reverts;
    const bool reland = std::any_of(says.begin(), says.end(), [&](const auto& link) {
      return link.kind == Kind::reland || link.oid == r.facts->oid;
    });
    if (!reland || !pending(k)) return false;  // something else builds on the revert
    const model::Pick without = picked(later.facts->oid, input_.trunk_tree);
    const model::Pick first = picked(r.facts->oid, input_.trunk_tree);
    if ((without.status != PickStatus::clean && without.status != PickStatus::empty) ||
        first.status != PickStatus::clean)
      return false;
    const model::Pick both = picked(later.facts->oid, first.tree);
    if (both.status != PickStatus::clean || both.tree != without.tree) return false;
    settle(r, Disposition::superseded, "tree",
           fmt::format("{} brings it back: with and without this revert the fork ends at the same tree",
                       name_of(*later.facts)),
           later.facts->oid);
    return true;
  }
  return false;
}

void Planner::revert_landed(const model::LedgerRow& row, std::size_t revert) {
  if (relanded(revert)) return;
  Node& r = nodes_[revert];
  const std::string original = fmt::format(
      "{}{}", model::short_oid(row.upstream),
      row.downstream.empty() ? "" : fmt::format(", landed as {}", model::short_oid(row.downstream)));
  r.urgent_because =
      row.disposition == Disposition::adapted
          ? fmt::format("reverts {}, with adaptations: compare with the revert of the fork's own pick",
                        original)
          : fmt::format("reverts {}: ahead of new bundles", original);
}

void Planner::revert_never_landed(const model::LedgerRow& row, std::size_t revert) {
  Node& r = nodes_[revert];
  const auto at = by_oid_.find(row.upstream);
  const bool exact = at != by_oid_.end() && exact_inverse(*nodes_[at->second].facts, *r.facts);
  const std::string word(model::to_string(row.disposition));
  if (!exact) {
    const model::Pick pick = picked(r.facts->oid, input_.trunk_tree);
    if (pick.status == PickStatus::error || pick.status == PickStatus::unknown)
      return;  // tried again with the others
    if (pick.status != PickStatus::empty) {
      r.chain_because.push_back(fmt::format("reverts {}, which is {} in the fork, and changes more than that",
                                            model::short_oid(row.upstream), word));
      return;
    }
  }
  settle(r, Disposition::superseded, exact ? "revert" : "tree",
         fmt::format("reverts {}, which is {} in the fork", model::short_oid(row.upstream), word),
         row.upstream);
  if (row.disposition == Disposition::wont_port) return;
  model::LedgerRow closed = row;
  // The fork had it and upstream took it back as well: the local back-out is done with that.
  closed.disposition =
      row.disposition == Disposition::backed_out ? Disposition::reverted_upstream : Disposition::superseded;
  closed.evidence = exact ? "revert" : "tree";
  closed.reason = fmt::format("was {}; upstream reverted it by {}", word, name_of(*r.facts));
  closed.by = r.facts->oid;
  closed.who = "sluice";
  closed.at = 0;
  settled_.push_back(std::move(closed));
  if (at != by_oid_.end()) nodes_[at->second].fate = Fate::settled;
}

// A revert without a sha, or of several: the fold of what it touches and of itself must end where it began.
void Planner::revert_series(std::size_t revert, const std::vector<std::size_t>& members) {
  if (members.empty() || members.size() > max_series || !stranded(members, revert).empty()) return;
  Node& r = nodes_[revert];
  Oid tree = input_.trunk_tree;
  std::vector<std::size_t> all = members;
  all.push_back(revert);
  for (const std::size_t k : all) {
    const model::Pick pick = picked(nodes_[k].facts->oid, tree);
    if (pick.status != PickStatus::clean) return;
    tree = pick.tree;
  }
  if (tree != input_.trunk_tree) return;
  std::vector<std::string> names;
  for (const std::size_t k : members) {
    names.push_back(name_of(*nodes_[k].facts));
    settle(nodes_[k], Disposition::superseded, "tree",
           fmt::format("{} takes it back; together they leave the tree as it is", name_of(*r.facts)),
           r.facts->oid);
  }
  settle(r, Disposition::superseded, "tree",
         fmt::format("takes back {}; together they leave the tree as it is", list_words(names)),
         nodes_[members.front()].facts->oid);
}

void Planner::revert_one(std::size_t revert) {
  const auto& facts = *nodes_[revert].facts;
  std::set<Oid> named;
  bool words_only = false;
  for (const auto& link : facts.reverts) {
    if (link.kind == Kind::partial_revert) return;  // never closes the original
    if (!link.oid.empty())
      named.insert(link.oid);
    else
      words_only = words_only || link.kind == Kind::revert;
  }
  if (named.empty() && words_only) {
    const auto original = by_number(nodes_, revert);
    if (original && (!pending(*original) || exact_inverse(*nodes_[*original].facts, facts)))
      named.insert(nodes_[*original].facts->oid);
  }
  if (named.size() == 1) {
    const Oid oid = *named.begin();
    const auto node = by_oid_.find(oid);
    if (node != by_oid_.end() && pending(node->second)) return revert_pending(node->second, revert);
    const auto row = input_.ledger.find(oid);
    if (row == input_.ledger.end()) return;
    if (in_trunk(row->second.disposition)) return revert_landed(row->second, revert);
    switch (row->second.disposition) {
      case Disposition::deferred:
      case Disposition::skip_for_current_base:
      case Disposition::backed_out:
      case Disposition::wont_port:
        return revert_never_landed(row->second, revert);
      default:
        return;
    }
  }
  std::vector<std::size_t> members;
  if (named.size() > 1) {
    for (const Oid& oid : named) {
      const auto node = by_oid_.find(oid);
      if (node == by_oid_.end() || !pending(node->second) || node->second >= revert) return;
      members.push_back(node->second);
    }
    std::sort(members.begin(), members.end());
  } else if (words_only) {
    for (const Link& link : nodes_[revert].links)
      if (link.path != nullptr && pending(link.to)) members.push_back(link.to);
  }
  revert_series(revert, members);
}

Result<void> Planner::settle_reverts() {
  for (std::size_t k = 0; k < nodes_.size(); ++k)
    if (pending(k) && !nodes_[k].facts->reverts.empty()) revert_one(k);
  return {};
}

}  // namespace sluice::ingest
