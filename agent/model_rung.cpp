// SPDX-License-Identifier: Apache-2.0
#include "agent/model_rung.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/background.h"
#include "agent/loop/redaction.h"
#include "agent/loop/transcript_line.h"
#include "core/hash.h"
#include "core/text.h"
#include "prompts/prompts.h"

namespace sluice::agent {
namespace {

constexpr std::string_view prompt_name = "resolver";

// What an earlier run left in the store: enough to put the same answer into another buffer, or to know that there is none.
core::Json as_record(const LoopEnd& end, const tools::Buffer& buffer, const std::string& transcript) {
  core::Json out = core::Json::object({{"stop", end.stop}, {"reason", end.reason}, {"question", end.question}, {"transcript", transcript},
                                       {"answered", end.kind == LoopEnd::Kind::submitted}});
  core::Json places = core::Json::array(), edits = core::Json::array();
  for (const tools::Place& place : buffer.places()) {
    if (!place.answer && !place.removed) continue;
    if (place.rung != model::Rung::model) continue;
    places.push(core::Json::object({{"region", place.region.id}, {"text", place.answer.value_or("")}, {"action", place.action}, {"reason", place.reason}}));
  }
  for (const tools::Adaptation& a : buffer.adaptations())
    edits.push(core::Json::object({{"path", a.path}, {"old", a.old_text}, {"new", a.new_text}, {"code", a.code}, {"reason", a.reason}}));
  out.set("places", std::move(places));
  out.set("edits", std::move(edits));
  out.set("account", model::to_json(buffer.entries()));
  return out;
}

Result<void> put_back(const core::Json& record, tools::Buffer& buffer, const std::string& rule) {
  for (const core::Json& p : record["places"].items())
    TRY(buffer.resolve(p["region"].as_string(), p["text"].as_string(), p["action"].as_string(), p["reason"].as_string(), model::Rung::model, rule));
  for (const core::Json& e : record["edits"].items())
    TRY(buffer.adapt(e["path"].as_string(), e["old"].as_string(), e["new"].as_string(), e["code"].as_string(), e["reason"].as_string()));
  TRY_ASSIGN(const auto entries, model::parse_account(record["account"]));
  for (const model::AccountEntry& entry : entries) TRY(buffer.account(entry));
  return {};
}

// Of the first message: a third of what the model takes, at some three bytes a token, so that a dozen turns fit behind it.
std::size_t most_bytes(const model::EndpointConfig& endpoint) {
  constexpr std::int64_t most = 80'000, least = 8'000;
  return static_cast<std::size_t>(std::clamp(endpoint.context_tokens - endpoint.max_output_tokens, least, most));
}

std::string why_not(const LoopEnd& end) {
  std::string out = fmt::format("the model {}", end.kind == LoopEnd::Kind::gave_up ? "gave up" : "gave no answer");
  if (!end.category.empty()) out += fmt::format(" ({})", core::printable(end.category));
  if (!end.reason.empty() && end.kind != LoopEnd::Kind::gave_up) out += fmt::format(": {}", core::printable(end.reason, 300));
  if (!end.question.empty()) out += fmt::format("; it asks: {}", core::printable(end.question, 800));
  return out;
}

// Asked again, the same model would hardly say anything else. What was stopped from outside (a cap, the clock, the
// endpoint, what may leave), or by a service that breaks its protocol, is asked again.
bool is_final(const LoopEnd& end) {
  if (end.kind == LoopEnd::Kind::gave_up) return true;
  if (end.kind != LoopEnd::Kind::stopped || end.later) return false;
  constexpr std::string_view final[] = {"refused", "turns", "tool_calls", "static_checks", "compile_checks", "same_call", "unchanged_findings"};
  return std::find(std::begin(final), std::end(final), end.stop) != std::end(final);
}

}  // namespace

tools::World ModelRung::seen_world(const tools::World& world, const Outgate& outgate) const {
  tools::World seen = world;
  seen.may_send = [&outgate](std::string_view path) { return outgate.may_send(path); };
  return seen;
}

std::string ModelRung::why_not_asked(const tools::World& world, const tools::Buffer& buffer) const {
  const std::unique_ptr<Outgate> outgate = desk_.outgate(world);
  for (const tools::Place& place : buffer.places()) {
    const std::string whole = place.region.base + place.region.ours + place.region.theirs;
    // It would be sent masked, and come back masked.
    if (desk_.mask(whole) != whole) return fmt::format("the model was not asked: the conflict in {} holds what looks like a secret", core::printable(place.path));
    if (!outgate->may_send(place.path)) return fmt::format("the model was not asked: {} may not be sent ([model] send, never_send)", core::printable(place.path));
  }
  return {};
}

std::string ModelRung::key_of(const tools::World& world, const tools::Buffer& buffer) const {
  core::Sha256 hash;
  const auto add = [&](std::string_view part) { hash.add(fmt::format("{}:{}", part.size(), part)); };
  const prompts::Prompt& prompt = prompts::prompt(prompt_name);
  for (const std::string_view part : {std::string_view(world.upstream.oid), std::string_view(endpoint().name), std::string_view(endpoint().model),
                                      std::string_view(endpoint().base_url), std::string_view(desk_.policy_sha256),
                                      std::string_view(prompt.sha256)})
    add(part);
  for (const tools::Place& place : buffer.places()) add(place.region.id);
  return "model_answer:" + hash.hex();
}

Result<LlmRequest> ModelRung::request(std::string_view prompt, store::Store& store, const tools::World& world, const tools::Buffer& buffer, const tools::Toolbox& toolbox,
                                      std::vector<CandidateAnswer> candidates, std::vector<tools::Finding> findings, std::string attempt_note) const {
  Briefing briefing;
  briefing.prompt = prompt;
  briefing.candidates = std::move(candidates);
  TRY_ASSIGN(briefing.fork_commits, writers_of(world, buffer));
  TRY_ASSIGN(briefing.remembered, similar_of(store, buffer));
  briefing.invariants = invariants_of(desk_.invariants, buffer);
  if (desk_.prerequisites) briefing.prerequisites = desk_.prerequisites(world.upstream);
  briefing.findings = std::move(findings);
  briefing.attempt_note = std::move(attempt_note);
  return first_request(world, buffer, briefing, toolbox.offers(), endpoint(), most_bytes(endpoint()));
}

Result<LoopEnd> ModelRung::run(const Job& job, const tools::World& world, tools::Toolbox& toolbox, const Outgate& outgate, LlmRequest first) {
  const prompts::Prompt& prompt = prompts::prompt(job.prompt);
  store::TranscriptRow row;
  row.run = new_run_id(*desk_.clock);
  row.job = job.name;
  row.unit = unit_;
  row.upstream = world.upstream.oid;
  row.endpoint = endpoint().name;
  row.model = endpoint().model;
  row.prompt_sha256 = prompt.sha256;
  row.started_at = desk_.clock->now();
  TRY(desk_.book->put_transcript(row));
  TRY_ASSIGN(Transcript transcript, Transcript::open(desk_.transcripts, row.run, desk_.mask, *desk_.clock));
  LoopSetup setup;
  setup.provider = desk_.provider;
  setup.toolbox = &toolbox;
  setup.outgate = &outgate;
  setup.budget = desk_.budget;
  setup.transcript = &transcript;
  setup.mask = desk_.mask;
  setup.account = {row.run, desk_.leaves ? unit_ : "replay " + unit_, desk_.night, desk_.fork};
  setup.limits = desk_.limits;
  setup.cancel = desk_.cancel;
  setup.sent = [&](const std::vector<std::string>& paths) {
    if (!desk_.leaves) return;
    // The index is for people; a request that has left cannot be taken back because it failed.
    (void)desk_.book->add_sent(endpoint().name, paths, desk_.clock->now());
  };
  setup.inputs = core::Json::object({{"job", job.name}, {"prompt", std::string(prompt.name)}, {"prompt_version", prompt.version}, {"prompt_sha256", prompt.sha256},
                                     {"policy_sha256", desk_.policy_sha256}, {"upstream", world.upstream.oid}, {"base_tree", world.base_tree},
                                     {"ours_tree", world.ours_tree}, {"theirs_tree", world.theirs_tree}, {"merged_tree", world.merged_tree}});
  TRY_ASSIGN(LoopEnd end, run_loop(setup, std::move(first)));
  end.transcript = row.run;
  row.outcome = end.stop;
  row.last_sha256 = transcript.last_sha256();
  row.lines = transcript.lines();
  row.ended_at = desk_.clock->now();
  row.tokens_in = end.usage.all_input();
  row.tokens_out = end.usage.output;
  row.money = end.money;
  TRY(desk_.book->put_transcript(row));
  return end;
}

Result<std::string> ModelRung::preview(store::Store& store, const tools::World& world, tools::Buffer& buffer, tools::Checks& checks,
                                       std::vector<CandidateAnswer> candidates) {
  if (std::string why = why_not_asked(world, buffer); !why.empty()) return make_error(ErrorKind::denied, std::move(why));
  const std::unique_ptr<Outgate> outgate = desk_.outgate(world);
  const tools::World seen = seen_world(world, *outgate);
  TRY_ASSIGN(const tools::Toolbox toolbox, tools::Toolbox::open(seen, buffer, checks, prompts::tool_descriptions()));
  TRY_ASSIGN(LlmRequest first, request(prompt_name, store, seen, buffer, toolbox, std::move(candidates), {}, {}));
  for (LlmMessage& message : first.messages) message.text = masked_document(message.text, desk_.mask);  // as the run does
  std::string bytes = desk_.provider->render(first);
  TRY(outgate->check(first, bytes));
  return bytes;
}

Result<RungEnd> ModelRung::repair(store::Store& store, const tools::World& world, tools::Buffer& buffer, tools::Checks& checks, std::vector<tools::Finding> findings) {
  constexpr std::string_view prompt = "repair";
  if (desk_.only_stored) return RungEnd{};
  const std::unique_ptr<Outgate> outgate = desk_.outgate(world);
  const tools::World seen = seen_world(world, *outgate);
  TRY_ASSIGN(tools::Toolbox toolbox, tools::Toolbox::open(seen, buffer, checks, prompts::tool_descriptions()));
  TRY_ASSIGN(LlmRequest first, request(prompt, store, seen, buffer, toolbox, {}, std::move(findings), "it merged without a conflict, and it does not build"));
  TRY_ASSIGN(const LoopEnd end, run({"repair", prompt}, seen, toolbox, *outgate, std::move(first)));
  RungEnd out;
  out.transcript = end.transcript;
  out.answered = end.kind == LoopEnd::Kind::submitted && !buffer.adaptations().empty();
  out.summary = end.summary;
  if (!out.answered) out.why = fmt::format("{} (run {})", end.kind == LoopEnd::Kind::submitted ? "the model changed nothing" : why_not(end), end.transcript);
  return out;
}

Result<RungEnd> ModelRung::answer(store::Store& store, const tools::World& world, tools::Buffer& buffer, tools::Checks& checks,
                                  std::vector<CandidateAnswer> candidates, std::vector<tools::Finding> findings, std::string attempt_note) {
  const std::string rule = fmt::format("{}:{}", endpoint().name, endpoint().model);
  if (std::string why = why_not_asked(world, buffer); !why.empty()) return RungEnd{false, std::move(why), {}, {}};
  const std::string key = key_of(world, buffer);
  TRY_ASSIGN(const auto stored, store.value(key));
  const auto parsed = stored ? core::Json::parse(*stored) : Result<core::Json>(core::Json());
  if (stored && parsed.ok()) {
    const core::Json& record = *parsed;
    const std::string run = record["transcript"].as_string();
    if (!record["answered"].as_bool())
      return RungEnd{false, fmt::format("asked before, and {} (run {})", record["reason"].as_string(), run), {}, run};
    if (put_back(record, buffer, rule).ok()) {
      TRY_ASSIGN(const tools::Draft draft, buffer.draft());
      if (draft.complete) return RungEnd{true, {}, {}, run};
    }
    buffer.forget(model::Rung::model);  // the files around the conflict are others now: ask again
  }
  if (desk_.only_stored) return RungEnd{};

  const std::unique_ptr<Outgate> outgate = desk_.outgate(world);
  const tools::World seen = seen_world(world, *outgate);
  TRY_ASSIGN(tools::Toolbox toolbox, tools::Toolbox::open(seen, buffer, checks, prompts::tool_descriptions()));
  TRY_ASSIGN(LlmRequest first, request(prompt_name, store, seen, buffer, toolbox, std::move(candidates), std::move(findings), std::move(attempt_note)));
  TRY_ASSIGN(const LoopEnd end, run({"resolve", prompt_name}, seen, toolbox, *outgate, std::move(first)));
  for (const tools::Place& place : buffer.places())
    if (place.rung == model::Rung::model && place.answer) buffer.sign(place.region.id, rule);
  RungEnd out;
  out.transcript = end.transcript;
  out.answered = end.kind == LoopEnd::Kind::submitted;
  if (out.answered || is_final(end)) {
    core::Json record = as_record(end, buffer, end.transcript);
    if (!out.answered) record.set("reason", why_not(end));
    // What would be kept with a mask in it is not kept: the mask would come back as text.
    const bool clean = masked_strings(record, desk_.mask) == record;
    if (clean) TRY(store.put_value(key, record.dump()));
  }
  if (out.answered) return out;
  out.why = fmt::format("{} (run {})", why_not(end), end.transcript);
  // The service, not the model: nothing is decided.
  const bool outside = end.kind == LoopEnd::Kind::cancelled || end.stop == "endpoint" || end.stop == "budget:night";
  if (end.later || outside) out.later = end.reason;
  return out;
}

}  // namespace sluice::agent
