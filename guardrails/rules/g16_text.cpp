// SPDX-License-Identifier: Apache-2.0
// G16: no line reads otherwise than it is compiled. A line that B, D or U has at its path is its author's: what U
// brings is listed, what the proposal writes is refused.
#include <algorithm>
#include <unordered_set>

#include "guardrails/policy.h"
#include "guardrails/rules/rule.h"
#include "guardrails/scan/deceptive_text.h"

namespace sluice::guardrails {
namespace {

using Lines = std::unordered_set<std::string_view>;

bool plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80 && c != '\0'; });
}

// A file in another encoding than UTF-8 is nobody's trick.
bool other_encoding(const FileText& file) {
  return std::any_of(file.lines.begin(), file.lines.end(), [](std::string_view line) {
    const auto found = find_deception(line, false);
    return found && found->kind == Deception::Kind::invalid_utf8;
  });
}

Result<void> judge_path(PickView& view, const std::string& path, Items& items) {
  TRY_ASSIGN(const FileText* proposed, view.file(Tree::proposed, path));
  if (proposed->binary || plain(proposed->text)) return {};
  const auto lines_of = [&](Tree which) -> Result<const FileText*> { return view.file(which, path); };
  TRY_ASSIGN(const FileText* base, lines_of(Tree::base));
  TRY_ASSIGN(const FileText* onto, lines_of(Tree::onto));
  TRY_ASSIGN(const FileText* upstream, lines_of(Tree::upstream));
  TRY_ASSIGN(const FileText* merged, lines_of(Tree::merge));  // of a renamed file, whose other name the sides have
  const Lines old_lines = [&] {
    Lines out(onto->lines.begin(), onto->lines.end());
    out.insert(base->lines.begin(), base->lines.end());
    return out;
  }();
  Lines theirs(upstream->lines.begin(), upstream->lines.end());
  theirs.insert(merged->lines.begin(), merged->lines.end());
  for (std::size_t i = 0; i < proposed->lines.size(); ++i) {
    const std::string_view line = proposed->lines[i];
    if (old_lines.contains(line)) continue;
    const std::optional<Deception> found = find_deception(line, i == 0);
    if (!found) continue;
    const bool of_upstream = theirs.contains(line);
    if (found->kind == Deception::Kind::invalid_utf8 && !of_upstream && (other_encoding(*onto) || other_encoding(*upstream))) continue;
    model::VerdictItem item = make_item(path, escaped(line), found->what,
                                        of_upstream ? upstream_judgement(view.policy(), path) : model::Judgement::block);
    item.line = static_cast<std::int64_t>(i) + 1;
    if (of_upstream) item.origin = "upstream";
    items.push_back(std::move(item));
  }
  return {};
}

}  // namespace

static Result<Items> g16_text(PickScope& scope) {
  Items items;
  PickView& view = scope.view;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::onto, Tree::proposed));
  for (const git::TreeDelta& delta : *deltas) {
    if (is_blob_mode(delta.after.mode) && delta.before.oid != delta.after.oid) TRY(judge_path(view, delta.path, items));
  }
  cap(items);
  return items;
}

constinit const Rule g16{
    .id = "G16",
    .title = "characters that deceive",
    .fail = "BLOCK",
    .passes = "no new bidirectional control, zero-width character, NUL, invalid UTF-8, or identifier of mixed script; a line that B, "
               "D or U has at that path is its author's own",
    .lift = "nothing: write the character as an escape",
    .example = "facebookexperimental/triton, third_party/tileir/.../canonicalize.mlir:752: a `CHECK` whose C is a Cyrillic letter, so "
               "that FileCheck never sees the line. CVE-2021-42574 does the same to compilers with right-to-left overrides",
    .pick = g16_text,
    .companion = true,
};

}  // namespace sluice::guardrails
