// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <optional>

#include "core/renaming.h"
#include "core/text.h"
#include "tools/buffer_state.h"
#include "tools/tool.h"

namespace sluice::tools {
namespace {

constexpr std::size_t most_hits = 50, longest_line = 300;
// One call reads no more than this; a tree that holds more is searched folder by folder.
constexpr std::size_t most_files = 20'000, most_bytes = 64u << 20, largest_file = 2u << 20;

class Search {
 public:
  Search(const Desk& desk, std::string rev, std::string text, bool whole_word)
      : desk_(desk), rev_(std::move(rev)), text_(std::move(text)), whole_word_(whole_word) {}

  Result<Answer> run(const std::string& prefix) {
    if (rev_ == "proposed") {
      TRY_ASSIGN(Draft draft, desk_.buffer.draft());
      for (DraftFile& file : draft.files) changed_.insert_or_assign(std::move(file.path), std::move(file.text));
    }
    // The folder that the prefix names whole is walked, not the tree.
    Oid tree = tree_of(desk_.world, rev_);
    std::string folder;
    if (const std::size_t slash = prefix.rfind('/'); slash != std::string::npos) {
      TRY_ASSIGN(const auto entry, desk_.world.reader->entry(tree, prefix.substr(0, slash)));
      if (!entry || entry->mode != 0040000) return answer();
      tree = entry->oid;
      folder = prefix.substr(0, slash + 1);
    }
    std::optional<Error> failed;
    TRY(desk_.world.reader->walk(tree, [&](const std::string& name, const git::TreeEntry& entry) {
      const std::string path = folder + name;
      if (!path.starts_with(prefix) || (entry.mode != 0100644 && entry.mode != 0100755)) return true;
      if (auto done = file(path, entry); !done.ok()) failed = std::move(done.error());
      return !failed && stopped_.empty();
    }));
    if (failed) return std::move(*failed);
    return answer();
  }

 private:
  Result<void> file(const std::string& path, const git::TreeEntry& entry) {
    if (!may_show(desk_.world, path)) {
      ++withheld_;
      return {};
    }
    if (files_ == most_files || bytes_ > most_bytes) {
      stopped_ = fmt::format("after {} files and {} bytes, before {}: give a path_prefix", files_, bytes_, core::printable(path));
      return {};
    }
    ++files_;
    if (const auto changed = changed_.find(path); changed != changed_.end()) {
      if (changed->second) look(path, *changed->second);
      return {};
    }
    auto text = desk_.world.reader->blob(entry.oid, largest_file);
    if (!text.ok()) {  // too large, or by policy not in the store
      if (text.error().kind != ErrorKind::invalid && text.error().kind != ErrorKind::not_found) return std::move(text.error());
      ++unread_;
      return {};
    }
    look(path, *text);
    return {};
  }

  void look(const std::string& path, const std::string& content) {
    bytes_ += content.size();
    if (looks_binary(content)) return;
    std::size_t counted = 0, line = 1;  // `line` is that of byte `counted`
    for (std::size_t at = content.find(text_); at != std::string::npos;) {
      if (!stands_alone(content, at)) {
        at = content.find(text_, at + 1);
        continue;
      }
      if (hits_ == most_hits) {
        stopped_ = fmt::format("at {} places; more follow from {}: narrow it by path_prefix or a longer text", most_hits, core::printable(path));
        return;
      }
      for (; counted < at; ++counted) line += content[counted] == '\n' ? 1 : 0;
      const std::size_t begin = at == 0 ? 0 : content.rfind('\n', at - 1) + 1;  // npos + 1 = 0
      std::size_t end = std::min(content.find('\n', at), content.size());
      std::string_view found(content.data() + begin, end - begin);
      if (found.ends_with('\r')) found.remove_suffix(1);
      rows_ += fmt::format("{}:{}: {}\n", path, line, short_line(found, longest_line));
      ++hits_;
      if (paths_.empty() || paths_.back() != path) paths_.push_back(path);
      at = end == content.size() ? std::string::npos : content.find(text_, end);  // a line counts once
    }
  }

  bool stands_alone(const std::string& content, std::size_t at) const {
    if (!whole_word_) return true;
    const std::size_t end = at + text_.size();
    return (at == 0 || !core::is_word(content[at - 1]) || !core::is_word(text_.front())) &&
           (end == content.size() || !core::is_word(content[end]) || !core::is_word(text_.back()));
  }

  Answer answer() {
    Json body = Json::object({{"rev", rev_}, {"hits", hits_}, {"files_searched", files_}});
    if (hits_ > 0) body.set("lines", untrusted(fmt::format("search of {}: path:line: text", rev_), rows_, most_hits * (longest_line * 4 + 400)));
    if (!stopped_.empty()) body.set("stopped", stopped_);
    if (withheld_ > 0) body.set("withheld_files", withheld_);
    if (unread_ > 0) body.set("files_too_large_or_absent", unread_);
    return said(std::move(body), std::move(paths_));
  }

  const Desk& desk_;
  std::string rev_, text_;
  bool whole_word_;
  std::map<std::string, std::optional<std::string>> changed_;
  std::size_t files_ = 0, bytes_ = 0, hits_ = 0, withheld_ = 0, unread_ = 0;
  std::string rows_, stopped_;
  std::vector<std::string> paths_;
};

Result<Answer> call(const Desk& desk, const Json& arguments) {
  const std::string& text = arguments["text"].as_string();
  const std::string& prefix = arguments["path_prefix"].as_string();
  if (text.find_first_of("\r\n") != std::string::npos) return refused("a search is for text within one line: leave the line break out");
  if (prefix.starts_with('/') || (!prefix.empty() && !wrong_path(prefix.ends_with('/') ? prefix + "x" : prefix).empty()))
    return refused(fmt::format("path_prefix {} begins no path of the tree", core::printable(prefix)));
  return Search(desk, arguments["rev"].as_string(), text, arguments["whole_word"].as_bool()).run(prefix);
}

}  // namespace

const Tool search{
    .name = "search",
    .parameters = R"({"type": "object", "additionalProperties": false, "properties": {
      "rev": {"type": "string", "enum": ["base", "ours", "theirs", "proposed"]},
      "text": {"type": "string", "maxLength": 120, "minLength": 2},
      "path_prefix": {"type": "string", "maxLength": 200},
      "whole_word": {"type": "boolean"}
  }, "required": ["rev", "text"]})",
    .call = call,
};

}  // namespace sluice::tools
