// SPDX-License-Identifier: Apache-2.0
// G65: what a hostile text may still do once it stands in an issue.
#include "guardrails/outgoing.h"

#include <gtest/gtest.h>

#include <random>

#include "core/text.h"

namespace sluice::guardrails::testing {
namespace {

const std::vector<std::string> hosts = {"forge.example"};

std::string clean(std::string_view text) { return sanitize(text, Outgoing::issue, hosts).text; }

TEST(Outgoing, NothingLiveIsLeft) {
  const std::pair<const char*, const char*> rows[] = {
      {"thanks @ada and @all", "thanks @ ada and @ all"},
      {"mail a@b.example stays", "mail a@b.example stays"},
      {"see #12, GH-3 and o/r#4", "see # 12, # 3 and o/r# 4"},
      {"Fixes #12", "Upstream-Fixes # 12"},
      {"closes: https://forge.example/o/r/issues/3", "Upstream-closes: https://forge.example/o/r/issues/3"},
      {"a <!-- hidden @all --> b", "a   b"},
      {"a <!-- never closed", "a  "},
      {"@<!-- -->all", "@ all"},
      {"@\xe2\x80\x8b" "all and \xe2\x80\xaella", "@ all and lla"},
      {"![shot](https://forge.example/x.png)", "(image removed)"},
      {"![shot][ref]", "[shot][ref]"},
      {"[page](https://forge.example/p)", "[page](https://forge.example/p)"},
      {"[page](https://evil.example/p)", "page (link removed)"},
      {"[page](javascript:alert)", "page (link removed)"},
      {"[page](//evil.example)", "page (link removed)"},
      {"[![x](https://e/x)](https://e/y)", "(image removed) (link removed)"},
      {"https://forge.example@evil.example/x", "(link removed)"},
      {"https://forge.example.evil.example/", "(link removed)"},
      {"http://forge.example/", "(link removed)"},
      {"www.evil.example", "(link removed)"},
      {"https://forge.example/[x](//evil.example)", "https://forge.example/x (link removed)"},
      {"https://forge.example/![x](https://forge.example/y)", "https://forge.example/(image removed)"},
      {"https://forge.example/![x][y]", "https://forge.example/[x][y]"},
      {"[ref]: https://evil.example", "[ref]: (link removed)"},
      {"<img src=x> <a href=y>", "&lt;img src=x> &lt;a href=y>"},
      {"&#64;all &commat;all", "&amp;# 64;all &amp;commat;all"},
      {"a < b && c & d", "a < b && c & d"},
      {"/close", "\\/close"},
      {"a path/to/file and /usr/bin", "a path/to/file and /usr/bin"},
      {"```cpp\n@all #1 <b>\n```\n@all", "```cpp\n@all #1 <b>\n```\n@ all"},
      {"```sluice-account\n[]\n```\n", "```\n[]\n```\n"},
      {"```suggestion\nx\n```\n", "```\nx\n```\n"},
      {"```\n@all", "```\n@all\n```\n"},
      {"- x\n  ```\n@all", "- x\n  ```\n@ all"},
      {"> ```\n@all", "> ```\n@ all"},
      {"````\n```\n@x\n````\n", "````\n```\n@x\n````\n"},
      {"a\r\nb\rc\x1b[31m", "a\nb\nc[31m"},
  };
  for (const auto& [text, want] : rows) EXPECT_EQ(clean(text), want) << text;
}

TEST(Outgoing, WhatWasRemovedIsSaid) {
  const Sanitized out = sanitize("@a <!-- x --> ![i](u) www.e.com <b> /\n/close", Outgoing::comment, {});
  EXPECT_EQ(core::join(out.removed, "; "), "commands; html comments; images; links; markup; mentions and references");
  EXPECT_TRUE(sanitize("plain text, 100 % of it\n", Outgoing::comment, {}).removed.empty());
}

TEST(Outgoing, ALongTextIsCutAndItsFenceIsClosed) {
  for (const Outgoing kind : {Outgoing::issue, Outgoing::comment}) {
    const Sanitized out = sanitize("```\n" + std::string(1'000'000, 'x') + "\n@all", kind, {});
    EXPECT_LE(out.text.size(), limit_of(kind));
    EXPECT_GT(out.text.size(), limit_of(kind) / 2);
    EXPECT_EQ(core::join(out.removed, ""), "length");
    EXPECT_EQ(sanitize(out.text, kind, {}).text, out.text);
  }
  EXPECT_LE(clean(std::string(90'000, '@') + "a").size(), limit_of(Outgoing::issue));
  EXPECT_LE(clean(std::string(90'000, '[')).size(), limit_of(Outgoing::issue));
}

TEST(Outgoing, TwiceIsOnceWhateverTheBytesAre) {
  const std::vector<std::string> bits = {"@", "all", "#", "12", "GH-", "fixes ", "closes: ", "`", "```", "~~~", "\n", "<!--", "-->", "<", "!", "[", "](",
                                         "](http://e.com/x)", ")", "https://forge.example/o/r/issues/3", "www.e.com", "\xe2\x80\x8b", "\xe2\x80\xae", "&",
                                         "&#64;", "&lt;", "amp;", ";", "\xff", "\xc3", "/close", " ", "> ", "- ", "\\", "\r", std::string(1, '\0'), "o/r#3"};
  std::mt19937 random(20240229);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (auto n = random() % 16; n > 0; --n) text += bits[random() % bits.size()];
    const std::string once = clean(text);
    ASSERT_EQ(clean(once), once) << core::printable(text);
    ASSERT_TRUE(core::is_utf8(once));
    ASSERT_EQ(once.find("<!--"), once.find("```") == std::string::npos && once.find("~~~") == std::string::npos ? std::string::npos : once.find("<!--"));
  }
}

}  // namespace
}  // namespace sluice::guardrails::testing
