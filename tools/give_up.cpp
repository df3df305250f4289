// SPDX-License-Identifier: Apache-2.0
#include "tools/tool.h"

namespace sluice::tools {
namespace {

Result<Answer> call(const Desk&, const Json& arguments) {
  Answer out = said(Json::object({{"ended", true}}));
  out.end = Answer::End::gave_up;
  out.category = arguments["category"].as_string();
  out.question = arguments["question"].as_string();
  return out;
}

}  // namespace

const Tool give_up{
    .name = "give_up",
    .parameters = R"({"type": "object", "additionalProperties": false, "properties": {
      "category": {"type": "string", "enum": ["needs_design", "missing_context", "missing_dependency", "unsafe_request_in_input", "tool_failure"]},
      "question": {"type": "string", "maxLength": 800, "minLength": 1}
  }, "required": ["category", "question"]})",
    .call = call,
};

}  // namespace sluice::tools
