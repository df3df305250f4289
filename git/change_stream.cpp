// SPDX-License-Identifier: Apache-2.0
#include "git/change_stream.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "core/text.h"

namespace sluice::git {

namespace {

constexpr char commit_mark = '\x01';
// Beyond this the lines of a commit are not kept: its further files count as binary. A facts record needs
// no more, and a hostile commit must not fill the memory.
constexpr std::size_t most_text_bytes = 64u << 20;

Error odd(std::string_view what) {
  return make_error(ErrorKind::internal, "git log answered in an unknown form at: " + core::printable(what, 120));
}

std::optional<StreamedFile> parse_raw(std::string_view meta, bool& renamed) {
  const auto words = core::split(meta.substr(1), ' ');
  if (words.size() != 5 || words[4].empty()) return std::nullopt;
  StreamedFile out;
  auto& change = out.change;
  std::from_chars(words[0].data(), words[0].data() + words[0].size(), change.old_mode, 8);
  std::from_chars(words[1].data(), words[1].data() + words[1].size(), change.new_mode, 8);
  if (!model::is_oid(words[2]) || !model::is_oid(words[3])) return std::nullopt;
  if (change.old_mode != 0) change.old_blob = words[2];
  if (change.new_mode != 0) change.new_blob = words[3];
  const char letter = words[4].front();
  renamed = letter == 'R' || letter == 'C';
  switch (letter) {
    case 'A': change.status = model::ChangeStatus::added; break;
    case 'D': change.status = model::ChangeStatus::deleted; break;
    case 'R': change.status = model::ChangeStatus::renamed; break;
    case 'T': change.status = model::ChangeStatus::type_changed; break;
    default: change.status = model::ChangeStatus::modified; break;
  }
  return out;
}

// "12,3" or "12" (one line).
bool parse_range(std::string_view text, std::uint32_t& start, std::uint32_t& count) {
  count = 1;
  auto rest = std::from_chars(text.data(), text.data() + text.size(), start);
  if (rest.ec != std::errc()) return false;
  if (rest.ptr != text.data() + text.size() && *rest.ptr == ',')
    rest = std::from_chars(rest.ptr + 1, text.data() + text.size(), count);
  return rest.ec == std::errc() && rest.ptr == text.data() + text.size();
}

}  // namespace

void hash_lines(StreamedFile& file) {
  const auto digest = [](const std::vector<std::string>& lines) {
    core::Sha256 hash;
    for (const auto& line : lines) {
      hash.add(line);
      hash.add("\n");
    }
    return hash.hex();
  };
  if (file.change.binary) return;
  file.change.removed_sha = digest(file.removed);
  file.change.added_sha = digest(file.added);
}

bool ChangeParser::take_until(char end, std::string_view& field) {
  const auto at = buffer_.find(end, offset_);
  if (at == std::string::npos) return false;
  field = std::string_view(buffer_).substr(offset_, at - offset_);
  offset_ = at + 1;
  return true;
}

Result<void> ChangeParser::feed(std::string_view bytes) {
  // Handled bytes are cut off now and then, not for every line.
  if (offset_ > (1u << 20) || offset_ == buffer_.size()) {
    buffer_.erase(0, offset_);
    offset_ = 0;
  }
  buffer_.append(bytes);
  while (offset_ < buffer_.size()) {
    TRY_ASSIGN(const bool more, step());
    if (!more) break;
  }
  return {};
}

Result<void> ChangeParser::finish() {
  if (offset_ != buffer_.size() || removed_left_ != 0 || added_left_ != 0 || at_ == At::raw)
    return make_error(ErrorKind::invalid, "the output of git log breaks off inside a commit");
  return end_commit();
}

Result<void> ChangeParser::end_commit() {
  if (!in_commit_) return {};
  in_commit_ = false;
  for (auto& file : commit_.files) {
    if (file.change.binary) {
      file.change.hunks.clear();
      file.removed.clear();
      file.added.clear();
    }
    hash_lines(file);
  }
  StreamedCommit done = std::move(commit_);
  commit_ = {};
  return visit_(std::move(done));
}

Result<bool> ChangeParser::step() {
  switch (at_) {
    case At::commit: {
      if (buffer_[offset_] != commit_mark) return odd(std::string_view(buffer_).substr(offset_, 80));
      std::string_view field;
      if (!take_until('\0', field)) return false;
      TRY(end_commit());
      if (!model::is_oid(field.substr(1))) return odd(field);
      commit_.oid = field.substr(1);
      in_commit_ = true;
      next_file_ = file_ = 0;
      type_sections_ = 0;
      text_bytes_ = 0;
      at_ = At::after_commit;
      return true;
    }
    case At::after_commit:  // LF when there are changes, the next commit otherwise
      if (buffer_[offset_] == commit_mark) {
        at_ = At::commit;
      } else if (buffer_[offset_] == '\n') {
        ++offset_;
        at_ = At::raw;
      } else {
        return odd(std::string_view(buffer_).substr(offset_, 80));
      }
      return true;
    case At::raw: return step_raw();
    case At::section: return step_section();
    case At::hunk_lines: return step_hunk_line();
  }
  return false;
}

Result<bool> ChangeParser::step_raw() {
  if (buffer_[offset_] != ':') {
    if (buffer_[offset_] == '\0') ++offset_;
    at_ = At::section;
    return true;
  }
  const std::size_t begin = offset_;
  std::string_view meta, path, new_path;
  bool renamed = false;
  if (!take_until('\0', meta)) return offset_ = begin, false;
  auto file = parse_raw(meta, renamed);
  if (!file) return odd(meta);
  if (!take_until('\0', path) || (renamed && !take_until('\0', new_path))) return offset_ = begin, false;
  file->change.old_path = path;
  file->change.path = renamed ? new_path : path;
  commit_.files.push_back(std::move(*file));
  return true;
}

Result<bool> ChangeParser::step_section() {
  if (buffer_[offset_] == commit_mark) {
    at_ = At::commit;
    return true;
  }
  std::string_view line;
  if (!take_until('\n', line)) return false;
  if (line.starts_with("diff --git ")) {
    const bool second = next_file_ > 0 && commit_.files[file_].change.status == model::ChangeStatus::type_changed &&
                        type_sections_ == 1;
    if (second) {
      type_sections_ = 2;
    } else {
      if (next_file_ >= commit_.files.size()) return odd(line);
      file_ = next_file_++;
      type_sections_ = 1;
    }
  } else if (line.starts_with("Binary files ")) {
    if (next_file_ == 0) return odd(line);
    commit_.files[file_].change.binary = true;
  } else if (line.starts_with("@@ ")) {
    if (next_file_ == 0 || !open_hunk(line)) return odd(line);
    at_ = At::hunk_lines;
  }
  return true;
}

bool ChangeParser::open_hunk(std::string_view line) {
  const auto plus = line.find(" +");
  const auto end = plus == std::string_view::npos ? plus : line.find(" @@", plus);
  if (end == std::string_view::npos || !line.starts_with("@@ -")) return false;
  model::Hunk hunk;
  if (!parse_range(line.substr(4, plus - 4), hunk.old_start, hunk.old_count) ||
      !parse_range(line.substr(plus + 2, end - plus - 2), hunk.new_start, hunk.new_count))
    return false;
  removed_left_ = hunk.old_count;
  added_left_ = hunk.new_count;
  commit_.files[file_].change.hunks.push_back(hunk);
  return true;
}

Result<bool> ChangeParser::step_hunk_line() {
  auto& file = commit_.files[file_];
  if (removed_left_ == 0 && added_left_ == 0) {
    // A last "\ No newline at end of file" belongs to the hunk; only the byte after it tells.
    if (buffer_[offset_] == '\\') {
      std::string_view note;
      return take_until('\n', note);
    }
    at_ = At::section;
    return true;
  }
  std::string_view line;
  if (!take_until('\n', line)) return false;
  if (line.empty()) return odd(line);
  if (line.front() == '\\') return true;
  auto& left = line.front() == '-' ? removed_left_ : added_left_;
  if ((line.front() != '-' && line.front() != '+') || left == 0) return odd(line);
  --left;
  text_bytes_ += line.size() + sizeof(std::string);
  if (text_bytes_ > most_text_bytes) file.change.binary = true;
  if (!file.change.binary) (line.front() == '-' ? file.removed : file.added).emplace_back(line.substr(1));
  return true;
}

}  // namespace sluice::git
