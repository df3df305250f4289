// SPDX-License-Identifier: Apache-2.0
// Whether anything still uses a name: any word outside comments that does not define it, in code of every family and
// in strings too, because a binding names what it binds.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "git/read.h"
#include "guardrails/scan/lexical.h"
#include "guardrails/scan/symbol_index.h"

namespace sluice::guardrails {

struct Standing {
  int definitions = 0, uses = 0;
  std::optional<SymbolUse> definition;  // the first
};
using Standings = std::map<std::string, Standing>;

// Adds what `text` has of the names in `standings`.
void note_standings(const std::string& path, std::string_view text, Standings& standings);

// Names that `text` calls without defining them there, or hands to a template, of at least `min_length` bytes, by line
// (1-based): `f(x)`, `f<T>(x)`, `kernel[grid](x)`, `add<Pattern>(x)`.
std::map<std::uint32_t, std::set<std::string>> calls_by_line(std::string_view text, Family family, std::size_t min_length);

// Of `names` those that nothing below `tree` uses, with their definitions. Directories of `near` are read first: most
// names are used beside the place where they were used before, and a name is done with at its first use.
Result<Standings> unused(const git::Reader& reader, SymbolIndex& index, const model::Oid& tree, const std::set<std::string>& names,
                         const std::set<std::string>& near);

// Of a path; empty at the top.
std::string directory_of(std::string_view path);

}  // namespace sluice::guardrails
