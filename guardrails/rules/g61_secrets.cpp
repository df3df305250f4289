// SPDX-License-Identifier: Apache-2.0
// G61: no secret in what the proposal adds to the fork, in its messages, or in what its record says. Upstream's own
// lines are listed; a value that the process itself holds is nobody's own. The items never show what was found.
#include <fmt/format.h>

#include <optional>
#include <set>

#include "guardrails/rules/rule.h"
#include "guardrails/scan/secrets.h"

namespace sluice::guardrails {
namespace {

using model::Judgement;
using model::VerdictItem;

// `blocks` false: upstream's own.
VerdictItem found_item(std::string path, std::int64_t line, std::string detail, bool blocks) {
  VerdictItem item = make_item(std::move(path), "[redacted]", std::move(detail), blocks ? Judgement::block : Judgement::pass);
  item.line = line;
  if (!blocks) item.origin = "upstream";
  return item;
}

// The lines that U adds, anywhere. Read once something was found.
Result<std::set<std::string>> upstreams_lines(PickView& view) {
  std::set<std::string> lines;
  TRY_ASSIGN(const auto* deltas, view.changes(Tree::base, Tree::upstream));
  for (const git::TreeDelta& delta : *deltas) {
    auto diff = view.diff(Tree::base, Tree::upstream, delta.path);
    if (!diff.ok()) continue;  // missing by policy: nothing of it is in the proposal
    for (const git::DiffLine& line : (*diff)->lines) {
      if (line.side == '+') lines.insert(line.text);
    }
  }
  return lines;
}

// What the proposal adds to the fork's tree.
Result<Items> in_the_trees(PickScope& scope) {
  Items items;
  const SecretScanner scanner(scope.held);
  std::optional<std::set<std::string>> upstreams;
  TRY_ASSIGN(const auto* deltas, scope.view.changes(Tree::onto, Tree::proposed));
  for (const git::TreeDelta& delta : *deltas) {
    for (const SecretFound& found : scanner.find(delta.path))
      items.push_back(found_item("", 0, fmt::format("{} in the name of a file", found.kind), true));
    if (!is_blob_mode(delta.after.mode)) continue;
    TRY_ASSIGN(const git::TextDiff* diff, scope.view.diff(Tree::onto, Tree::proposed, delta.path));
    if (diff->binary) {
      // Known forms mean nothing between random bytes; a held value does.
      TRY_ASSIGN(const std::string bytes, scope.view.reader().blob(delta.after.oid));
      for (const SecretFound& found : scanner.find(bytes)) {
        if (found.kind == held_secret) items.push_back(found_item(delta.path, 0, fmt::format("{} in a binary file", found.kind), true));
      }
    }
    for (const git::DiffLine& line : diff->lines) {
      if (line.side != '+') continue;
      for (const SecretFound& found : scanner.find(line.text)) {
        if (!upstreams) {
          TRY_ASSIGN(upstreams, upstreams_lines(scope.view));
        }
        items.push_back(found_item(delta.path, line.line, std::string(found.kind), found.kind == held_secret || !upstreams->contains(line.text)));
      }
    }
  }
  cap(items);
  return items;
}

// The messages, and what the records say.
Result<Items> in_the_words(const UnitScope& scope) {
  Items items;
  const SecretScanner scanner(scope.context.held_secrets);
  const model::ProposalMember* member = nullptr;
  const auto look = [&](const std::string& where, std::string_view words, std::string_view upstreams = {}, bool companion = false) {
    for (const SecretFound& found : scanner.find(words)) {
      const bool own = upstreams.find(words.substr(found.at, found.length)) == std::string_view::npos;
      items.push_back(found_item("", 0, fmt::format("{} in the {}", found.kind, where), own || found.kind == held_secret));
      items.back().companion = companion;
      if (member != nullptr) items.back().member = member->upstream.oid;
    }
  };
  for (const model::ProposalMember& each : scope.proposal.members) {
    member = &each;
    look("message", each.message, each.upstream.message);
    for (const model::AccountEntry& entry : each.account)
      look(fmt::format("accounting record ({} {})", entry.kind, entry.path), entry.because + "\n" + entry.arg);
    for (const model::Resolution& resolution : each.resolutions)
      look(fmt::format("record of the resolution of {}", resolution.path), resolution.reason);
    if (each.companion) look("message of the companion", each.companion->message, {}, true);
  }
  member = nullptr;
  look("message of the merge", scope.proposal.merge_message);
  cap(items);
  return items;
}

}  // namespace

constinit const Rule g61{
    .id = "G61",
    .title = "secrets",
    .fail = "BLOCK, redacted",
    .passes = "no known form of a token, no long random text beside a word for a secret, and no value of a secret that the service "
               "holds (also as base64, hex or URL text) in what the proposal adds or in its messages",
    .lift = "nothing: remove it, and revoke the secret",
    .example = "amd/gaia 2416: a step that collected evidence printed the environment of the job, tokens included",
    .pick = in_the_trees,
    .unit = in_the_words,
    .companion = true,
};

}  // namespace sluice::guardrails
