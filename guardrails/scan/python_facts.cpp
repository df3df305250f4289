// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>

#include "core/text.h"
#include "guardrails/scan/call_scan.h"
#include "guardrails/scan/python_tokens.h"

namespace sluice::guardrails {
namespace {

constexpr std::size_t max_handler_lines = 400;  // a body is looked at for `raise` that far

struct Scope {
  std::uint32_t indent = 0;
  enum Kind { klass, function, condition, other } kind = other;
  std::string name;                 // of a class or function
  std::string header;               // of a condition
  std::optional<std::size_t> test;  // index of the fact
  std::size_t body = 0;             // first token of the body
};

constexpr std::array<std::string_view, 11> mark_words = {
    "skip",         "skipif",   "xfail",   "skipIf",          "skipUnless", "skipTest", "expectedFailure",
    "importorskip", "SkipTest", "skip_if", "usefixtures_skip"};

class Facts {
 public:
  explicit Facts(const PythonTokens& source) : tokens_(source.tokens), lines_(source.lines) {}

  std::vector<SourceFact> run() {
    for (line_ = 0; line_ < lines_.size(); ++line_) {
      close_scopes(lines_[line_].indent, lines_[line_].begin);
      statement(lines_[line_].begin, lines_[line_].end);
    }
    close_scopes(0, tokens_.size());
    return std::move(out_);
  }

 private:
  std::string_view text(std::size_t i) const {
    return i < tokens_.size() ? tokens_[i].text : std::string_view();
  }

  void close_scopes(std::uint32_t indent, std::size_t next) {
    chain_.clear();
    while (!scopes_.empty() && scopes_.back().indent >= indent) {
      const Scope& scope = scopes_.back();
      if (scope.test) out_[*scope.test].values = {digest_of(plain_text(tokens_, scope.body, next))};
      if (scope.indent == indent && scope.kind == Scope::condition) chain_ = scope.header;
      scopes_.pop_back();
    }
  }

  std::string context() const {
    std::string out;
    for (const Scope& scope : scopes_) {
      if (scope.kind != Scope::klass && scope.kind != Scope::function) continue;
      if (out.size() > 300) break;
      out += (out.empty() ? "" : ".") + scope.name;
    }
    return out;
  }

  // The conditions between the innermost function or class and here.
  std::string conditions() const {
    std::string out;
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend() && out.size() < 2000; ++scope) {
      if (scope->kind == Scope::klass || scope->kind == Scope::function) break;
      if (scope->kind == Scope::condition) out = scope->header + ": " + out;
    }
    return out;
  }

  // The ':' that ends a compound statement's header.
  std::size_t header_end(std::size_t begin, std::size_t end) const {
    int depth = 0;
    bool lambda = false;
    for (std::size_t i = begin; i < end; ++i) {
      const std::string_view t = tokens_[i].text;
      if (t == "(" || t == "[" || t == "{") ++depth;
      if (t == ")" || t == "]" || t == "}") --depth;
      if (t == "lambda") lambda = true;
      if (depth == 0 && t == ":" && tokens_[i].kind == TokenKind::op) {
        if (!lambda) return i;
        lambda = false;
      }
    }
    return end;
  }

  void statement(std::size_t begin, std::size_t end) {
    std::size_t at = begin;
    if (text(at) == "async") ++at;
    const std::string_view head = text(at);
    if (head == "@") {
      decorators_.push_back({begin + 1, end});
    } else if (head == "def" || head == "class") {
      definition(begin, at, end);
    } else if (head == "if" || head == "elif" || head == "else" || head == "while" || head == "for" ||
               head == "with" || head == "try" || head == "except" || head == "finally" || head == "match" ||
               head == "case") {
      const std::size_t colon = header_end(at, end);
      if (colon == end) return simple(begin, end);
      compound(head, at, colon, end);
    } else {
      simple(begin, end);
    }
  }

  void definition(std::size_t begin, std::size_t at, std::size_t end) {
    Scope scope;
    scope.indent = lines_[line_].indent;
    scope.kind = text(at) == "def" ? Scope::function : Scope::klass;
    scope.name = std::string(text(at + 1).substr(0, 200));
    const bool in_function =
        std::any_of(scopes_.begin(), scopes_.end(), [](const Scope& s) { return s.kind == Scope::function; });
    const bool test =
        at + 1 < end && !in_function &&
        (scope.kind == Scope::function ? scope.name.starts_with("test") : scope.name.starts_with("Test"));
    scope.body = std::min(at + 2, end);
    const std::string under = conditions();
    scopes_.push_back(scope);
    const std::string where = context();
    if (test && scope.kind == Scope::function) {
      scopes_.back().test = out_.size();
      out_.push_back({FactKind::test, where, where, {}, 0, false, tokens_[begin].line});
    }
    for (const auto& [from, to] : decorators_) marks(from, to, where, under, true);
    for (const auto& [from, to] : decorators_) scan_values(tokens_, from, to, where, out_);
    decorators_.clear();
    const std::size_t colon = header_end(at, end);
    scan_values(tokens_, begin, colon, where, out_);
    if (colon + 1 < end) simple(colon + 1, end);
  }

  void compound(std::string_view head, std::size_t begin, std::size_t colon, std::size_t end) {
    Scope scope;
    scope.indent = lines_[line_].indent;
    scope.kind = head == "if" || head == "elif" || head == "else" || head == "while" || head == "except" ||
                         head == "case"
                     ? Scope::condition
                     : Scope::other;
    if (scope.kind == Scope::condition) {
      std::size_t from = begin + 1, stop = colon;
      if (text(from) == "(" && close_of(tokens_, from, stop) == stop)
        ++from, --stop;  // a formatter's brackets
      scope.header = std::string(head) + (from < stop ? " " + plain_text(tokens_, from, stop) : "");
      if ((head == "elif" || head == "else") && chain_.size() < 500)
        scope.header = chain_ + " " + scope.header;
    }
    const std::string where = context();
    if (head == "for") loop(begin, colon, where);
    if (head == "except") handler(begin, colon, end, where);
    expression(begin, colon, where);
    scopes_.push_back(std::move(scope));
    if (colon + 1 < end) simple(colon + 1, end);
  }

  void simple(std::size_t begin, std::size_t end) {
    const std::string where = context();
    if (!decorators_.empty()) decorators_.clear();
    for (std::size_t from = begin; from < end;) {
      const std::size_t semicolon =
          static_cast<std::size_t>(std::find_if(tokens_.begin() + static_cast<std::ptrdiff_t>(from),
                                                tokens_.begin() + static_cast<std::ptrdiff_t>(end),
                                                [](const Token& token) { return token.text == ";"; }) -
                                   tokens_.begin());
      one(from, semicolon, where);
      from = semicolon + 1;
    }
  }

  void one(std::size_t begin, std::size_t end, const std::string& where) {
    if (begin >= end) return;
    const std::string_view head = text(begin);
    if (head == "assert") {
      std::size_t stop = end_at_comma(begin + 1, end);
      std::size_t from = begin + 1;
      if (text(from) == "(" && close_of(tokens_, from, stop) == stop && stop > from + 2)
        ++from, --stop;  // a formatter's brackets
      out_.push_back({FactKind::check,
                      where,
                      "assert " + without_tolerances(tokens_, from, stop),
                      {},
                      0,
                      false,
                      tokens_[begin].line});
    } else if (head == "raise" && begin + 1 < end && tokens_[begin + 1].kind == TokenKind::name) {
      out_.push_back({FactKind::guard,
                      where,
                      conditions() + "raise " + dotted_name(tokens_, begin + 1, end).text,
                      {},
                      0,
                      false,
                      tokens_[begin].line});
    }
    if (head == "config" && text(begin + 1) == "." &&
        (text(begin + 2) == "unsupported" || text(begin + 2) == "excludes" || text(begin + 2) == "suffixes" ||
         text(begin + 2) == "limit_to_features")) {
      out_.push_back({FactKind::config,
                      where,
                      conditions() + plain_text(tokens_, begin, end),
                      {},
                      0,
                      false,
                      tokens_[begin].line});
    }
    if ((head == "collect_ignore" || head == "collect_ignore_glob") && begin + 1 < end) {
      out_.push_back({FactKind::skip,
                      where,
                      conditions() + plain_text(tokens_, begin, end),
                      {},
                      0,
                      false,
                      tokens_[begin].line});
    }
    expression(begin, end, where);
  }

  std::size_t end_at_comma(std::size_t begin, std::size_t end) const {
    const auto parts = elements_of(tokens_, begin, end);
    return parts.empty() ? end : parts.front().second;
  }

  void expression(std::size_t begin, std::size_t end, const std::string& where) {
    marks(begin, end, where, conditions(), false);
    scan_values(tokens_, begin, end, where, out_);
    std::size_t checked = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (tokens_[i].kind != TokenKind::name) continue;
      const DottedName name = dotted_name(tokens_, i, end);
      const bool call = text(name.end) == "(" && name.end < end;
      if (call && i >= checked &&
          ((name.last != "assert" && name.last.find("assert") != std::string_view::npos) ||
           name.last == "raises" || name.last == "warns")) {
        checked = close_of(tokens_, name.end, end);
        out_.push_back(
            {FactKind::check, where, without_tolerances(tokens_, i, checked), {}, 0, false, tokens_[i].line});
      } else if (call && name.last == "range") {
        range(i, name.end, end, where, text(i - 1) == "in" && i >= 2 ? text(i - 2) : "range");
      } else if (call && name.last == "suppress") {
        const std::size_t close = close_of(tokens_, name.end, std::min(end, name.end + 64));
        if (broad(name.end + 1, close - 1))
          out_.push_back({FactKind::handler,
                          where,
                          "suppress " + plain_text(tokens_, name.end, close),
                          {},
                          0,
                          false,
                          tokens_[i].line});
      }
      i = name.end - 1;
    }
  }

  void range(std::size_t at, std::size_t open, std::size_t end, const std::string& where,
             std::string_view key) {
    const std::size_t close = close_of(tokens_, open, std::min(end, open + 16));
    if (close < open + 2 || text(close - 1) != ")") return;
    std::vector<double> numbers;
    for (const auto& [from, to] : elements_of(tokens_, open + 1, close - 1)) {
      double value = 0;
      if (to != from + 1 || !number_of(tokens_[from].text, value)) return;
      numbers.push_back(value);
    }
    if (numbers.empty() || numbers.size() > 3) return;
    double count = numbers[0];
    if (numbers.size() > 1) count = numbers[1] - numbers[0];
    if (numbers.size() > 2 && numbers[2] > 0) count /= numbers[2];
    out_.push_back({FactKind::count,
                    where,
                    std::string(key),
                    {plain_text(tokens_, at, close)},
                    count,
                    false,
                    tokens_[at].line});
  }

  // for NAME in [a, b, c]
  void loop(std::size_t begin, std::size_t end, const std::string& where) {
    std::size_t in = begin;
    while (in < end && text(in) != "in") ++in;
    if (in + 1 >= end || (text(in + 1) != "[" && text(in + 1) != "(")) return;
    out_.push_back(list_fact(tokens_, in + 1, end, where, plain_text(tokens_, begin + 1, in)));
  }

  bool broad(std::size_t begin, std::size_t end) const {
    if (begin >= end) return true;
    for (std::size_t i = begin; i < end && text(i) != "as"; ++i) {
      // AssertionError is what a test says with.
      if (text(i) == "Exception" || text(i) == "BaseException" || text(i) == "AssertionError") return true;
    }
    return false;
  }

  void handler(std::size_t begin, std::size_t colon, std::size_t end, const std::string& where) {
    if (!broad(begin + 1, colon)) return;
    std::size_t stop = end;
    const std::size_t last = std::min(lines_.size(), line_ + 1 + max_handler_lines);
    for (std::size_t i = line_ + 1; i < last && lines_[i].indent > lines_[line_].indent; ++i)
      stop = lines_[i].end;
    for (std::size_t i = colon; i < stop; ++i) {
      const std::string_view t = text(i);
      if (tokens_[i].kind != TokenKind::name) continue;
      if (t == "raise" || (t == "fail" && text(i + 1) == "(") || (t == "exit" && text(i + 1) == "(") ||
          t == "_exit")
        return;
      if (t == "assert" && (text(i + 1) == "False" || text(i + 1) == "0")) return;
    }
    std::string key = "except";
    for (std::size_t i = begin + 1; i < colon && text(i) != "as"; ++i) key += " " + std::string(text(i));
    out_.push_back({FactKind::handler, where, key.substr(0, 300), {}, 0, false, tokens_[begin].line});
  }

  // Without literals: the words of a reason may change. A condition in quotes and a module's name stay.
  std::string mark_text(std::size_t at, std::size_t end, bool keep_literals) const {
    std::vector<Token> kept;
    for (std::size_t i = at; i < end; ++i) {
      if (text(i) == "reason" && text(i + 1) == "=") {
        i = std::min(end_of_expression(tokens_, i + 2, end), end);
        if (i >= end) break;
        if (text(i) == ")") kept.push_back(tokens_[i]);
      } else if (text(i) == "," && !kept.empty() && (kept.back().text == "," || kept.back().text == "(")) {
        continue;  // of a literal that is left out
      } else if (tokens_[i].kind != TokenKind::text || keep_literals) {
        kept.push_back(tokens_[i]);
      }
    }
    return plain_text(kept, 0, kept.size());
  }

  void marks(std::size_t begin, std::size_t end, const std::string& where, const std::string& under,
             bool decorator) {
    std::size_t listed = begin, marked = begin;  // ends of the calls that are read already
    for (std::size_t i = begin; i < end; ++i) {
      if (tokens_[i].kind != TokenKind::name) continue;
      const DottedName name = dotted_name(tokens_, i, end);
      if (name.last == "parametrize" && text(name.end) == "(" && name.end < end) {
        if (i >= listed) listed = parametrize(name.end, end, where);
      } else if (name.last == "fixture" && text(name.end) == "(" && name.end < end) {
        if (i >= listed) listed = fixture(name.end, end, where);
      } else if (i >= marked &&
                 std::find(mark_words.begin(), mark_words.end(), name.last) != mark_words.end()) {
        const bool qualified = name.text.size() > name.last.size();
        const bool call = name.end < end && text(name.end) == "(";
        // `skip` is a common word: only where pytest, unittest or a decorator says it.
        const bool common = name.last == "skip" || name.last == "xfail";
        const bool tester = name.text.starts_with("pytest.") || name.text.starts_with("unittest.") ||
                            name.text.starts_with("mark.");
        const bool other = common && !tester && !decorator;
        if (!other && (qualified || call || decorator)) {
          const std::size_t close = call ? close_of(tokens_, name.end, end) : name.end;
          const bool keep = name.last == "importorskip" || name.last == "skipif";
          const bool conditional =
              !under.empty() || keep || name.last == "skipIf" || name.last == "skipUnless";
          marked = close;
          out_.push_back({FactKind::skip,
                          where,
                          under + mark_text(i, close, keep),
                          {},
                          0,
                          conditional,
                          tokens_[i].line});
        }
      }
      i = name.end - 1;
    }
  }

  // @pytest.fixture(params=[...])
  std::size_t fixture(std::size_t open, std::size_t end, const std::string& where) {
    const std::size_t close = close_of(tokens_, open, end);
    if (close < open + 2) return close;
    for (const auto& [from, to] : elements_of(tokens_, open + 1, close - 1)) {
      if (text(from) == "params" && text(from + 1) == "=")
        out_.push_back(list_fact(tokens_, from + 2, to, where, "fixture params"));
    }
    return close;
  }

  std::size_t parametrize(std::size_t open, std::size_t end, const std::string& where) {
    const std::size_t close = close_of(tokens_, open, end);
    if (close < open + 2) return close;
    const auto arguments = elements_of(tokens_, open + 1, close - 1);
    if (arguments.size() < 2) return close;
    std::string names;
    for (std::size_t i = arguments[0].first; i < arguments[0].second; ++i) {
      if (tokens_[i].kind == TokenKind::text) names += core::strip_space(inner_text(tokens_[i].text)) + ",";
    }
    while (names.ends_with(',')) names.pop_back();
    std::size_t from = arguments[1].first;
    if (text(from) == "argvalues" && text(from + 1) == "=") from += 2;
    const std::string_view opens = text(from);
    if ((opens == "[" || opens == "(") && from + 2 == arguments[1].second)  // pytest skips a test without values
      out_.push_back({FactKind::skip, where, "parametrize " + names + " over nothing", {}, 0, false, tokens_[from].line});
    out_.push_back(list_fact(tokens_, from, arguments[1].second, where, "parametrize " + names));
    return close;
  }

  const std::vector<Token>& tokens_;
  const std::vector<PythonLine>& lines_;
  std::vector<SourceFact> out_;
  std::vector<Scope> scopes_;
  std::string chain_;  // header of the condition that this line may go on with
  std::vector<std::pair<std::size_t, std::size_t>> decorators_;
  std::size_t line_ = 0;
};

}  // namespace

std::vector<SourceFact> python_facts(std::string_view source) {
  const PythonTokens tokens = tokenize_python(source);
  return Facts(tokens).run();
}

}  // namespace sluice::guardrails
