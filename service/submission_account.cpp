// SPDX-License-Identifier: Apache-2.0
#include "service/submission_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/hash.h"
#include "core/text.h"
#include "service/unit_text.h"

namespace sluice::service {

namespace {

using core::Json;

struct Code {
  std::string_view name, arg, means;
  bool checked;
};

constexpr std::array<Code, 7> line_codes = {{
    {"ALREADY_PRESENT", "", "the fork's file had the line already, as often", true},
    {"MOVED_TO", "PATH", "the line stands in that file now, and did not before", true},
    {"RENAMED", "OLD NEW", "with that renaming the line is one of the result", true},
    {"SUPERSEDED_BY_FORK", "COMMIT", "that fork commit (40 digits), younger than the line, replaced it, and touches the file", true},
    {"UPSTREAM_DELETED", "", "the upstream commit removes the line itself", true},
    {"NOT_APPLICABLE", "FEATURE", "it means nothing in the fork; goes to a reviewer", false},
    {"DEFERRED", "LEDGER ID", "it comes later, with that open entry of the ledger; goes to a reviewer", false},
}};

constexpr std::array<Code, 5> adapt_codes = {{
    {"API_RENAME", "OLD NEW", "the change is that renaming and nothing else", true},
    {"SIGNATURE", "", "a call follows a changed signature; goes to a reviewer", false},
    {"INCLUDE", "", "an include or import; goes to a reviewer", false},
    {"REGISTRATION", "", "a registration; goes to a reviewer", false},
    {"TEST_EXPECTATION_FROM_UPSTREAM", "", "a test expects what upstream's change makes; goes to a reviewer", false},
}};

constexpr std::array<Code, 1> side_codes = {{
    {"SIDE", "REGION OURS|THEIRS", "that side was taken on purpose; lines of the other that are lost need their own entries", true},
}};

std::span<const Code> codes_of(const std::string& kind) {
  if (kind == "adapt") return adapt_codes;
  if (kind == "side_choice") return side_codes;
  return line_codes;
}

// `text` of an item is cut, its hash is of the whole line.
std::string norm_sha(const model::VerdictItem& item) {
  return item.norm_sha256.empty() ? core::sha256_hex(core::strip_space(item.text)) : item.norm_sha256;
}

// An entry for a region names it in its argument, and no line.
bool is_region(const std::string& kind) { return kind == "side_choice"; }

std::string_view first_word(std::string_view text) { return text.substr(0, text.find(' ')); }

bool same_entry(const model::VerdictItem& a, const model::VerdictItem& b) {
  return a.account == b.account && a.path == b.path && a.member == b.member && a.companion == b.companion && norm_sha(a) == norm_sha(b);
}

std::string where(const model::VerdictItem& item) {
  return core::printable(item.path, 300) + (item.line > 0 ? fmt::format(":{}", item.line) : "");
}

}  // namespace

bool speaks_of(const model::AccountEntry& entry, const model::VerdictItem& item) {
  if (item.account.empty() || entry.kind != item.account || entry.path != item.path) return false;
  if (is_region(entry.kind)) return first_word(entry.arg) == first_word(item.text);
  return entry.kind == "adapt" || entry.norm_sha256 == norm_sha(item);
}

std::vector<OpenItem> open_items(const model::Verdict& verdict) {
  std::vector<OpenItem> out;
  for (const model::RuleResult& rule : verdict.rules) {
    if (!rule.applicable || rule.observed) continue;
    for (const model::VerdictItem& item : rule.items) {
      const bool open = (item.judgement == model::Judgement::explain || item.judgement == model::Judgement::escalate) &&
                        !item.account.empty() && item.lifted_by.empty();
      if (!open) continue;
      // What several rules say of one line takes one entry: a lost line (G21, G23) and the name on it (G33).
      const auto known = std::find_if(out.begin(), out.end(), [&](const OpenItem& other) { return same_entry(other.item, item); });
      if (known == out.end()) {
        out.push_back({model::item_id(rule.id, item), rule.id, item, 1});
      } else if (known->rule == rule.id) {
        ++known->count;
      }
    }
  }
  return out;
}

std::string account_form(App& app, const OpenItem& open, std::size_t number, std::size_t of, const std::string& unit) {
  const model::VerdictItem& item = open.item;
  std::string out = fmt::format("# Unit {}: {} of {} to explain, item {} ({})\n#\n# {}{}\n", unit, number, of, open.id, open.rule,
                                core::printable(item.detail, 300), open.count > 1 ? fmt::format(" ({} times)", open.count) : "");
  out += fmt::format("#   {}  {}\n", where(item), core::printable(item.text, 300));
  if (!item.introduced_by.empty()) {
    const auto commit = app.repo.reader().commit(item.introduced_by);
    out += fmt::format("#   written by the fork's commit {} {}\n", item.introduced_by,
                       commit.ok() ? core::printable(commit->message.substr(0, commit->message.find('\n')), 80) : "");
  }
  out += "#\n# Fill in `code`, `arg` where the code has one, and `because` for the reviewer; then save and leave the editor.\n"
         "# A false entry is worse than none: it blocks. An empty code ends the asking, and nothing is lost.\n#\n";
  for (const Code& code : codes_of(item.account)) {
    const std::string head = fmt::format("{}{}{}", code.name, code.arg.empty() ? "" : " ", code.arg);
    out += fmt::format("#   {:<32} {} ({})\n", head, code.means, code.checked ? "checked" : "not checked by a program");
  }
  return out + "code: \narg: \nbecause: \n";
}

Result<model::AccountEntry> read_form(const OpenItem& open, const std::string& text) {
  model::AccountEntry entry{open.item.account, open.item.path, norm_sha(open.item), open.count, "", "", ""};
  if (is_region(entry.kind)) {
    entry.norm_sha256.clear();
    entry.count = 0;
    entry.arg = open.item.text;
  }
  for (const std::string_view line : core::split_lines(text)) {
    if (line.starts_with('#')) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = core::trim(line.substr(0, colon));
    const std::string value(core::trim(line.substr(colon + 1)));
    if (key == "code") entry.code = value;
    if (key == "arg" && !(value.empty() && is_region(entry.kind))) entry.arg = value;
    if (key == "because") entry.because = value;
  }
  if (entry.code.empty()) return entry;
  auto checked = model::parse_account(Json::array().push(model::to_json(entry)));
  if (!checked.ok()) return make_error(ErrorKind::invalid, fmt::format("item {}: {}", open.id, checked.error().message));
  return std::move(checked->front());
}

Json account_template(const std::vector<OpenItem>& items) {
  Json out = Json::array();
  for (const OpenItem& open : items) {
    Json entry = Json::object({{"item", open.id}, {"rule", open.rule}, {"kind", open.item.account}, {"path", open.item.path},
                               {"line", open.item.line}, {"text", open.item.text}});
    if (is_region(open.item.account)) {
      entry.set("reason_code", "").set("arg", open.item.text).set("because", "");
    } else {
      entry.set("norm_sha256", norm_sha(open.item)).set("count", open.count).set("reason_code", "").set("arg", "").set("because", "");
    }
    out.push(std::move(entry));
  }
  return out;
}

void assign_account(Submission& submission, const std::vector<model::AccountEntry>& entries, const model::Verdict& verdict) {
  if (submission.members.empty()) return;
  for (PersonsAnswer& answer : submission.members) answer.account.clear();
  for (const model::AccountEntry& entry : entries) {
    std::vector<Oid> of;
    for (const model::RuleResult& rule : verdict.rules) {
      for (const model::VerdictItem& item : rule.items) {
        if (speaks_of(entry, item) && std::find(of.begin(), of.end(), item.member) == of.end()) of.push_back(item.member);
      }
    }
    bool given = false;
    for (PersonsAnswer& answer : submission.members) {
      if (std::find(of.begin(), of.end(), answer.upstream) == of.end()) continue;
      answer.account.push_back(entry);
      given = true;
    }
    if (!given) submission.members.front().account.push_back(entry);
  }
}

}  // namespace sluice::service
