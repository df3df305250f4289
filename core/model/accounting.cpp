// SPDX-License-Identifier: Apache-2.0
#include "core/model/accounting.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/format.h"
#include "core/region_side.h"
#include "core/text.h"

namespace sluice::model {
namespace {

using core::Json;

constexpr std::size_t longest_because = 600;
constexpr std::size_t longest_path = 4096;

constexpr std::array<std::string_view, 6> kinds = {"upstream_added", "upstream_removed", "downstream_lost",
                                                   "adapt",          "side_choice",      "proven"};
constexpr std::array<std::string_view, 7> line_codes = {
    "ALREADY_PRESENT",  "MOVED_TO",       "RENAMED", "SUPERSEDED_BY_FORK",
    "UPSTREAM_DELETED", "NOT_APPLICABLE", "DEFERRED"};
constexpr std::array<std::string_view, 5> adapt_codes = {"API_RENAME", "SIGNATURE", "INCLUDE", "REGISTRATION",
                                                         "TEST_EXPECTATION_FROM_UPSTREAM"};
constexpr std::array<std::string_view, 2> proven_codes = {"FORMAT_EQUAL", "DROPPED_BY_POLICY"};
constexpr std::array<std::string_view, 1> side_codes = {"SIDE"};

template <std::size_t N>
std::string one_of(const std::array<std::string_view, N>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

// Reads the members of entry `index`; every error names it.
class EntryReader {
 public:
  EntryReader(const Json& entry, std::size_t index) : entry_(entry), index_(index) {}

  Error wrong(std::string_view field, std::string_view what) const {
    return make_error(ErrorKind::invalid, fmt::format("account entry {}: {} {}", index_, field, what));
  }

  Result<std::string> text(std::string_view field, std::size_t longest) const {
    const Json& value = entry_[field];
    if (value.is_null()) return std::string();
    if (!value.is_string()) return wrong(field, "must be a string");
    if (value.as_string().size() > longest) {
      return wrong(field, fmt::format("has {} bytes, the limit is {}", value.as_string().size(), longest));
    }
    return value.as_string();
  }

  template <std::size_t N>
  Result<void> check(std::string_view field, std::string_view value,
                     const std::array<std::string_view, N>& allowed) const {
    if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return {};
    return wrong(field, fmt::format("is '{}', allowed are {}", core::printable(value, 80), one_of(allowed)));
  }

 private:
  const Json& entry_;
  std::size_t index_;
};

Result<AccountEntry> parse_entry(const Json& json, std::size_t index) {
  const EntryReader read(json, index);
  if (!json.is_object()) return read.wrong("it", "must be an object");
  AccountEntry e;
  TRY_ASSIGN(e.kind, read.text("kind", 40));
  TRY(read.check("kind", e.kind, kinds));
  TRY_ASSIGN(e.path, read.text("path", longest_path));
  if (e.path.empty()) return read.wrong("path", "is missing");
  // Both spellings are in use: the record says reason_code, the tool that writes it says code.
  const std::string_view code_field = json.has("reason_code") ? "reason_code" : "code";
  TRY_ASSIGN(e.code, read.text(code_field, 40));
  if (e.code.empty()) return read.wrong(code_field, "is empty: fill in why");
  const bool whole = e.kind == "proven" || e.kind == "side_choice";
  if (e.kind == "proven") {
    TRY(read.check(code_field, e.code, proven_codes));
  } else if (e.kind == "side_choice") {
    // FORMAT_EQUAL also declares a side (G27).
    if (e.code != "FORMAT_EQUAL") TRY(read.check(code_field, e.code, side_codes));
  } else if (e.kind == "adapt") {
    TRY(read.check(code_field, e.code, adapt_codes));
  } else {
    TRY(read.check(code_field, e.code, line_codes));
  }
  TRY_ASSIGN(e.norm_sha256, read.text("norm_sha256", 64));
  const Json& count = json["count"];
  if (!count.is_null() && (!count.is_int() || count.as_int() < 0 || count.as_int() > 1'000'000)) {
    return read.wrong("count", "must be a whole number from 0 to 1000000");
  }
  e.count = static_cast<int>(count.as_int(whole ? 0 : 1));
  if (whole) {
    if (!e.norm_sha256.empty() || e.count != 0) {
      return read.wrong("norm_sha256",
                        fmt::format("and count do not belong to an entry of kind {}, which is for a whole "
                                    "region or path",
                                    e.kind));
    }
  } else {
    if (!core::is_hex(e.norm_sha256, 64))
      return read.wrong("norm_sha256", "must be 64 lower-case hex digits");
    if (e.count == 0) return read.wrong("count", "is 0, an entry for a line accounts for at least 1");
  }
  TRY_ASSIGN(e.arg, read.text("arg", longest_path));
  TRY_ASSIGN(e.because, read.text("because", longest_because));
  TRY_ASSIGN(e.upstream, read.text("upstream", 40));
  if (!e.upstream.empty() && !is_oid(e.upstream)) return read.wrong("upstream", "must be all 40 digits of the upstream commit");
  return e;
}

}  // namespace

Result<AccountEntry> parse_account_entry(const Json& json, std::size_t index) { return parse_entry(json, index); }

std::optional<AccountEntry> side_entry(const std::string& path, const RegionTexts& region, std::string_view answer, std::string because) {
  const core::Relation relation = core::relation_of(region.base, region.ours, region.theirs, answer);
  if (!core::leaves_a_change(relation, region.base, region.ours, region.theirs, core::language_of(path))) return std::nullopt;
  return AccountEntry{"side_choice", path, {}, 0, "SIDE", fmt::format("{} {}", region.id, core::to_string(relation)), std::move(because)};
}

Json to_json(const AccountEntry& e) {
  Json j =
      Json::object({{"kind", e.kind}, {"path", e.path}, {"reason_code", e.code}, {"because", e.because}});
  if (!e.arg.empty()) j.set("arg", e.arg);
  if (!e.norm_sha256.empty()) j.set("norm_sha256", e.norm_sha256).set("count", e.count);
  if (!e.upstream.empty()) j.set("upstream", e.upstream);
  return j;
}

Json to_json(const std::vector<AccountEntry>& entries) {
  Json j = Json::array();
  for (const AccountEntry& e : entries) j.push(to_json(e));
  return j;
}

Result<std::vector<AccountEntry>> parse_account(const Json& json) {
  if (!json.is_array()) return make_error(ErrorKind::invalid, "an account must be an array of entries");
  if (json.items().size() > account_entries_cap) {
    return make_error(ErrorKind::invalid, fmt::format("an account of {} entries is over the limit of {}",
                                                      json.items().size(), account_entries_cap));
  }
  std::vector<AccountEntry> out;
  for (std::size_t i = 0; i < json.items().size(); ++i) {
    TRY_ASSIGN(AccountEntry e, parse_entry(json.items()[i], i));
    out.push_back(std::move(e));
  }
  return out;
}

}  // namespace sluice::model
