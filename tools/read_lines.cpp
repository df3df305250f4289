// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/text.h"
#include "tools/tool.h"

namespace sluice::tools {
namespace {

constexpr std::int64_t most_lines = 400;
constexpr std::size_t most_bytes = 40'000, longest_line = 2'000;

Result<Answer> call(const Desk& desk, const Json& arguments) {
  const std::string& rev = arguments["rev"].as_string();
  const std::string& path = arguments["path"].as_string();
  const std::int64_t start = number(arguments["start"], 1), end = number(arguments["end"], 1);
  if (start < 1 || end < start) return refused(fmt::format("lines {} to {} are no range: start is at least 1, end at least start", start, end));
  TRY_ASSIGN(const Seen seen, see(desk, rev, path));
  if (!seen.refusal.empty()) return refused(seen.refusal);
  const auto lines = core::split_lines(seen.text);
  const auto total = static_cast<std::int64_t>(lines.size());
  if (start > total) return refused(fmt::format("{} has {} lines in {}, so no line {}", core::printable(path), total, rev, start));
  const std::int64_t wanted = std::min(end, total);
  std::string text;
  std::int64_t next = start;
  for (; next <= wanted && next - start < most_lines; ++next) {
    std::string_view line = lines[static_cast<std::size_t>(next - 1)];
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::string row = fmt::format("{}\t{}\n", next, short_line(line, longest_line));
    if (text.size() + row.size() > most_bytes) break;
    text += row;
  }
  Json body = Json::object({{"rev", rev}, {"path", path}, {"lines", total}});
  body.set("content", untrusted(fmt::format("{}:{}:{}-{}", rev, path, start, next - 1), text, most_bytes * 3));
  if (next <= wanted) body.set("left_out", fmt::format("lines {} to {}: ask for them from there", next, wanted)).set("next", next);
  if (seen.text.find("\r\n") != std::string::npos) body.set("line_ends", "crlf, written for you");
  if (!seen.text.empty() && seen.text.back() != '\n') body.set("last_line", "has no newline");
  return said(std::move(body), {path});
}

}  // namespace

const Tool read_lines{
    .name = "read_lines",
    .parameters = R"({"type": "object", "additionalProperties": false, "properties": {
      "rev": {"type": "string", "enum": ["base", "ours", "theirs", "merged", "proposed"]},
      "path": {"type": "string", "maxLength": 300, "minLength": 1},
      "start": {"type": "integer", "minimum": 1},
      "end": {"type": "integer", "minimum": 1}
  }, "required": ["rev", "path", "start", "end"]})",
    .call = call,
};

}  // namespace sluice::tools
