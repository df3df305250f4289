// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "tools/buffer_state.h"
#include "tools/splice.h"
#include "tools/tool.h"

namespace sluice::tools {
namespace {

constexpr std::size_t most_bytes = 40'000, longest_line = 1'000, most_named = 200;
constexpr std::uint32_t context = 3;

// One file's change in the form of `diff -u`.
std::string unified(const std::vector<std::string_view>& before, const git::TextDiff& diff) {
  std::string out;
  const auto row = [&](char mark, std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    out += mark + short_line(line, longest_line) + '\n';
  };
  // First line of the old file that a hunk replaces, 0-based: after line `old_start` for a pure insertion.
  const auto begin_of = [](const model::Hunk& hunk) { return hunk.old_count == 0 ? hunk.old_start : hunk.old_start - 1; };
  const auto end_of = [&](const model::Hunk& hunk) { return begin_of(hunk) + hunk.old_count; };
  std::size_t at = 0;
  for (std::size_t k = 0; k < diff.hunks.size();) {
    std::size_t last = k;
    while (last + 1 < diff.hunks.size() && begin_of(diff.hunks[last + 1]) - end_of(diff.hunks[last]) <= 2 * context) ++last;
    const std::uint32_t begin = begin_of(diff.hunks[k]), end = end_of(diff.hunks[last]);
    std::uint32_t line = begin - std::min(begin, context);
    const std::uint32_t stop = std::min<std::uint32_t>(end + context, static_cast<std::uint32_t>(before.size()));
    out += fmt::format("@@ line {} of base @@\n", line + 1);
    for (; k <= last; ++k) {
      const model::Hunk& hunk = diff.hunks[k];
      for (; line < std::min<std::size_t>(begin_of(hunk), before.size()); ++line) row(' ', before[line]);
      for (std::size_t n = 0; n < hunk.old_count + hunk.new_count && at < diff.lines.size(); ++n, ++at)
        row(diff.lines[at].side, diff.lines[at].text);
      line += hunk.old_count;
    }
    for (; line < stop; ++line) row(' ', before[line]);
  }
  return out;
}

class Patch {
 public:
  explicit Patch(const Desk& desk) : desk_(desk) {}

  Result<Answer> run(const std::string& only) {
    const World& world = desk_.world;
    TRY_ASSIGN(auto deltas, world.reader->diff_trees(world.base_tree, world.theirs_tree));
    // Where not all fit, the files that wait for an answer come first.
    std::stable_partition(deltas.begin(), deltas.end(), [&](const git::TreeDelta& delta) {
      return std::any_of(world.conflicts.begin(), world.conflicts.end(), [&](const auto& conflict) { return conflict.path == delta.path; });
    });
    bool found = false;
    for (const git::TreeDelta& delta : deltas) {
      if (!only.empty() && delta.path != only) continue;
      found = true;
      if (!may_show(world, delta.path))
        withheld_.push_back(delta.path);
      else
        TRY(add(delta));
    }
    if (!only.empty() && !found) return refused(fmt::format("the upstream commit does not change {}", core::printable(only)));
    if (!only.empty() && !withheld_.empty())
      return refused(fmt::format("{} is withheld: this fork's configuration lets no line of it be shown", core::printable(only)));
    Json body = Json::object({{"commit", world.upstream.oid}});
    if (!text_.empty()) body.set("patch", untrusted(fmt::format("what upstream's commit {} changes, base to theirs", world.upstream.oid), text_, most_bytes));
    name(body, "withheld", withheld_);
    name(body, "left_out", left_out_);
    name(body, "not_in_the_store", missing_);
    return said(std::move(body), std::move(paths_));
  }

 private:
  Result<void> add(const git::TreeDelta& delta) {
    const auto is_blob = [](const git::TreeEntry& entry) { return entry.mode != 0 && entry.mode != 0160000; };
    const auto name_of = [&](const git::TreeEntry& entry) { return entry.mode == 0 ? std::string("(absent)") : delta.path; };
    std::string head = fmt::format("--- {}\n+++ {}\n", name_of(delta.before), name_of(delta.after));
    if (delta.before.mode != 0 && delta.after.mode != 0 && delta.before.mode != delta.after.mode)
      head += fmt::format("mode {:o} to {:o}\n", delta.before.mode, delta.after.mode);
    std::string text;
    if (is_blob(delta.before) || is_blob(delta.after)) {
      const auto oid_of = [&](const git::TreeEntry& entry) { return is_blob(entry) ? entry.oid : Oid(); };
      const auto diff = desk_.world.reader->diff_blobs(oid_of(delta.before), oid_of(delta.after));
      std::string before;
      if (diff.ok() && !diff->binary && is_blob(delta.before)) {
        TRY_ASSIGN(before, desk_.world.reader->blob(delta.before.oid));
      }
      if (!diff.ok()) {
        if (diff.error().kind != ErrorKind::not_found) return diff.error();
        missing_.push_back(delta.path);
        return {};
      }
      text = diff->binary ? std::string("binary\n") : unified(core::split_lines(before), *diff);
    } else {
      text = fmt::format("submodule {} to {}\n", delta.before.oid, delta.after.oid);
    }
    // The first file is cut where it is too long, the others are named.
    if (!text_.empty() && text_.size() + head.size() + text.size() > most_bytes) {
      left_out_.push_back(delta.path);
      return {};
    }
    text_ += head + text;
    paths_.push_back(delta.path);
    return {};
  }

  static void name(Json& body, std::string_view key, const std::vector<std::string>& paths) {
    if (paths.empty()) return;
    Json list = Json::array();
    for (std::size_t k = 0; k < paths.size() && k < most_named; ++k) list.push(core::to_utf8(paths[k]));
    if (paths.size() > most_named) list.push(fmt::format("and {} more", paths.size() - most_named));
    body.set(key, std::move(list));
  }

  const Desk& desk_;
  std::string text_;
  std::vector<std::string> paths_, withheld_, left_out_, missing_;
};

Result<Answer> call(const Desk& desk, const Json& arguments) {
  const std::string& path = arguments["path"].as_string();
  if (arguments.has("path")) {
    if (const std::string why = wrong_path(path); !why.empty()) return refused(fmt::format("{} {}", core::printable(path), why));
  }
  return Patch(desk).run(path);
}

}  // namespace

const Tool upstream_patch{
    .name = "upstream_patch",
    .parameters = R"({"type": "object", "additionalProperties": false, "properties": {
      "path": {"type": "string", "maxLength": 300, "minLength": 1}
  }, "required": []})",
    .call = call,
};

}  // namespace sluice::tools
