// SPDX-License-Identifier: Apache-2.0
// What the accounting record says of edits outside the regions.
#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "core/hash.h"
#include "core/renaming.h"
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

// A line of the range became `norm` by this renaming alone.
bool makes(const PieceEdit& edit, Lines range, const std::string& norm) {
  const auto names = core::renaming_of(edit.arg);
  return names && std::any_of(range.begin(), range.end(), [&](const git::DiffLine& line) {
    return line.side == '-' && core::strip_space(core::rename_in(line.text, names->from, names->to)) == norm;
  });
}

// Entries of one file; those for equal lines are one that counts.
class Entries {
 public:
  explicit Entries(const std::string& path) : path_(path) {}
  void add(const PieceEdit& edit, const std::string& norm) { add(edit.code, edit.arg, edit.reason, norm); }
  void add(const std::string& code, const std::string& arg, const std::string& reason, const std::string& norm) {
    const auto [found, fresh] = known_.try_emplace(code + '\n' + arg + '\n' + norm, out.size());
    if (fresh)
      out.push_back({"adapt", path_, core::sha256_hex(norm), 1, code, arg, reason});
    else
      ++out[found->second].count;
  }
  std::vector<model::AccountEntry> out;

 private:
  const std::string& path_;
  std::map<std::string, std::size_t> known_;
};

// What the edits of one changed range say of it. In a file with regions G11 reads the entries of a range together; in any
// other G10 reads every new line by itself.
void say(Lines range, const std::vector<const PieceEdit*>& by, bool together, Entries& entries) {
  std::vector<const PieceEdit*> renamings;
  std::set<std::string> said;
  bool free_text = false;
  for (const PieceEdit* edit : by) {
    if (!said.insert(edit->code + '\n' + edit->arg).second) continue;
    if (edit->code == "API_RENAME") {
      renamings.push_back(edit);
    } else {
      entries.add(*edit, speaker(range));
      free_text = true;
    }
  }
  if (together && renamings.size() > 1) {
    for (const PieceEdit* edit : renamings) entries.add(*edit, speaker(range));
    return;
  }
  if (renamings.empty()) return;
  for (const git::DiffLine& line : range) {
    if (line.side != '+') continue;
    const std::string norm = core::strip_space(line.text);
    const auto made = std::find_if(renamings.begin(), renamings.end(), [&](const PieceEdit* edit) { return makes(*edit, range, norm); });
    if (made != renamings.end()) {
      entries.add(**made, norm);
    } else if (!free_text) {  // two renamings met in one line: true, but no single renaming, so a person looks
      entries.add("SIGNATURE", {}, renamings.back()->reason, speaker(range));
      free_text = true;
    }
  }
}

}  // namespace

std::vector<model::AccountEntry> ProposedFile::entries(const git::Reader& reader) const {
  Entries entries(path_);
  for (std::size_t piece = 0; piece < text_.size() && !edits_.empty(); ++piece) {
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
      say(range, by, !cut_.regions.empty(), entries);
    }
  }
  return std::move(entries.out);
}

}  // namespace sluice::tools
