// SPDX-License-Identifier: Apache-2.0
// G68: what a proposal says of itself is what it is. `resolved` stands where the machine merge has conflicts, `clean`
// where the tree is the machine merge, and a list of drops in a message is the accounting record that was judged.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>

#include "core/text.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {
namespace {

using model::Judgement;

// The value of the last line `Sluice-Resolution: ...`; empty when there is none.
std::string_view label_of(std::string_view message) {
  constexpr std::string_view key = "Sluice-Resolution:";
  std::string_view label;
  for (const std::string_view line : core::split_lines(message)) {
    if (line.starts_with(key)) label = core::trim(line.substr(key.size()));
  }
  return label;
}

// The text inside the fenced block ```sluice-account of a message; nullopt when it has none. Quoted counts too: a
// reader does not see the difference.
std::optional<std::string> declared(std::string_view message) {
  constexpr std::string_view fence = "```";
  std::optional<std::string> out;
  bool inside = false;
  for (std::string_view line : core::split_lines(message)) {
    line = core::trim(line);
    while (!line.empty() && (line.front() == '>' || line.front() == ' ')) line.remove_prefix(1);
    if (inside && line.starts_with(fence)) return out;
    if (inside) {
      *out += line;
      *out += '\n';
    } else if (line.starts_with(fence) && core::trim(line.substr(fence.size())) == "sluice-account") {
      inside = true;
      out.emplace();
    }
  }
  return out;
}

using Drop = std::tuple<std::string, std::string, std::string, int, std::string, std::string>;

std::vector<Drop> drops_of(const std::vector<model::AccountEntry>& account) {
  std::vector<Drop> out;
  for (const model::AccountEntry& e : account) out.emplace_back(e.kind, e.path, e.norm_sha256, e.count, e.code, e.arg);
  std::sort(out.begin(), out.end());
  return out;
}

// What is wrong with the drops that `message` declares; empty = nothing, or it declares none.
std::string wrong_drops(std::string_view message, const std::vector<model::AccountEntry>& account) {
  const auto text = declared(message);
  if (!text) return {};
  const auto json = core::Json::parse(*text);
  const auto entries = json.ok() ? model::parse_account(*json) : Result<std::vector<model::AccountEntry>>(json.error());
  if (!entries.ok()) return fmt::format("the drops that the message declares cannot be read: {}", core::printable(entries.error().message));
  const std::vector<Drop> said = drops_of(*entries), judged = drops_of(account);
  if (said == judged) return {};
  std::vector<Drop> hidden, invented;
  std::set_difference(judged.begin(), judged.end(), said.begin(), said.end(), std::back_inserter(hidden));
  std::set_difference(said.begin(), said.end(), judged.begin(), judged.end(), std::back_inserter(invented));
  return fmt::format("the drops that the message declares are not those of the record: {} left out, {} that it does not hold",
                     hidden.size(), invented.size());
}

}  // namespace

static Result<Items> g68_honesty(const UnitScope& scope) {
  Items items;
  for (const model::ProposalMember& member : scope.proposal.members) {
    const auto fail = [&](std::string detail, bool companion = false) {
      model::VerdictItem item = make_item("", member.upstream.subject, std::move(detail), Judgement::block);
      item.member = member.upstream.oid;
      item.companion = companion;
      items.push_back(std::move(item));
    };
    const bool conflicted = member.pick.status == model::PickStatus::conflict || !member.pick.conflicts.empty();
    const std::string_view label = label_of(member.message);
    if (label != "clean" && label != "resolved") {
      fail(fmt::format("its label is '{}'; it must be clean or resolved", core::printable(label, 40)));
    } else if ((label == "resolved") != conflicted) {
      fail(conflicted ? "labelled clean, and the machine merge has conflicts" : "labelled resolved, and the machine merge is clean");
    } else if (label == "clean" && member.tree != member.pick.tree) {
      fail("labelled clean, and its tree is not the machine merge (G02)");
    }
    if (std::string wrong = wrong_drops(member.message, member.account); !wrong.empty()) fail(std::move(wrong));
    if (!member.companion) continue;
    if (std::string wrong = wrong_drops(member.companion->message, member.account); !wrong.empty()) fail(std::move(wrong), true);
  }
  cap(items);
  return items;
}

constinit const Rule g68{
    .id = "G68",
    .title = "honest labels",
    .fail = "BLOCK",
    .passes = "the drops that a message declares (block `sluice-account`) are those of the accounting record; `clean` stands only "
               "where the tree is the machine merge (G02); `resolved` exactly where C is not empty",
    .lift = "nothing: the labels are written by sluice",
    .example = "facebookexperimental/triton 69e895ea5: the note on its conflict lists the files, and not the line that it lost",
    .unit = g68_honesty,
};

}  // namespace sluice::guardrails
