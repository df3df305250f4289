// SPDX-License-Identifier: Apache-2.0
#include "service/gate_account.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/file.h"
#include "core/text.h"
#include "service/submission_account.h"

namespace sluice::service {

namespace {

Result<std::string> read_input(const std::string& name) {
  if (name != "-") return core::read_file(name, model::account_cap);
  std::string out(model::account_cap + 1, '\0');
  std::size_t size = 0;
  while (size < out.size()) {
    const ssize_t n = ::read(STDIN_FILENO, out.data() + size, out.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return make_error(ErrorKind::denied, fmt::format("cannot read stdin: {}", std::strerror(errno)));
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
  }
  if (size > model::account_cap) return make_error(ErrorKind::invalid, fmt::format("stdin is longer than {} bytes", model::account_cap));
  out.resize(size);
  return out;
}

bool answers(const model::AccountEntry& entry, const model::Verdict& verdict) {
  return std::any_of(verdict.rules.begin(), verdict.rules.end(), [&](const model::RuleResult& rule) {
    return std::any_of(rule.items.begin(), rule.items.end(), [&](const model::VerdictItem& item) { return speaks_of(entry, item); });
  });
}

}  // namespace

Result<GateAccount> GateAccount::read(const std::string& account_file, const std::string& body_file) {
  if (account_file == "-" && body_file == "-") return make_error(ErrorKind::invalid, "--account and --body cannot both be read from stdin");
  GateAccount out;
  const auto take = [&](std::vector<model::AccountEntry> entries, const std::string& name) {
    for (std::size_t i = 0; i < entries.size(); ++i) out.entries_.push_back({std::move(entries[i]), fmt::format("{} entry {}", name, i)});
  };
  const auto shown = [](const std::string& file) { return file == "-" ? std::string("stdin") : core::printable(file, 400); };
  if (!account_file.empty()) {
    TRY_ASSIGN(const std::string text, read_input(account_file));
    TRY_ASSIGN(auto entries, model::parse_account_text(text, shown(account_file)));
    take(std::move(entries), shown(account_file));
  }
  if (!body_file.empty()) {
    TRY_ASSIGN(const std::string text, read_input(body_file));
    TRY_ASSIGN(auto entries, model::account_in_text(text, shown(body_file)));
    take(std::move(entries), shown(body_file));
  }
  return out;
}

Result<std::vector<model::AccountEntry>> GateAccount::of_commit(const Oid& upstream, const std::string& theirs, const std::string& message,
                                                                const std::string& name) {
  TRY_ASSIGN(std::vector<model::AccountEntry> out, model::account_in_text(message, name));
  // A pick's message quotes upstream's: what its author wrote there is nobody's word on this fork.
  if (const auto quoted = model::account_in_text(theirs, "upstream's message"); quoted.ok()) {
    for (const model::AccountEntry& entry : *quoted) {
      const std::string same = model::to_json(entry).dump();
      std::erase_if(out, [&](const model::AccountEntry& own) { return model::to_json(own).dump() == same; });
    }
  }
  std::erase_if(out, [&](const model::AccountEntry& entry) { return !entry.upstream.empty() && !upstream.empty() && entry.upstream != upstream; });
  for (Entry& entry : entries_) {
    if (entry.entry.upstream.empty() || entry.entry.upstream != upstream) continue;
    entry.used = true;
    out.push_back(entry.entry);
  }
  return out;
}

std::vector<model::AccountEntry> GateAccount::that_answer(const model::Verdict& verdict) {
  std::vector<model::AccountEntry> out;
  for (Entry& entry : entries_) {
    if (!entry.entry.upstream.empty() || !answers(entry.entry, verdict)) continue;
    entry.used = true;
    out.push_back(entry.entry);
  }
  return out;
}

std::vector<model::AccountEntry> GateAccount::all_open(const model::Verdict& verdict) {
  std::vector<model::AccountEntry> out;
  for (Entry& entry : entries_) {
    if (!entry.entry.upstream.empty()) continue;
    // What stands for a whole region or path is read by rules that may make no item of it.
    if (answers(entry.entry, verdict) || entry.entry.norm_sha256.empty()) entry.used = true;
    out.push_back(entry.entry);
  }
  return out;
}

std::vector<std::string> GateAccount::unused() const {
  std::vector<std::string> out;
  for (const Entry& entry : entries_) {
    if (entry.used) continue;
    out.push_back(fmt::format("{} ({} {}) answers nothing that was found{}", entry.from, entry.entry.kind, core::printable(entry.entry.path),
                              entry.entry.upstream.empty() ? "" : fmt::format(" of upstream commit {}", entry.entry.upstream)));
  }
  return out;
}

}  // namespace sluice::service
