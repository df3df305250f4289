// SPDX-License-Identifier: Apache-2.0
// What the accounting record says of edits outside the regions.
#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "core/hash.h"
#include "core/text.h"
#include "tools/proposed_file.h"

namespace sluice::tools {
namespace {

using Lines = std::span<const git::DiffLine>;

// The line that speaks for a changed range: the first new one that says something, for a removal the first old one (G11).
std::string speaker(Lines range) {
  for (const char side : {'+', '-'}) {
    for (const git::DiffLine& line : range) {
      if (std::string norm = core::strip_space(line.text); line.side == side && !norm.empty()) return norm;
    }
  }
  return {};
}

bool touches(const PieceEdit& edit, Lines range) {
  return std::any_of(range.begin(), range.end(), [&](const git::DiffLine& line) {
    const std::vector<std::string>& own = line.side == '+' ? edit.after : edit.before;
    const std::string norm = core::strip_space(line.text);
    return !norm.empty() && std::find(own.begin(), own.end(), norm) != own.end();
  });
}

}  // namespace

std::vector<model::AccountEntry> ProposedFile::entries(const git::Reader& reader) const {
  std::vector<model::AccountEntry> out;
  if (edits_.empty()) return out;
  std::map<std::string, std::size_t> known;  // code, argument and line -> place in `out`
  const auto add = [&](const PieceEdit& edit, const std::string& norm) {
    const auto [found, fresh] = known.try_emplace(edit.code + '\n' + edit.arg + '\n' + norm, out.size());
    if (fresh)
      out.push_back({"adapt", path_, core::sha256_hex(norm), 1, edit.code, edit.arg, edit.reason});
    else
      ++out[found->second].count;
  };
  for (std::size_t piece = 0; piece < text_.size(); ++piece) {
    const git::TextDiff diff = reader.diff_text(cut_.text[piece], text_[piece]);
    std::size_t at = 0;
    for (const model::Hunk& hunk : diff.hunks) {
      const Lines range(diff.lines.data() + at, std::min<std::size_t>(hunk.old_count + hunk.new_count, diff.lines.size() - at));
      at += range.size();
      std::vector<const PieceEdit*> by;
      for (const PieceEdit& edit : edits_) {
        if (touches(edit, range)) by.push_back(&edit);
      }
      if (by.empty()) by.push_back(&edits_.back());
      std::set<std::string> said;
      for (const PieceEdit* edit : by) {
        if (!said.insert(edit->code + '\n' + edit->arg).second) continue;
        if (edit->code != "API_RENAME") {
          add(*edit, speaker(range));
          continue;
        }
        for (const git::DiffLine& line : range) {  // of a renaming every new line is checked, so each has its entry
          if (line.side != '+') continue;
          const std::string norm = core::strip_space(line.text);
          const bool own = std::any_of(edits_.begin(), edits_.end(), [&](const PieceEdit& e) {
            return e.code == edit->code && e.arg == edit->arg && std::find(e.after.begin(), e.after.end(), norm) != e.after.end();
          });
          if (own) add(*edit, norm);
        }
      }
    }
  }
  return out;
}

}  // namespace sluice::tools
