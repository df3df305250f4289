// SPDX-License-Identifier: Apache-2.0
#include "guardrails/scan/symbol_index.h"

#include <algorithm>
#include <functional>

#include "core/text.h"
#include "guardrails/pick_view.h"

namespace sluice::guardrails {
namespace {

std::uint64_t hash_of(std::string_view name) { return std::hash<std::string_view>{}(name); }

// Forms in which a blob may hold `name`: as such, and as the record that makes it (`TT_` + name), or
// the operand that makes an accessor. Those two are found by a look at the text.
bool may_hold_made_name(std::string_view path) { return path.ends_with(".td"); }

}  // namespace

Result<const std::vector<std::uint64_t>*> SymbolIndex::identifiers(const git::Reader& reader,
                                                                   const model::Oid& blob) {
  if (const auto found = seen_.find(blob); found != seen_.end()) return &found->second;
  TRY_ASSIGN(const std::string text, reader.blob(blob));
  std::vector<std::uint64_t> hashes;
  for (const std::string_view name : core::identifiers(text, 4)) hashes.push_back(hash_of(name));
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  hashes.shrink_to_fit();
  return &seen_.emplace(blob, std::move(hashes)).first->second;
}

Result<bool> SymbolIndex::may_hold(const git::Reader& reader, const model::Oid& blob, const std::set<std::string>& names) {
  TRY_ASSIGN(const std::vector<std::uint64_t>* held, identifiers(reader, blob));
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return std::binary_search(held->begin(), held->end(), hash_of(name)); });
}

Result<std::map<std::string, SymbolCount>> SymbolIndex::count(const git::Reader& reader,
                                                              const model::Oid& tree, Family family,
                                                              const std::set<std::string>& names) {
  std::map<std::string, SymbolCount> counts;
  for (const std::string& name : names) counts[name];
  std::vector<std::pair<std::string, model::Oid>> blobs;
  TRY(reader.walk(tree, [&](const std::string& path, const git::TreeEntry& entry) {
    if (is_blob_mode(entry.mode) && family_of(path) == family) blobs.emplace_back(path, entry.oid);
    return true;
  }));
  std::vector<std::uint64_t> wanted;
  for (const std::string& name : names) wanted.push_back(hash_of(name));
  for (const auto& [path, blob] : blobs) {
    TRY_ASSIGN(const std::vector<std::uint64_t>* held, identifiers(reader, blob));
    const bool any = family == Family::cmake || may_hold_made_name(path) ||
                     std::any_of(wanted.begin(), wanted.end(), [&](std::uint64_t hash) {
                       return std::binary_search(held->begin(), held->end(), hash);
                     });
    if (!any) continue;
    TRY_ASSIGN(const std::string text, reader.blob(blob));
    const std::string blanked = blank_comments(text, family);
    const std::vector<std::string_view> lines = core::split_lines(text);
    for (const Occurrence& seen : occurrences(blanked, family, 4)) {
      const auto found = counts.find(seen.name);
      if (found == counts.end()) continue;
      SymbolCount& count = found->second;
      if (seen.role == Role::definition || seen.role == Role::local) {
        ++count.definitions;
        continue;
      }
      (seen.role == Role::call ? count.calls : count.mentions) += 1;
      std::optional<SymbolUse>& first = seen.role == Role::call ? count.first_call : count.first_mention;
      if (!first) {
        first =
            SymbolUse{path, seen.line, std::string(seen.line <= lines.size() ? lines[seen.line - 1] : "")};
      }
    }
  }
  return counts;
}

}  // namespace sluice::guardrails
