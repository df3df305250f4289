// SPDX-License-Identifier: Apache-2.0
#include "guardrails/scan/call_scan.h"

#include <algorithm>
#include <functional>

#include "core/text.h"

namespace sluice::guardrails {
namespace {

using Tokens = std::vector<Token>;

// How long the value of one key may be: enough for any that a person writes.
constexpr std::size_t max_value_tokens = 2048;

bool is_open(std::string_view text) { return text == "(" || text == "[" || text == "{"; }
bool is_close(std::string_view text) { return text == ")" || text == "]" || text == "}"; }
bool is_joint(std::string_view text) { return text == "." || text == "::" || text == "->"; }
bool is_name(const Token& token) { return token.kind == TokenKind::name; }

// Every number that stands for a tolerance in [begin, end): its token and the name that it stands at.
using Visit = std::function<void(std::size_t token, std::string_view name, bool reversed)>;

struct Frame {
  std::string_view callee;  // last part of the called name; empty: no call
  std::size_t argument = 0;
  std::size_t begin = 0;  // of the argument
  bool round = false;
};

bool key_name(std::string_view name) { return is_tolerance_name(name) || is_reversed_tolerance_name(name); }

class ToleranceScan {
 public:
  ToleranceScan(const Tokens& tokens, std::size_t begin, std::size_t end, const Visit& visit)
      : tokens_(tokens), begin_(begin), end_(end), visit_(visit) {
    for (std::size_t i = begin; i < end; ++i) take(i);
  }

 private:
  void take(std::size_t i) {
    const std::string_view text = tokens_[i].text;
    if (tokens_[i].kind == TokenKind::op) {
      if (is_open(text)) {
        const bool called = text == "(" && i > begin_ && is_name(tokens_[i - 1]);
        frames_.push_back({called ? tokens_[i - 1].text : std::string_view(), 0, i + 1, text == "("});
      } else if (is_close(text)) {
        if (frames_.empty()) return;
        argument(i);
        closed_ = frames_.back().callee;
        frames_.pop_back();
      } else if (text == "," && !frames_.empty()) {
        argument(i);
        ++frames_.back().argument;
        frames_.back().begin = i + 1;
      } else if ((text == "=" || text == ":") && i > begin_) {
        key(i);
      } else if ((text == "<" || text == "<=") && i > begin_ && i + 1 < end_) {
        compare(i);
      }
    }
  }

  // A positional number of a call that compares: allclose(a, b, 1e-3).
  void argument(std::size_t end) {
    const Frame& frame = frames_.back();
    if (!frame.round || frame.argument < 1 || end != frame.begin + 1 ||
        tokens_[frame.begin].kind != TokenKind::number)
      return;
    if (is_closeness_call(frame.callee))
      visit_(frame.begin, frame.callee, frame.callee.find("lmost") != std::string_view::npos);
  }

  void key(std::size_t i) {
    const Token& before = tokens_[i - 1];
    const std::string_view name = is_name(before) ? before.text : inner_text(before.text);
    if (i < value_end_ || !key_name(name)) return;  // the outer key has its numbers
    value_end_ = end_of_expression(tokens_, i + 1, end_);
    // An annotation is part of it (`tol: float = 1e-3`); a type holds no number.
    for (std::size_t k = i + 1; k < value_end_; ++k) {
      // A divisor or an exponent scales the number before it.
      const std::string_view sign = tokens_[k - 1].text;
      if (tokens_[k].kind == TokenKind::number && sign != "/" && sign != "//" && sign != "%" && sign != "**")
        visit_(k, name, is_reversed_tolerance_name(name));
    }
  }

  // max_diff < 1e-3, (a - b).abs().max() < 1e-3
  void compare(std::size_t i) {
    const bool minus = tokens_[i + 1].text == "-" && i + 2 < end_;
    const std::size_t at = i + (minus ? 2 : 1);
    if (tokens_[at].kind != TokenKind::number) return;
    const Token& before = tokens_[i - 1];
    const std::string_view name = is_name(before)      ? before.text
                                  : before.text == ")" ? closed_
                                                       : std::string_view();
    const bool small =
        tokens_[at].text.find('.') != std::string_view::npos ||
        (tokens_[at].text.find('e') != std::string_view::npos && !tokens_[at].text.starts_with("0x"));
    const bool norm = name == "max" || name == "mean" || name == "norm" || name == "abs" || name == "item" ||
                      name == "fabs";
    if (is_tolerance_name(name) || (small && norm)) visit_(at, name, false);
  }

  const Tokens& tokens_;
  std::size_t begin_, end_;
  const Visit& visit_;
  std::vector<Frame> frames_;
  std::size_t value_end_ = 0;  // of the key that is being read
  std::string_view closed_;    // callee of the bracket that closed last
};

// Topmost literal lists of an expression: brackets that no name stands before. A comprehension lists what it
// iterates over.
void literal_lists(const Tokens& tokens, std::size_t begin, std::size_t end, int depth, SourceFact& fact) {
  for (std::size_t i = begin; i < end; ++i) {
    if (!is_open(tokens[i].text)) continue;
    const std::size_t close = close_of(tokens, i, end);
    const std::size_t inner = close > i + 1 && is_close(tokens[close - 1].text) ? close - 1 : close;
    const bool called =
        i > begin && (is_name(tokens[i - 1]) || is_close(tokens[i - 1].text)) && tokens[i - 1].text != "in";
    bool comprehension = false;
    int level = 0;
    for (std::size_t k = i + 1; k < inner && !comprehension; ++k) {
      level += is_open(tokens[k].text) ? 1 : is_close(tokens[k].text) ? -1 : 0;
      comprehension = level == 0 && tokens[k].text == "for";
    }
    if (called || comprehension) {
      if (depth < 8) literal_lists(tokens, i + 1, inner, depth + 1, fact);
    } else {
      for (const auto& [from, to] : elements_of(tokens, i + 1, inner))
        fact.values.push_back(plain_text(tokens, from, to));
      fact.conditional = false;
    }
    i = close - 1;
  }
}

}  // namespace

DottedName dotted_name(const Tokens& tokens, std::size_t at, std::size_t end) {
  DottedName name;
  for (;;) {
    name.last = tokens[at].text;
    if (name.text.size() < 300) name.text += tokens[at].text;
    name.end = at + 1;
    if (at + 2 >= end || !is_joint(tokens[at + 1].text) || !is_name(tokens[at + 2])) return name;
    name.text += '.';
    at += 2;
  }
}

std::size_t close_of(const Tokens& tokens, std::size_t open, std::size_t end) {
  int depth = 0;
  for (std::size_t i = open; i < end; ++i) {
    if (is_open(tokens[i].text))
      ++depth;
    else if (is_close(tokens[i].text) && --depth <= 0)
      return i + 1;
  }
  return end;
}

std::size_t end_of_expression(const Tokens& tokens, std::size_t at, std::size_t end) {
  int depth = 0;
  end = std::min(end, at + max_value_tokens);
  for (std::size_t i = at; i < end; ++i) {
    if (is_open(tokens[i].text)) {
      ++depth;
    } else if (is_close(tokens[i].text)) {
      if (--depth < 0) return i;
    } else if (depth == 0 && (tokens[i].text == "," || tokens[i].text == ";")) {
      return i;
    }
  }
  return end;
}

std::vector<std::pair<std::size_t, std::size_t>> elements_of(const Tokens& tokens, std::size_t begin,
                                                             std::size_t end) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  int depth = 0;
  std::size_t from = begin;
  for (std::size_t i = begin; i <= end; ++i) {
    if (i == end || (depth == 0 && tokens[i].text == ",")) {
      if (i > from) out.emplace_back(from, i);
      from = i + 1;
    } else if (is_open(tokens[i].text)) {
      ++depth;
    } else if (is_close(tokens[i].text)) {
      --depth;
    }
  }
  return out;
}

SourceFact list_fact(const Tokens& tokens, std::size_t begin, std::size_t end, const std::string& context,
                     std::string key) {
  SourceFact fact{
      FactKind::list, context, std::move(key), {}, 0, true, begin < tokens.size() ? tokens[begin].line : 0};
  literal_lists(tokens, begin, end, 0, fact);
  return fact;
}

void scan_values(const Tokens& tokens, std::size_t begin, std::size_t end, const std::string& context,
                 std::vector<SourceFact>& out) {
  const Visit visit = [&](std::size_t token, std::string_view name, bool reversed) {
    SourceFact fact{
        FactKind::tolerance, context, std::string(name), {std::string(tokens[token].text)}, 0, false,
        tokens[token].line};
    if (!number_of(tokens[token].text, fact.number)) return;
    if (token > begin && tokens[token - 1].text == "-" && token > begin + 1 &&
        tokens[token - 2].kind == TokenKind::op)
      fact.number = -fact.number;
    if (reversed) fact.kind = FactKind::count;
    out.push_back(std::move(fact));
  };
  ToleranceScan(tokens, begin, end, visit);
  std::size_t list_end = begin;
  for (std::size_t i = begin; i < end; ++i) {
    if (!is_name(tokens[i])) continue;
    const std::string_view name = tokens[i].text,
                           next = i + 1 < end ? tokens[i + 1].text : std::string_view();
    if (next == "(" && is_closeness_call(name) && !(i > begin && tokens[i - 1].text == "def")) {
      out.push_back({FactKind::closeness, context, std::string(name), {}, 0, false, tokens[i].line});
    } else if (next == "=" && i + 2 < end) {
      if (is_count_name(name)) {
        double number = 0;
        const std::size_t stop = end_of_expression(tokens, i + 2, std::min(end, i + 4));
        if (stop == i + 3 && number_of(tokens[i + 2].text, number))
          out.push_back({FactKind::count,
                         context,
                         std::string(name),
                         {std::string(tokens[i + 2].text)},
                         number,
                         false,
                         tokens[i].line});
      } else if (i >= list_end && is_list_name(name)) {
        list_end = end_of_expression(tokens, i + 2, end);
        out.push_back(list_fact(tokens, i + 2, list_end, context, std::string(name)));
      }
    }
  }
}

std::string without_tolerances(const Tokens& tokens, std::size_t begin, std::size_t end) {
  std::vector<Token> copy(tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                          tokens.begin() + static_cast<std::ptrdiff_t>(end));
  const Visit visit = [&](std::size_t token, std::string_view, bool) { copy[token].text = "#"; };
  const std::vector<Token> source = copy;
  ToleranceScan(source, 0, source.size(), visit);
  return plain_text(copy, 0, copy.size());
}

}  // namespace sluice::guardrails
