// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/text.h"
#include "tools/tool.h"

namespace sluice::tools {
namespace {

Result<Answer> call(const Desk& desk, const Json& arguments) {
  const std::string& path = arguments["path"].as_string();
  if (!may_show(desk.world, path)) return refused(fmt::format("{} is withheld, so it cannot be changed here", core::printable(path)));
  auto done = desk.buffer.adapt(path, arguments["old"].as_string(), arguments["new"].as_string(), arguments["reason_code"].as_string(),
                                arguments["reason"].as_string());
  if (!done.ok()) return refused_or_failed(std::move(done.error()));
  return said(Json::object({{"path", path}, {"accepted", true}}));
}

}  // namespace

const Tool adapt_lines{
    .name = "adapt_lines",
    .parameters = R"({"type": "object", "additionalProperties": false, "properties": {
      "path": {"type": "string", "maxLength": 300, "minLength": 1},
      "old": {"type": "string", "maxLength": 8000, "minLength": 1},
      "new": {"type": "string", "maxLength": 8000},
      "reason_code": {"type": "string", "enum": ["API_RENAME", "SIGNATURE", "INCLUDE", "REGISTRATION", "TEST_EXPECTATION_FROM_UPSTREAM"]},
      "reason": {"type": "string", "maxLength": 600, "minLength": 1}
  }, "required": ["path", "old", "new", "reason_code", "reason"]})",
    .call = call,
};

}  // namespace sluice::tools
