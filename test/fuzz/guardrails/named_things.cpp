// SPDX-License-Identifier: Apache-2.0
// Names that a file may give only once, and how often words stand in it, in every kind of file.
#include "guardrails/scan/named_things.h"

#include "core/text.h"
#include "guardrails/scan/standing.h"
#include "test/fuzz/fuzz.h"

using namespace sluice;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  static const auto things = guardrails::NamedThings::create();
  FUZZ_CHECK(things.ok());
  for (const char* path : {"lib/a.cpp", "python/a.py", "include/a.td", "CMakeLists.txt", "test/a.mlir", "a"}) {
    for (const auto& [key, thing] : things->find(path, text)) {
      FUZZ_CHECK(!key.empty() && !thing.kind.empty() && !thing.lines.empty());
      std::uint32_t last = 1;
      for (const std::uint32_t line : thing.lines) {
        FUZZ_CHECK(line >= last && line <= fuzz::lines_of(text));
        last = line;
      }
    }
    guardrails::Standings standings{{"main", {}}, {"test_add", {}}, {"Op", {}}};
    guardrails::note_standings(path, text, standings);
    for (const auto& [name, standing] : standings) {
      FUZZ_CHECK(standing.definitions >= 0 && standing.uses >= 0);
      if (!standing.definition) continue;
      FUZZ_CHECK(standing.definitions > 0 && standing.definition->line >= 1 && standing.definition->line <= fuzz::lines_of(text));
    }
  }
  return 0;
}
