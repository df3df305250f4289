// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "test/runners/runs.h"

namespace sluice::runners {
namespace {

using Parser = Result<std::vector<model::TestRecord>> (*)(std::string_view);
using States = std::vector<std::pair<std::string, std::string>>;

States parse(Parser parser, const std::string& text) {
  const auto tests = parser(text);
  States states;
  if (!tests.ok()) return {{"error", tests.error().message}};
  for (const auto& test : *tests) states.emplace_back(test.id, model::to_string(test.state));
  return states;
}

std::string junit(const std::string& cases) { return "<testsuites><testsuite name=\"s\">" + cases + "</testsuite></testsuites>"; }

TEST(JUnit, results_of_pytest_keep_their_states) {
  EXPECT_EQ(parse(parse_junit_xml, junit("<testcase classname='m' name='p[1-fp8]'/>"
                                         "<testcase classname='m' name='f'><failure message='E'>trace</failure></testcase>"
                                         "<testcase classname='m' name='e'><error message='failed on setup with'/></testcase>"
                                         "<testcase classname='m' name='s'><skipped type='pytest.skip' message='no GPU'/></testcase>"
                                         "<testcase classname='m' name='x'><skipped type='pytest.xfail' message=''/></testcase>"
                                         "<testcase classname='m' name='xp'><failure message='[XPASS(strict)] '/></testcase>"
                                         "<testcase classname='m' name='t'><failure message='Failed: Timeout &gt;10.0s'/></testcase>"
                                         "<testcase classname='m' name='w'><failure message=\"worker 'gw0' crashed while running 'm.py::w'\"/></testcase>")),
            (States{{"m.p[1-fp8]", "pass"}, {"m.f", "fail"}, {"m.e", "fail"}, {"m.s", "skip"}, {"m.x", "xfail"}, {"m.xp", "xpass"},
                    {"m.t", "timeout"}, {"m.w", "crash"}}));
}

TEST(JUnit, dialects_keep_their_states) {
  EXPECT_EQ(parse(parse_junit_xml, "<testsuite name='root'><testsuite name='in'><testcase name='a'/></testsuite><testcase name='b' status='notrun'/>"
                                   "<testcase name='c' status='failed'/><testcase name='d' result='skipped'/><testcase name='e' status='weird'/>"
                                   "<testcase name='f'><flakyFailure message='once'/></testcase>"
                                   "<testcase name='g'><failure message='x'/><rerunFailure message='y'/></testcase>"
                                   "<testcase name='h'><failure message='x'/><skipped/></testcase></testsuite>"),
            (States{{"in.a", "pass"}, {"root.b", "notrun"}, {"root.c", "fail"}, {"root.d", "skip"}, {"root.e", "unresolved"},
                    {"root.f", "flakypass"}, {"root.g", "fail"}, {"root.h", "fail"}}));
}

TEST(JUnit, failures_that_are_counted_and_not_listed_make_no_report) {
  const auto cut = parse(parse_junit_xml, "<testsuite tests='5' failures='1'><testcase classname='a' name='x'/></testsuite>");
  ASSERT_EQ(cut.size(), 1u);
  EXPECT_EQ(cut[0].first, "error");
  EXPECT_NE(cut[0].second.find("counts 1 failures"), std::string::npos) << cut[0].second;
  EXPECT_EQ(parse(parse_gtest_xml, "<testsuites errors='2'><testsuite name='S'><testcase name='x' status='run' result='completed' classname='S'/></testsuite></testsuites>")[0].first, "error");
  EXPECT_EQ(parse(parse_junit_xml, "<testsuite tests='9' failures='0' errors='0'><testcase classname='a' name='x'/></testsuite>"), (States{{"a.x", "pass"}}));
  EXPECT_EQ(parse(parse_junit_xml, "<testsuite failures='2'><testcase name='x'><failure/></testcase></testsuite>").size(), 1u);
}

TEST(JUnit, equal_names_are_kept_apart) {
  EXPECT_EQ(parse(parse_junit_xml, junit("<testcase name='a'/><testcase name='a'><failure/></testcase>")), (States{{"s.a", "pass"}, {"s.a #2", "fail"}}));
}

TEST(GoogleTestXml, every_result_keeps_its_state) {
  EXPECT_EQ(parse(parse_gtest_xml, "<testsuites tests='5'><testsuite name='L'>"
                                   "<testcase name='Ok' status='run' result='completed' classname='L'/>"
                                   "<testcase name='Bad' status='run' result='completed' classname='L'><failure message='m'/><failure message='n'/></testcase>"
                                   "<testcase name='Skip' status='run' result='skipped' classname='L'><skipped message='no GPU'/></testcase>"
                                   "<testcase name='DISABLED_Off' status='notrun' result='suppressed' classname='L'/>"
                                   "<testcase name='Odd' status='' result='' classname='L'/></testsuite></testsuites>"),
            (States{{"L.Ok", "pass"}, {"L.Bad", "fail"}, {"L.Skip", "skip"}, {"L.DISABLED_Off", "notrun"}, {"L.Odd", "unresolved"}}));
}

TEST(GoogleTestXml, a_list_shorter_than_declared_is_an_error) {
  EXPECT_FALSE(parse_gtest_xml("<testsuites tests='2'><testsuite name='L'><testcase name='A' status='run' classname='L'/></testsuite></testsuites>").ok());
}

TEST(CtestJUnit, every_status_keeps_its_state) {
  EXPECT_EQ(parse(parse_ctest_junit, "<testsuite tests='7'><testcase name='p' status='run'/><testcase name='f' status='fail'><failure message=''/></testcase>"
                                     "<testcase name='m' status='notrun'><skipped message='Unable to find executable'/></testcase>"
                                     "<testcase name='s' status='notrun'><skipped message='SKIP_RETURN_CODE=77'/></testcase>"
                                     "<testcase name='d' status='disabled'><skipped message='Disabled'/></testcase>"
                                     "<testcase name='t' status='fail'><failure message='Timeout'/></testcase>"
                                     "<testcase name='o' status='other'/></testsuite>"),
            (States{{"p", "pass"}, {"f", "fail"}, {"m", "notrun"}, {"s", "skip"}, {"d", "notrun"}, {"t", "timeout"}, {"o", "unresolved"}}));
}

TEST(CtestJUnit, a_missing_executable_is_not_a_skip_and_names_its_reason) {
  const std::string text = sample("generated/ctest/ctest.junit.xml");
  SKIP_WITHOUT_SAMPLE(text);
  const auto tests = parse_ctest_junit(text);
  ASSERT_TRUE(tests.ok()) << tests.error().message;
  ASSERT_EQ(tests->size(), 7u);
  for (const auto& test : *tests)
    if (test.id == "missing") {
      EXPECT_EQ(test.state, model::TestState::notrun);
      EXPECT_NE(test.detail.find("Unable to find executable"), std::string::npos);
    }
  EXPECT_EQ(model::count_states(*tests), (std::map<std::string, int>{{"fail", 4}, {"notrun", 1}, {"pass", 1}, {"skip", 1}}));
}

TEST(Corpus, real_reports_have_their_counts) {
  const std::string gtest = sample("generated/gtest/gtest.xml"), pytest = sample("generated/pytest/kernel.xml");
  SKIP_WITHOUT_SAMPLE(gtest);
  const auto g = parse_gtest_xml(gtest);
  ASSERT_TRUE(g.ok()) << g.error().message;
  EXPECT_EQ(model::count_states(*g), (std::map<std::string, int>{{"fail", 4}, {"notrun", 1}, {"pass", 2}, {"skip", 1}}));
  const auto p = parse_junit_xml(pytest);
  ASSERT_TRUE(p.ok()) << p.error().message;
  EXPECT_EQ(model::count_states(*p), (std::map<std::string, int>{{"fail", 5}, {"pass", 4}, {"skip", 1}, {"timeout", 1}, {"xfail", 1}, {"xpass", 1}}));
  EXPECT_FALSE(parse_junit_xml(sample("generated/pytest/kernel.truncated.xml")).ok());
  for (const char* empty : {"generated/gtest/gtest_zero.xml", "generated/pytest/empty.xml", "generated/ctest/ctest_zero.junit.xml"}) {
    const auto none = parse_junit_xml(sample(empty));
    ASSERT_TRUE(none.ok()) << empty << none.error().message;
    EXPECT_TRUE(none->empty());
  }
}

TEST(XmlReports, hostile_documents_are_errors) {
  std::string deep, many = "<testsuites><testsuite name='s'>";
  for (int i = 0; i < 100; ++i) deep += "<testsuite name='d'>";
  deep += "<testcase name='x'/>";
  for (int i = 0; i < 100; ++i) deep += "</testsuite>";
  const std::string bomb = "<!DOCTYPE t [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;'>]><testsuites><testsuite name='&b;'><testcase name='&b;'/></testsuite></testsuites>";
  const std::string file = "<!DOCTYPE t [<!ENTITY f SYSTEM 'file:///etc/passwd'>]><testsuites><testcase name='&f;'/></testsuites>";
  using namespace std::string_literals;
  for (const std::string& text : {""s, "plain"s, "<html/>"s, "<testsuites>"s, "<testsuites/><testsuites/>"s, deep, bomb, file,
                                  "<testsuites/>\0<testsuite/>"s, "<testsuites><testcase/></testsuites>"s, "\xff\xfe<\0t\0"s,
                                  "<testsuites><testcase name='a'></testsuites>"s, "\x7f" "ELF\x02\x01"s, "<?xml version='1.0'?>"s}) {
    for (const Parser parser : {parse_junit_xml, parse_gtest_xml, parse_ctest_junit}) {
      const auto tests = parser(text);
      ASSERT_FALSE(tests.ok()) << text.substr(0, 60);
      EXPECT_EQ(tests.error().kind, ErrorKind::invalid);
    }
  }
}

TEST(XmlReports, an_undeclared_entity_stays_text) {
  EXPECT_EQ(parse(parse_junit_xml, junit("<testcase name='&lol;&lt;'/>")), (States{{"s.&lol;<", "pass"}}));
}

TEST(XmlReports, bytes_that_are_not_utf8_survive) {
  EXPECT_EQ(parse(parse_junit_xml, junit("<testcase name='\xff\xfe'/>")), (States{{"s.\xff\xfe", "pass"}}));
}

// A file cut at any byte, or with one byte damaged, gives an error or a list; a cut never a shorter list.
void cut_everywhere(Parser parser, const std::string& text) {
  const auto whole = parser(text);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto cut = parser(std::string_view(text).substr(0, length));
    if (cut.ok()) {
      ASSERT_EQ(cut->size(), whole->size()) << "cut at byte " << length << " of " << text.size();
    }
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char byte : {'\0', '<', '>', '"', '&', '\xff'}) {
      std::string damaged = text;
      damaged[at] = byte;
      (void)parser(damaged).ok();  // must neither crash nor hang
    }
  }
}

TEST(Truncation, no_cut_file_passes_for_a_shorter_list) {
  cut_everywhere(parse_junit_xml, "<?xml version=\"1.0\" encoding=\"utf-8\"?><testsuites><testsuite name=\"pytest\" tests=\"2\"><testcase classname=\"m\" name=\"a\" time=\"0\" />"
                                  "<testcase classname=\"m\" name=\"b\"><failure message=\"x &lt; y\">trace</failure></testcase></testsuite></testsuites>\n");
  cut_everywhere(parse_gtest_xml, "<?xml version=\"1.0\"?>\n<testsuites tests=\"2\" name=\"AllTests\">\n  <testsuite name=\"L\" tests=\"2\">\n    <testcase name=\"A\" status=\"run\" result=\"completed\" classname=\"L\" />\n"
                                  "    <testcase name=\"B\" status=\"run\" classname=\"L\">\n<failure message=\"m\"><![CDATA[x]]></failure>\n</testcase>\n  </testsuite>\n</testsuites>\n");
  cut_everywhere(parse_ctest_junit, "<?xml version=\"1.0\"?>\n<testsuite name=\"(empty)\"\n\ttests=\"2\"\n\t>\n\t<testcase name=\"a\" status=\"run\">\n<system-out></system-out>\n</testcase>\n"
                                    "<testcase name=\"b\" status=\"notrun\"><skipped message=\"Unable to find executable\"/></testcase>\n</testsuite>\n");
  cut_everywhere(parse_lit_json, "{\n \"__version__\": [16, 0, 6],\n \"elapsed\": 1.3,\n \"tests\": [{\"code\": \"PASS\", \"name\": \"S :: a\", \"output\": \"\\u001b[31m\"},\n"
                                 " {\"code\": \"FAIL\", \"name\": \"S :: b\", \"output\": \"Exit Code: 1\"}]\n}\n");
}

TEST(Truncation, no_cut_of_the_corpus_passes_for_a_shorter_list) {
  const std::string text = sample("generated/gtest/gtest.xml");
  SKIP_WITHOUT_SAMPLE(text);
  const std::vector<std::pair<Parser, std::string>> table{{parse_gtest_xml, text},
                                                          {parse_ctest_junit, sample("generated/ctest/ctest.junit.xml")},
                                                          {parse_junit_xml, sample("generated/pytest/kernel.xml")},
                                                          {parse_lit_json, sample("generated/lit/lit16.json")}};
  for (const auto& [parser, whole_text] : table) {
    const auto whole = parser(whole_text);
    ASSERT_TRUE(whole.ok());
    for (std::size_t length = 0; length < whole_text.size(); ++length) {
      const auto cut = parser(std::string_view(whole_text).substr(0, length));
      if (cut.ok()) {
        ASSERT_EQ(cut->size(), whole->size()) << "cut at byte " << length;
      }
    }
  }
}

}  // namespace
}  // namespace sluice::runners
