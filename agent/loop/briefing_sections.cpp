// SPDX-License-Identifier: Apache-2.0
// Candidates, findings and the patch, as the first message shows them.
#include <fmt/format.h>

#include <set>

#include "agent/loop/briefing_parts.h"
#include "core/text.h"

namespace sluice::agent {
namespace {

constexpr std::size_t candidate_cap = 8'000, patch_cap = 60'000, finding_cap = 400;
constexpr std::size_t most_findings = 50, few_findings = 10;

std::string candidate_line(const CandidateAnswer& c, std::string_view what) {
  return untrusted_line(fmt::format("{} for region {}", what, c.region_id), c.text, candidate_cap,
                        core::Json::object({{"region_id", c.region_id}, {"rule", c.rule}, {"standing", c.standing}}));
}

std::string finding_line(const tools::Finding& f) {
  core::Json about = core::Json::object({{"rule", f.rule}, {"judgement", model::to_string(f.judgement)}, {"path", core::printable(f.path, 300)},
                                         {"line", f.line}, {"count", f.count}, {"lifted_by", cut_middle(f.detail, finding_cap)}});
  if (!f.item_id.empty()) about.set("item_id", f.item_id);
  if (!f.kind.empty()) about.set("kind", f.kind);
  return untrusted_line("finding of " + f.rule, f.text, finding_cap, std::move(about));
}

}  // namespace

Section candidate_section(const tools::Buffer& buffer, const tools::World& world, const Briefing& briefing, std::vector<Source>& sources) {
  Section out;
  out.heading = "Candidate answers";
  out.preface = "From rules and merge drivers, with how often such an answer was right. Check one before you use it.\n";
  for (const CandidateAnswer& c : briefing.candidates) {
    const tools::Place* place = buffer.place(c.region_id);
    if (place == nullptr || !may_show(world, place->path)) continue;
    sources.push_back({place->path, "candidate for region " + c.region_id});
    out.pieces.push_back({{candidate_line(c, "candidate of " + c.rule), ""}, {Rank::candidates}});
  }
  if (out.pieces.empty()) out.preface.clear();
  return out;
}

Section finding_section(const tools::World& world, const Briefing& briefing, std::vector<Source>& sources) {
  Section out;
  out.heading = "What the checks found before";
  if (!briefing.attempt_note.empty()) out.preface = briefing.attempt_note + "\n";
  std::vector<std::string> lines;
  for (const tools::Finding& f : briefing.findings) {
    if (!f.path.empty() && !may_show(world, f.path)) continue;
    if (!f.path.empty()) sources.push_back({f.path, "finding of " + f.rule});
    lines.push_back(finding_line(f));
  }
  if (lines.empty()) return out;
  const auto first = [&](std::size_t n) {
    std::string text;
    for (std::size_t i = 0; i < std::min(n, lines.size()); ++i) text += lines[i];
    if (lines.size() > n) text += fmt::format("and {} further findings; run_checks lists them\n", lines.size() - n);
    return text;
  };
  out.pieces.push_back({{first(most_findings), first(few_findings)}, {Rank::findings}});
  return out;
}

Result<Section> patch_section(const tools::World& world, const tools::Buffer& buffer, std::vector<Source>& sources) {
  Section out;
  out.heading = "What the upstream commit changes in these files";
  std::set<std::string> done;
  for (const tools::Place& place : buffer.places()) {
    if (!done.insert(place.path).second || !may_show(world, place.path)) continue;
    TRY_ASSIGN(const std::optional<std::string> before, world.reader->file(world.base_tree, place.path));
    TRY_ASSIGN(const std::optional<std::string> after, world.reader->file(world.theirs_tree, place.path));
    const std::string patch = patch_of(*world.reader, before.value_or(""), after.value_or(""));
    if (patch.empty()) continue;
    sources.push_back({place.path, "upstream patch"});
    out.pieces.push_back({{untrusted_line("upstream patch of one file", patch, patch_cap, core::Json::object({{"path", core::printable(place.path, 300)}})), ""},
                          {Rank::patch}});
  }
  return out;
}

}  // namespace sluice::agent
