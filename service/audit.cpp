// SPDX-License-Identifier: Apache-2.0
#include "service/audit.h"

#include <algorithm>
#include <utility>

#include "service/audit_parts.h"

namespace sluice::service {

namespace {

constexpr const char* restore = "restore the store from a copy, or `sluice ledger rebuild --replace`";

}  // namespace

model::Judgement Audit::judgement() const {
  if (std::any_of(findings.begin(), findings.end(), [](const AuditFinding& f) { return f.wrong; })) return model::Judgement::block;
  return findings.empty() ? model::Judgement::pass : model::Judgement::unresolved;
}

void Auditor::wrong(const char* check, std::string where, std::string what, std::string action) {
  audit_.findings.push_back({true, check, std::move(where), std::move(what), std::move(action)});
}

void Auditor::unchecked(const char* check, std::string where, std::string what, std::string action) {
  audit_.findings.push_back({false, check, std::move(where), std::move(what), std::move(action)});
}

Result<Oid> Auditor::trunk() {
  if (!trunk_) {
    TRY_ASSIGN(const auto fetched, app_.store.fetch("fork"));
    trunk_ = fetched && !fetched->tip.empty() && app_.repo.reader().has(fetched->tip) ? fetched->tip : Oid();
  }
  return *trunk_;
}

Result<bool> Auditor::on_trunk(const Oid& commit) {
  TRY_ASSIGN(const Oid tip, trunk());
  return app_.repo.reader().is_ancestor(commit, tip);
}

Result<void> Auditor::store() {
  auto whole = app_.store.check_integrity();
  if (!whole.ok()) wrong("store", app_.config.store_path, whole.error().message, restore);
  const auto events = app_.store.verify_events();
  if (events.ok()) {
    audit_.events = *events;
  } else {
    wrong("events", "event log", events.error().message, restore);
  }
  return {};
}

Result<Audit> audit_verify(App& app) {
  Audit audit;
  TRY_ASSIGN(store::AuditReader records, store::AuditReader::open(app.config.store_path));
  Auditor auditor(app, records, audit);
  app.progress("checking the event log", 0, 0);
  TRY(auditor.store());
  const std::pair<const char*, Result<void> (Auditor::*)()> parts[] = {
      {"checking landings", &Auditor::landings}, {"checking the ledger", &Auditor::ledger}, {"checking the log", &Auditor::log},
      {"checking transcripts", &Auditor::transcripts}};
  for (const auto& [words, part] : parts) {
    app.progress(words, 0, 0);
    // A part that cannot be read to its end is a finding like any other: the rest is looked at all the same.
    if (const auto done = (auditor.*part)(); !done.ok())
      audit.findings.push_back({done.error().kind == ErrorKind::invalid || done.error().kind == ErrorKind::internal, "store", words, done.error().message,
                                restore});
  }
  return audit;
}

}  // namespace sluice::service
