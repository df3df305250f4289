// SPDX-License-Identifier: Apache-2.0
#include "service/selecting.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/text.h"

namespace sluice::service {

namespace {

bool all_of(std::string_view text, std::string_view more) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || more.find(c) != std::string_view::npos;
  });
}

// For the expressions of Python and of CMake: what is not a letter or a digit stands for itself in brackets.
std::string literally(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view(".+()").find(c) != std::string_view::npos) {
      out += '[';
      out += c;
      out += ']';
    } else {
      out += c;
    }
  }
  return out;
}

std::string any_of(const std::vector<std::string>& tests) {
  std::string out = "^(";
  for (const std::string& test : tests) out += (&test == &tests.front() ? "" : "|") + literally(test);
  return out + ")$";
}

std::string_view program_of(const std::vector<std::string>& argv) {
  const std::string_view path = argv.front();
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

std::optional<model::SuiteConfig> select_tests(const model::SuiteConfig& suite, const std::vector<std::string>& tests) {
  constexpr std::array<std::string_view, 7> takes_no_arguments = {"sh", "bash", "dash", "env", "xargs", "time", "timeout"};
  if (tests.empty() || suite.steps.empty() || suite.steps.back().empty()) return std::nullopt;
  model::SuiteConfig out = suite;
  std::vector<std::string>& argv = out.steps.back();
  const std::string_view program = program_of(argv);
  if (std::find(takes_no_arguments.begin(), takes_no_arguments.end(), program) != takes_no_arguments.end()) return std::nullopt;
  const auto named = [&](std::string_view more) {
    return std::all_of(tests.begin(), tests.end(), [&](const std::string& test) { return all_of(test, more); });
  };
  if (suite.kind == "gtest" && named("._/")) {
    argv.push_back("--gtest_filter=" + core::join(tests, ":"));
  } else if (suite.kind == "ctest" && program == "ctest" && named("._/:+-()")) {
    argv.insert(argv.end(), {"-R", any_of(tests)});
  } else if (suite.kind == "lit" && program.find("lit") != std::string_view::npos && named("._/:+- ")) {
    argv.push_back("--filter=" + any_of(tests));
  } else {
    return std::nullopt;
  }
  return out;
}

}  // namespace sluice::service
