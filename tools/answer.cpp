// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "tools/buffer_state.h"
#include "tools/tool.h"

namespace sluice::tools {
namespace {

constexpr std::size_t most_bytes = 8u << 20;  // of a file that is shown

std::string_view cut_at(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (text[bytes] & 0xc0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

}  // namespace

Answer said(Json body, std::vector<std::string> paths) {
  Answer out;
  out.body = std::move(body);
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  out.paths = std::move(paths);
  return out;
}

Answer refused(std::string why) {
  Answer out;
  out.body = Json::object({{"error", std::move(why)}});
  out.is_error = true;
  return out;
}

Result<Answer> refused_or_failed(Error error) {
  if (error.kind == ErrorKind::invalid) return refused(std::move(error.message));
  return error;
}

std::string short_line(std::string_view line, std::size_t max_bytes) {
  const std::string text = core::to_utf8(line);
  const std::string_view kept = cut_at(text, max_bytes);
  if (kept.size() == text.size()) return text;
  return fmt::format("{} [{} bytes more]", kept, text.size() - kept.size());
}

Json untrusted(std::string source, std::string_view text, std::size_t max_bytes) {
  const std::string all = core::to_utf8(text);
  Json out = Json::object({{"source", core::to_utf8(source)}, {"untrusted", true}});
  if (all.size() <= max_bytes) return out.set("text", all);
  const auto lines = core::split_lines_keep(all);
  std::string kept;
  std::size_t n = 0;
  while (n < lines.size() && kept.size() + lines[n].size() <= max_bytes) kept += lines[n++];
  if (n == 0) kept = short_line(lines[n++], max_bytes);
  return out.set("text", kept).set("left_out_lines", lines.size() - n);
}

std::int64_t number(const Json& value, std::int64_t otherwise) {
  if (value.is_int()) return value.as_int();
  if (!value.is_number() || std::isnan(value.as_double())) return otherwise;
  constexpr double most = 9e18;
  return static_cast<std::int64_t>(std::clamp(value.as_double(), -most, most));
}

bool may_show(const World& world, std::string_view path) { return !world.may_send || world.may_send(path); }

bool looks_binary(std::string_view bytes) { return bytes.substr(0, 8000).find('\0') != std::string_view::npos; }

const Oid& tree_of(const World& world, std::string_view rev) {
  if (rev == "base") return world.base_tree;
  if (rev == "ours") return world.ours_tree;
  if (rev == "theirs") return world.theirs_tree;
  return world.merged_tree;
}

Result<Seen> see(const Desk& desk, std::string_view rev, const std::string& path) {
  const std::string shown = core::printable(path);
  const auto refuse = [](std::string why) { return Seen{{}, std::move(why)}; };
  if (const std::string why = wrong_path(path); !why.empty()) return refuse(fmt::format("{} {}", shown, why));
  if (!may_show(desk.world, path)) return refuse(fmt::format("{} is withheld: this fork's configuration lets no line of it be shown", shown));
  auto text = rev == "proposed" ? desk.buffer.text(path) : desk.world.reader->file(tree_of(desk.world, rev), path);
  if (!text.ok()) {
    if (text.error().kind == ErrorKind::not_found) return refuse(fmt::format("{} of {} is not in the store", shown, rev));
    return text.error();
  }
  if (!*text) return refuse(fmt::format("there is no file {} in {}", shown, rev));
  if (looks_binary(**text)) return refuse(fmt::format("{} is binary in {}", shown, rev));
  if ((*text)->size() > most_bytes) return refuse(fmt::format("{} has {} bytes in {}, more than can be shown", shown, (*text)->size(), rev));
  return Seen{std::move(**text), {}};
}

bool answered(const Place& place) { return place.answer.has_value() || place.removed; }

std::vector<std::string> open_places(const Buffer& buffer) {
  std::vector<std::string> out;
  for (const Place& place : buffer.places()) {
    if (!answered(place)) out.push_back(place.region.id);
  }
  return out;
}

}  // namespace sluice::tools
