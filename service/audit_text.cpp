// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/text.h"
#include "service/audit.h"

namespace sluice::service {

core::Json audit_json(const Audit& audit) {
  core::Json findings = core::Json::array();
  for (const AuditFinding& finding : audit.findings) {
    findings.push(core::Json::object({{"verdict", finding.wrong ? "block" : "unresolved"},
                                      {"check", finding.check},
                                      {"where", finding.where},
                                      {"what", finding.what},
                                      {"action", finding.action}}));
  }
  return core::Json::object({{"schema", "sluice.audit/1"},
                             {"verdict", model::to_string(audit.judgement())},
                             {"checked", core::Json::object({{"events", audit.events},
                                                             {"landings", audit.landings},
                                                             {"commits", audit.commits},
                                                             {"verdicts", audit.verdicts},
                                                             {"evidence", audit.evidence},
                                                             {"rows", audit.rows},
                                                             {"refs", audit.refs},
                                                             {"log_lines", audit.log_lines},
                                                             {"transcripts", audit.transcripts}})},
                             {"findings", std::move(findings)}});
}

std::string audit_text(const Audit& audit) {
  std::string out;
  for (const AuditFinding& finding : audit.findings) {
    out += fmt::format("{} {}: {}: {} -> {}\n", finding.wrong ? "WRONG" : "NOT CHECKED", finding.check, core::printable(finding.where, 200),
                       core::printable(finding.what, 400), core::printable(finding.action, 300));
  }
  return out + fmt::format("audit: {}; {} events, {} landings of {} commits, {} verdicts, {} results, {} ledger rows, {} kept trees, {} log lines, {} transcripts\n",
                           model::to_string(audit.judgement()), audit.events, audit.landings, audit.commits, audit.verdicts, audit.evidence,
                           audit.rows, audit.refs, audit.log_lines, audit.transcripts);
}

}  // namespace sluice::service
