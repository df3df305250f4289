// SPDX-License-Identifier: Apache-2.0
#include "test/runners/runs.h"

namespace sluice::runners {
namespace {

TEST(Warnings, every_compiler_style_is_counted) {
  for (const std::string line : {"/src/a.cpp:6:76: warning: unused variable 'y' [-Wunused-variable]", "a.cpp:3: warning: x", "cc1plus: warning: command-line option",
                                 "/usr/bin/ld: warning: a.o: missing .note.GNU-stack", "clang: warning: argument unused",
                                 "a.cu(12): warning #177-D: variable \"x\" was declared but never referenced", "nvcc warning : incompatible redefinition",
                                 "a.cpp(12,3): warning C4996: 'strcpy': unsafe", "\x1b[1ma.cpp:1:2: \x1b[35mwarning: \x1b[0mcoloured"})
    EXPECT_EQ(count_warnings(line), 1) << line;
}

TEST(Warnings, other_lines_with_the_word_are_not) {
  for (const std::string line : {"3 warnings generated.", "CMake Warning at CMakeLists.txt:3 (message):", "cc1plus: some warnings being treated as errors",
                                 "   12 | #warning: not a diagnostic", "[3/7] Building CXX object warning.cpp.o", "-Wno-warning", "error: no warning here"})
    EXPECT_EQ(count_warnings(line), 0) << line;
}

TEST(Warnings, the_same_warning_of_a_header_counts_once) {
  EXPECT_EQ(count_warnings("h.h:1:1: warning: x\nnoise\nh.h:1:1: warning: x\r\nh.h:2:1: warning: x\n"), 2);
  EXPECT_EQ(count_warnings(""), 0);
}

}  // namespace
}  // namespace sluice::runners
