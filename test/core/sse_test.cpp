// SPDX-License-Identifier: Apache-2.0
#include "core/sse.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sluice::core {
namespace {

using Events = std::vector<std::pair<std::string, std::string>>;

Events read(const std::vector<std::string>& pieces, std::size_t cap = 8u << 20) {
  SseParser parser(cap);
  Events out;
  const auto sink = [&](const SseEvent& e) { out.emplace_back(e.name, e.data); };
  for (const std::string& piece : pieces) {
    if (!parser.feed(piece, sink).ok()) out.emplace_back("too long", "");
  }
  parser.finish(sink);
  return out;
}

TEST(Sse, events_have_the_name_and_the_data_of_their_lines) {
  EXPECT_EQ(read({"event: a\ndata: one\n\ndata:two\ndata: three\n\n"}), (Events{{"a", "one"}, {"", "two\nthree"}}));
}

TEST(Sse, only_one_blank_before_a_value_is_dropped) { EXPECT_EQ(read({"data:  x \n\n"}), (Events{{"", " x "}})); }

TEST(Sse, comments_and_unknown_fields_and_a_byte_order_mark_say_nothing) {
  EXPECT_EQ(read({"\xEF\xBB\xBF" "data: x\n: ping\nid: 7\nretry: 1\nnonsense\n\n: alone\n\n"}), (Events{{"", "x"}}));
}

TEST(Sse, a_mark_in_the_middle_is_no_byte_order_mark) {
  EXPECT_EQ(read({"data: x\n\n\xEF\xBB\xBF" "data: y\n\n"}), (Events{{"", "x"}}));
}

TEST(Sse, an_event_without_data_is_none_and_lends_its_name_to_nobody) {
  EXPECT_EQ(read({"event: a\n\ndata: x\n\n"}), (Events{{"", "x"}}));
}

TEST(Sse, an_empty_data_line_is_data) { EXPECT_EQ(read({"data\n\ndata:\n\n"}), (Events{{"", ""}, {"", ""}})); }

TEST(Sse, a_line_error_of_old_servers_is_an_event) {
  EXPECT_EQ(read({"data: x\n\nerror: {\"code\":500}\n\n"}), (Events{{"", "x"}, {"error", "{\"code\":500}"}}));
}

TEST(Sse, an_end_without_its_blank_line_counts_and_half_a_line_does_not) {
  EXPECT_EQ(read({"data: [DONE]\n"}), (Events{{"", "[DONE]"}}));
  EXPECT_EQ(read({"data: x\n\ndata: [DO"}), (Events{{"", "x"}}));
}

TEST(Sse, cr_lf_and_crlf_end_a_line) {
  const Events want{{"a", "one\ntwo"}, {"", "three"}};
  for (const std::string end : {"\n", "\r", "\r\n"}) {
    std::string text;
    for (const char* line : {"event: a", "data: one", "data: two", "", "data: three", ""}) text += line + end;
    EXPECT_EQ(read({text}), want) << (end == "\n" ? "LF" : end == "\r" ? "CR" : "CRLF");
  }
}

TEST(Sse, a_stream_says_the_same_wherever_it_is_cut) {
  const std::string text =
      "\xEF\xBB\xBF" "event: größe\r\ndata: {\"t\":\"caf\xC3\xA9 \xF0\x9F\x98\x80\"}\r\ndata: b\r\n\r\n: c\n\rdata: x\r\rerror: y\n\ndata: [DONE]\n\n";
  const Events want = read({text});
  ASSERT_EQ(want.size(), 4u);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_EQ(read({text.substr(0, cut), text.substr(cut)}), want) << cut;
  }
  std::vector<std::string> bytes;
  for (const char c : text) bytes.emplace_back(1, c);
  EXPECT_EQ(read(bytes), want);
}

TEST(Sse, an_event_over_the_cap_is_refused_and_one_at_it_is_not) {
  EXPECT_EQ(read({"data: " + std::string(58, 'x') + "\n\n"}, 64), (Events{{"", std::string(58, 'x')}}));
  EXPECT_EQ(read({"data: " + std::string(59, 'x') + "\n\n"}, 64).front().first, "too long");
  // Many lines of one event count together.
  std::string lines;
  for (int i = 0; i < 20; ++i) lines += "data: 1234\n";
  EXPECT_EQ(read({lines}, 64).front().first, "too long");
}

TEST(Sse, the_cap_holds_for_a_line_that_never_ends) {
  EXPECT_EQ(read(std::vector<std::string>(10, std::string(10, 'x')), 64).front().first, "too long");
}

}  // namespace
}  // namespace sluice::core
