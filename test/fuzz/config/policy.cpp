// SPDX-License-Identifier: Apache-2.0
// sluice.toml: every error names the file and a line of it, and what is accepted can be explained.
#include <charconv>

#include "config/config.h"
#include "core/text.h"
#include "test/fuzz/fuzz.h"

using namespace sluice;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  // Below a directory that does not exist: a register that the text names cannot be read.
  const std::string name = "/nonexistent/sluice-fuzz/sluice.toml";
  const auto config = config::parse(text, name);
  if (config.ok()) {
    FUZZ_CHECK(core::is_hex(config->policy.sha256, 64) && config->policy.sha256 == config::policy_sha256(config->policy));
    FUZZ_CHECK(!config::explain(*config).empty());
    const auto again = config::parse(text, name);
    FUZZ_CHECK(again.ok() && config::explain(*again) == config::explain(*config));
    return 0;
  }
  const std::string& message = config.error().message;
  FUZZ_CHECK(core::is_utf8(message) && message.find('\n') == std::string::npos);
  if (config.error().kind != ErrorKind::invalid) return 0;  // the register
  FUZZ_CHECK(message.starts_with(name + ":"));
  std::size_t line = 0;
  const char* const end = message.data() + message.size();
  const auto number = std::from_chars(message.data() + name.size() + 1, end, line);
  FUZZ_CHECK(number.ec == std::errc() && number.ptr != end && *number.ptr == ':');
  FUZZ_CHECK(line >= 1 && line <= fuzz::line_ends(text) + 1);
  return 0;
}
