// SPDX-License-Identifier: Apache-2.0
// The rung `remembered` of a backtest: what landed before for the very same conflict. The key is narrower than the one of
// the ladder at work, which also knows a conflict that is indented otherwise: the texts are the same byte by byte.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "service/backtest/case.h"

namespace sluice::service::backtest {

class Memory {
 public:
  void add(const Case& one);  // with what landed and when
  bool empty() const { return landed_.empty(); }
  struct Recalled {
    std::optional<std::string> text;
    bool several = false;  // several answers landed: none is given
  };
  // Of commits that landed before `one`: strictly older, and not the same commit.
  Recalled recall(const Case& one) const;
  // A digest of everything it holds: kept results depend on it.
  std::string digest() const;

 private:
  struct Row {
    std::int64_t date = 0;
    std::string landed, text;
  };
  std::unordered_map<std::string, std::vector<Row>> landed_;
};

}  // namespace sluice::service::backtest
