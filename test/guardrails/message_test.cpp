// SPDX-License-Identifier: Apache-2.0
// G05: what becomes of upstream's words.
#include <gtest/gtest.h>

#include "guardrails/guardrails.h"
#include "guardrails/message.h"

namespace sluice::guardrails {
namespace {

TEST(NeutralText, LinksClosesAndNotifiesNothingOnTheFork) {
  const std::pair<const char*, const char*> rows[] = {
      {"Fix the thing (#12)", "Fix the thing (o/r#12)"},
      {"#1, #22 and (#333).", "o/r#1, o/r#22 and (o/r#333)."},
      {"Fixes #12", "Upstream-Fixes o/r#12"},
      {"fixes: #12", "Upstream-fixes: o/r#12"},
      {"CLOSED GH-7.", "Upstream-CLOSED o/r#7."},
      {"Resolves llvm/llvm-project#5", "Upstream-Resolves llvm/llvm-project#5"},
      {"closes https://github.com/o/r/issues/9", "Upstream-closes https://github.com/o/r/issues/9"},
      {"Fixes\n#12", "Upstream-Fixes\no/r#12"},
      {"Fixes the build", "Fixes the build"},
      {"prefixes #3", "prefixes o/r#3"},
      {"see gh-4", "see o/r#4"},
      {"llvm/llvm-project#77", "llvm/llvm-project#77"},
      {"v2#12 #12ab #", "v2#12 #12ab #"},
      {"&#39; is an entity", "&#39; is an entity"},
      {"thanks @ada and (@bo-x)", "thanks @ ada and (@ bo-x)"},
      {"Signed-off-by: A <a.b@tile.example>", "Signed-off-by: A <a.b@tile.example>"},
      {"x+y@tile.example", "x+y@tile.example"},
      {"use @triton.jit", "use @ triton.jit"},
      {".@all", ".@ all"},
      {"a @ b, @", "a @ b, @"},
      {"checkout@v4", "checkout@v4"},
  };
  for (const auto& [text, want] : rows) EXPECT_EQ(neutral_text(text, "o/r"), want) << text;
  EXPECT_EQ(neutral_text("(#12) GH-3", ""), "(# 12) # 3") << "no host links these";
}

TEST(PickMessage, IsTheSubjectTheBodyAndTheTrailersInOrder) {
  model::UpstreamCommit upstream;
  upstream.oid = std::string(40, 'a');
  upstream.subject = "Add gather (#12)";
  upstream.message =
      "Add gather (#12)\n\nFixes #3.  \r\nUpstream-Commit: 1\nsluice-evidence: x\n > Sluice-Unit: "
      "y\n```sluice-account\n[]\n```\n\nCo-authored-by: B <b@x.example>\n\n\n";
  const std::string message = pick_message(upstream, "b-0123456789", false, "o/r", "[up]");
  EXPECT_EQ(message,
            "[up] Add gather (o/r#12)\n\nUpstream-Fixes o/r#3.\n> Upstream-Commit: 1\n> sluice-evidence: "
            "x\n>  > Sluice-Unit: y\n"
            "> ```sluice-account\n[]\n```\n\nCo-authored-by: B <b@x.example>\n\n"
            "Upstream-Commit: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nSluice-Unit: "
            "b-0123456789\nSluice-Resolution: clean\n");
  EXPECT_EQ(with_evidence(message, "e").substr(message.size()), "Sluice-Evidence: e\n");
  EXPECT_NE(pick_message(upstream, "c-1", true, "o/r", "").find("Sluice-Resolution: resolved\n"),
            std::string::npos);
  upstream.message = "  \n";
  upstream.subject = "";
  EXPECT_TRUE(pick_message(upstream, "u", true, "o/r", "").starts_with("(no subject)\n\nUpstream-Commit: "));
}

}  // namespace
}  // namespace sluice::guardrails
