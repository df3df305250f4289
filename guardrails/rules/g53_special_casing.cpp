// SPDX-License-Identifier: Apache-2.0
// G53: code does the same whether or not it is looked at. What recognises the test, the runner or the input,
// or changes the timer, was written for the test and not for the user.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/text.h"
#include "guardrails/file_sides.h"
#include "guardrails/policy.h"
#include "guardrails/rules/rule.h"
#include "guardrails/scan/lexical.h"
#include "guardrails/scan/special_case.h"

namespace sluice::guardrails {
namespace {

using model::Judgement;

constexpr std::size_t max_searched = 64;  // test files that are read for the name of one test

// Code, or a script that decides how code is built and run. Prose may name anything.
bool is_code(std::string_view path) {
  if (family_of(path) != Family::none) return true;
  for (const std::string_view end :
       {".sh", ".bash", ".in", ".cfg", ".toml", ".yml", ".yaml", ".mk", ".bzl", ".cl"}) {
    if (path.ends_with(end)) return true;
  }
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name == "Makefile" || name == "BUILD" || name == "Dockerfile";
}

bool defines(Family family, std::string_view text, const std::string& name) {
  const auto has = [&](std::string_view before) {
    return text.find(std::string(before) + name) != std::string_view::npos;
  };
  return family == Family::python ? has("def ") || has("class ")
                                  : has("TEST(") || has("TEST_F(") || has("TEST_P(") || has("class ");
}

// Those of `candidates` that are tests of P: names of its test files, or what they define.
Result<std::vector<std::string>> tests_among(PickView& view, const std::vector<std::string>& candidates) {
  std::set<std::string> found;
  std::vector<std::pair<std::string, Oid>> files;
  TRY(view.reader().walk(view.tree(Tree::proposed), [&](const std::string& path,
                                                        const git::TreeEntry& entry) {
    if (!is_blob_mode(entry.mode) || !is_test_path(view.policy(), path)) return true;
    const std::string name = path.substr(path.rfind('/') + 1);
    for (const std::string& candidate : candidates) {
      if (candidate == name || (candidate.find('/') != std::string::npos && path.ends_with("/" + candidate)))
        found.insert(candidate);
    }
    files.emplace_back(path, entry.oid);
    return true;
  }));
  std::vector<std::string> names;
  for (const std::string& candidate : candidates) {
    if (candidate.find('.') == std::string::npos && !found.contains(candidate)) names.push_back(candidate);
  }
  std::size_t read = 0;
  for (const auto& [path, oid] : files) {
    const Family family = family_of(path);
    if (names.empty() || (family != Family::python && family != Family::c)) continue;
    if (++read > max_searched * names.size()) break;
    const Result<std::string> text = view.reader().blob(oid);
    if (!text.ok()) continue;  // too long to be a test, or left out by policy
    std::erase_if(names, [&, f = family](const std::string& name) {
      const bool here = defines(f, *text, name);
      if (here) found.insert(name);
      return here;
    });
  }
  return std::vector<std::string>(found.begin(), found.end());
}

Result<void> judge_path(PickView& view, const std::string& path, Items& items) {
  TRY_ASSIGN(const std::vector<git::DiffLine> added, own_added_lines(view, path));
  if (added.empty()) return {};
  TRY_ASSIGN(const FileText* proposed, view.file(Tree::proposed, path));
  const bool test = is_test_path(view.policy(), path);
  std::set<std::uint32_t> own;
  std::string own_text;
  for (const git::DiffLine& line : added) {
    own.insert(line.line);
    own_text += line.text + "\n";
  }
  std::vector<std::string> names;
  if (!test && family_of(path) != Family::cmake) {
    const std::vector<std::string> candidates = possible_test_names(path, own_text);
    if (!candidates.empty()) {
      TRY_ASSIGN(names, tests_among(view, candidates));
    }
  }
  for (const SpecialCase& special : special_cases(path, proposed->text, names)) {
    if (!own.contains(special.line) || (test && !special.in_tests)) continue;
    items.push_back(make_item(
        path, proposed->lines[special.line - 1],
        fmt::format(
            "the proposal {}; neither side does; only a person can bring that, by a change of their own",
            special.what),
        Judgement::block));
    items.back().line = special.line;
  }
  return {};
}

Result<Items> judge(PickScope& scope) {
  Items items;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, scope.view.changes(Tree::merge, Tree::proposed));
  for (const git::TreeDelta& delta : *deltas) {
    if (is_code(delta.path) && is_blob_mode(delta.after.mode)) TRY(judge_path(scope.view, delta.path, items));
  }
  cap(items);
  return items;
}

}  // namespace

constinit const Rule g53{
    .id = "G53",
    .title = "special-casing",
    .fail = "BLOCK",
    .passes =
        "`diff(M,P)` adds no reference to test names, `PYTEST_CURRENT_TEST`, `CI`, `LIT_`, runner host "
        "names, harness modules, "
        "timers, `gc.get_objects` or hashes of inputs",
    .lift = "the change by a person, outside of a pick",
    .example = "generated kernels that patch the timer or recognise the test's inputs (KernelBench 82)",
    .pick = judge,
    .companion = true,
};

}  // namespace sluice::guardrails
