// SPDX-License-Identifier: Apache-2.0
// The verdict that cleared a landing, judged again from its own record: what it rests on, and the evidence of that.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/text.h"
#include "service/audit_parts.h"

namespace sluice::service {

namespace {

constexpr core::Json::Limits own_documents{.max_bytes = 1u << 30, .max_depth = 64};

// Rules that were enforced and did not pass, "" for none. A record that says "pass" above them was made up.
std::string objecting_rules(const core::Json& record) {
  std::string out;
  for (const core::Json& rule : record["rules"].items()) {
    if (!rule["applicable"].as_bool() || rule["observed"].as_bool() || rule["verdict"].as_string() == "pass") continue;
    out += fmt::format(" {} ({})", core::printable(rule["id"].as_string(), 20), core::printable(rule["verdict"].as_string(), 20));
  }
  return out;
}

}  // namespace

Result<void> Auditor::verdict(const store::LandingRow& row) {
  TRY_ASSIGN(const auto records, records_.verdicts_of(row.verdict_digest));
  const std::string where = fmt::format("verdict {} of {}", row.verdict_digest.substr(0, 12), row.unit);
  if (records.empty()) {
    wrong("verdict", where, "the verdict that cleared this landing is not stored", audit_restore);
    return {};
  }
  for (const store::RawRecord& raw : records) {
    ++audit_.verdicts;
    const auto record = core::Json::parse(raw.text, own_documents);
    if (!record.ok()) {
      wrong("verdict", where, "its record is no JSON: " + record.error().message, audit_restore);
      continue;
    }
    const std::string digest = model::record_digest(*record);
    if (digest != row.verdict_digest) wrong("verdict", where, fmt::format("its record gives the digest {}", digest), audit_restore);
    if ((*record)["digest"].as_string() != row.verdict_digest) wrong("verdict", where, "its record names another digest", audit_restore);
    const std::string& said = (*record)["verdict"].as_string();
    if (said != "pass") wrong("verdict", where, fmt::format("it says \"{}\", and only pass clears", core::printable(said, 40)), audit_restore);
    if ((*record)["tree"].as_string() != row.tree)
      wrong("verdict", where, fmt::format("it judged the tree {}, landed is {}", core::printable((*record)["tree"].as_string(), 60), row.tree), audit_restore);
    if ((*record)["base"].as_string() != row.base)
      wrong("verdict", where, fmt::format("it judged on {}, landed on {}", core::printable((*record)["base"].as_string(), 60), row.base), audit_restore);
    std::string objecting = objecting_rules(*record);
    if (!objecting.empty()) wrong("verdict", where, "it says \"pass\", and its own rules object:" + objecting, audit_restore);
    TRY(judged_inputs(row, *record));
    if ((*record)["suites"].items().empty()) wrong("verdict", where, "it rests on no suite", audit_restore);
    for (const core::Json& suite : (*record)["suites"].items()) TRY(evidence_of(row, suite, row.verdict_digest));
  }
  return {};
}

Result<void> Auditor::evidence_of(const store::LandingRow& row, const core::Json& suite, const std::string& digest) {
  const std::string& id = suite["id"].as_string();
  const std::string& wanted = suite["evidence"].as_string();
  const std::string where = fmt::format("evidence of suite {} for {}", core::printable(id, 60), row.unit);
  if (suite["verdict"].as_string() != "pass")
    wrong("verdict", where, fmt::format("verdict {} counts it as \"{}\"", digest.substr(0, 12), core::printable(suite["verdict"].as_string(), 40)), audit_restore);
  TRY_ASSIGN(const auto records, records_.evidence_of(row.tree));
  std::string closest = "no result of it is stored for the landed tree";
  for (const store::RawRecord& raw : records) {
    if (raw.key != id) continue;
    ++audit_.evidence;
    const auto json = core::Json::parse(raw.text, own_documents);
    const auto parsed = json.ok() ? model::parse_evidence(*json) : Result<model::Evidence>(json.error());
    if (!parsed.ok()) {
      closest = "its record cannot be read: " + parsed.error().message;
    } else if (parsed->tree != row.tree || parsed->suite != id) {
      closest = fmt::format("its record is of suite {} on tree {}", core::printable(parsed->suite, 60), core::printable(parsed->tree, 60));
    } else if (parsed->id() != wanted) {
      closest = fmt::format("its record gives the id {}, the verdict names {}", parsed->id().substr(0, 12), core::printable(wanted, 12));
    } else {
      return {};
    }
  }
  wrong("evidence", where, closest, audit_restore);
  return {};
}

// The trees that were judged are those that landed: the last one is the landing's, and each upstream commit that was
// judged is named by a landed commit, and the other way round.
Result<void> Auditor::judged_inputs(const store::LandingRow& row, const core::Json& record) {
  if (!record["inputs"].is_array()) return {};  // of a version that did not record them
  const std::string where = fmt::format("verdict {} of {}", row.verdict_digest.substr(0, 12), row.unit);
  std::set<std::string> judged, landed;
  for (const core::Json& input : record["inputs"].items()) {
    judged.insert(input["upstream"].as_string());
    for (const char* tree : {"B", "U", "D", "M", "P"}) {
      if (!model::is_oid(input[tree].as_string())) wrong("verdict", where, fmt::format("its input {} is no tree", tree), audit_restore);
    }
  }
  const git::Reader& reader = app_.repo.reader();
  if (!reader.has(row.commit) || !reader.has(row.base)) return {};  // said elsewhere
  TRY_ASSIGN(const auto commits, reader.log(row.commit, row.base, most_commits));
  for (const Oid& oid : commits) {
    TRY_ASSIGN(const git::Commit commit, reader.commit(oid));
    if (!message_line(commit.message, "Sluice-Companion-Of:").empty() || commit.parents.size() != 1) continue;
    const std::string upstream = message_line(commit.message, "Upstream-Commit:");
    if (!upstream.empty()) landed.insert(upstream);
  }
  if (landed.empty()) return {};  // a revert: its commits name what they take back
  for (const std::string& upstream : landed) {
    if (!judged.contains(upstream)) wrong("verdict", where, fmt::format("{} landed, and was not judged", core::printable(upstream, 60)), audit_restore);
  }
  for (const std::string& upstream : judged) {
    if (!landed.contains(upstream)) wrong("verdict", where, fmt::format("{} was judged, and did not land", core::printable(upstream, 60)), audit_restore);
  }
  return {};
}

}  // namespace sluice::service
