// SPDX-License-Identifier: Apache-2.0
#include "service/backtest/memory.h"

#include <fmt/format.h>

#include <map>

#include "core/hash.h"

namespace sluice::service::backtest {

namespace {

std::string key_of(const Case& one) {
  core::Sha256 sha;
  const std::size_t dot = one.path.rfind('.');
  const std::string ending = dot == std::string::npos ? "" : one.path.substr(dot);
  for (const std::string* text : {&ending, &one.base, &one.ours, &one.theirs}) {
    sha.add(fmt::format("{}:", text->size()));
    sha.add(*text);
  }
  return sha.hex();
}

}  // namespace

void Memory::add(const Case& one) { landed_[key_of(one)].push_back({one.date, one.landed, one.resolved}); }

Memory::Recalled Memory::recall(const Case& one) const {
  Recalled out;
  const auto rows = landed_.find(key_of(one));
  if (rows == landed_.end()) return out;
  for (const Row& row : rows->second) {
    if (row.date >= one.date || row.landed == one.landed) continue;
    if (out.text && *out.text != row.text) out.several = true;
    out.text = row.text;
  }
  if (out.several) out.text.reset();
  return out;
}

std::string Memory::digest() const {
  core::Sha256 sha;
  const std::map<std::string, std::vector<Row>> sorted(landed_.begin(), landed_.end());
  for (const auto& [key, rows] : sorted) {
    sha.add(key);
    for (const Row& row : rows) sha.add(fmt::format("{} {} {}:{}", row.date, row.landed, row.text.size(), row.text));
  }
  return sha.hex();
}

}  // namespace sluice::service::backtest
