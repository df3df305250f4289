// SPDX-License-Identifier: Apache-2.0
// What a commit message says it carries: every sha stands in it, and line ends change nothing.
#include "ingest/trailers.h"

#include "core/text.h"
#include "test/fuzz/fuzz.h"

using namespace sluice;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  static const auto rules =
      ingest::TrailerRules::compile({R"(^Reactor (?:Backport|Cherry-pick|Defer|WontPort) Revision: ([0-9a-f]{7,40}))", R"(^Origin: ([0-9a-f]+))"});
  FUZZ_CHECK(rules.ok());
  const ingest::BodyTrailers found = rules->scan(text);
  const std::string lower = core::to_lower(text);
  for (const ingest::Carried& carried : found.carried) {
    FUZZ_CHECK(carried.sha.size() >= 7 && carried.sha.size() <= 40 && core::is_hex(carried.sha, carried.sha.size()));
    FUZZ_CHECK(lower.find(carried.sha) != std::string::npos);
    FUZZ_CHECK(carried.rule < 4 && carried.configured == (carried.rule >= 2));
  }
  FUZZ_CHECK(found.unit.empty() || text.find(found.unit) != std::string_view::npos);
  FUZZ_CHECK(found.unit.find('\n') == std::string::npos);
  if (text.find('\r') != std::string_view::npos) return 0;
  const ingest::BodyTrailers other = rules->scan(fuzz::with_crlf(text));
  FUZZ_CHECK(other.unit == found.unit && other.carried.size() == found.carried.size());
  for (std::size_t i = 0; i < found.carried.size(); ++i)
    FUZZ_CHECK(other.carried[i].sha == found.carried[i].sha && other.carried[i].disposition == found.carried[i].disposition);
  return 0;
}
