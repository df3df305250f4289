// SPDX-License-Identifier: Apache-2.0
#include "git/commit_text.h"

#include <fmt/format.h>
#include <iconv.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "core/text.h"
#include "git/objects.h"

namespace sluice::git {

namespace {

std::optional<std::string> convert(std::string_view text, const std::string& encoding) {
  iconv_t converter = iconv_open("UTF-8", encoding.c_str());
  // NOLINTNEXTLINE: iconv's failure value is this cast by definition.
  if (converter == reinterpret_cast<iconv_t>(-1)) return std::nullopt;
  std::string out(text.size() * 4 + 16, '\0');
  std::string in_copy(text);
  char* in = in_copy.data();
  std::size_t in_left = in_copy.size();
  char* to = out.data();
  std::size_t to_left = out.size();
  const std::size_t rc = iconv(converter, &in, &in_left, &to, &to_left);
  iconv_close(converter);
  if (rc == static_cast<std::size_t>(-1) || in_left != 0) return std::nullopt;
  out.resize(out.size() - to_left);
  return out;
}

// Length of a well-formed UTF-8 sequence at the start, 0 when there is none.
std::size_t sequence_length(std::string_view s) {
  const auto byte = [&s](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char c = byte(0);
  if (c < 0x80) return 1;
  std::size_t n = 0;
  std::uint32_t code = 0;
  if (c >= 0xc2 && c <= 0xdf) n = 2, code = c & 0x1fu;
  else if (c >= 0xe0 && c <= 0xef) n = 3, code = c & 0x0fu;
  else if (c >= 0xf0 && c <= 0xf4) n = 4, code = c & 0x07u;
  if (n == 0 || s.size() < n) return 0;
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xc0u) != 0x80u) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  if (n == 3 && code < 0x800) return 0;
  if (n == 4 && (code < 0x10000 || code > 0x10ffff)) return 0;
  if (code >= 0xd800 && code <= 0xdfff) return 0;
  if ((code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef)) return 0;
  return n;
}

std::string latin1_where_invalid(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t n = sequence_length(text.substr(i));
    if (n != 0) {
      out.append(text.substr(i, n));
      i += n;
    } else {
      const auto c = static_cast<unsigned char>(text[i++]);
      out += static_cast<char>(0xc0 | (c >> 6));
      out += static_cast<char>(0x80 | (c & 0x3f));
    }
  }
  return out;
}

// "Name <email> 1700000000 +0100"; parts that are absent or odd stay empty or zero.
model::Person parse_person(std::string_view line) {
  model::Person out;
  const auto open = line.find('<');
  const auto close = line.rfind('>');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    out.name = core::trim(line);
    return out;
  }
  out.name = core::trim(line.substr(0, open));
  out.email = line.substr(open + 1, close - open - 1);
  auto rest = core::trim(line.substr(close + 1));
  const auto space = rest.find(' ');
  const auto time = rest.substr(0, space);
  std::from_chars(time.data(), time.data() + time.size(), out.time);
  if (space == std::string_view::npos) return out;
  auto zone = core::trim(rest.substr(space + 1));
  const bool west = !zone.empty() && zone.front() == '-';
  if (!zone.empty() && (zone.front() == '-' || zone.front() == '+')) zone.remove_prefix(1);
  int digits = 0;
  const auto parsed = std::from_chars(zone.data(), zone.data() + zone.size(), digits);
  constexpr int farthest = 99 * 60 + 59;  // +9999 would be written with five digits, which git refuses
  if (parsed.ec == std::errc() && digits >= 0 && digits < 10000)
    out.zone = std::min(digits / 100 * 60 + digits % 100, farthest) * (west ? -1 : 1);
  return out;
}

std::string person_line(const model::Person& person) {
  const auto clean = [](std::string_view text) {
    std::string out;
    for (char c : text)
      if (c != '<' && c != '>' && c != '\n' && c != '\0') out += c;
    return std::string(core::trim(out));
  };
  const int zone = std::abs(person.zone);
  return fmt::format("{} <{}> {} {}{:02}{:02}", clean(person.name), clean(person.email), person.time,
                     person.zone < 0 ? '-' : '+', zone / 60, zone % 60);
}

}  // namespace

std::string reencode(std::string_view text, const std::string& encoding) {
  const std::string lower = core::to_lower(encoding);
  if (!lower.empty() && lower != "utf-8" && lower != "utf8") {
    auto converted = convert(text, encoding);
    if (!converted && (lower == "latin-1" || lower == "latin1")) converted = convert(text, "ISO-8859-1");
    if (converted) return latin1_where_invalid(*converted);
  }
  return latin1_where_invalid(text);
}

Result<Commit> parse_commit(const Oid& oid, std::string_view text) {
  Commit out;
  out.oid = oid;
  std::string author, committer, encoding;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty()) break;
    const auto value = [&line](std::string_view key) -> std::optional<std::string> {
      if (!line.starts_with(key)) return std::nullopt;
      return std::string(line.substr(key.size()));
    };
    if (auto v = value("tree "); v && out.tree.empty()) out.tree = *v;
    else if (auto p = value("parent ")) out.parents.push_back(*p);
    else if (auto a = value("author "); a && author.empty()) author = *a;
    else if (auto c = value("committer "); c && committer.empty()) committer = *c;
    else if (auto e = value("encoding "); e && encoding.empty()) encoding = *e;
  }
  TRY(to_git_oid(out.tree));
  for (const auto& parent : out.parents) TRY(to_git_oid(parent));
  out.author = parse_person(reencode(author, encoding));
  out.committer = parse_person(reencode(committer, encoding));
  out.message = reencode(text.substr(0, text.find('\0')), encoding);  // git ends the message at a NUL
  return out;
}

Result<std::string> compose_commit(const CommitSpec& spec) {
  TRY(to_git_oid(spec.tree));
  std::string out = "tree " + spec.tree + "\n";
  for (const auto& parent : spec.parents) {
    TRY(to_git_oid(parent));
    out += "parent " + parent + "\n";
  }
  if (spec.message.find('\0') != std::string::npos)
    return make_error(ErrorKind::invalid, "a commit message may not hold a NUL byte");
  out += "author " + latin1_where_invalid(person_line(spec.author)) + "\n";
  out += "committer " + latin1_where_invalid(person_line(spec.committer)) + "\n\n";
  out += latin1_where_invalid(spec.message);
  if (!spec.message.empty() && spec.message.back() != '\n') out += '\n';
  return out;
}

}  // namespace sluice::git
