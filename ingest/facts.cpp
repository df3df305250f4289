// SPDX-License-Identifier: Apache-2.0
#include "ingest/facts.h"

#include <utility>

#include "ingest/path_class.h"
#include "ingest/symbols.h"

namespace sluice::ingest {
namespace {

void add_links(const std::vector<Mention>& mentions, const Placer& placer, model::UpstreamCommit& facts) {
  bool resolved = false;
  for (const Mention& mention : mentions) {
    for (const std::string& sha : mention.shas) {
      const Place place = placer.on_line(sha);
      const bool earlier = place.kind == Place::Kind::line && place.position < facts.position;
      facts.reverts.push_back({mention.kind, earlier ? place.oid : model::Oid{}, mention.text});
      resolved = resolved || earlier;
    }
  }
  // Words without a sha say nothing that a resolved sha has not said better.
  if (resolved) return;
  for (const Mention& mention : mentions)
    if (mention.shas.empty()) facts.reverts.push_back({mention.kind, {}, mention.text});
}

}  // namespace

model::UpstreamCommit make_facts(git::Commit&& header, git::StreamedCommit&& changes, std::int64_t position,
                                 const model::PolicyConfig& policy, const MessageRules& rules,
                                 const Placer& placer) {
  model::UpstreamCommit facts;
  facts.oid = std::move(header.oid);
  facts.parents = std::move(header.parents);
  if (!facts.parents.empty()) facts.parent = facts.parents.front();
  facts.tree = std::move(header.tree);
  facts.position = position;
  facts.author = std::move(header.author);
  facts.committer = std::move(header.committer);
  facts.message = std::move(header.message);
  facts.subject = facts.message.substr(0, facts.message.find('\n'));
  facts.pr = trailing_pr(facts.subject);
  SymbolScan scan;
  facts.files.reserve(changes.files.size());
  for (auto& file : changes.files) {
    if (!file.change.binary) scan.add(file.change.path, file.removed, file.added);
    facts.files.push_back(std::move(file.change));
  }
  Symbols symbols = scan.finish();
  facts.symbols_defined = std::move(symbols.defined);
  facts.symbols_removed = std::move(symbols.removed);
  facts.symbols_named = std::move(symbols.named);
  add_links(rules.mentions(facts.subject, facts.message), placer, facts);
  facts.kind = kind_of(policy, facts);
  return facts;
}

}  // namespace sluice::ingest
