// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "tools/splice.h"
#include "tools/tool.h"

namespace sluice::tools {
namespace {

constexpr std::int64_t usual_context = 10;
constexpr std::size_t most_bytes = 20'000;          // of each side
constexpr std::size_t most_context_bytes = 10'000;  // before, and after

std::string joined(const std::vector<std::string_view>& lines, std::size_t from, std::size_t to) {
  std::string out;
  for (std::size_t k = from; k < to; ++k) out += lines[k];
  return out;
}

// As untrusted(), with whole lines left out at the beginning.
Json before(std::string source, const std::vector<std::string_view>& lines, std::size_t from, std::size_t to) {
  std::size_t bytes = 0, first = to;
  while (first > from && bytes + lines[first - 1].size() <= most_context_bytes) bytes += lines[--first].size();
  Json out = untrusted(std::move(source), joined(lines, first, to), most_context_bytes * 3);
  if (first > from) out.set("left_out_lines", first - from);
  return out;
}

Result<Answer> call(const Desk& desk, const Json& arguments) {
  const std::string& id = arguments["region_id"].as_string();
  const Place* place = desk.buffer.place(id);
  if (place == nullptr) return refused(fmt::format("no conflict has the id {}: list_conflicts names them", core::printable(id, 40)));
  const std::string shown = core::printable(place->path);
  if (!may_show(desk.world, place->path))
    return refused(fmt::format("{} is withheld: this fork's configuration lets no line of it be shown", shown));

  Json body = Json::object({{"region_id", id}, {"path", core::to_utf8(place->path)}});
  const auto side = [&](std::string_view name, const std::string& text, bool absent) {
    if (absent)
      body.set(name, nullptr);
    else if (looks_binary(text))  // of a whole file: which side stands is all that can be said
      body.set(name, Json::object({{"binary_bytes", text.size()}}));
    else
      body.set(name, untrusted(fmt::format("{} of region {} in {}", name, id, place->path), without_cr(text), most_bytes));
  };
  side("base", place->region.base, false);
  side("ours", place->region.ours, place->ours_absent);
  side("theirs", place->region.theirs, place->theirs_absent);
  if (place->whole) {
    body.set("whole_file", true).set("deleted_by", place->ours_absent ? "ours" : "theirs");
    if (answered(*place)) body.set("answer", place->removed ? "removed" : "kept");
    return said(std::move(body), {place->path});
  }
  TRY_ASSIGN(const auto text, desk.buffer.text(place->path));
  if (!text) return refused(fmt::format("{} is not in the proposed tree", shown));
  if (text->find("\r\n") != std::string::npos) body.set("line_ends", "crlf, written for you");
  const Buffer::Spot spot = desk.buffer.spot(id);
  const std::string plain = without_cr(*text);
  const auto lines = core::split_lines_keep(plain);
  const auto context = static_cast<std::size_t>(std::clamp<std::int64_t>(number(arguments["context"], usual_context), 0, 80));
  const std::size_t first = std::min(spot.first_line - 1, lines.size()), last = std::min(first + spot.lines, lines.size());
  const std::size_t from = first - std::min(first, context), to = std::min(last + context, lines.size());
  body.set("before", before(fmt::format("proposed:{}:{}-{}", place->path, from + 1, first), lines, from, first));
  body.set("after", untrusted(fmt::format("proposed:{}:{}-{}", place->path, last + 1, to), joined(lines, last, to), most_context_bytes));
  if (place->answer)
    body.set("answer", untrusted(fmt::format("the answer so far, {}", place->action), without_cr(*place->answer), most_bytes));
  return said(std::move(body), {place->path});
}

}  // namespace

const Tool get_region{
    .name = "get_region",
    .parameters = R"({"type": "object", "additionalProperties": false, "properties": {
      "region_id": {"type": "string", "pattern": "^[a-f0-9]{12}$"},
      "context": {"type": "integer", "minimum": 0, "maximum": 80}
  }, "required": ["region_id"]})",
    .call = call,
};

}  // namespace sluice::tools
