// SPDX-License-Identifier: Apache-2.0
#include "core/gzip.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/file.h"
#include "core/process.h"

namespace sluice::core {
namespace {

class Gzip : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& bytes) {
    const std::string path = join_path(dir_.path(), name);
    EXPECT_TRUE(write_file(path, bytes).ok());
    return path;
  }
  // By the real program.
  std::string packed(const std::string& name, const std::string& bytes) {
    const std::string path = write(name, bytes);
    ProcessOptions gzip;
    gzip.argv = {"gzip", "-nf", path};
    const auto done = run_process(gzip);
    EXPECT_TRUE(done.ok() && done->ok());
    return path + ".gz";
  }
  struct Read {
    std::vector<std::string> lines;
    std::string error;
  };
  Read read(const std::string& path, LineReader::Limits limits = {}) {
    Read out;
    auto reader = LineReader::open(path, limits);
    if (!reader.ok()) return {{}, reader.error().message};
    std::string_view line;
    for (;;) {
      const auto more = reader->next(line);
      if (!more.ok()) out.error = more.error().message;
      if (!more.ok() || !*more) return out;
      out.lines.emplace_back(line);
    }
  }

  TempDir dir_ = std::move(TempDir::create("gzip-test").value());
};

TEST_F(Gzip, reads_a_packed_and_a_plain_file_alike) {
  std::string text;
  std::vector<std::string> want;
  for (int k = 0; k < 50000; ++k) {
    want.push_back("line " + std::to_string(k) + std::string(static_cast<std::size_t>(k % 300), 'x'));
    text += want.back() + "\n";
  }
  EXPECT_EQ(read(packed("a", text)).lines, want);
  EXPECT_EQ(read(write("b", text)).lines, want);
}

TEST_F(Gzip, counts_a_last_line_without_line_end_and_an_empty_one_between) {
  EXPECT_EQ(read(packed("a", "one\n\ntwo")).lines, (std::vector<std::string>{"one", "", "two"}));
  EXPECT_TRUE(read(packed("b", "")).lines.empty());
  EXPECT_TRUE(read(write("c", "")).lines.empty());
}

TEST_F(Gzip, reads_several_members_as_one_text) {
  const std::string both = read_file(packed("a", "one\ntw")).value() + read_file(packed("b", "o\n")).value();
  EXPECT_EQ(read(write("c.gz", both)).lines, (std::vector<std::string>{"one", "two"}));
}

TEST_F(Gzip, a_file_that_is_cut_short_or_damaged_is_an_error_and_no_end) {
  std::string text;
  for (int k = 0; k < 20000; ++k) text += std::to_string(k * 7919) + "\n";
  const std::string bytes = read_file(packed("a", text)).value();
  EXPECT_NE(read(write("cut.gz", bytes.substr(0, bytes.size() / 2))).error.find("cut short"), std::string::npos);
  std::string damaged = bytes;
  for (std::size_t k = bytes.size() / 2; k < bytes.size() / 2 + 40; ++k) damaged[k] = static_cast<char>(~damaged[k]);
  EXPECT_NE(read(write("bad.gz", damaged)).error, "");
}

TEST_F(Gzip, stops_at_its_limits) {
  const std::string zeros(5u << 20, '0');
  const auto long_line = read(packed("a", zeros), {.max_line = 1u << 20});
  EXPECT_NE(long_line.error.find("a line of more than 1048576 bytes"), std::string::npos) << long_line.error;
  std::string lines;
  for (int k = 0; k < 100000; ++k) lines += "0123456789\n";
  EXPECT_NE(read(packed("b", lines), {.max_total = 1u << 20}).error.find("more than 1048576 bytes of text"), std::string::npos);
  EXPECT_EQ(read(packed("c", lines)).error, "");
}

TEST_F(Gzip, opens_files_alone) {
  EXPECT_EQ(LineReader::open(dir_.path()).error().kind, ErrorKind::invalid);
  EXPECT_EQ(LineReader::open(join_path(dir_.path(), "none")).error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace sluice::core
