// SPDX-License-Identifier: Apache-2.0
// G30: what compiles and still smells: a conflict answered by deleting both sides, code that became a comment or
// went behind `#if 0`, a formatter that ran where nobody asked.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "guardrails/rules/rule.h"
#include "guardrails/scan/reflow.h"

namespace sluice::guardrails {
namespace {

using model::Judgement;

// One changed file, as the five parts read it.
struct Changed {
  const std::string& path;
  const FileText &onto, &upstream, &merged, &proposed;
  const std::vector<RegionFact>& regions;
  const git::TextDiff& edits;    // M to P
  const git::TextDiff& brought;  // D to M: what U's own hunks are, in lines of M
};

void report_item(Items& items, const Changed& file, std::string_view text, std::string detail, std::size_t line) {
  items.push_back(make_item(file.path, text, std::move(detail), Judgement::escalate));
  items.back().line = static_cast<std::int64_t>(line);
}

// A formatter leaves its trace all over a file: one item tells of it.
struct Places {
  std::string detail;
  std::string text = {};
  std::size_t line = 0, count = 0;

  void add(std::string_view here, std::size_t at) {
    if (count++ > 0) return;
    text = here;
    line = at;
  }
  void report(const Changed& file, Items& items) const {
    if (count == 0) return;
    report_item(items, file, text, count == 1 ? detail : fmt::format("{}, here and in {} more places", detail, count - 1), line);
  }
};

// A side that stands somewhere else in the file was moved, not deleted.
bool stands(const std::string& side, const FileText& file) {
  LineCounts counts;
  count_lines(side, counts);
  return std::all_of(counts.begin(), counts.end(), [&](const auto& line) { return count_of(file.counts, line.first) >= line.second; });
}

void both_sides_deleted(const Changed& file, Items& items) {
  for (const RegionFact& fact : file.regions) {
    const auto says = [](const std::string& text) { return !core::strip_space(text).empty(); };
    if (!fact.result.located || says(fact.result.text) || !says(fact.region.ours) || !says(fact.region.theirs)) continue;
    if (stands(fact.region.ours, file.proposed) || stands(fact.region.theirs, file.proposed)) continue;
    report_item(items, file, fact.region.id, "the region is empty where both sides have text", fact.result.first_line);
  }
}

void code_in_comments(const Changed& file, Items& items) {
  const CodeLines now = code_lines(file.proposed.text, file.path);
  if (now.comment_lines.empty()) return;
  std::vector<CodeLines> before{code_lines(file.onto.text, file.path), code_lines(file.upstream.text, file.path)};
  if (file.regions.empty()) before.push_back(code_lines(file.merged.text, file.path));
  LineCounts said;
  for (const auto& [line, key] : now.comment_lines) {
    int code = 0, comments = 0;
    for (const CodeLines& side : before) {
      code = std::max(code, count_of(side.code, key));
      comments = std::max(comments, count_of(side.comments, key));
    }
    if (count_of(now.code, key) >= code || ++said[key] <= comments) continue;
    report_item(items, file, file.proposed.lines[line - 1], "a comment holds what was code before", line);
  }
}

bool is_if_zero(std::string_view line) {
  const std::string norm = core::strip_space(line);
  return norm == "#if0" || norm == "#iffalse" || norm.starts_with("#if0//") || norm.starts_with("#if0/*");
}

void switched_off(const Changed& file, Items& items) {
  const auto all = [](const FileText& text) { return std::count_if(text.lines.begin(), text.lines.end(), is_if_zero); };
  if (core::language_of(file.path) != core::Language::c_family) return;
  auto before = std::max(all(file.onto), all(file.upstream));
  if (file.regions.empty()) before = std::max(before, all(file.merged));
  if (all(file.proposed) <= before) return;
  for (const git::DiffLine& line : file.edits.lines) {
    if (line.side == '+' && is_if_zero(line.text)) report_item(items, file, line.text, "a new block is switched off", line.line);
  }
}

// Of a hunk of `edits`, by its two sides.
struct Edit {
  std::size_t begin = 0, end = 0;  // in lines of M, half open; equal for an insertion before `begin`
  std::size_t line = 0;            // in P
  std::string before, after;
  std::vector<std::string_view> added;
};

std::vector<Edit> edits_of(const git::TextDiff& diff) {
  std::vector<Edit> out;
  std::size_t at = 0;
  for (const model::Hunk& hunk : diff.hunks) {
    Edit edit;
    edit.begin = hunk.old_count == 0 ? hunk.old_start + 1 : hunk.old_start;
    edit.end = edit.begin + hunk.old_count;
    edit.line = std::max<std::size_t>(hunk.new_start, 1);
    for (std::size_t n = hunk.old_count + hunk.new_count; n > 0 && at < diff.lines.size(); --n, ++at) {
      const git::DiffLine& line = diff.lines[at];
      (line.side == '-' ? edit.before : edit.after).append(line.text).push_back('\n');
      if (line.side == '+') edit.added.push_back(line.text);
    }
    out.push_back(std::move(edit));
  }
  return out;
}

bool touches(const Edit& edit, std::size_t begin, std::size_t end) { return edit.begin <= end && begin <= edit.end; }

bool in_region(const Edit& edit, const Changed& file) {
  return std::any_of(file.regions.begin(), file.regions.end(),
                     [&](const RegionFact& fact) { return touches(edit, fact.region.first_line, fact.region.last_line + 1); });
}

bool in_upstreams_hunk(const Edit& edit, const Changed& file) {
  return std::any_of(file.brought.hunks.begin(), file.brought.hunks.end(), [&](const model::Hunk& hunk) {
    const std::size_t begin = hunk.new_count == 0 ? hunk.new_start + 1 : hunk.new_start;
    return touches(edit, begin, begin + hunk.new_count);
  });
}

// Blank lines alone are no reflow: nothing that says something moves.
bool is_reflow(const Edit& edit, std::string_view path) {
  return edit.before != edit.after && !core::strip_space(edit.after).empty() && reflow_form(edit.before, path) == reflow_form(edit.after, path);
}

// A line of neither side; empty when there is none.
std::string_view own_line(const std::vector<std::string_view>& lines, const Changed& file) {
  const auto has = [](const FileText& text, std::string_view line) {
    return std::find(text.lines.begin(), text.lines.end(), line) != text.lines.end();
  };
  for (const std::string_view line : lines) {
    if (!core::strip_space(line).empty() && !has(file.onto, line) && !has(file.upstream, line)) return line;
  }
  return {};
}

// In a file that no formatter is known for: the lines of neither side, and yet the words of one.
bool is_foreign(const Edit& edit, const Changed& file) {
  return !has_formatter(file.path) && is_reflow(edit, file.path) && breaks_differ(edit.before, edit.after) && !own_line(edit.added, file).empty();
}

void formatted_again(const Changed& file, Items& items) {
  Places places{"changed in whitespace or line breaks alone, outside upstream's change"};
  for (const Edit& edit : edits_of(file.edits)) {
    if (!is_reflow(edit, file.path) || in_region(edit, file) || in_upstreams_hunk(edit, file) || is_foreign(edit, file)) continue;
    const std::string_view text = edit.after.empty() ? std::string_view(edit.before) : std::string_view(edit.after);
    places.add(text.substr(0, text.find('\n')), edit.line);
  }
  places.report(file, items);
}

void foreign_formatter(const Changed& file, Items& items) {
  if (has_formatter(file.path)) return;
  Places places{"the words stand on other lines, as a formatter puts them that does not know such files"};
  for (const Edit& edit : edits_of(file.edits)) {
    if (is_foreign(edit, file) && !in_region(edit, file)) places.add(own_line(edit.added, file), edit.line);
  }
  for (const RegionFact& fact : file.regions) {
    if (!fact.result.located) continue;
    const std::string& answer = fact.result.text;
    const std::string_view line = own_line(core::split_lines(answer), file);
    if (line.empty()) continue;
    const std::string form = reflow_form(answer, file.path);
    const auto words_of = [&](const std::string& side) { return form == reflow_form(side, file.path) && breaks_differ(answer, side); };
    if (words_of(fact.region.ours) || words_of(fact.region.theirs)) places.add(line, fact.result.first_line);
  }
  places.report(file, items);
}

}  // namespace

static Result<Items> g30_smell(PickScope& scope) {
  Items items;
  PickView& view = scope.view;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::merge, Tree::proposed));
  for (const git::TreeDelta& delta : *deltas) {
    const std::string& path = delta.path;
    TRY_ASSIGN(const FileText* proposed, view.file(Tree::proposed, path));
    if (!proposed->present || proposed->binary) continue;
    TRY_ASSIGN(const FileText* onto, view.file(Tree::onto, path));
    TRY_ASSIGN(const FileText* upstream, view.file(Tree::upstream, path));
    TRY_ASSIGN(const FileText* merged, view.file(Tree::merge, path));
    TRY_ASSIGN(const std::vector<RegionFact>* regions, view.regions(path));
    TRY_ASSIGN(const git::TextDiff* edits, view.diff(Tree::merge, Tree::proposed, path));
    TRY_ASSIGN(const git::TextDiff* brought, view.diff(Tree::onto, Tree::merge, path));
    const Changed file{path, *onto, *upstream, *merged, *proposed, *regions, *edits, *brought};
    both_sides_deleted(file, items);
    code_in_comments(file, items);
    switched_off(file, items);
    formatted_again(file, items);
    foreign_formatter(file, items);
  }
  cap(items, 200);
  return items;
}

constinit const Rule g30{
    .id = "G30",
    .title = "semantic smell",
    .fail = "ESCALATE",
    .passes = "no region is answered by deleting both sides; no new comment swallows code; no new `#if 0`; no change of whitespace "
               "or line breaks alone outside U's own hunks, blank lines aside; no formatter output in a file that the formatter does not own",
    .lift = "a person",
    .example = "facebookexperimental/triton 1e4c71e9b: a C++ formatter ran over an MLIR test and folded its RUN lines into text",
    .pick = g30_smell,
    .companion = true,
};

}  // namespace sluice::guardrails
