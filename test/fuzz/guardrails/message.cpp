// SPDX-License-Identifier: Apache-2.0
// Messages made of other people's words: only sluice's own lines can be read as its trailers.
#include "guardrails/message.h"

#include "core/text.h"
#include "guardrails/guardrails.h"
#include "test/fuzz/fuzz.h"
#include "test/fuzz/guardrails/references.h"

using namespace sluice;

namespace {

std::size_t trailers_in(std::string_view message) {
  std::size_t count = 0;
  for (const std::string_view line : core::split_lines(message))
    count += guardrails::looks_like_trailer(line) && !core::trim(line).starts_with('>') ? 1 : 0;
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  model::UpstreamCommit upstream;
  upstream.oid = std::string(40, 'a');
  upstream.message = text;
  for (const char* repo : {"", "owner/name"}) {
    const std::string pick = guardrails::pick_message(upstream, "b-0123456789", false, repo, "[pick]");
    FUZZ_CHECK(trailers_in(pick) == 3);
    FUZZ_CHECK(pick.ends_with("\nSluice-Resolution: clean\n"));
    const std::string neutral = guardrails::neutral_text(text, repo);
    for (std::size_t i = 0; i < neutral.size(); ++i) FUZZ_CHECK(!fuzz::is_reference(neutral, i));
  }
  const std::string companion = guardrails::companion_message(text, upstream.oid, "b-0123456789");
  FUZZ_CHECK(trailers_in(companion) == 2);
  git::Commit landed;
  landed.oid = std::string(40, 'b');
  landed.message = text;
  const std::string revert = guardrails::revert_message(landed, text, "r-0123456789", "");
  FUZZ_CHECK(trailers_in(revert) == 3);
  FUZZ_CHECK(guardrails::with_evidence(revert, "d").ends_with("Sluice-Evidence: d\n"));
  return 0;
}
