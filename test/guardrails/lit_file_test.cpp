// SPDX-License-Identifier: Apache-2.0
// What lit and FileCheck read of a file. The cases follow lit's own behaviour, measured with lit 16.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "guardrails/scan/lit_file.h"
#include "guardrails/scan/lit_shell.h"

namespace sluice::guardrails {
namespace {

std::vector<std::string> runs(std::string_view text) {
  std::vector<std::string> out;
  for (const LitPipeline& pipeline : read_lit_file(text).pipelines) out.push_back(pipeline.text);
  return out;
}
std::vector<std::string> marks(std::string_view text) {
  std::vector<std::string> out;
  for (const LitMark& mark : read_lit_file(text).marks) out.push_back(mark.keyword + " " + mark.text);
  return out;
}
std::vector<std::string> checks(std::string_view text) {
  std::vector<std::string> out;
  for (const LitCheck& check : read_checks(text, read_lit_file(text).prefixes)) out.push_back(check.text);
  return out;
}
using Strings = std::vector<std::string>;

TEST(LitFile, RunLinesAreJoinedOverATrailingBackslashAndNothingElse) {
  struct Row {
    const char* name;
    const char* text;
    Strings want;
  };
  const Row rows[] = {
      {"one line", "// RUN: a %s | FileCheck %s\n", {"a %s | FileCheck %s"}},
      {"joined, blanks at the seam are one",
       "// RUN: a %s \\\n// RUN:   | FileCheck %s\n",
       {"a %s | FileCheck %s"}},
      {"a backslash with blanks behind it joins too", "// RUN: a \\  \n// RUN: b\n", {"a b"}},
      {"an XFAIL between does not break the join", "; RUN: a \\\n; XFAIL: x\n; RUN: b\n", {"a b"}},
      {"a DEFINE between does", "; RUN: a \\\n; DEFINE: %{x} = y\n; RUN: b\n", {"a \\", "b"}},
      {"a comment line without RUN: is lost", "// RUN: a %s\n// | FileCheck %s\n", {"a %s"}},
      {"anywhere in a line", "int x; /* RUN: a */\n", {"a */"}},
      {"the first keyword of a line takes the rest", "// RUN: a XFAIL: * RUN: b\n", {"a XFAIL: * RUN: b"}},
      {"CR LF and no last line end", "// RUN: a\r\n// RUN: b", {"a", "b"}},
      {"nothing behind END.", "// RUN: a\n// END.\n// RUN: b\n", {"a"}},
      {"END. in prose is none", "// THE END. Really.\n// RUN: b\n", {"b"}},
      {"blanks in quotes stay", "// RUN: echo 'a  b'   c\n", {"echo 'a  b' c"}},
  };
  for (const Row& row : rows) EXPECT_EQ(runs(row.text), row.want) << row.name;
}

TEST(LitFile, ExpressionsAreSplitAtCommasAndKeptByKeyword) {
  EXPECT_EQ(marks("// XFAIL: *\n"), Strings{"XFAIL *"});
  EXPECT_EQ(marks("// words, FileCheck %s --check-prefix=FUNC XFAIL: *\n"), Strings{"XFAIL *"});
  EXPECT_EQ(marks("// REQUIRES: a && b, !c\n"), (Strings{"REQUIRES a&&b", "REQUIRES !c"}));
  EXPECT_EQ(marks("// UNSUPPORTED: a || \\\n// UNSUPPORTED: b\n"), Strings{"UNSUPPORTED a||b"});
  EXPECT_EQ(marks("// XFAIL: a, b\\\n// REQUIRES: c\\\n// DEFINE: %{d} = e\n// XFAIL: f\n"),
            (Strings{"XFAIL a", "XFAIL bf", "REQUIRES c\\", "DEFINE %{d} = e"}))
      << "the last one of its keyword goes on";
  EXPECT_EQ(marks("// ALLOW_RETRIES: 3\n// END.\n// XFAIL: *\n"), (Strings{"ALLOW_RETRIES 3", "END "}));
  EXPECT_EQ(marks("// XFAIL : *\n// xfail: *\n"), Strings{}) << "lit knows neither";
  EXPECT_EQ(marks("// REDEFINE: %{c} = x \\\n// REDEFINE:   y\n"), Strings{"REDEFINE %{c} = x y"});
}

TEST(LitFile, APipelineSaysWhatItChecks) {
  struct Row {
    const char* run;
    int file_checks, nots, or_true, allow_empty, unused;
  };
  const Row rows[] = {
      {"a %s | FileCheck %s", 1, 0, 0, 0, 0},
      {"not a %s | FileCheck %s", 1, 1, 0, 0, 0},
      {"a %s | not FileCheck %s", 1, 1, 0, 0, 0},
      {"env X=1 not --crash a %s 2>&1 | FileCheck %s", 1, 1, 0, 0, 0},
      {"a %s | timeout 5 not FileCheck %s", 1, 1, 0, 0, 0},
      {"a %s", 0, 0, 0, 0, 0},
      {"a FileCheck.txt", 0, 0, 0, 0, 0},
      {"a %s || true", 0, 0, 1, 0, 0},
      {"a %s || :", 0, 0, 1, 0, 0},
      {"a '|| true' | FileCheck %s --allow-empty", 1, 0, 0, 1, 0},
      {"a | FileCheck -allow-unused-prefixes=true %s", 1, 0, 0, 0, 1},
      {"a | FileCheck -allow-unused-prefixes=false %s", 1, 0, 0, 0, 0},
      {"a | %filecheck %s && b | /usr/bin/FileCheck-16 %s", 2, 0, 0, 0, 0},
  };
  for (const Row& row : rows) {
    const LitFile file = read_lit_file(std::string("// RUN: ") + row.run + "\n");
    ASSERT_EQ(file.pipelines.size(), 1u) << row.run;
    const LitPipeline& is = file.pipelines[0];
    EXPECT_EQ(is.file_checks, row.file_checks) << row.run;
    EXPECT_EQ(is.nots, row.nots) << row.run;
    EXPECT_EQ(is.or_true, row.or_true) << row.run;
    EXPECT_EQ(is.allow_empty, row.allow_empty) << row.run;
    EXPECT_EQ(is.allow_unused_prefixes, row.unused) << row.run;
  }
  EXPECT_EQ(read_lit_file("; DEFINE: %{c} = FileCheck %s --check-prefix=X\n; RUN: a | %{c}\n").prefixes,
            std::set<std::string>{"X"});
}

TEST(LitFile, ChecksAreReadByThePrefixesOfThePipelines) {
  const std::string head =
      "// RUN: a | FileCheck %s --check-prefixes=ONE,TWO\n// RUN: b | FileCheck -check-prefix THREE %s\n";
  EXPECT_EQ(checks(head + "// ONE:  x   y\n//TWO-NEXT:z\n// THREE-COUNT-2: q\n// CHECK: no\n"),
            (Strings{"ONE: x y", "TWO-NEXT: z", "THREE-COUNT-2: q"}));
  EXPECT_EQ(
      checks(
          "// RUN: a | FileCheck %s\n// CHECK{LITERAL}: [[x\n// CHECK-DAG{LITERAL}: y\n// CHECK-LABEL: @f\n"
          "// CHECK-EMPTY:\n// CHECK-SAME: s\n// CHECK-NOT: n\n"),
      (Strings{"CHECK{LITERAL}: [[x", "CHECK-DAG{LITERAL}: y", "CHECK-LABEL: @f",
               "CHECK-EMPTY: ", "CHECK-SAME: s", "CHECK-NOT: n"}));
  EXPECT_EQ(
      checks(
          "// NOCHECK: a\n// CHECK-: b\n// CHECKED: c\n// CHECK-COUNT-x: d\n// COM: CHECK: e\n// CHECK f\n"),
      Strings{});
  EXPECT_EQ(checks("# CHECK: in a file without RUN lines\n"), Strings{"CHECK: in a file without RUN lines"});
}

TEST(LitFile, DiagnosticsAreReadWithoutTheirPlace) {
  EXPECT_EQ(
      checks("// expected-error @below {{bad  type}}\n// expected-note@+2 {{here}} "
             "expected-warning-re{{w.*}}\n"),
      (Strings{"expected-error {{bad type}}", "expected-note {{here}}", "expected-warning-re {{w.*}}"}));
  EXPECT_EQ(checks("// expected-error\n// unexpected-thing {{x}}\n"), Strings{});
}

TEST(LitFile, DefinitionsAreFilledInUntilTheBudgetOfTheFileIsSpent) {
  const std::map<std::string, std::string> definitions = {
      {"%{a}", std::string(60, 'x')}, {"%{b}", "%{c}"}, {"%{c}", "y"}};
  std::size_t budget = 100;
  EXPECT_EQ(expand("%{b} z", definitions, budget), "y z");
  EXPECT_EQ(budget, 100 - std::string("%{c} z").size() - std::string("y z").size());
  EXPECT_EQ(expand("no definition, %{d}", definitions, budget), "no definition, %{d}");
  EXPECT_EQ(budget, 91u);
  EXPECT_EQ(expand("%{a}", definitions, budget), std::string(60, 'x'));
  EXPECT_EQ(expand("%{a}", definitions, budget), "%{a}") << "31 bytes are left";
  EXPECT_EQ(expand("%{b}", definitions, budget), "%{b}") << "nothing is left";
}

TEST(LitFile, IsTotalOnAnyBytes) {
  std::string noise;
  for (int i = 0; i < 100000; ++i) noise += static_cast<char>((i * 7919) >> 3);
  std::string hostile = noise + std::string("RUN: \0x\0 \\\n", 11);
  for (const char* piece :
       {"a{", "expected-error ", "RUN: \\\n", "DEFINE: %{a}=%{a}%{a}\\\n", "RUN: %{a} ' \" \\\n",
        "DEFINE: %{b}=%{b}%{b}\nRUN: %{b}\n", "CHECK-COUNT-", "XFAIL: ,\\,\n"}) {
    for (int i = 0; i < 20000; ++i) hostile += piece;
  }
  const LitFile file = read_lit_file(hostile);
  EXPECT_GT(file.pipelines.size(), 0u);
  EXPECT_NO_THROW(read_checks(hostile, file.prefixes));
  EXPECT_TRUE(read_lit_file("").pipelines.empty());
  EXPECT_TRUE(read_checks("", {}).empty());
}

}  // namespace
}  // namespace sluice::guardrails
