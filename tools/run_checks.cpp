// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tools/checks.h"
#include "tools/tool.h"

namespace sluice::tools {
namespace {

Result<Answer> call(const Desk& desk, const Json& arguments) {
  const Level level = arguments["level"].as_string() == "compile" ? Level::compile : Level::static_rules;
  const std::vector<std::string> open = open_places(desk.buffer);
  if (level == Level::compile && !open.empty())
    return refused(fmt::format("{} regions have no answer, so there is nothing to compile: answer them first, {} for one", open.size(),
                               open.front()));
  TRY_ASSIGN(const Draft draft, desk.buffer.draft());
  TRY_ASSIGN(const std::vector<Finding> findings, check_round(desk, level, draft));
  Json body = Json::object({{"level", arguments["level"]}, {"open", open.size()}});
  std::vector<std::string> paths;
  tell(desk, findings, body, paths);
  return said(std::move(body), std::move(paths));
}

}  // namespace

const Tool run_checks{
    .name = "run_checks",
    .parameters = R"({"type": "object", "additionalProperties": false, "properties": {
      "level": {"type": "string", "enum": ["static", "compile"]}
  }, "required": ["level"]})",
    .call = call,
};

}  // namespace sluice::tools
