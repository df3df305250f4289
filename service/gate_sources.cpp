// SPDX-License-Identifier: Apache-2.0
// What a commit of the fork says it brings, for `sluice gate`: the shas of its trailers, or a bundle's list. A number
// alone names nothing here.
#include <algorithm>
#include <set>

#include "core/text.h"
#include "service/gate_session.h"

namespace sluice::service {

namespace {

constexpr std::string_view companion_key = "Sluice-Companion-Of:";

bool same_sha(std::string_view a, std::string_view b) { return a.starts_with(b) || b.starts_with(a); }

}  // namespace

Oid GateSession::upstream_commit(const std::string& sha) const {
  if (model::is_oid(sha)) return upstream_.has(sha) && upstream_.commit(sha).ok() ? Oid(sha) : Oid{};
  const auto found = upstream_.resolve(sha);
  return found.ok() && found->starts_with(sha) ? *found : Oid{};  // a branch may be called like a sha
}

Result<GateSession::Named> GateSession::named(const git::Commit& commit) {
  Named out;
  for (const std::string_view line : core::split_lines(commit.message)) {
    if (line.starts_with(companion_key)) out.companion_of = std::string(core::trim(line.substr(companion_key.size())));
  }
  // Last first: what the fork added stands below what it copied. The words of an upstream commit stand in its pick's
  // message, too: what it says of others is not what the pick brings.
  std::set<std::string> quoted;
  const auto body = trailers_.scan(commit.message);
  for (auto carried = body.carried.rbegin(); carried != body.carried.rend(); ++carried) {
    if (carried->disposition != model::Disposition::picked && carried->disposition != model::Disposition::adapted) continue;
    if (std::any_of(quoted.begin(), quoted.end(), [&](const std::string& sha) { return same_sha(sha, carried->sha); })) continue;
    const Oid oid = upstream_commit(carried->sha);
    if (oid.empty()) {
      const bool in_fork = fork_.resolve(carried->sha).ok();  // taken from another branch of the fork
      if (!in_fork) out.absent.push_back(carried->sha);
      continue;
    }
    if (oid == commit.oid || std::find(out.upstream.begin(), out.upstream.end(), oid) != out.upstream.end()) continue;
    TRY_ASSIGN(const bool theirs, is_upstreams(oid));
    if (!theirs) continue;
    out.upstream.push_back(oid);
    TRY_ASSIGN(const git::Commit upstream, upstream_.commit(oid));
    for (const auto& quote : trailers_.scan(upstream.message).carried) quoted.insert(quote.sha);
  }
  TRY(add_listed(commit, out));
  TRY(to_upstream_order(out.upstream));
  return out;
}

// `- [k] ... #N (sha)`, or numbers, of which the message says how many there are.
Result<void> GateSession::add_listed(const git::Commit& commit, Named& out) {
  const ingest::BundleWords words = words_.bundle(commit.message);
  out.declared = words.declared;
  const auto add = [&](const Oid& oid) {
    if (std::find(out.upstream.begin(), out.upstream.end(), oid) == out.upstream.end()) out.upstream.push_back(oid);
  };
  for (const auto& [number, sha] : words.lines) {
    const Oid oid = upstream_commit(sha);
    if (oid.empty()) {
      out.absent.push_back(sha);
      continue;
    }
    TRY_ASSIGN(const git::Commit upstream, upstream_.commit(oid));
    if (ingest::trailing_pr(ingest::subject_line(upstream.message)) == number) add(oid);
  }
  if (words.numbers.empty() || upstream_tip_.empty()) return {};
  std::set<std::int64_t> wanted(words.numbers.begin(), words.numbers.end());
  TRY_ASSIGN(const std::vector<Oid> line, upstream_.first_parents(Oid{}, upstream_tip_));
  for (auto oid = line.rbegin(); oid != line.rend() && !wanted.empty(); ++oid) {
    TRY_ASSIGN(const git::Commit upstream, upstream_.commit(*oid));
    if (wanted.erase(ingest::trailing_pr(ingest::subject_line(upstream.message))) > 0) add(*oid);
  }
  return {};
}

}  // namespace sluice::service
