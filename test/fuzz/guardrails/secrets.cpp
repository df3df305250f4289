// SPDX-License-Identifier: Apache-2.0
// Secrets in a text: what is found stands in it, and what is held is gone after redaction.
#include "guardrails/scan/secrets.h"

#include <array>

#include "test/fuzz/fuzz.h"

using namespace sluice;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  static const std::array<std::string, 2> held = {"w0rd-of-the-daemon!7", "Zq%9/second=value"};
  static const guardrails::SecretScanner scanner{held};
  std::size_t end = 0, covered = 0;
  for (const guardrails::SecretFound& found : scanner.find(text)) {
    FUZZ_CHECK(found.length > 0 && found.at >= end && found.at + found.length <= text.size() && !found.kind.empty());
    end = found.at + found.length;
    covered += found.length;
  }
  const std::string redacted = scanner.redact(text);
  for (const std::string& value : held) FUZZ_CHECK(redacted.find(value) == std::string::npos);
  if (covered == 0) FUZZ_CHECK(redacted == text);
  // With nothing held the same forms are found, and never more.
  for (const guardrails::SecretFound& found : guardrails::find_secrets(text, {})) FUZZ_CHECK(found.kind != guardrails::held_secret);
  return 0;
}
