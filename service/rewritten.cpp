// SPDX-License-Identifier: Apache-2.0
#include "service/rewritten.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/file.h"
#include "core/hash.h"
#include "core/text.h"
#include "ingest/ingest.h"
#include "service/ledger_log.h"
#include "service/remotes.h"

namespace sluice::service {

namespace {

using Facts = std::vector<model::UpstreamCommit>;

constexpr const char* base_key = "ingest.base";

// What the commit is when its ids are forgotten: result, author, title.
std::string tree_key(const model::UpstreamCommit& c) {
  return fmt::format("{} {} {} {} {}", c.tree, c.author.email, c.author.time, c.author.name, c.subject);
}

// What the commit does, wherever it stands.
std::string patch_key(const model::UpstreamCommit& c) {
  std::vector<std::string> files;
  for (const model::FileChange& f : c.files) {
    const bool by_lines = !f.binary && !(f.removed_sha.empty() && f.added_sha.empty());
    files.push_back(fmt::format("{}\n{}\n{} {}\n{} {}", f.old_path, f.path, f.old_mode, f.new_mode, by_lines ? f.removed_sha : f.old_blob,
                                by_lines ? f.added_sha : f.new_blob));
  }
  if (files.empty()) return {};
  std::sort(files.begin(), files.end());
  return core::sha256_hex(core::join(files, "\n\n"));
}

// Pairs those of both lists that have a key which nobody else of either list has.
template <class Key>
void pair_up(const std::vector<const model::UpstreamCommit*>& old_ones, const std::vector<const model::UpstreamCommit*>& new_ones, const Key& key,
             const char* how, std::map<Oid, std::pair<Oid, const char*>>& found, std::set<Oid>& taken) {
  std::map<std::string, std::vector<const model::UpstreamCommit*>> by_key;
  std::map<std::string, int> wanted;
  for (const auto* c : new_ones) {
    if (!taken.contains(c->oid)) by_key[key(*c)].push_back(c);
  }
  for (const auto* c : old_ones) {
    if (!found.contains(c->oid)) ++wanted[key(*c)];
  }
  for (const auto* c : old_ones) {
    const std::string k = key(*c);
    const auto at = by_key.find(k);
    if (k.empty() || found.contains(c->oid) || at == by_key.end() || at->second.size() != 1 || wanted[k] != 1) continue;
    found.emplace(c->oid, std::pair(at->second.front()->oid, how));
    taken.insert(at->second.front()->oid);
  }
}

// Facts of the new line, in a store of their own: the present one is not touched before somebody has agreed.
Result<std::pair<Facts, Oid>> read_new_line(App& app, const Remotes& remotes) {
  TRY_ASSIGN(const core::TempDir dir, core::TempDir::create("sluice-rewritten"));
  TRY_ASSIGN(store::Store fresh, store::Store::open(dir.path()));
  TRY_ASSIGN(const auto base, app.store.value(base_key));
  if (base && app.repo.reader().has(*base)) {
    TRY_ASSIGN(const bool holds, app.repo.reader().is_ancestor(*base, remotes.upstream_tip));
    if (holds) TRY(fresh.put_value(base_key, *base));
  }
  TRY_ASSIGN(const auto line, ingest::read(app.repo, fresh, app.config, remotes.fork_tip, remotes.upstream_tip,
                                           [&](std::int64_t done, std::int64_t total) { app.progress("reading upstream commits", done, total); }));
  TRY_ASSIGN(auto facts, fresh.facts_many());
  return std::pair(std::move(facts), line.base);
}

std::string renamed(std::string text, const std::map<Oid, Oid>& to) {
  for (const auto& [before, after] : to) {
    for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + after.size())) text.replace(at, before.size(), after);
  }
  return text;
}

Result<void> move_rows(App& app, const std::map<Oid, Oid>& to, const std::map<Oid, std::int64_t>& position, const std::string& who) {
  TRY_ASSIGN(auto rows, app.store.ledger_all());
  TRY_ASSIGN(const auto offered, app.store.ledger_offered());
  rows.insert(rows.end(), offered.begin(), offered.end());
  for (model::LedgerRow& row : rows) {
    const model::LedgerRow before = row;
    if (const auto by = to.find(row.by); by != to.end()) row.by = by->second;
    row.evidence = renamed(row.evidence, to);
    const auto moved = to.find(row.upstream);
    if (moved == to.end()) {
      if (const auto at = position.find(row.upstream); at != position.end()) row.position = at->second;
      TRY(app.store.put_ledger(row));
      continue;
    }
    row.upstream = moved->second;
    row.position = position.at(moved->second);
    row.reason += fmt::format("{}upstream rewrote {}", row.reason.empty() ? "" : "; ", model::short_oid(before.upstream));
    // A full scan of trunk finds the old ids in the trailers, and those are nowhere now: the row no longer rests on it.
    if (row.who == "import") row.who = who;
    row.at = app.clock.now();
    TRY(app.store.put_ledger(row));
    model::LedgerRow gone;
    gone.upstream = before.upstream;
    gone.position = before.position;
    gone.evidence = "rewritten";
    gone.reason = fmt::format("upstream rewrote it as {}", row.upstream);
    gone.who = who;
    gone.at = app.clock.now();
    TRY(app.store.put_ledger(gone));
  }
  return {};
}

Result<void> apply_moves(App& app, const Rewritten& report, const Facts& facts, const Oid& base, const std::string& who) {
  std::map<Oid, Oid> to;
  for (const Rewrite& pair : report.pairs) {
    if (!pair.after.empty()) to.emplace(pair.before, pair.after);
  }
  std::map<Oid, std::int64_t> position;
  for (const model::UpstreamCommit& c : facts) position.emplace(c.oid, c.position);
  TRY_ASSIGN(auto transaction, app.store.begin());
  TRY(app.store.append_event("upstream.rewritten", report.new_tip,
                             core::Json::object({{"from", report.old_tip}, {"moved", to.size()}, {"who", who}}), app.clock.now()));
  TRY(app.store.clear_facts());
  TRY(app.store.put_facts_many(facts));
  TRY(app.store.put_value(base_key, base));
  TRY(move_rows(app, to, position, who));
  TRY_ASSIGN(const auto units, app.store.units());
  for (model::Unit unit : units) {
    bool changed = false;
    for (Oid& oid : unit.commits) {
      if (const auto moved = to.find(oid); moved != to.end()) {
        oid = moved->second;
        changed = true;
      }
    }
    if (changed) TRY(app.store.put_unit(unit));
  }
  TRY_ASSIGN(auto fetched, app.store.fetch("upstream"));
  if (fetched) {
    fetched->tip = report.new_tip;
    fetched->error.clear();
    TRY(app.store.put_fetch(*fetched));
  }
  return transaction.commit();
}

}  // namespace

Result<Rewritten> map_rewritten(App& app, bool apply, const std::string& who) {
  TRY_ASSIGN(const Remotes remotes, fetch_remotes(app));
  if (remotes.upstream_stale) return make_error(ErrorKind::transient, "upstream could not be fetched: " + remotes.upstream_error);
  TRY_ASSIGN(const auto before, app.store.facts_many());
  if (before.empty()) return make_error(ErrorKind::conflict, "no upstream commit has been read yet: nothing can have been rewritten");
  TRY_ASSIGN(const auto line, read_new_line(app, remotes));
  const auto& [after, base] = line;
  std::set<Oid> old_ids, new_ids;
  for (const auto& c : before) old_ids.insert(c.oid);
  for (const auto& c : after) new_ids.insert(c.oid);
  std::vector<const model::UpstreamCommit*> gone, fresh;
  for (const auto& c : before) {
    if (!new_ids.contains(c.oid)) gone.push_back(&c);
  }
  for (const auto& c : after) {
    if (!old_ids.contains(c.oid)) fresh.push_back(&c);
  }
  if (gone.empty()) {
    return make_error(ErrorKind::conflict, fmt::format("nothing is rewritten: upstream at {} has every commit that was read",
                                                       model::short_oid(remotes.upstream_tip)));
  }
  std::map<Oid, std::pair<Oid, const char*>> found;
  std::set<Oid> taken;
  pair_up(gone, fresh, tree_key, "tree", found, taken);
  pair_up(gone, fresh, [](const auto& c) { const auto k = patch_key(c); return k.empty() ? k : k + c.subject; }, "patch", found, taken);
  pair_up(gone, fresh, patch_key, "patch", found, taken);

  Rewritten report;
  report.old_tip = before.back().oid;
  report.new_tip = remotes.upstream_tip;
  report.kept = static_cast<std::int64_t>(before.size() - gone.size());
  for (const auto* c : gone) {
    Rewrite pair{c->oid, {}, {}, c->subject, "pending"};
    if (const auto at = found.find(c->oid); at != found.end()) {
      pair.after = at->second.first;
      pair.how = at->second.second;
    }
    TRY_ASSIGN(const auto row, app.store.ledger(c->oid));
    if (row) pair.disposition = model::to_string(row->disposition);
    report.pairs.push_back(std::move(pair));
  }
  for (const auto* c : fresh) {
    if (!taken.contains(c->oid)) report.fresh.push_back(c->oid);
  }
  if (!apply) return report;
  TRY(apply_moves(app, report, after, base, who));
  report.applied = true;
  TRY(flush_ledger(app));
  return report;
}

core::Json rewritten_json(const Rewritten& report) {
  core::Json pairs = core::Json::array();
  for (const Rewrite& pair : report.pairs) {
    pairs.push(core::Json::object({{"old", pair.before},
                                   {"new", pair.after.empty() ? core::Json() : core::Json(pair.after)},
                                   {"how", pair.how.empty() ? core::Json() : core::Json(pair.how)},
                                   {"subject", pair.subject},
                                   {"disposition", pair.disposition}}));
  }
  return core::Json::object({{"schema", "sluice.rewritten/1"},
                             {"old_tip", report.old_tip},
                             {"new_tip", report.new_tip},
                             {"kept", report.kept},
                             {"pairs", std::move(pairs)},
                             {"fresh", core::Json::array_of(report.fresh)},
                             {"applied", report.applied}});
}

std::string rewritten_text(const Rewritten& report) {
  std::string out = fmt::format("Upstream was rewritten: read up to {}, it is at {} now; {} commits are as they were.\n",
                                model::short_oid(report.old_tip), model::short_oid(report.new_tip), report.kept);
  std::size_t unmatched = 0;
  for (const Rewrite& pair : report.pairs) {
    unmatched += pair.after.empty() ? 1 : 0;
    out += fmt::format("  {} -> {:<10} {:<8} {:<12} {}\n", model::short_oid(pair.before), pair.after.empty() ? "?" : model::short_oid(pair.after),
                       pair.after.empty() ? "no match" : "by " + pair.how, pair.disposition, core::printable(pair.subject, 80));
  }
  for (const Oid& oid : report.fresh) out += fmt::format("  new: {}\n", model::short_oid(oid));
  out += report.applied ? fmt::format("Applied: {} commits have new ids.\n", report.pairs.size() - unmatched)
                        : std::string("Nothing is changed yet; `sluice ledger rewritten --apply` does it.\n");
  if (unmatched > 0) out += fmt::format("{} old commits match nothing: what was decided about them stays under their old ids, out of the line.\n", unmatched);
  return out;
}

}  // namespace sluice::service
