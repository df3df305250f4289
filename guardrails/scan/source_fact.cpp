// SPDX-License-Identifier: Apache-2.0
#include "guardrails/scan/source_fact.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/text.h"

namespace sluice::guardrails {
namespace {

// The words of an identifier, lower case: max_absDiff -> max abs diff.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> out(1);
  char before = 0;
  for (const char c : name.substr(0, 200)) {
    const bool upper = c >= 'A' && c <= 'Z', was_lower = before >= 'a' && before <= 'z';
    if (c == '_' || c == '-' || c == '.') {
      if (!out.back().empty()) out.emplace_back();
    } else {
      if (upper && was_lower && !out.back().empty()) out.emplace_back();
      out.back() += upper ? static_cast<char>(c - 'A' + 'a') : c;
    }
    before = c;
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

template <std::size_t N>
bool one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<std::string_view, 16> tolerance_words = {
    "tol", "atol", "rtol", "tols",    "abstol",    "reltol",     "maxtol",    "rmstol",
    "ulp", "ulps", "eps",  "epsilon", "tolerance", "tolerances", "threshold", "thresholds"};
constexpr std::array<std::string_view, 5> error_words = {"diff", "err", "error", "difference", "deviation"};
constexpr std::array<std::string_view, 18> repeated = {
    "seed",   "seeds",   "iter", "iters", "iterations", "trial",  "trials", "rep",     "reps",
    "repeat", "repeats", "run",  "runs",  "round",      "rounds", "sample", "samples", "examples"};
constexpr std::array<std::string_view, 6> plural = {"dtypes",    "shapes", "seeds",
                                                    "dtypelist", "sizes",  "configs"};
constexpr std::array<std::string_view, 4> single = {"dtype", "shape", "seed", "size"};

}  // namespace

bool is_tolerance_name(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (one_of(words[i], tolerance_words) || words[i] == "maxdiff" || words[i] == "maxerr") return true;
    // max_diff, max_abs_error
    if (words[i] == "max" && std::any_of(words.begin() + static_cast<std::ptrdiff_t>(i), words.end(),
                                         [](const std::string& word) { return one_of(word, error_words); }))
      return true;
  }
  return is_closeness_call(name) && name.find("close") != std::string_view::npos;
}

bool is_reversed_tolerance_name(std::string_view name) {
  return name == "decimal" || name == "places" || name == "significant";
}

bool is_count_name(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  if (words.empty() || words.size() > 4) return false;
  const bool counts =
      words.front() == "num" || words.front() == "n" || words.front() == "max" || words.front() == "nb";
  if (counts)
    return words.size() > 1 && one_of(words.back(), repeated) &&
           !(words.front() == "max" && words.back() != "examples");
  return words.size() == 1 &&
         (name == "repeats" || name == "repeat" || name == "iterations" || name == "iters" ||
          name == "trials" || name == "REPEATS" || name == "ITERATIONS" || name == "TRIALS");
}

bool is_list_name(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  if (words.empty()) return false;
  if (one_of(words.back(), plural)) return true;
  return words.size() > 1 && (words.back() == "list" || words.back() == "set") &&
         one_of(words[words.size() - 2], single);
}

bool is_closeness_call(std::string_view name) {
  static constexpr std::array<std::string_view, 11> calls = {"allclose",
                                                             "assert_close",
                                                             "assert_allclose",
                                                             "isclose",
                                                             "approx",
                                                             "is_close",
                                                             "assertClose",
                                                             "assert_almost_equal",
                                                             "assert_array_almost_equal",
                                                             "assertAlmostEqual",
                                                             "EXPECT_NEAR"};
  return one_of(name, calls) || name == "ASSERT_NEAR" || name.find("allclose") != std::string_view::npos ||
         name.find("AllClose") != std::string_view::npos;
}

bool number_of(std::string_view token, double& value) {
  std::string text;
  for (const char c : token.substr(0, 100)) {
    if (c != '\'' && c != '_') text += c;
  }
  if (text.empty() || !((text[0] >= '0' && text[0] <= '9') || (text[0] == '.' && text.size() > 1)))
    return false;
  // A locale cannot be set by anything of this program, and from_chars of this library knows no double.
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return end != text.c_str();
}

std::string digest_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return fmt::format("{:016x}", hash);
}

}  // namespace sluice::guardrails
