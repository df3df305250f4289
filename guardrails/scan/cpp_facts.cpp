// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>

#include "core/text.h"
#include "guardrails/scan/call_scan.h"
#include "guardrails/scan/cpp_tokens.h"

namespace sluice::guardrails {
namespace {

using Range = std::pair<std::size_t, std::size_t>;

constexpr std::size_t max_call_tokens = 4096;  // of one assertion: what is longer is cut

struct Scope {
  enum Kind { named, function, condition, other } kind = other;
  std::string context;       // names from the outermost to this one
  std::string header;        // of a condition
  bool in_function = false;  // this one or one around it is a function
};

bool any_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_test_macro(std::string_view name) {
  return any_of(name, {"TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P"});
}
bool is_assertion(std::string_view name) {
  return name.starts_with("EXPECT_") || name.starts_with("ASSERT_") ||
         any_of(name, {"assert", "static_assert", "TORCH_CHECK", "TT_ASSERT", "CHECK", "DCHECK", "REQUIRE",
                       "assume_assert"}) ||
         name.starts_with("CHECK_") || name.starts_with("DCHECK_");
}
bool is_fatal(std::string_view name) {
  return any_of(
      name, {"llvm_unreachable", "report_fatal_error", "reportFatalInternalError", "reportFatalUsageError"});
}
// What ends a handler that does not swallow.
bool passes_on(std::string_view name) {
  return any_of(name, {"throw", "abort", "exit", "_exit", "terminate", "rethrow_exception", "FAIL",
                       "ADD_FAILURE"}) ||
         is_fatal(name);
}
bool is_refusal(std::string_view name) {
  return any_of(name, {"throw", "emitError", "emitOpError", "abort", "exit"}) || is_fatal(name);
}

class Facts {
 public:
  explicit Facts(const CppTokens& source) : tokens_(source.tokens), directives_(source.directives) {
    const std::uint32_t none = static_cast<std::uint32_t>(tokens_.size());
    behind_.assign(tokens_.size(), none);
    next_pass_.assign(tokens_.size() + 1, none);
    std::vector<std::uint32_t> opened;
    for (std::uint32_t i = 0; i < none; ++i) {
      const std::string_view t = tokens_[i].text;
      if (t == "(" || t == "[" || t == "{") opened.push_back(i);
      if ((t == ")" || t == "]" || t == "}") && !opened.empty()) {
        behind_[opened.back()] = i + 1;
        opened.pop_back();
      }
    }
    for (std::uint32_t i = none; i-- > 0;)
      next_pass_[i] =
          tokens_[i].kind == TokenKind::name && passes_on(tokens_[i].text) ? i : next_pass_[i + 1];
  }

  std::vector<SourceFact> run() {
    for (const Token& directive : directives_) pragma(directive);
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == TokenKind::name) {
        word(i);
      } else if (tokens_[i].kind == TokenKind::op) {
        const std::string_view sign = tokens_[i].text;
        if (sign == "{") {
          open(i);
        } else if (sign == "}") {
          statement(head_, i);
          if (!scopes_.empty()) scopes_.pop_back();
          head_ = i + 1;
        } else if (sign == ";" && !in_for_header(i)) {
          statement(head_, i);
          head_ = i + 1;
        }
      }
    }
    statement(head_, tokens_.size());
    return std::move(out_);
  }

 private:
  std::string_view text(std::size_t i) const {
    return i < tokens_.size() ? tokens_[i].text : std::string_view();
  }
  std::size_t near(std::size_t i) const { return std::min(tokens_.size(), i + max_call_tokens); }
  void add(FactKind kind, std::string key, std::size_t at, bool conditional = false) {
    out_.push_back({kind, context(), std::move(key), {}, 0, conditional, tokens_[at].line});
  }

  // The token behind the bracket that closes the one at `open`.
  std::size_t behind(std::size_t open) const {
    return open < tokens_.size() ? behind_[open] : tokens_.size();
  }

  std::string context() const { return scopes_.empty() ? std::string() : scopes_.back().context; }
  bool in_function() const { return !scopes_.empty() && scopes_.back().in_function; }

  std::string conditions(std::size_t at) const {
    std::string out;
    std::size_t seen = 0;
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend() && ++seen < 100; ++scope) {
      if (scope->kind == Scope::named || scope->kind == Scope::function) break;
      if (scope->kind == Scope::condition) out = scope->header + ": " + out;
    }
    if (text(head_) == "if" && behind(head_ + 1) <= at && at - head_ < 200)
      out += plain_text(tokens_, head_, behind(head_ + 1)) + ": ";
    return out;
  }
  // The semicolons of `for (;;)` end no statement.
  bool in_for_header(std::size_t i) const {
    return text(head_) == "for" && text(head_ + 1) == "(" && behind(head_ + 1) > i;
  }

  void open(std::size_t i) {
    Scope scope;
    scope.context = context();
    scope.in_function = in_function();
    const std::string_view first = text(head_);
    const std::size_t begin = std::max(head_, i > 400 ? i - 400 : 0);
    if (any_of(first, {"if", "else", "while", "for", "switch", "catch", "case"}) && head_ < i) {
      scope.kind = first == "for" ? Scope::other : Scope::condition;
      scope.header = plain_text(tokens_, begin, i).substr(0, 300);
      if (first == "for") loop(head_, i);
      scan_values(tokens_, begin, i, scope.context, out_);
    } else if (head_ < i) {
      header(begin, i, scope);
    }
    scopes_.push_back(std::move(scope));
    head_ = i + 1;
  }

  static void enter(Scope& scope, Scope::Kind kind, std::string_view name) {
    scope.kind = kind;
    scope.in_function = kind == Scope::function;
    if (scope.context.size() < 300 && !name.empty())
      scope.context += (scope.context.empty() ? "" : ".") + std::string(name.substr(0, 200));
  }

  // What a brace opens: a named block, a function, or a list of values.
  void header(std::size_t begin, std::size_t i, Scope& scope) {
    if (is_test_macro(text(begin)) && text(begin + 1) == "(")
      return enter(scope, Scope::function, test_name(begin));
    std::size_t paren = i;
    int depth = 0;
    for (std::size_t k = begin; k < i; ++k) {
      const std::string_view t = tokens_[k].text;
      if (t == "=" && depth == 0) return value_list(begin, i);
      if (any_of(t, {"class", "struct", "namespace", "union", "enum", "def", "multiclass"}) && paren == i) {
        const bool named = t != "namespace" && k + 1 < i && tokens_[k + 1].kind == TokenKind::name;
        return enter(scope, Scope::named, named ? tokens_[k + 1].text : std::string_view());
      }
      if (t == "(" && paren == i) paren = k;
      depth += t == "(" ? 1 : t == ")" ? -1 : 0;
    }
    if (paren == i || paren == begin || scope.in_function) return value_list(begin, i);
    std::size_t start = paren - 1;
    while (start >= begin + 2 && tokens_[start - 1].text == "::" &&
           tokens_[start - 2].kind == TokenKind::name)
      start -= 2;
    const std::string name = dotted_name(tokens_, start, paren).text;
    if (core::to_lower(name).find("verify") != std::string::npos)
      add(FactKind::guard, "verifier " + name, start);
    enter(scope, Scope::function, name);
    scan_values(tokens_, begin, i, scope.context, out_);  // default arguments
  }

  // NAME = { ... }, NAME[] = { ... }, NAME { ... }
  void value_list(std::size_t begin, std::size_t i) {
    for (std::size_t k = i; k-- > begin && i - k < 8;) {
      if (tokens_[k].kind != TokenKind::name) continue;
      if (i >= listed_ && is_list_name(tokens_[k].text)) {
        listed_ = std::min(behind(i), near(i));
        out_.push_back(list_fact(tokens_, i, listed_, context(), std::string(tokens_[k].text)));
      }
      return;
    }
  }

  void statement(std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    if (text(begin) == "for") loop(begin, end);
    scan_values(tokens_, begin, end, context(), out_);
    if (text(begin) == "let" && text(begin + 1) == "hasVerifier" && text(begin + 3) == "1")
      add(FactKind::guard, "hasVerifier", begin);
  }

  std::string test_name(std::size_t i) const {
    std::string suite(text(i + 2)), name(text(i + 4));
    if (suite.starts_with("DISABLED_")) suite.erase(0, 9);
    if (name.starts_with("DISABLED_")) name.erase(0, 9);
    return (suite + "." + name).substr(0, 300);
  }

  void word(std::size_t i) {
    const std::string_view name = tokens_[i].text;
    if (name == "noexcept") return no_except(i);
    if (name == "throw" && text(i + 1) != ";") return;
    if (text(i + 1) != "(") {
      if (name == "GTEST_SKIP_")
        add(FactKind::skip, conditions(i) + std::string(name), i, !conditions(i).empty());
      return;
    }
    if (is_test_macro(name)) {
      test(i);
    } else if (any_of(name, {"GTEST_SKIP", "SKIP_TEST", "GTEST_SKIP_"})) {
      const std::string under = conditions(i);
      add(FactKind::skip, under + std::string(name), i, !under.empty());
    } else if (is_assertion(name)) {
      if (i < checked_) return;
      checked_ = std::min(behind(i + 1), near(i));
      add(FactKind::check, assertion(i, checked_), i);
    } else if (is_fatal(name)) {
      add(FactKind::guard, std::string(name), i);
    } else if (name == "if") {
      guard(i);
    } else if (name == "catch") {
      handler(i);
    } else if (name.starts_with("INSTANTIATE_TEST_") || name.starts_with("INSTANTIATE_TYPED_TEST_")) {
      parameters(i);
    }
  }

  void test(std::size_t i) {
    if (i < tested_ || text(i + 3) != ",") return;
    const std::size_t close = std::min(behind(i + 1), i + 16);
    tested_ = text(close) == "{" ? behind(close) : close;
    const std::string name = test_name(i);
    out_.push_back({FactKind::test,
                    name,
                    name,
                    {digest_of(plain_text(tokens_, close, tested_))},
                    0,
                    false,
                    tokens_[i].line});
    if (text(i + 2).starts_with("DISABLED_") || text(i + 4).starts_with("DISABLED_"))
      out_.push_back({FactKind::skip, name, "DISABLED_", {}, 0, false, tokens_[i].line});
  }

  // Without the words that `assert(x && "words")` and `static_assert(x, "words")` carry.
  std::string assertion(std::size_t begin, std::size_t end) const {
    std::vector<Token> kept;
    for (std::size_t i = begin; i < end; ++i) {
      const bool joint = tokens_[i].text == "&&" || tokens_[i].text == ",";
      if (joint && i + 1 < end && tokens_[i + 1].kind == TokenKind::text) {
        std::size_t k = i + 1;
        while (k < end && tokens_[k].kind == TokenKind::text) ++k;
        if (k + 1 == end) {
          i = k - 1;
          continue;
        }
      }
      kept.push_back(tokens_[i]);
    }
    return without_tolerances(kept, 0, kept.size());
  }

  // if (CONDITION) followed by a refusal, or by a jump when the condition compares with a size.
  void guard(std::size_t i) {
    const std::size_t close = behind(i + 1);
    if (close > i + 200) return;
    std::size_t at = close;
    if (text(at) == "{") ++at;
    const bool returns = text(at) == "return";
    if (returns) ++at;
    while (text(at) == "std" || text(at) == "::" || text(at) == "mlir" || text(at) == "llvm" ||
           text(at) == "this" || text(at) == "->" || text(at) == "op" || text(at) == ".")
      ++at;
    bool bound = false, size = false;
    for (std::size_t k = i + 1; k < close; ++k) {
      bound = bound || any_of(tokens_[k].text, {"<", ">", "<=", ">="});
      size = size ||
             any_of(tokens_[k].text, {"size", "numel", "rank", "getRank", "getNumElements", "end", "length"});
    }
    const bool jump = bound && size && (returns || text(at) == "continue" || text(at) == "break");
    // A pattern that says failure() does not apply; a verifier that says it refuses.
    const bool verifies =
        returns && text(at) == "failure" && core::to_lower(context()).find("verif") != std::string::npos;
    if (is_refusal(text(at)) || verifies || jump) add(FactKind::guard, plain_text(tokens_, i, close), i);
  }

  void handler(std::size_t i) {
    const std::size_t close = std::min(behind(i + 1), i + 32);
    bool broad = text(i + 2) == "...";
    for (std::size_t k = i + 2; k < close; ++k) broad = broad || tokens_[k].text == "exception";
    if (!broad || text(close) != "{") return;
    if (next_pass_[close] < behind(close)) return;
    add(FactKind::handler, text(i + 2) == "..." ? "catch ( ... )" : "catch ( std::exception )", i);
  }

  void parameters(std::size_t i) {
    if (i < listed_) return;
    const std::size_t close = std::min(behind(i + 1), near(i));
    listed_ = close;
    SourceFact fact{FactKind::list, context(), std::string(text(i + 4)), {}, 0, true, tokens_[i].line};
    for (std::size_t k = i + 2; k + 1 < close; ++k) {
      const bool types = text(k) == "Types" && text(k + 1) == "<";
      if (!types && !(any_of(text(k), {"Values", "Range"}) && text(k + 1) == "(")) continue;
      std::size_t end = close;
      if (types)
        end = static_cast<std::size_t>(std::find_if(tokens_.begin() + static_cast<std::ptrdiff_t>(k),
                                                    tokens_.begin() + static_cast<std::ptrdiff_t>(close),
                                                    [](const Token& token) { return token.text == ">"; }) -
                                       tokens_.begin());
      else
        end = std::min(behind(k + 1) - 1, close);
      for (const Range& element : elements_of(tokens_, k + 2, end))
        fact.values.push_back(plain_text(tokens_, element.first, element.second));
      fact.conditional = false;
      k = end;
    }
    out_.push_back(std::move(fact));
  }

  // for (int i = 0; i < 10; ++i), for (auto seed : {1, 2, 3})
  void loop(std::size_t begin, std::size_t end) {
    const std::size_t close = std::min({behind(begin + 1), end, begin + 200});
    for (std::size_t k = begin + 2; k < close; ++k) {
      double number = 0;
      if (any_of(tokens_[k].text, {"<", "<="}) && text(k + 2) == ";" && number_of(text(k + 1), number)) {
        out_.push_back({FactKind::count,
                        context(),
                        std::string(text(k - 1)),
                        {std::string(text(k + 1))},
                        number + (tokens_[k].text == "<=" ? 1 : 0),
                        false,
                        tokens_[k].line});
        return;
      }
      if (tokens_[k].text == ":" && text(k + 1) == "{" && tokens_[k - 1].kind == TokenKind::name) {
        out_.push_back(
            list_fact(tokens_, k + 1, std::min(behind(k + 1), near(k)), context(), std::string(text(k - 1))));
        return;
      }
    }
  }

  // On a move, a swap or a destructor it promises nothing that hides an error.
  void no_except(std::size_t i) {
    if (text(i + 1) == "(" && text(i + 2) != "true") return;
    std::size_t paren = i;
    int depth = 0;
    for (std::size_t k = i; k-- > 0 && i - k < 200;) {
      const std::string_view t = tokens_[k].text;
      if (t == "&&" || t == "~" || t == "swap" || t == "operator") return;
      if (t == ";" || t == "{" || t == "}") break;
      if (t == ")") ++depth;
      if (t == "(" && --depth <= 0) {
        paren = k;
        break;
      }
    }
    if (paren == i || paren == 0 || tokens_[paren - 1].kind != TokenKind::name) return;
    if (paren > 1 && any_of(tokens_[paren - 2].text, {"~", "operator"})) return;
    add(FactKind::suppress, "noexcept " + std::string(tokens_[paren - 1].text), i);
  }

  // An assertion that is made nothing: every call of it still stands there.
  static bool silences(std::string_view verb, std::string_view name) {
    static constexpr std::array<std::string_view, 8> checks = {"assert", "static_assert", "llvm_unreachable", "report_fatal_error",
                                                               "TEST",   "TEST_F",        "TEST_P",           "TYPED_TEST"};
    static constexpr std::array<std::string_view, 14> relations = {"EQ",    "NE",    "LT",   "LE",       "GT",        "GE",    "TRUE",
                                                                   "FALSE", "STREQ", "NEAR", "FLOAT_EQ", "DOUBLE_EQ", "THROW", "THAT"};
    if (name == "NDEBUG") return verb == "define";
    const bool of_gtest = name.starts_with("EXPECT_") || name.starts_with("ASSERT_");
    return std::find(checks.begin(), checks.end(), name) != checks.end() ||
           (of_gtest && std::find(relations.begin(), relations.end(), name.substr(7)) != relations.end());
  }

  void pragma(const Token& directive) {
    const auto words = core::identifiers(directive.text.substr(0, 200));
    if (words.size() > 1 && (words[0] == "define" || words[0] == "undef") && silences(words[0], words[1]))
      out_.push_back({FactKind::suppress, "", "#" + std::string(words[0]) + " " + std::string(words[1]), {}, 0, false, directive.line});
    const std::string line = core::strip_space(directive.text);
    if (!line.starts_with("#pragma")) return;
    const bool ignores =
        line.find("ignored") != std::string::npos || line.find("warning(disable") != std::string::npos ||
        line.starts_with("#pragmadiag_suppress") || line.starts_with("#pragmanv_diag_suppress");
    if (ignores) out_.push_back({FactKind::suppress, "", line.substr(0, 300), {}, 0, false, directive.line});
  }

  const std::vector<Token>& tokens_;
  const std::vector<Token>& directives_;
  std::vector<SourceFact> out_;
  std::vector<Scope> scopes_;
  std::size_t head_ = 0;                               // first token of the statement
  std::size_t checked_ = 0, tested_ = 0, listed_ = 0;  // ends of what is read already
  std::vector<std::uint32_t> behind_;     // of an opening bracket: the token behind its closing one
  std::vector<std::uint32_t> next_pass_;  // the next token that lets an error through
};

}  // namespace

std::vector<SourceFact> cpp_facts(std::string_view source) {
  const CppTokens tokens = tokenize_cpp(source);
  return Facts(tokens).run();
}

}  // namespace sluice::guardrails
