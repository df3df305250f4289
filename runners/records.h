// SPDX-License-Identifier: Apache-2.0
// Test records as parsers collect them.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/evidence.h"

namespace sluice::runners {

// An id that a report uses twice (repeated runs, colliding names) becomes "id", "id #2", ...: neither result
// may hide the other, and counts stay those of the tool.
class Records {
 public:
  static constexpr std::size_t detail_cap = 4096;

  void add(std::string id, model::TestState state, std::string_view detail) {
    int& times = seen_[id];
    if (++times > 1) {
      std::string name = fmt::format("{} #{}", id, times);  // which the report may use itself
      while (!seen_.emplace(name, 1).second) name = fmt::format("{} #{}", id, ++times);
      id = std::move(name);
    }
    if (detail.size() > detail_cap) detail = detail.substr(0, detail_cap);
    records_.push_back({std::move(id), state, std::string(detail)});
  }
  std::vector<model::TestRecord> take() { return std::move(records_); }
  std::size_t size() const { return records_.size(); }

 private:
  std::map<std::string, int, std::less<>> seen_;
  std::vector<model::TestRecord> records_;
};

}  // namespace sluice::runners
