// SPDX-License-Identifier: Apache-2.0
// Transcripts: a chain of whole lines, without secrets, that shows every change.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "agent/loop/loop.h"
#include "agent/loop/redaction.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/text.h"
#include "test/agent/loop_world.h"

namespace sluice::agent::testing {
namespace {

const core::FakeClock clock_at{1'800'000'000};

std::string hide(std::string_view text) {
  std::string out(text);
  for (std::size_t at; (at = out.find("hunter2")) != std::string::npos;) out.replace(at, 7, "[redacted:test]");
  return out;
}

class TranscriptTest : public ::testing::Test {
 protected:
  Transcript open(const std::string& run = "R1") { return must(Transcript::open(dir(), run, hide, clock_at)); }
  std::string dir() const { return dir_.path() + "/transcripts"; }
  std::string file() const { return dir() + "/R1.jsonl"; }
  std::string content() const { return must(core::read_file(file())); }
  void write(const std::string& text) const { std::ofstream(file(), std::ios::binary | std::ios::trunc) << text; }
  void three_lines() {
    Transcript t = open();
    must(t.add("start", core::Json::object({{"model", "m"}})));
    must(t.put_blob("a request"));
    must(t.add("llm_request", core::Json::object()));
    must(t.add("stop", core::Json::object({{"stop", "submit"}})));
  }

 private:
  core::TempDir dir_ = must(core::TempDir::create("transcript-test"));
};

TEST_F(TranscriptTest, EveryLineNamesTheOneBeforeAndItsBlobs) {
  three_lines();
  const auto check = must(verify_transcript(dir(), "R1"));
  EXPECT_EQ(check.lines, 3);
  EXPECT_TRUE(check.stopped);
  const std::string text = content();
  const auto lines = core::split_lines(text);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(check.last_sha256, core::sha256_hex(lines[2]));
  const auto second = must(core::Json::parse(lines[1]));
  EXPECT_EQ(second["prev"].as_string(), core::sha256_hex(lines[0]));
  EXPECT_EQ(second["seq"].as_int(), 2);
  EXPECT_EQ(second["ts"].as_string(), core::format_utc(clock_at.now()));
  ASSERT_EQ(second["blobs"].items().size(), 1u);
  EXPECT_EQ(must(core::read_file(dir() + "/blobs/" + second["blobs"].items()[0].as_string())), "a request");
  EXPECT_TRUE(must(core::Json::parse(lines[2]))["blobs"].items().empty());
}

TEST_F(TranscriptTest, SecretsAreTakenOutBeforeAnythingIsHashed) {
  {
    Transcript t = open();
    const auto sha = must(t.put_blob("key=hunter2\n"));
    EXPECT_EQ(sha, core::sha256_hex("key=[redacted:test]\n"));
    must(t.add("tool_result", core::Json::object({{"hunter2", core::Json::array().push("a hunter2 b")}})));
  }
  EXPECT_EQ(content().find("hunter2"), std::string::npos);
  EXPECT_NE(content().find("a [redacted:test] b"), std::string::npos);
  EXPECT_EQ(must(verify_transcript(dir(), "R1")).lines, 1);
}

TEST_F(TranscriptTest, ALongPayloadThatBeginsLikeTheOneBeforeIsMaskedAllTheSame) {
  Transcript t = open();
  std::string text;
  for (int i = 0; i < 6000; ++i) text += "line " + std::to_string(i) + "\n";
  must(t.put_blob(text));
  const std::string before = must(core::read_file(dir() + "/blobs/" + must(t.put_blob(text + "and more"))));
  EXPECT_EQ(before, text + "and more");
  for (const std::string& end : {text + "hunter2", text.substr(0, 50'000) + "hunter2" + text, text + "hun", text + "hunter2 again"}) {
    const std::string kept = must(core::read_file(dir() + "/blobs/" + must(t.put_blob(end))));
    EXPECT_EQ(kept, hide(end));
  }
}

TEST_F(TranscriptTest, EveryChangeOfAByteIsFound) {
  three_lines();
  const std::string good = content();
  int found = 0;
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = bad[i] == 'x' ? 'y' : 'x';
    write(bad);
    const auto check = verify_transcript(dir(), "R1");
    // The last line has no successor: its hash stands in the event log.
    if (!check.ok() || check->last_sha256 != core::sha256_hex(core::split_lines(good).back()) || !check->stopped) ++found;
  }
  EXPECT_EQ(found, static_cast<int>(good.size()));
  write(good);
  EXPECT_TRUE(verify_transcript(dir(), "R1").ok());
}

TEST_F(TranscriptTest, ALineThatIsTakenOutOrPutInBreaksTheChain) {
  three_lines();
  const std::string good = content();
  const auto lines = core::split_lines_keep(good);
  const std::string without = std::string(lines[0]) + std::string(lines[2]);
  write(without);
  const auto cut = verify_transcript(dir(), "R1");
  ASSERT_FALSE(cut.ok());
  EXPECT_NE(cut.error().message.find("R1.jsonl:2:"), std::string::npos) << cut.error().message;
  write(std::string(lines[0]) + std::string(lines[0]) + std::string(lines[1]));
  EXPECT_FALSE(verify_transcript(dir(), "R1").ok());
  write(good + "half a line");
  EXPECT_FALSE(verify_transcript(dir(), "R1").ok());  // nothing follows a stop
  write(std::string(lines[0]) + std::string(lines[1]));
  EXPECT_FALSE(must(verify_transcript(dir(), "R1")).stopped);
}

TEST_F(TranscriptTest, ABlobThatIsChangedOrGoneIsNamed) {
  three_lines();
  const std::string blob = dir() + "/blobs/" + core::sha256_hex("a request");
  must(core::write_file(blob, "another request"));
  auto check = verify_transcript(dir(), "R1");
  ASSERT_FALSE(check.ok());
  EXPECT_NE(check.error().message.find("was changed"), std::string::npos) << check.error().message;
  ::unlink(blob.c_str());
  check = verify_transcript(dir(), "R1");
  ASSERT_FALSE(check.ok());
  EXPECT_NE(check.error().message.find("cannot be read"), std::string::npos) << check.error().message;
}

TEST_F(TranscriptTest, AFileGoesOnWhereItEndsAndALineThatWasBeingWrittenIsCutOff) {
  {
    Transcript t = open();
    must(t.add("start", core::Json::object()));
  }
  { std::ofstream(file(), std::ios::app) << R"({"v":1,"run":"R1","seq":2,"ty)"; }
  EXPECT_EQ(must(verify_transcript(dir(), "R1")).lines, 1);
  Transcript t = open();
  EXPECT_EQ(t.lines(), 1);
  must(t.add("stop", core::Json::object()));
  EXPECT_EQ(must(verify_transcript(dir(), "R1")).lines, 2);
}

TEST_F(TranscriptTest, OneRunHasOneWriter) {
  Transcript t = open();
  const auto other = Transcript::open(dir(), "R1", hide, clock_at);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().kind, ErrorKind::denied);
  open("R2");
}

TEST_F(TranscriptTest, AnIdThatIsNoFileNameIsRefused) {
  for (const std::string& run : std::initializer_list<std::string>{"", "../x", "a/b", "a.b", std::string(65, 'a')}) {
    EXPECT_FALSE(Transcript::open(dir(), run, hide, clock_at).ok()) << run;
    EXPECT_FALSE(verify_transcript(dir(), run).ok()) << run;
  }
  EXPECT_EQ(verify_transcript(dir(), "none").error().kind, ErrorKind::not_found);
}

TEST_F(TranscriptTest, AnUnknownTypeIsNeverWritten) {
  Transcript t = open();
  EXPECT_EQ(t.add("rumour", core::Json::object()).error().kind, ErrorKind::internal);
  EXPECT_EQ(t.lines(), 0);
}

TEST_F(TranscriptTest, AKilledWriterLeavesAValidPrefix) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto t = Transcript::open(dir(), "R1", hide, clock_at);
    if (!t.ok() || !t->add("start", core::Json::object()).ok() || !t->put_blob("x").ok() || !t->add("llm_request", core::Json::object()).ok()) _exit(3);
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto check = must(verify_transcript(dir(), "R1"));
  EXPECT_EQ(check.lines, 2);
  EXPECT_FALSE(check.stopped);
}

TEST(RunId, SortsByTimeAndIsNeverTheSame) {
  core::FakeClock clock(1'800'000'000);
  const std::string first = new_run_id(clock), second = new_run_id(clock);
  EXPECT_EQ(first.size(), 26u);
  EXPECT_NE(first, second);
  EXPECT_EQ(first.substr(0, 10), second.substr(0, 10));
  clock.advance(1);
  EXPECT_LT(std::max(first, second), new_run_id(clock));
  EXPECT_EQ(new_run_id(core::FakeClock(0)).substr(0, 10), "0000000000");
}

TEST(Redaction, ASecretThatAStreamBringsInPiecesIsTakenOut) {
  const std::string stream =
      "event: content_block_delta\ndata: {\"delta\":{\"type\":\"text_delta\",\"text\":\"my hun\"}}\n\n"
      "event: content_block_delta\ndata: {\"delta\":{\"type\":\"text_delta\",\"text\":\"ter2 is\"}}\n\n";
  const std::string masked = masked_body(stream, hide);
  EXPECT_EQ(masked.find("hun"), std::string::npos) << masked;
  EXPECT_NE(masked.find("[redacted:piece]"), std::string::npos);
  EXPECT_NE(masked.find("text_delta"), std::string::npos) << "what is no text stays";
  const std::string harmless = "data: {\"delta\":{\"text\":\"my hun\"}}\n\ndata: {\"delta\":{\"text\":\"ting\"}}\n\n";
  EXPECT_EQ(masked_body(harmless, hide), harmless);
}

TEST(Redaction, AnEscapeDoesNotHideASecretAndOtherLinesKeepTheirBytes) {
  const Mask two_lines = [](std::string_view text) {
    std::string out(text);
    const std::size_t at = out.find("BEGIN\nEND");
    return at == std::string::npos ? out : out.replace(at, 9, "[redacted:test]");
  };
  EXPECT_EQ(masked_document("# head\n{\"b\": 1,  \"a\":\"x BEGIN\\nEND y\"}\n{ \"c\" : 2 }\n", two_lines),
            "# head\n{\"a\":\"x [redacted:test] y\",\"b\":1}\n{ \"c\" : 2 }\n");
  EXPECT_EQ(masked_body("{\"a\":\"BEGIN\\nEND\"}", two_lines), "{\"a\":\"[redacted:test]\"}");
  const std::string in_arguments = "data: {\"partial_json\":\"{\\\"text\\\":\\\"BEG\"}\ndata: {\"partial_json\":\"IN\\\\nEND\\\"}\"}\n";
  EXPECT_NE(masked_body(in_arguments, two_lines).find("[redacted:piece]"), std::string::npos);
}

}  // namespace
}  // namespace sluice::agent::testing
