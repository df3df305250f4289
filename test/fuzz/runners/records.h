// SPDX-License-Identifier: Apache-2.0
// What holds of the records of every result parser.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/text.h"
#include "runners/records.h"
#include "test/fuzz/fuzz.h"

namespace sluice::fuzz {

inline void check_records(const Result<std::vector<model::TestRecord>>& records, std::string_view text) {
  if (!records.ok()) {
    FUZZ_CHECK(records.error().kind == ErrorKind::invalid);
    FUZZ_CHECK(core::is_utf8(records.error().message) && records.error().message.find('\n') == std::string::npos);
    return;
  }
  FUZZ_CHECK(records->size() <= text.size());  // no document is larger inside than outside
  std::set<std::string_view> ids;
  for (const model::TestRecord& record : *records) {
    FUZZ_CHECK(!record.id.empty() && record.detail.size() <= runners::Records::detail_cap);
    FUZZ_CHECK(ids.insert(record.id).second);
  }
}

}  // namespace sluice::fuzz
