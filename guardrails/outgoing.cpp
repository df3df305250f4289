// SPDX-License-Identifier: Apache-2.0
#include "guardrails/outgoing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

#include "core/text.h"
#include "guardrails/message.h"

namespace sluice::guardrails {
namespace {

using std::string_view;

bool is_word_char(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

using Removed = std::set<std::string>;

// What nobody sees on a page: controls, zero width, direction, tags, variation selectors, fillers.
bool is_invisible(std::uint32_t c) {
  constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 16> ranges = {{{0x00, 0x08},
                                                                               {0x0b, 0x1f},
                                                                               {0x7f, 0x9f},
                                                                               {0xad, 0xad},
                                                                               {0x34f, 0x34f},
                                                                               {0x61c, 0x61c},
                                                                               {0x115f, 0x1160},
                                                                               {0x17b4, 0x17b5},
                                                                               {0x180b, 0x180f},
                                                                               {0x200b, 0x200f},
                                                                               {0x2028, 0x202e},
                                                                               {0x2060, 0x206f},
                                                                               {0x3164, 0x3164},
                                                                               {0xfe00, 0xfe0f},
                                                                               {0xfeff, 0xfeff},
                                                                               {0xe0000, 0xe0fff}}};
  return std::any_of(ranges.begin(), ranges.end(), [&](const auto& r) { return c >= r.first && c <= r.second; }) || c == 0xffa0 ||
         (c >= 0xfff9 && c <= 0xfffb);
}

// REQUIRES: UTF-8.
std::string only_visible(string_view text, Removed& removed) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t n = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    std::uint32_t c = n == 1 ? lead : lead & (0x7fu >> n);
    for (std::size_t k = 1; k < n && i + k < text.size(); ++k) c = (c << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3fu);
    if (c == '\r') {
      if (i + 1 >= text.size() || text[i + 1] != '\n') out += '\n';
    } else if (is_invisible(c)) {
      removed.insert("invisible characters");
    } else {
      out += text.substr(i, n);
    }
    i += n;
  }
  return out;
}

std::string without_comments(string_view text, Removed& removed) {
  std::string out;
  for (std::size_t at = text.find("<!--"); at != string_view::npos; at = text.find("<!--")) {
    out += text.substr(0, at);
    out += ' ';  // or what stood around it would meet
    removed.insert("html comments");
    const std::size_t end = text.find("-->", at + 4);
    text = end == string_view::npos ? string_view{} : text.substr(end + 3);
  }
  return out += text;
}

// Where the closing bracket of the one at text[at] stands; npos when it does not, or too far away.
std::size_t closing(string_view text, std::size_t at, char open, char close) {
  constexpr std::size_t farthest = 2000;
  int depth = 0;
  for (std::size_t i = at; i < text.size() && i < at + farthest; ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == open) {
      ++depth;
    } else if (text[i] == close && --depth == 0) {
      return i;
    }
  }
  return string_view::npos;
}

// `scheme://host` begins at text[i], or `www.host`: its length up to the end of the address, and the host.
struct Address {
  std::size_t length = 0;
  std::string host, scheme;
};
Address address_at(string_view text, std::size_t i) {
  if (i > 0 && is_word_char(text[i - 1])) return {};
  Address out;
  std::size_t at = i;
  if (core::to_lower(text.substr(i, 4)) == "www.") {
    out.scheme = "http";
  } else {
    if (i >= text.size() || !is_letter(text[i])) return {};
    while (at < text.size() && at < i + 32 && (is_word_char(text[at]) || text[at] == '+' || text[at] == '.' || text[at] == '-')) ++at;
    if (!text.substr(at).starts_with("://")) return {};
    out.scheme = core::to_lower(text.substr(i, at - i));
    at += 3;
  }
  std::size_t end = at;
  // A bracket, and what makes a picture of one, may begin a link of its own: `https://HOST/[x](//elsewhere)`.
  while (end < text.size() && string_view(" \t\n<>\"'`)[]}|\\").find(text[end]) == string_view::npos && !text.substr(end).starts_with("![")) ++end;
  const string_view authority = text.substr(at, text.substr(at, end - at).find_first_of("/?#"));
  const string_view inside = authority.substr(0, std::min(authority.size(), end - at));
  out.host = core::to_lower(inside.substr(0, inside.find(':')));  // with a user in front it is no listed host
  out.length = end - i;
  return out;
}

bool is_listed(const Address& address, const std::vector<std::string>& allowed) {
  return address.scheme == "https" && std::find(allowed.begin(), allowed.end(), address.host) != allowed.end();
}

constexpr string_view image_gone = "(image removed)", link_gone = "(link removed)";

// Pictures, links and bare addresses.
std::string without_links(string_view text, const std::vector<std::string>& allowed, Removed& removed) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const bool image = text[i] == '!' && i + 1 < text.size() && text[i + 1] == '[';
    if (image || text[i] == '[') {
      const std::size_t open = image ? i + 1 : i;
      const std::size_t shut = closing(text, open, '[', ']');
      const std::size_t target = shut == string_view::npos ? shut : shut + 1;
      const std::size_t end = target < text.size() && text[target] == '(' ? closing(text, target, '(', ')') : string_view::npos;
      if (image) {
        removed.insert("images");
        if (end != string_view::npos) {
          out += image_gone;
          i = end + 1;
        } else {
          ++i;  // of `![name][reference]` the rest is no picture without its mark
        }
        continue;
      }
      if (end != string_view::npos) {
        const string_view to = core::trim(text.substr(target + 1, end - target - 1));
        const Address address = address_at(to, 0);
        if (address.length != to.size() || !is_listed(address, allowed)) {
          removed.insert("links");
          // What is shown for the link is text like any other, and looked at again from here on.
          std::string rest = std::string(text.substr(open + 1, shut - open - 1)) + " " + std::string(link_gone);
          out += without_links(rest, allowed, removed);
          i = end + 1;
          continue;
        }
      }
    } else if (const Address address = address_at(text, i); address.length > 0) {
      if (is_listed(address, allowed)) {
        out += text.substr(i, address.length);
      } else {
        removed.insert("links");
        out += link_gone;
      }
      i += address.length;
      continue;
    }
    out += text[i++];
  }
  return out;
}

// No tag and no entity of the text's own: `&#64;all` would be a mention once it is shown.
std::string without_markup(string_view text, Removed& removed) {
  constexpr std::array<string_view, 4> ours = {"&lt;", "&gt;", "&amp;", "&quot;"};
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    if (text[i] == '<' && (is_letter(next) || next == '/' || next == '!' || next == '?')) {
      out += "&lt;";
      removed.insert("markup");
    } else if (text[i] == '&' && (is_letter(next) || next == '#') &&
               std::none_of(ours.begin(), ours.end(), [&](string_view e) { return text.substr(i).starts_with(e); })) {
      out += "&amp;";
      removed.insert("markup");
    } else {
      out += text[i];
    }
  }
  return out;
}

// `owner/name#12` links in both directions; a leading slash is an order to a bot.
std::string without_orders(string_view text, Removed& removed) {
  std::string out;
  bool begins = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    if (begins && text[i] == '/' && is_letter(next)) {
      out += '\\';
      removed.insert("commands");
    }
    out += text[i];
    if (text[i] == '#' && next >= '0' && next <= '9' && i > 0 && is_word_char(text[i - 1])) {
      out += ' ';
      removed.insert("mentions and references");
    }
    begins = text[i] == '\n' || (begins && (text[i] == ' ' || text[i] == '\t' || text[i] == '>'));
  }
  return out;
}

std::string prose(string_view text, const std::vector<std::string>& allowed, Removed& removed) {
  const std::string plain = without_markup(without_links(without_comments(text, removed), allowed, removed), removed);
  std::string neutral = neutral_text(plain, "");
  if (neutral != plain) removed.insert("mentions and references");
  return without_orders(neutral, removed);
}

// A fence in the first column: the only one that no list or quotation around it can end early.
struct Fence {
  char mark = 0;
  std::size_t length = 0;
};
Fence fence_of(string_view line) {
  if (line.empty() || (line[0] != '`' && line[0] != '~')) return {};
  const std::size_t n = std::min(line.find_first_not_of(line[0]), line.size());
  if (n < 3 || (line[0] == '`' && line.find('`', n) != string_view::npos)) return {};
  return {line[0], n};
}

// Others are drawn, applied with one click, or read back by sluice.
string_view language_of(string_view fence, std::size_t marks) {
  constexpr std::array<string_view, 12> plain = {"text", "cpp", "c", "python", "diff", "console", "toml", "json", "sh", "cmake", "mlir", "llvm"};
  const string_view word = core::trim(fence.substr(marks));
  const auto found = std::find(plain.begin(), plain.end(), word);
  return found == plain.end() ? string_view{} : *found;
}

std::string pass(string_view body, const std::vector<std::string>& allowed, Removed& removed) {
  const std::string text = only_visible(core::to_utf8(body), removed);
  std::string out, words;
  const auto flush = [&] {
    out += prose(words, allowed, removed);
    words.clear();
  };
  Fence open;
  for (const string_view line : core::split_lines_keep(text)) {
    const string_view bare = line.ends_with('\n') ? line.substr(0, line.size() - 1) : line;
    const Fence fence = fence_of(bare);
    if (open.mark != 0) {
      out += line;
      const bool closes = fence.mark == open.mark && fence.length >= open.length && core::trim(bare.substr(fence.length)).empty();
      if (closes) open = {};
    } else if (fence.mark != 0) {
      flush();
      if (!out.empty() && !out.ends_with('\n')) out += '\n';
      open = fence;
      out.append(fence.length, fence.mark);
      out += language_of(bare, fence.length);
      out += '\n';
    } else {
      words += line;
    }
  }
  flush();
  if (open.mark != 0) {
    if (!out.ends_with('\n')) out += '\n';
    out.append(open.length, open.mark);
    out += '\n';
  }
  return out;
}

// At most `most` bytes, cut at the end of a line where one is near, and never inside a character.
std::string cut(string_view text, std::size_t most) {
  std::size_t at = most;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) --at;
  const std::size_t line = text.rfind('\n', at);
  if (line != string_view::npos && line + 2000 > at) at = line + 1;
  return std::string(text.substr(0, at));
}

}  // namespace

std::size_t limit_of(Outgoing kind) { return kind == Outgoing::comment ? 20'000 : 60'000; }

Sanitized sanitize(string_view body, Outgoing kind, const std::vector<std::string>& allowed_hosts) {
  const std::size_t most = limit_of(kind);
  constexpr std::size_t reserve = 64, most_passes = 8;  // the note on the length, a fence that must be closed
  Removed removed;
  std::string text = body.size() > 4 * most ? cut(body, 4 * most) : std::string(body);
  if (text.size() != body.size()) removed.insert("length");
  // What is taken away may leave something new behind; the end is where nothing changes any more.
  for (std::size_t i = 0; i < most_passes; ++i) {
    std::string next = pass(text, allowed_hosts, removed);
    if (next.size() > most) {
      next = cut(next, most - reserve);
      next += fmt::format("{}(cut here: too long)\n", next.ends_with('\n') ? "" : "\n");
      removed.insert("length");
    } else if (next == text) {
      return {std::move(next), {removed.begin(), removed.end()}};
    }
    text = std::move(next);
  }
  // Whatever this is, it is nothing that anybody wrote for people.
  removed.insert("length");
  return {"(text removed)\n", {removed.begin(), removed.end()}};
}

}  // namespace sluice::guardrails
