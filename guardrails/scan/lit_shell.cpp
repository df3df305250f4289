// SPDX-License-Identifier: Apache-2.0
#include "guardrails/scan/lit_shell.h"

#include <algorithm>
#include <vector>

#include "core/text.h"

namespace sluice::guardrails {
namespace {

constexpr std::size_t max_expanded = 1 << 16;  // a definition that doubles itself ends here

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

struct Word {
  std::string text;
  bool op = false;  // an operator of the shell
};

std::vector<Word> words_of(std::string_view command) {
  std::vector<Word> out;
  std::string word;
  bool open = false;
  const auto close = [&] {
    if (open) out.push_back({word, false});
    word.clear();
    open = false;
  };
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (c == '\'' || c == '"') {
      open = true;
      for (++i; i < command.size() && command[i] != c; ++i) {
        if (c == '"' && command[i] == '\\' && i + 1 < command.size()) ++i;
        word += command[i];
      }
    } else if (c == '\\' && i + 1 < command.size()) {
      word += command[++i];
      open = true;
    } else if (is_blank(c)) {
      close();
    } else if (c == '|' || c == '&' || c == ';') {
      // `2>&1` and `|&` are redirections.
      if (c == '&' && !word.empty() && (word.back() == '>' || word.back() == '<')) {
        word += c;
        continue;
      }
      close();
      const bool twice = command.substr(i + 1, 1) == std::string_view(&c, 1);
      out.push_back({std::string(twice ? 2 : 1, c), true});
      if (twice || (c == '|' && command.substr(i + 1, 1) == "&")) ++i;
    } else {
      word += c;
      open = true;
    }
  }
  close();
  return out;
}

std::string_view base_name(std::string_view word) { return word.substr(word.rfind('/') + 1); }

bool is_file_check(std::string_view word) {
  return core::to_lower(base_name(word)).find("filecheck") != std::string::npos && !word.starts_with('-');
}

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         core::identifiers(word.substr(0, equals)) == std::vector{word.substr(0, equals)};
}

// Name and value of an option with one or two dashes; the value may be the next word.
bool option(std::string_view word, std::string_view name, std::string_view& value) {
  if (!word.starts_with('-')) return false;
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  if (!word.starts_with(name)) return false;
  word.remove_prefix(name.size());
  if (word.empty()) {
    value = {};
    return true;
  }
  if (word.front() != '=') return false;
  value = word.substr(1);
  return true;
}

class Command {
 public:
  explicit Command(ShellFacts& facts) : facts_(facts) {}

  void word(const std::string& text) {
    if (want_prefix_) {
      prefixes(text);
      want_prefix_ = false;
      return;
    }
    if (!named_) {
      // What may stand before a command's name: assignments, env, not, lit's conditionals.
      if (text == "not" || base_name(text) == "not" || text == "!") {
        ++facts_.nots;
      } else if (is_file_check(text)) {
        named_ = file_check_ = true;
        ++facts_.file_checks;
      } else if (text != "env" && !text.starts_with('-') && !is_assignment(text) &&
                 !text.starts_with("%if") && text != "%{" && text != "(" && text != "{") {
        named_ = true;
      }
      return;
    }
    if (!file_check_) {
      // Behind a wrapper (timeout 5 not FileCheck ...); no tool of a test takes `not` for anything else.
      if (text == "FileCheck") file_check_ = true, ++facts_.file_checks;
      if (text == "not") ++facts_.nots;
      return;
    }
    std::string_view value;
    if (option(text, "check-prefix", value) || option(text, "check-prefixes", value)) {
      if (value.empty())
        want_prefix_ = true;
      else
        prefixes(value);
    } else if (option(text, "allow-empty", value)) {
      facts_.allow_empty += value != "false" && value != "0" ? 1 : 0;
    } else if (option(text, "allow-unused-prefixes", value)) {
      facts_.allow_unused_prefixes += value != "false" && value != "0" ? 1 : 0;
    }
  }

  void end() {
    if (file_check_ && !prefixed_) facts_.prefixes.insert("CHECK");
    named_ = file_check_ = want_prefix_ = prefixed_ = false;
  }

 private:
  void prefixes(std::string_view list) {
    for (const std::string_view prefix : core::split(list, ',')) {
      if (!core::trim(prefix).empty()) facts_.prefixes.insert(std::string(core::trim(prefix)));
    }
    prefixed_ = true;
  }

  ShellFacts& facts_;
  bool named_ = false, file_check_ = false, want_prefix_ = false, prefixed_ = false;
};

}  // namespace

ShellFacts read_shell(std::string_view text) {
  ShellFacts facts;
  Command command(facts);
  const std::vector<Word> words = words_of(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].op) {
      command.word(words[i].text);
      continue;
    }
    command.end();
    if (words[i].text == "||" && i + 1 < words.size() && !words[i + 1].op &&
        (base_name(words[i + 1].text) == "true" || words[i + 1].text == ":")) {
      ++facts.or_true;
    }
  }
  command.end();
  return facts;
}

std::string squeeze_shell(std::string_view command) {
  std::string out;
  char quote = 0;
  for (const char c : core::trim(command)) {
    if (quote == 0 && is_blank(c)) {
      if (!out.empty() && out.back() != ' ') out += ' ';
      continue;
    }
    if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (c == quote)
      quote = 0;
    out += c;
  }
  return out;
}

std::string expand(std::string_view command, const std::map<std::string, std::string>& definitions,
                   std::size_t& budget) {
  std::string text(command);
  for (int level = 0; level < 4 && budget > 0 && !definitions.empty() && text.find("%{") != std::string::npos;
       ++level) {
    std::string out;
    bool changed = false;
    for (std::size_t i = 0; i < text.size() && out.size() < max_expanded;) {
      const std::string_view ahead = std::string_view(text).substr(i, 128);
      const std::size_t close = ahead.starts_with("%{") ? ahead.find('}') : std::string_view::npos;
      if (close != std::string_view::npos) {
        const auto found = definitions.find(std::string(ahead.substr(0, close + 1)));
        if (found != definitions.end()) {
          out += found->second;
          i += close + 1;
          changed = true;
          continue;
        }
      }
      out += text[i++];
    }
    if (!changed) break;
    if (out.size() > budget) {
      budget = 0;
      break;
    }
    budget -= out.size();
    text = std::move(out);
  }
  return text;
}

}  // namespace sluice::guardrails
