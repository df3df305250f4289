// SPDX-License-Identifier: Apache-2.0
#include "guardrails/scan/lit_file.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/text.h"
#include "guardrails/scan/lit_shell.h"

namespace sluice::guardrails {
namespace {

constexpr std::array<std::string_view, 8> keywords = {
    "RUN:", "XFAIL:", "REQUIRES:", "UNSUPPORTED:", "ALLOW_RETRIES:", "END.", "DEFINE:", "REDEFINE:"};

constexpr std::size_t most_expanded =
    4u << 20;  // bytes of one file's pipelines with their definitions filled in

struct Found {
  std::string_view keyword;  // empty: none
  std::string_view rest;
};

// The leftmost keyword of a line; of two at one place the longer cannot begin later, so order is no matter.
Found find_keyword(std::string_view line) {
  std::size_t best = std::string_view::npos;
  std::string_view which;
  for (const std::string_view keyword : keywords) {
    const std::size_t at = line.find(keyword);
    if (at < best) {
      best = at;
      which = keyword;
    }
  }
  if (which.empty()) return {};
  std::string_view rest = line.substr(best + which.size());
  while (rest.ends_with('\r')) rest.remove_suffix(1);
  return {which, rest};
}

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view trim_end(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

class Reader {
 public:
  // False when nothing behind this line counts.
  bool take(std::string_view line, std::uint32_t number) {
    const Found found = find_keyword(line);
    if (found.keyword.empty()) return true;
    const std::string keyword(found.keyword.substr(0, found.keyword.size() - 1));
    if (keyword == "RUN") {
      run(line, found.rest, number);
    } else if (keyword == "DEFINE" || keyword == "REDEFINE") {
      define(keyword, found.rest, number);
    } else if (keyword == "END") {
      if (!core::trim(found.rest).empty()) return true;  // prose: lit goes on
      file_.marks.push_back({keyword, "", number});
      return false;
    } else if (keyword == "ALLOW_RETRIES") {
      file_.marks.push_back({keyword, core::strip_space(found.rest), number});
    } else {
      expressions(keyword, found.rest, number);
    }
    return true;
  }

  LitFile finish() {
    close();
    if (file_.prefixes.empty()) file_.prefixes.insert("CHECK");
    return std::move(file_);
  }

 private:
  enum class Open { nothing, pipeline, definition };

  // Only a RUN line continues a RUN line, and only if no other directive of the script stands between.
  void run(std::string_view line, std::string_view rest, std::uint32_t number) {
    if (open_ == Open::pipeline && joined_.ends_with('\\')) {
      joined_.pop_back();
    } else {
      close();
      open_ = Open::pipeline;
      file_.pipelines.push_back({});
      file_.pipelines.back().first_line = number;
    }
    joined_ += trim_end(rest);
    file_.pipelines.back().last_line = number;
    file_.pipelines.back().source.emplace_back(line);
  }

  void define(const std::string& keyword, std::string_view rest, std::uint32_t number) {
    if (open_ == Open::definition && file_.marks[definition_].keyword == keyword && joined_.ends_with('\\')) {
      joined_.back() = ' ';
    } else {
      close();
      open_ = Open::definition;
      definition_ = file_.marks.size();
      file_.marks.push_back({keyword, "", number});
    }
    joined_ += trim_end(rest);
  }

  void close() {
    if (open_ == Open::pipeline) {
      LitPipeline& pipeline = file_.pipelines.back();
      pipeline.text = squeeze_shell(joined_);
      const ShellFacts facts = read_shell(expand(pipeline.text, definitions_, expansion_left_));
      pipeline.file_checks = facts.file_checks;
      pipeline.nots = facts.nots;
      pipeline.or_true = facts.or_true;
      pipeline.allow_empty = facts.allow_empty;
      pipeline.allow_unused_prefixes = facts.allow_unused_prefixes;
      file_.prefixes.insert(facts.prefixes.begin(), facts.prefixes.end());
    } else if (open_ == Open::definition) {
      file_.marks[definition_].text = squeeze_shell(joined_);
      const std::size_t equals = joined_.find('=');
      const std::string name(core::trim(std::string_view(joined_).substr(0, equals)));
      if (equals != std::string::npos && name.starts_with("%{"))
        definitions_[name] = joined_.substr(equals + 1);
    }
    open_ = Open::nothing;
    joined_.clear();
  }

  void expressions(const std::string& keyword, std::string_view rest, std::uint32_t number) {
    bool first = true;
    for (const std::string_view part : core::split(rest, ',')) {
      const std::string text = core::strip_space(part);
      if (text.empty()) continue;
      const auto last = last_.find(keyword);
      if (first && last != last_.end() && file_.marks[last->second].text.ends_with('\\')) {
        std::string& joined = file_.marks[last->second].text;
        joined.pop_back();
        joined += text;
      } else {
        last_[keyword] = file_.marks.size();
        file_.marks.push_back({keyword, text, number});
      }
      first = false;
    }
  }

  LitFile file_;
  Open open_ = Open::nothing;
  std::string joined_;          // of the open directive
  std::size_t definition_ = 0;  // its mark
  std::map<std::string, std::string> definitions_;
  std::map<std::string, std::size_t> last_;  // mark of an expression, by keyword
  std::size_t expansion_left_ = most_expanded;
};

// --- FileCheck -------------------------------------------------------------------------------------

bool in_prefix(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

constexpr std::array<std::string_view, 6> suffixes = {"-NEXT", "-SAME", "-NOT", "-DAG", "-LABEL", "-EMPTY"};

// `token` is a prefix with or without one of FileCheck's suffixes.
bool is_directive(std::string_view token, const std::set<std::string>& prefixes) {
  if (prefixes.contains(std::string(token))) return true;
  for (const std::string_view suffix : suffixes) {
    if (token.ends_with(suffix)) {
      return prefixes.contains(std::string(token.substr(0, token.size() - suffix.size())));
    }
  }
  const std::size_t count = token.rfind("-COUNT-");
  if (count == std::string_view::npos || count + 7 == token.size()) return false;
  const std::string_view digits = token.substr(count + 7);
  return std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
         prefixes.contains(std::string(token.substr(0, count)));
}

std::string squeeze(std::string_view text) {
  std::string out;
  for (const char c : core::trim(text)) {
    if (!is_blank(c))
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  return out;
}

void find_check(std::string_view line, std::uint32_t number, const std::set<std::string>& prefixes,
                std::vector<LitCheck>& out) {
  for (std::size_t i = 0; i < line.size();) {
    if (!in_prefix(line[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < line.size() && in_prefix(line[end])) ++end;
    const std::string_view token = line.substr(i, end - i);
    std::size_t after = end;
    while (line.substr(after, 1) == "{") {  // modifiers, of which FileCheck knows LITERAL
      const std::size_t close = line.substr(after, 32).find('}');
      if (close == std::string_view::npos) break;
      after += close + 1;
    }
    if (line.substr(after, 1) == ":") {
      if (token == "COM" || token == "RUN") return;  // FileCheck takes the rest for a comment
      if (is_directive(token, prefixes)) {
        const std::string head(line.substr(i, after - i));
        out.push_back({head + ": " + squeeze(line.substr(after + 1)), std::string(line), number});
        return;
      }
    }
    i = end;
  }
}

constexpr std::array<std::string_view, 4> kinds = {"error", "warning", "remark", "note"};

void find_expected(std::string_view line, std::uint32_t number, std::vector<LitCheck>& out) {
  for (std::size_t at = line.find("expected-"); at != std::string_view::npos;
       at = line.find("expected-", at)) {
    at += 9;
    for (const std::string_view kind : kinds) {
      if (line.substr(at, kind.size()) != kind) continue;
      const std::size_t open = line.find("{{", at);
      const std::size_t close = open == std::string_view::npos ? open : line.find("}}", open);
      if (close == std::string_view::npos) return;
      // Where the diagnostic is awaited (@+1, @below) follows from the layout of the file.
      const bool regex = line.substr(at + kind.size(), 3) == "-re";
      out.push_back({"expected-" + std::string(kind) + (regex ? "-re " : " ") +
                         squeeze(line.substr(open, close + 2 - open)),
                     std::string(line), number});
      at = close;
      break;
    }
  }
}

}  // namespace

LitFile read_lit_file(std::string_view text) {
  Reader reader;
  std::uint32_t number = 0;
  for (const std::string_view line : core::split_lines(text)) {
    if (!reader.take(line, ++number)) break;
  }
  return reader.finish();
}

std::vector<LitCheck> read_checks(std::string_view text, const std::set<std::string>& prefixes) {
  std::vector<LitCheck> out;
  std::uint32_t number = 0;
  for (const std::string_view line : core::split_lines(text)) {
    ++number;
    find_check(line, number, prefixes, out);
    find_expected(line, number, out);
  }
  return out;
}

}  // namespace sluice::guardrails
