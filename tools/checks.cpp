// SPDX-License-Identifier: Apache-2.0
#include "tools/checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"

namespace sluice::tools {
namespace {

using model::Judgement;

constexpr std::size_t most_findings = 50, longest_text = 300, longest_detail = 600;

void count(Rounds& rounds, Level level, const std::vector<Finding>& findings) {
  ++(level == Level::compile ? rounds.compile_checks : rounds.static_checks);
  Rounds::FindingSet set;
  for (const Finding& finding : findings) set.emplace(finding.rule, finding.path, finding.text);
  const auto before = rounds.seen.find(level);
  rounds.unchanged = before != rounds.seen.end() && before->second == set ? rounds.unchanged + 1 : 0;
  rounds.seen[level] = std::move(set);
  rounds.last = findings;
}

}  // namespace

bool hinders(const Finding& finding) {
  return finding.judgement == Judgement::explain || finding.judgement == Judgement::block || finding.judgement == Judgement::unresolved;
}

Result<std::vector<Finding>> check_round(const Desk& desk, Level level, const Draft& draft) {
  TRY_ASSIGN(std::vector<Finding> findings, desk.checks.findings(level, draft));
  std::erase_if(findings, [](const Finding& finding) { return finding.judgement == Judgement::pass; });
  // What can be mended before what a person will look at.
  const auto rank = [](const Finding& f) { return f.judgement == Judgement::escalate ? 1 : 0; };
  std::stable_sort(findings.begin(), findings.end(), [&](const Finding& a, const Finding& b) { return rank(a) < rank(b); });
  count(desk.rounds, level, findings);
  return findings;
}

void tell(const Desk& desk, const std::vector<Finding>& findings, Json& body, std::vector<std::string>& paths) {
  Json list = Json::array();
  for (std::size_t k = 0; k < findings.size() && k < most_findings; ++k) {
    const Finding& f = findings[k];
    Json one = Json::object({{"rule", core::printable(f.rule, 80)}, {"judgement", model::to_string(f.judgement)}});
    if (!f.path.empty()) one.set("path", core::to_utf8(f.path));
    if (f.line > 0) one.set("line", f.line);
    if (!f.path.empty() && !may_show(desk.world, f.path)) {
      list.push(std::move(one.set("withheld", true)));
      continue;
    }
    if (!f.item_id.empty()) one.set("item_id", f.item_id);
    if (!f.kind.empty()) one.set("kind", f.kind);
    if (f.count > 1) one.set("count", f.count);
    // What stands in the code, and sentences that may quote it.
    const std::string where = f.path.empty() ? std::string("the whole") : core::to_utf8(f.path);
    one.set("source", fmt::format("{} of {}", core::printable(f.rule, 80), where)).set("untrusted", true);
    one.set("text", short_line(f.text, longest_text)).set("detail", short_line(f.detail, longest_detail));
    list.push(std::move(one));
    if (!f.path.empty()) paths.push_back(f.path);
  }
  body.set("findings", std::move(list));
  if (findings.size() > most_findings) body.set("findings_left_out", findings.size() - most_findings);
}

}  // namespace sluice::tools
