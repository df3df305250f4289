// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/text.h"
#include "tools/tool.h"

namespace sluice::tools {
namespace {

Result<Answer> call(const Desk& desk, const Json& arguments) {
  const World& world = desk.world;
  const git::Reader& reader = *world.reader;
  const std::string& path = arguments["path"].as_string();
  const std::int64_t line = number(arguments["line"], 1);
  TRY_ASSIGN(const Seen seen, see(desk, "ours", path));
  if (!seen.refusal.empty()) return refused(seen.refusal);
  const auto lines = core::split_lines(seen.text);
  const std::string shown = core::printable(path);
  if (line < 1 || line > static_cast<std::int64_t>(lines.size()))
    return refused(fmt::format("{} has {} lines in ours, so no line {}", shown, lines.size(), line));
  if (world.onto_commit.empty()) return refused("the history of the fork is not known here");
  // Lines are counted in ours; a commit whose file differs would name another line.
  TRY_ASSIGN(const Oid tree, reader.tree_of(world.onto_commit));
  TRY_ASSIGN(const auto here, reader.entry(world.ours_tree, path));
  TRY_ASSIGN(const auto there, reader.entry(tree, path));
  if (!here || !there || here->oid != there->oid) return refused(fmt::format("{} is not in ours as the fork's history has it", shown));
  auto blamed = reader.blame(world.onto_commit, path, static_cast<std::uint32_t>(line), 1);
  // Nothing that a run stands or falls with: a part of the history may be absent, or take too long to walk.
  if (!blamed.ok() && blamed.error().kind != ErrorKind::internal)
    return refused(fmt::format("the history of {} cannot be read: {}", shown, core::printable(blamed.error().message)));
  if (!blamed.ok()) return std::move(blamed.error());
  if (blamed->empty()) return refused(fmt::format("no commit is known for line {} of {}", line, shown));
  const git::BlameLine& by = blamed->front();
  Json body = Json::object({{"path", path}, {"line", line}, {"commit", by.commit}});
  body.set("subject", untrusted("subject of commit " + by.commit, by.subject, 600));
  body.set("text", untrusted(fmt::format("ours:{}:{}", path, line), lines[static_cast<std::size_t>(line - 1)], 2000));
  if (!world.upstream.parent.empty() && reader.has(world.upstream.parent)) {
    const auto upstreams = reader.is_ancestor(by.commit, world.upstream.parent);
    if (upstreams.ok()) body.set("written_by", *upstreams || by.commit == world.upstream.parent ? "upstream" : "fork");
  }
  return said(std::move(body), {path});
}

}  // namespace

const Tool why_line{
    .name = "why_line",
    .parameters = R"({"type": "object", "additionalProperties": false, "properties": {
      "path": {"type": "string", "maxLength": 300, "minLength": 1},
      "line": {"type": "integer", "minimum": 1}
  }, "required": ["path", "line"]})",
    .call = call,
};

}  // namespace sluice::tools
