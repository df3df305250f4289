// SPDX-License-Identifier: Apache-2.0
// A stand-in model as a program, for scripts/demo-model: `stand_in_model helpful|loses`. Prints its address and serves
// until its standard input ends. It knows the conflict of the demo.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "test/agent/scripts.h"
#include "test/agent/scripts_parts.h"

namespace {

using namespace sluice;
using namespace sluice::test;

// The fork skips zeros, upstream sums in double: both, and what follows from it.
std::string in_double(const scripts::SeenRegion& r) {
  std::string text = r.ours;
  const std::string narrow = "float left", wide = "double left";
  if (const auto at = text.find(narrow); at != std::string::npos) text.replace(at, narrow.size(), wide);
  return text;
}

std::string without_the_skip(const scripts::SeenRegion& r) {
  std::string text = in_double(r);
  const auto at = text.find("        if (left == 0.0f) continue;");
  if (at != std::string::npos) text.erase(at, text.find('\n', at) + 1 - at);
  return text;
}

TurnCall entry(const core::Json& finding, const std::string& code, const std::string& arg, const std::string& because) {
  TurnCall out;
  out.name = "account";
  out.arguments = core::Json::object({{"kind", finding["kind"].as_string()}, {"path", finding["path"].as_string()}, {"code", code}, {"arg", arg},
                                      {"item_ids", core::Json::array_of(std::vector<std::string>{finding["item_id"].as_string()})}, {"because", because}});
  return out;
}

// Accounts for what the check names, as far as it can be said truthfully.
Turn account(const Conversation& c) {
  const core::Json& check = c.answer_of("run_checks");
  const core::Json& line = c.answer_of("why_line");
  const std::string commit = line["commit"].as_string();
  std::vector<TurnCall> calls;
  for (const core::Json& finding : check["findings"].items()) {
    const std::string kind = finding["kind"].as_string();
    if (kind == "downstream_lost") calls.push_back(entry(finding, "RENAMED", "float,double", "the element is read as a double, so that the product is one"));
    if (kind == "upstream_added") calls.push_back(entry(finding, "SUPERSEDED_BY_FORK", commit, "the fork's loop reads the element once and multiplies it in double already"));
  }
  if (calls.empty()) return scripts::submit("Sums and products in double, and the fork still skips zeros.");
  return Turn::calls_of(std::move(calls));
}

Turn answer(const Conversation& c, const scripts::AnswerOf& text) {
  const auto regions = scripts::regions_of(c);
  if (regions.empty() || regions[0].theirs.find("std::fma") != std::string::npos)
    return scripts::give_up("Should the product be fused where the fork skips zeros? Both lines change what is rounded.", "needs_design");
  switch (c.turns) {
    case 0: return Turn::call("search", core::Json::object({{"rev", "ours"}, {"text", "our masks leave most of a row empty"}}));
    case 1: {
      // "path:line: text"
      const std::string found = c.answer_of("search")["lines"]["text"].as_string();
      const auto at = found.find(regions[0].path + ":");
      const std::int64_t line = at == std::string::npos ? 1 : std::atoll(found.c_str() + at + regions[0].path.size() + 1);
      return Turn::call("why_line", core::Json::object({{"path", regions[0].path}, {"line", line}}));
    }
    case 2: return scripts::resolve_all(c, text);
    case 3: return scripts::check();
    case 4: return account(c);
    default: break;
  }
  if (c.answer_of("submit").is_null()) return scripts::submit("Sums and products in double, and the fork still skips zeros.");
  return scripts::give_up("The checks stand against this answer.", "needs_design");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "helpful";
  if (how != "helpful" && how != "loses") {
    std::fprintf(stderr, "stand_in_model: helpful or loses, not '%s'\n", how.c_str());
    return 2;
  }
  const scripts::AnswerOf text = how == "loses" ? without_the_skip : in_double;
  ModelServer server([text](const Conversation& c) { return answer(c, text); });
  std::printf("%s\n", server.url().c_str());
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
  }
  for (const std::string& refusal : server.refusals()) std::fprintf(stderr, "refused: %s\n", refusal.c_str());
  return 0;
}
