// SPDX-License-Identifier: Apache-2.0
// What a commit message says of other commits in words: reverts, bundles, numbers, titles.
#include <set>

#include "core/text.h"
#include "ingest/message.h"
#include "ingest/source_words.h"
#include "test/fuzz/fuzz.h"

using namespace sluice;

namespace {

bool is_sha(const std::string& sha) { return sha.size() >= 7 && sha.size() <= 40 && core::is_hex(core::to_lower(sha), sha.size()); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  static const auto rules = ingest::MessageRules::compile();
  static const auto words = ingest::SourceWords::compile();
  FUZZ_CHECK(rules.ok() && words.ok());
  const std::string_view subject = ingest::subject_line(text);
  for (const ingest::Mention& mention : rules->mentions(subject, text)) {
    FUZZ_CHECK(mention.text.size() <= 200 && mention.text.find('\n') == std::string::npos);
    for (const std::string& sha : mention.shas) FUZZ_CHECK(is_sha(sha));
  }
  (void)rules->undoes(subject);
  for (const std::string& sha : ingest::leading_shas(text)) FUZZ_CHECK(is_sha(sha));
  FUZZ_CHECK(ingest::trailing_pr(subject) >= 0);
  const ingest::BundleWords bundle = words->bundle(text);
  FUZZ_CHECK(bundle.declared >= 0);
  for (const auto& [number, sha] : bundle.lines) FUZZ_CHECK(number > 0 && is_sha(sha));
  FUZZ_CHECK(bundle.numbers.empty() || static_cast<std::int64_t>(bundle.numbers.size()) == bundle.declared);
  std::set<std::int64_t> seen;
  for (const std::int64_t number : words->numbers(text)) FUZZ_CHECK(number > 0 && seen.insert(number).second);
  (void)words->partial(subject);
  FUZZ_CHECK(ingest::without_numbers(subject).size() <= ingest::without_last_number(subject).size());
  std::size_t last = std::string::npos;
  for (const std::string& title : ingest::titles(subject)) {
    FUZZ_CHECK(title.size() <= last);
    FUZZ_CHECK(ingest::title_key(title) == title);
    last = title.size();
  }
  return 0;
}
