// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/text.h"
#include "tools/tool.h"

namespace sluice::tools {
namespace {

constexpr std::size_t most_places = 300;

Json describe(const World& world, const Place& place) {
  const auto lines = [](const std::string& text) { return core::split_lines(text).size(); };
  const git::Region& region = place.region;
  Json out = Json::object({{"region_id", region.id}, {"path", core::to_utf8(place.path)}});
  out.set("lines", Json::object({{"base", lines(region.base)}, {"ours", lines(region.ours)}, {"theirs", lines(region.theirs)}}));
  for (const model::Conflict& conflict : world.conflicts) {
    if (conflict.path == place.path) out.set("kind", conflict.kind);
  }
  if (place.whole)
    out.set("whole_file", true).set("deleted_by", place.ours_absent ? "ours" : "theirs");
  else
    out.set("line_in_merged", region.first_line);
  if (answered(place)) out.set("answered", Json::object({{"action", place.action}, {"by", model::to_string(place.rung)}}));
  if (!may_show(world, place.path)) out.set("withheld", true);
  return out;
}

Result<Answer> call(const Desk& desk, const Json&) {
  // Where not all fit, those that wait come first.
  Json places = Json::array();
  std::size_t left_out = 0, open = 0;
  for (const bool want_open : {true, false}) {
    for (const Place& place : desk.buffer.places()) {
      if (answered(place) == want_open) continue;
      if (want_open) ++open;
      if (places.items().size() < most_places)
        places.push(describe(desk.world, place));
      else
        ++left_out;
    }
  }
  Json body = Json::object({{"conflicts", std::move(places)}, {"open", open}});
  if (left_out > 0) body.set("left_out", left_out);
  return said(std::move(body));
}

}  // namespace

const Tool list_conflicts{
    .name = "list_conflicts",
    .parameters = R"({"type": "object", "additionalProperties": false, "properties": {}, "required": []})",
    .call = call,
};

}  // namespace sluice::tools
