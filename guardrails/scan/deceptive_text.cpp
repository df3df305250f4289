// SPDX-License-Identifier: Apache-2.0
#include "guardrails/scan/deceptive_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sluice::guardrails {
namespace {

using Code = std::uint32_t;
constexpr Code stray = 0xFFFFFFFF;  // no character: a byte that is not UTF-8

struct Range {
  Code first, last;
};

template <std::size_t N>
constexpr bool in(const std::array<Range, N>& ranges, Code code) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const Range& r) { return code >= r.first && code <= r.last; });
}

// Unicode's property Bidi_Control.
constexpr std::array<Range, 4> bidi = {{{0x061C, 0x061C}, {0x200E, 0x200F}, {0x202A, 0x202E}, {0x2066, 0x2069}}};
// Nothing is drawn for them; 2028 and 2029 end a line for some readers and not for others.
constexpr std::array<Range, 12> invisible = {{{0x00AD, 0x00AD},
                                              {0x034F, 0x034F},
                                              {0x115F, 0x1160},
                                              {0x17B4, 0x17B5},
                                              {0x180B, 0x180F},
                                              {0x200B, 0x200D},
                                              {0x2028, 0x2029},
                                              {0x2060, 0x2064},
                                              {0x3164, 0x3164},
                                              {0xFEFF, 0xFEFF},
                                              {0xFFA0, 0xFFA0},
                                              {0x1D173, 0x1D17A}}};
constexpr std::array<Range, 2> selectors = {{{0xFE00, 0xFE0F}, {0xE0100, 0xE01EF}}};
constexpr Range tags = {0xE0000, 0xE007F};  // spell the flag of a region behind a black flag
constexpr Code black_flag = 0x1F3F4, joiner = 0x200D, non_joiner = 0x200C, order_mark = 0xFEFF, keycap = 0x20E3;
// Scripts whose letters need joiners: Arabic to Hanifi, the Indic ones, Khmer, Mongolian.
constexpr std::array<Range, 5> joining = {{{0x0600, 0x08FF}, {0x0900, 0x0FFF}, {0x1000, 0x109F}, {0x1780, 0x18AF}, {0xA840, 0xABFF}}};
constexpr std::array<Range, 5> pictures = {{{0x2190, 0x2BFF}, {0x3030, 0x303D}, {0x3297, 0x3299}, {0x1F000, 0x1FAFF}, {0xFE0F, 0xFE0F}}};

// Letters that pass for Latin ones. Of Greek only those that do: a delta, a lambda or a mu beside Latin letters is how
// formulas are written.
constexpr std::array<Range, 3> cyrillic = {{{0x0400, 0x052F}, {0x1C80, 0x1C8F}, {0xA640, 0xA69F}}};
constexpr std::array<Range, 14> greek = {{{0x0391, 0x0392},
                                          {0x0395, 0x0397},
                                          {0x0399, 0x039A},
                                          {0x039C, 0x039D},
                                          {0x039F, 0x039F},
                                          {0x03A1, 0x03A1},
                                          {0x03A4, 0x03A5},
                                          {0x03A7, 0x03A7},
                                          {0x03BF, 0x03BF},
                                          {0x03F2, 0x03F3},
                                          {0x03F9, 0x03F9},
                                          {0x03BD, 0x03BD},
                                          {0x03C5, 0x03C5},
                                          {0x037F, 0x037F}}};
constexpr std::array<Range, 2> armenian = {{{0x0531, 0x0556}, {0x0561, 0x0587}}};
constexpr std::array<Range, 2> cherokee = {{{0x13A0, 0x13FF}, {0xAB70, 0xABBF}}};
constexpr std::array<Range, 1> coptic = {{{0x2C80, 0x2CFF}}};
constexpr std::array<Range, 5> styled = {{{0x2160, 0x217F}, {0xFF21, 0xFF3A}, {0xFF41, 0xFF5A}, {0x1D400, 0x1D7FF}, {0x1F130, 0x1F149}}};
constexpr std::array<Range, 3> latin = {{{0x00C0, 0x00D6}, {0x00D8, 0x00F6}, {0x00F8, 0x024F}}};

bool ascii_letter(Code c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool ascii_word(Code c) { return ascii_letter(c) || (c >= '0' && c <= '9') || c == '_'; }

std::string_view look_alike(Code code) {
  if (code < 0x0370) return "";
  if (in(cyrillic, code)) return "Cyrillic";
  if (in(greek, code)) return "Greek";
  if (in(armenian, code)) return "Armenian";
  if (in(cherokee, code)) return "Cherokee";
  if (in(coptic, code)) return "Coptic";
  if (in(styled, code)) return "styled Latin";
  return "";
}

struct Char {
  Code code = stray;
  std::size_t size = 1;
};

Char read(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return {lead, 1};
  const std::size_t size = lead >= 0xC2 && lead <= 0xDF ? 2 : lead >= 0xE0 && lead <= 0xEF ? 3 : lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
  if (size == 0 || at + size > text.size()) return {};
  Code code = lead & (0xFFu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(at + i) & 0x3Fu);
  }
  constexpr Code smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < smallest[size] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, size};
}

bool needed(Code code, Code before, Code after) {
  if (code == joiner && in(pictures, before)) return true;  // a family, a profession
  return (code == joiner || code == non_joiner) && in(joining, before) && (in(joining, after) || after == 0 || after == ' ');
}

bool selects(Code before, Code after) {
  if (before == '#' || before == '*' || (before >= '0' && before <= '9')) return after == keycap;
  return before >= 0xA0 && before != stray && !in(selectors, before) && !in(invisible, before);
}

std::string name(Code code) { return fmt::format("U+{:04X}", code); }

// An identifier that is being read.
struct Word {
  std::size_t begin = 0;
  bool open = false, plain = false;  // plain: has an ordinary Latin letter
  std::string_view other;

  bool mixed() const { return open && plain && !other.empty(); }
};

}  // namespace

std::string escaped(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size();) {
    const Char c = read(line, i);
    if (c.code == stray || (c.code < 0x20 && c.code != '\t') || c.code == 0x7F) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(line[i]));
    } else if (c.code < 0x80) {
      out += line[i];
    } else {
      out += fmt::format("\\u{{{:x}}}", c.code);
    }
    i += c.size;
  }
  return out;
}

std::optional<Deception> find_deception(std::string_view line, bool first_line) {
  using Kind = Deception::Kind;
  if (std::all_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80 && c != '\0'; })) return std::nullopt;
  Word word;
  Code before = 0;
  bool flag = false;  // behind a black flag and its tags
  const auto mixed = [&](std::size_t end) {
    return Deception{Kind::mixed_script, word.begin,
                     fmt::format("the identifier {} has {} letters among Latin ones", escaped(line.substr(word.begin, end - word.begin)), word.other)};
  };
  for (std::size_t i = 0; i < line.size();) {
    const Char c = read(line, i);
    const std::string_view other = c.code == stray ? "" : look_alike(c.code);
    const bool letter = ascii_word(c.code) || !other.empty() || in(latin, c.code);
    if (!letter && word.mixed()) return mixed(i);
    if (!letter) word = {};
    if (c.code == stray) return Deception{Kind::invalid_utf8, i, fmt::format("the byte {:02x} is not UTF-8", static_cast<unsigned char>(line[i]))};
    if (c.code == 0) return Deception{Kind::nul, i, "a NUL byte"};
    const std::size_t next = i + c.size;
    const Code after = next < line.size() ? read(line, next).code : 0;
    if (in(bidi, c.code)) return Deception{Kind::bidi, i, name(c.code) + ", a bidirectional control"};
    if (in(invisible, c.code) && !(c.code == order_mark && first_line && i == 0) && !needed(c.code, before, after))
      return Deception{Kind::invisible, i, name(c.code) + ", a character without width"};
    if (in(selectors, c.code) && !selects(before, after)) return Deception{Kind::invisible, i, name(c.code) + ", a selector of nothing"};
    if (c.code >= tags.first && c.code <= tags.last && !flag) return Deception{Kind::invisible, i, name(c.code) + ", a character without width"};
    flag = c.code == black_flag || (flag && c.code >= tags.first && c.code <= tags.last);
    if (letter) {
      if (!word.open) word = {i, true, false, ""};
      word.plain = word.plain || ascii_letter(c.code) || in(latin, c.code);
      if (word.other.empty()) word.other = other;
    }
    before = c.code;
    i = next;
  }
  if (word.mixed()) return mixed(line.size());
  return std::nullopt;
}

}  // namespace sluice::guardrails
