// SPDX-License-Identifier: Apache-2.0
// git's answer to a merge, as it arrives: a part of it is never taken for the whole, and never for an error.
#include "core/text.h"
#include "git/conflicts.h"
#include "git/merge_process.h"
#include "test/fuzz/fuzz.h"

using namespace sluice;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  std::string_view rest = text;
  const auto answer = git::take_answer(rest);
  if (!answer.ok()) {
    FUZZ_CHECK(!answer.error().message.empty() && core::is_utf8(answer.error().message));
    return 0;
  }
  if (!answer->has_value()) {
    FUZZ_CHECK(rest == text);
    return 0;
  }
  FUZZ_CHECK(rest.size() < text.size() && text.ends_with(rest));
  const std::string_view whole = text.substr(0, text.size() - rest.size());
  const git::MergeAnswer& taken = **answer;
  FUZZ_CHECK(model::is_oid(taken.tree));
  for (const model::Stage& stage : taken.stages)
    FUZZ_CHECK(model::is_oid(stage.oid) && stage.stage >= 1 && stage.stage <= 3 && !stage.path.empty());
  const std::size_t step = whole.size() / 16 + 1;
  for (std::size_t n = 0; n < whole.size(); n += step) {
    std::string_view part = whole.substr(0, n);
    const auto early = git::take_answer(part);
    FUZZ_CHECK(early.ok() && !early->has_value() && part.size() == n);
  }
  for (const model::Conflict& conflict : git::conflicts_of(taken, {std::string(40, 'a'), std::string(40, 'b')}))
    FUZZ_CHECK(!conflict.kind.empty() && (!conflict.path.empty() || conflict.stages.empty()));  // the root can be split
  return 0;
}
