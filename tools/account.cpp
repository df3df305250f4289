// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/renaming.h"
#include "core/text.h"
#include "tools/buffer_state.h"
#include "tools/tool.h"

namespace sluice::tools {
namespace {

// The argument as the record writes it. Errors: invalid, one sentence.
Result<std::string> argument_of(const std::string& code, const std::string& said) {
  const auto refuse = [](std::string why) -> Error { return make_error(ErrorKind::invalid, std::move(why)); };
  const std::string arg(core::trim(said));
  if (const std::string why = unfit(arg); !why.empty()) return refuse(fmt::format("arg {}", why));
  if (arg.find_first_of("\r\n") != std::string::npos) return refuse("arg is one line");
  if (code == "ALREADY_PRESENT" || code == "UPSTREAM_DELETED") {
    if (!arg.empty()) return refuse(fmt::format("{} takes no arg", code));
    return arg;
  }
  if (code == "RENAMED") {
    const std::size_t gap = arg.find_first_of(", ");
    std::string names = arg;
    if (gap != std::string::npos) names = arg.substr(0, gap) + ' ' + arg.substr(std::min(arg.find_first_not_of(", ", gap), arg.size()));
    if (!core::renaming_of(names)) return refuse("the arg of RENAMED is two names, the old and the new: old,new");
    return names;
  }
  if (code == "SUPERSEDED_BY_FORK") {
    if (!model::is_oid(arg)) return refuse("the arg of SUPERSEDED_BY_FORK is the fork's commit, all 40 digits; why_line names commits");
    return arg;
  }
  if (code == "MOVED_TO") {
    if (const std::string why = wrong_path(arg); !why.empty())
      return refuse(fmt::format("the arg of MOVED_TO is the path where the line is now; \"{}\" {}", core::printable(arg, 80), why));
    return arg;
  }
  if (arg.empty() && code == "DEFERRED") return refuse("the arg of DEFERRED is an open id of the ledger");
  if (arg.empty()) return refuse("the arg of NOT_APPLICABLE is the feature that the fork lacks");
  return arg;
}

// How often the record has to account for the line: as often as the last check still finds it, and what an entry
// answers already, if it was true.
int count_of(const Desk& desk, const std::string& kind, const std::string& path, const std::string& id) {
  std::map<std::string, int> by_rule;
  bool was_false = false;
  for (const Finding& finding : desk.rounds.last) {
    if (finding.kind != kind || finding.path != path || finding.item_id != id) continue;
    by_rule[finding.rule] += std::clamp(finding.count, 1, 1'000'000);
    was_false = was_false || finding.judgement == model::Judgement::block;
  }
  int most = 1;
  for (const auto& [rule, count] : by_rule) most = std::max(most, count);
  for (const model::AccountEntry& entry : desk.buffer.entries()) {
    if (!was_false && entry.kind == kind && entry.path == path && entry.norm_sha256 == id) most += entry.count;
  }
  return std::min(most, 1'000'000);
}

// Why the last check has no such item; empty = it has.
std::string unknown(const Desk& desk, const std::string& kind, const std::string& path, const std::string& id) {
  const Finding* other = nullptr;
  for (const Finding& finding : desk.rounds.last) {
    if (finding.item_id.empty() || finding.item_id != id || !may_show(desk.world, finding.path)) continue;
    if (finding.kind == kind && finding.path == path) return {};
    other = &finding;
  }
  if (other != nullptr) {
    const std::string_view its = other->kind.empty() ? "none that an entry answers" : std::string_view(other->kind);
    return fmt::format("that item is of kind {} in {}", its, core::printable(other->path));
  }
  if (desk.rounds.last.empty()) return "the last check has no findings; item_ids are those of run_checks";
  return "no finding of the last check has that item_id";
}

Result<Answer> call(const Desk& desk, const Json& arguments) {
  const std::string& kind = arguments["kind"].as_string();
  const std::string& path = arguments["path"].as_string();
  const std::string& code = arguments["code"].as_string();
  if (const std::string why = wrong_path(path); !why.empty()) return refused(fmt::format("{} {}", core::printable(path), why));
  auto arg = argument_of(code, arguments["arg"].as_string());
  if (!arg.ok()) return refused_or_failed(std::move(arg.error()));
  TRY_ASSIGN(const Draft draft, desk.buffer.draft());
  Json wrong = Json::array();
  std::size_t recorded = 0;
  const auto refuse = [&](const std::string& id, const std::string& why) {
    wrong.push(Json::object({{"item_id", core::printable(id, 64)}, {"why", core::to_utf8(why)}}));
  };
  for (const Json& item : arguments["item_ids"].items()) {
    const std::string& id = item.as_string();
    if (const std::string why = unknown(desk, kind, path, id); !why.empty()) {
      refuse(id, why);
      continue;
    }
    const model::AccountEntry entry{kind, path, id, count_of(desk, kind, path, id), code, *arg, arguments["because"].as_string()};
    TRY_ASSIGN(const std::string false_because, desk.checks.verify(entry, draft));
    if (!false_because.empty()) {
      refuse(id, false_because);
      continue;
    }
    auto kept = desk.buffer.account(entry);
    if (!kept.ok() && kept.error().kind != ErrorKind::invalid) return std::move(kept.error());
    if (!kept.ok())
      refuse(id, kept.error().message);
    else
      ++recorded;
  }
  const std::size_t refusals = wrong.items().size();
  Json body = Json::object({{"recorded", recorded}});
  if (refusals == 0) return said(std::move(body));
  body.set("refused", std::move(wrong)).set("error", fmt::format("{} of {} entries are not in the record", refusals, refusals + recorded));
  Answer out = said(std::move(body));
  out.is_error = true;
  return out;
}

}  // namespace

const Tool account{
    .name = "account",
    .parameters = R"({"type": "object", "additionalProperties": false, "properties": {
      "kind": {"type": "string", "enum": ["upstream_added", "upstream_removed", "downstream_lost"]},
      "path": {"type": "string", "maxLength": 300, "minLength": 1},
      "item_ids": {"type": "array", "items": {"type": "string", "maxLength": 64}, "minItems": 1, "maxItems": 50},
      "code": {"type": "string", "enum": ["ALREADY_PRESENT", "SUPERSEDED_BY_FORK", "MOVED_TO", "RENAMED", "UPSTREAM_DELETED",
        "NOT_APPLICABLE", "DEFERRED"]},
      "arg": {"type": "string", "maxLength": 300},
      "because": {"type": "string", "maxLength": 600, "minLength": 1}
  }, "required": ["kind", "path", "item_ids", "code", "because"]})",
    .call = call,
};

}  // namespace sluice::tools
