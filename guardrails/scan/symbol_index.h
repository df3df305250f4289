// SPDX-License-Identifier: Apache-2.0
// Which identifiers occur in which blob, and where they are defined or used: lexically, over whole
// trees. One index serves all members of a unit, so that each blob is read once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/result.h"
#include "git/read.h"
#include "guardrails/scan/lexical.h"

namespace sluice::guardrails {

struct SymbolUse {
  std::string path;
  std::uint32_t line = 0;
  std::string text;
};

struct SymbolCount {
  int definitions = 0;  // of either kind of role: definition, local
  int calls = 0;
  int mentions = 0;
  std::optional<SymbolUse> first_call, first_mention;
  // A function is used where it is called, a type wherever it is named.
  int uses(bool type_like) const { return type_like ? calls + mentions : calls; }
};

class SymbolIndex {
 public:
  // For each of `names`: definitions and uses in the files of `family` below `tree`.
  Result<std::map<std::string, SymbolCount>> count(const git::Reader& reader, const model::Oid& tree,
                                                   Family family, const std::set<std::string>& names);
  // False when `blob` has none of `names` anywhere.
  Result<bool> may_hold(const git::Reader& reader, const model::Oid& blob, const std::set<std::string>& names);

 private:
  // Sorted hashes of the identifiers of a blob: a cheap "cannot occur here".
  Result<const std::vector<std::uint64_t>*> identifiers(const git::Reader& reader, const model::Oid& blob);
  std::unordered_map<model::Oid, std::vector<std::uint64_t>> seen_;
};

}  // namespace sluice::guardrails
