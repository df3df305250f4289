// SPDX-License-Identifier: Apache-2.0
// What every tool is made of. Inner header of tools/.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/json.h"
#include "tools/tools.h"

namespace sluice::tools {

using core::Json;

// Rounds of checks so far.
struct Rounds {
  using FindingSet = std::set<std::tuple<std::string, std::string, std::string>>;  // rule, path, text of the line
  int static_checks = 0, compile_checks = 0, unchanged = 0;
  std::vector<Finding> last;
  std::map<Level, FindingSet> seen;  // of the last round of each level
};

// What a call works on. None of it is owned.
struct Desk {
  const World& world;
  Buffer& buffer;
  Checks& checks;
  Rounds& rounds;
};

// `call` gets arguments that fit `parameters`. Errors: outside failures only.
struct Tool {
  std::string_view name;
  std::string_view parameters;  // JSON schema
  Result<Answer> (*call)(const Desk& desk, const Json& arguments);
};

// One file each, of that name; in the order of the table of tools.
extern const Tool list_conflicts, get_region, read_lines, search, why_line, upstream_patch, resolve_region, adapt_lines, account,
    run_checks, submit, give_up;

// ---- answers ----------------------------------------------------------------------------------------------------

Answer said(Json body, std::vector<std::string> paths = {});
// {"error": …}: one sentence for the model.
Answer refused(std::string why);
// An `invalid` of the buffer is the model's mistake, all else an outside failure.
Result<Answer> refused_or_failed(Error error);

// {"source": …, "untrusted": true, "text": …}, as UTF-8. Beyond `max_bytes` whole lines are left out at the end (a line that
// is longer by itself is cut), and "left_out_lines" says how many.
Json untrusted(std::string source, std::string_view text, std::size_t max_bytes);
// A text for one line: UTF-8, at most `max_bytes`, and the end says that something was cut.
std::string short_line(std::string_view line, std::size_t max_bytes);

// ---- arguments --------------------------------------------------------------------------------------------------

std::int64_t number(const Json& value, std::int64_t otherwise);  // 1.0 is 1, what is out of range is its end

// ---- what may be seen -------------------------------------------------------------------------------------------

bool may_show(const World& world, std::string_view path);
bool looks_binary(std::string_view bytes);
// The tree of rev base, ours, theirs, merged or proposed (without what was answered).
const Oid& tree_of(const World& world, std::string_view rev);
struct Seen {
  std::string text;
  std::string refusal;  // not empty: why there is no text to show
};
// A file of a rev. Errors: outside failures; an object that is not in the store is a refusal.
Result<Seen> see(const Desk& desk, std::string_view rev, const std::string& path);

std::vector<std::string> open_places(const Buffer& buffer);  // ids
bool answered(const Place& place);

}  // namespace sluice::tools
