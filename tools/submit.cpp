// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "tools/checks.h"
#include "tools/tool.h"

namespace sluice::tools {
namespace {

constexpr std::size_t most_named = 20;

Result<Answer> call(const Desk& desk, const Json& arguments) {
  const std::vector<std::string> open = open_places(desk.buffer);
  if (!open.empty()) {
    std::vector<std::string> named(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(std::min(open.size(), most_named)));
    Answer out = refused(fmt::format("{} conflicts have no answer yet", open.size()));
    out.body.set("open_regions", Json::array_of(named));
    return out;
  }
  TRY_ASSIGN(const Draft draft, desk.buffer.draft());
  TRY_ASSIGN(const std::vector<Finding> findings, check_round(desk, Level::static_rules, draft));
  const auto wrong = std::count_if(findings.begin(), findings.end(), hinders);
  Json body = Json::object({});
  std::vector<std::string> paths;
  if (!findings.empty()) tell(desk, findings, body, paths);
  if (wrong > 0) {
    const std::string some = wrong == 1 ? std::string("1 finding has") : fmt::format("{} findings have", wrong);
    body.set("error", fmt::format("{} to be mended, or answered by account, before this is accepted", some));
    Answer out = said(std::move(body), std::move(paths));
    out.is_error = true;
    return out;
  }
  body.set("accepted", true);
  if (!findings.empty()) body.set("note", "a person looks at what is left");
  Answer out = said(std::move(body), std::move(paths));
  out.end = Answer::End::submitted;
  out.confidence = arguments["confidence"].as_string();
  out.summary = arguments["summary"].as_string();
  return out;
}

}  // namespace

const Tool submit{
    .name = "submit",
    .parameters = R"({"type": "object", "additionalProperties": false, "properties": {
      "confidence": {"type": "string", "enum": ["low", "medium", "high"]},
      "summary": {"type": "string", "maxLength": 1500, "minLength": 1}
  }, "required": ["confidence", "summary"]})",
    .call = call,
};

}  // namespace sluice::tools
