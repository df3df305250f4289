// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/text.h"
#include "tools/tool.h"

namespace sluice::tools {
namespace {

Result<Answer> call(const Desk& desk, const Json& arguments) {
  const std::string& id = arguments["region_id"].as_string();
  const Place* place = desk.buffer.place(id);
  // Nobody answers what nobody may read.
  if (place != nullptr && !may_show(desk.world, place->path))
    return refused(fmt::format("{} is withheld, so a person answers this region; go on with the others", core::printable(place->path)));
  auto done = desk.buffer.resolve(id, arguments["text"].as_string(), arguments["action"].as_string(), arguments["reason"].as_string());
  if (!done.ok()) return refused_or_failed(std::move(done.error()));
  Json body = Json::object({{"region_id", id}, {"accepted", true}, {"open", open_places(desk.buffer).size()}});
  if (!place->whole) {
    const git::Region& region = place->region;
    const auto side = model::side_entry(place->path, {region.id, region.base, region.ours, region.theirs}, *place->answer, {});
    if (side) body.set("recorded", "SIDE " + side->arg);
  }
  return said(std::move(body));
}

}  // namespace

const Tool resolve_region{
    .name = "resolve_region",
    .parameters = R"({"type": "object", "additionalProperties": false, "properties": {
      "region_id": {"type": "string", "pattern": "^[a-f0-9]{12}$"},
      "text": {"type": "string", "maxLength": 60000},
      "action": {"type": "string", "enum": ["ours", "theirs", "both_ours_first", "both_theirs_first", "mixed", "new"]},
      "reason": {"type": "string", "maxLength": 600, "minLength": 1}
  }, "required": ["region_id", "text", "action", "reason"]})",
    .call = call,
};

}  // namespace sluice::tools
