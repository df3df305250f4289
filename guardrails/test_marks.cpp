// SPDX-License-Identifier: Apache-2.0
#include "guardrails/test_marks.h"

#include <algorithm>
#include <array>

#include "core/text.h"
#include "guardrails/scan/swallow_text.h"

namespace sluice::guardrails {
namespace {

// What lit would run: a file without a pipeline is none, whatever words stand in its comments.
bool has_pipelines(const FileFacts& facts) { return !facts.lit.pipelines.empty(); }

bool takes_out(std::string_view keyword) {
  return keyword == "XFAIL" || keyword == "UNSUPPORTED" || keyword == "REQUIRES" ||
         keyword == "ALLOW_RETRIES" || keyword == "END";
}

class Reading {
 public:
  Reading(TestMarks& marks, std::string_view path) : marks_(marks), path_(path) {}

  void add(std::string_view text, Side side, bool lit) {
    const FileFacts facts = file_facts(path_, text);
    add(facts, Lines(text), side, lit);
  }

  void add(const FileFacts& facts, const Lines& lines, Side side, bool lit) {
    if (lit) {
      for (const LitMark& mark : facts.lit.marks) {
        if (!takes_out(mark.keyword)) continue;
        const bool everywhere = mark.text == "*" || mark.text == "true" || mark.keyword == "ALLOW_RETRIES" ||
                                mark.keyword == "END";
        const bool gate = mark.keyword == "REQUIRES" || mark.keyword == "UNSUPPORTED";
        count(marks_.marks, side, mark.keyword + ": " + mark.text, mark.line, lines[mark.line],
              gate && !everywhere ? "conditional" : "");
      }
      for (const LitPipeline& pipeline : facts.lit.pipelines) add(pipeline, side);
    }
    const bool configuration = is_lit_config(path_);
    for (const SourceFact& fact : facts.source) {
      if (fact.kind == FactKind::test)
        count(marks_.tests, side, fact.key, fact.line, lines[fact.line],
              fact.values.empty() ? "" : fact.values[0]);
      else if (fact.kind == FactKind::skip)
        count(marks_.marks, side, fact.context + " | " + fact.key, fact.line, lines[fact.line],
              fact.conditional ? "conditional" : "");
      else if (fact.kind == FactKind::config && configuration)
        count(marks_.configuration, side, fact.key, fact.line, lines[fact.line]);
    }
  }

 private:
  void add(const LitPipeline& pipeline, Side side) {
    const std::string& line = pipeline.source.front();
    count(marks_.pipelines, side, pipeline.text, pipeline.first_line, line);
    marks_.pipelines[pipeline.text].more = std::to_string(pipeline.nots);
    sum(marks_.sums.runs, 1, pipeline, side);
    sum(marks_.sums.file_checks, pipeline.file_checks, pipeline, side);
    sum(marks_.sums.or_true, pipeline.or_true, pipeline, side);
    sum(marks_.sums.allow_empty, pipeline.allow_empty, pipeline, side);
    sum(marks_.sums.allow_unused_prefixes, pipeline.allow_unused_prefixes, pipeline, side);
    sum(marks_.sums.nots, pipeline.nots, pipeline, side);
  }

  static void sum(Tally& tally, int times, const LitPipeline& pipeline, Side side) {
    if (times == 0) return;
    (side == Side::ours     ? tally.ours
     : side == Side::theirs ? tally.theirs
     : side == Side::base   ? tally.base
                            : tally.proposed) += times;
    if (side != Side::proposed) return;
    tally.proposed_line = pipeline.first_line;
    tally.text = pipeline.source.front();
  }

  TestMarks& marks_;
  std::string_view path_;
};

// `if: false` of a workflow.
bool is_if_false(std::string_view line) {
  std::string norm = core::strip_space(line);
  if (norm.starts_with("-")) norm.erase(0, 1);
  return norm == "if:false" || norm == "if:${{false}}" || norm.starts_with("if:false#") ||
         norm == "if:'false'" || norm == "if:\"false\"";
}

}  // namespace

Result<void> read_marks(PickView& view, const std::string& path, const std::string& now, TestMarks& marks) {
  FileSides sides;
  TRY(read_sides(view, path, sides));
  TRY_ASSIGN(const FileText* proposed, view.file(Tree::proposed, now));
  marks.file_gone =
      !proposed->present && required_count(sides.ours_present, sides.theirs_present, sides.base_present) > 0;
  marks.file_fresh = !sides.ours_present && !sides.theirs_present;
  const std::string_view text = proposed->binary ? std::string_view() : std::string_view(proposed->text);
  const FileFacts after = file_facts(now, text), ours = file_facts(path, sides.ours);
  const FileFacts theirs = sides.split ? file_facts(path, sides.theirs) : FileFacts();
  const bool lit = has_pipelines(after) || has_pipelines(ours) || has_pipelines(theirs);
  Reading reading(marks, path);
  const Lines lines(sides.ours);
  reading.add(ours, lines, Side::ours, lit);
  if (sides.split) {
    reading.add(theirs, Lines(sides.theirs), Side::theirs, lit);
    reading.add(sides.base, Side::base, lit);
  } else {
    reading.add(ours, lines, Side::theirs, lit);
    reading.add(ours, lines, Side::base, lit);
  }
  reading.add(after, Lines(text), Side::proposed, lit);
  for (const auto& [key, tally] : marks.pipelines) {
    const int nots = std::stoi(tally.more);
    marks.sums.nots_of_lost += nots * std::max(0, tally.lost());
    marks.sums.nots_of_gained += nots * std::max(0, tally.gained());
  }
  return {};
}

std::string named(std::string_view key) {
  const std::size_t bar = key.find(" | ");
  if (bar == std::string_view::npos) return "`" + std::string(key) + "`";
  const std::string where(key.substr(0, bar));
  return "the mark `" + std::string(key.substr(bar + 3)) + "`" + (where.empty() ? "" : " on " + where);
}

std::string_view weakening_text(std::string_view path, std::string_view line) {
  if ((path.ends_with(".yml") || path.ends_with(".yaml")) && is_if_false(line)) return "if: false";
  if (line.find("RUN:") != std::string_view::npos) return {};  // read as a pipeline
  if (has_or_true(line)) return "|| true";
  for (const std::string_view option : {"-allow-empty", "-allow-unused-prefixes"}) {
    if (line.find(option) != std::string_view::npos) return option;
  }
  return {};
}

Result<std::vector<UpstreamMark>> upstream_marks(PickView& view, const std::string& path) {
  std::vector<UpstreamMark> out;
  TRY_ASSIGN(const FileText* base, view.file(Tree::base, path));
  TRY_ASSIGN(const FileText* upstream, view.file(Tree::upstream, path));
  TRY_ASSIGN(const FileText* onto, view.file(Tree::onto, path));
  TRY_ASSIGN(const FileText* proposed, view.file(Tree::proposed, path));
  if (base->binary || upstream->binary || onto->binary || proposed->binary || onto->text == proposed->text)
    return out;
  const FileFacts after = file_facts(path, upstream->text), before = file_facts(path, base->text);
  const bool lit = has_pipelines(after) || has_pipelines(before);
  // In the words of the tallies: U is what is proposed to B.
  TestMarks change, here;
  Reading first(change, path);
  const Lines before_lines(base->text), after_lines(upstream->text);
  for (const Side side : {Side::ours, Side::theirs, Side::base}) first.add(before, before_lines, side, lit);
  first.add(after, after_lines, Side::proposed, lit);
  Reading second(here, path);
  second.add(onto->text, Side::ours, lit);
  second.add(proposed->text, Side::proposed, lit);
  const auto follows = [](const Tallies& tallies, const std::string& key, bool added) {
    const auto found = tallies.find(key);
    if (found == tallies.end()) return false;
    return added ? found->second.proposed > found->second.ours : found->second.proposed < found->second.ours;
  };
  for (const auto& [key, tally] : change.marks) {
    if (tally.gained() > 0 && follows(here.marks, key, true))
      out.push_back({tally.text, named(key) + " is added", tally.proposed_line});
  }
  for (const auto& [key, tally] : change.configuration) {
    if (tally.gained() > 0 && follows(here.configuration, key, true))
      out.push_back({tally.text, "a statement that decides which tests count is added", tally.proposed_line});
  }
  for (const auto& [key, tally] : change.tests) {
    if (tally.lost() > 0 && follows(here.tests, key, false))
      out.push_back({tally.text, "the test " + key + " is removed", tally.line});
  }
  if (change.sums.runs.lost() > 0 && here.sums.runs.proposed < here.sums.runs.ours)
    out.push_back({"", "RUN pipelines are removed", 0});
  if (change.sums.file_checks.lost() > 0 && here.sums.file_checks.proposed < here.sums.file_checks.ours)
    out.push_back({"", "pipes into FileCheck are removed", 0});
  return out;
}

}  // namespace sluice::guardrails
