// SPDX-License-Identifier: Apache-2.0
#include "agent/text_job.h"

#include <fmt/format.h>

#include "agent/loop/transcript_line.h"
#include "core/json_schema.h"
#include "core/text.h"
#include "prompts/prompts.h"

namespace sluice::agent {
namespace {

constexpr std::string_view prompt_name = "parked_text", tool_name = "write_text";
constexpr std::string_view schema_text = R"({"type":"object","additionalProperties":false,"properties":{
  "obstacle":{"type":"string","minLength":1,"maxLength":600},"tried":{"type":"string","maxLength":600},
  "question":{"type":"string","minLength":1,"maxLength":400}},"required":["obstacle","tried","question"]})";
constexpr int attempts = 2;  // the second with what was wrong

// A run of one job; what it did is written down as it happens.
class TextRun {
 public:
  TextRun(const ModelDesk& desk, std::string unit, Transcript transcript) : desk_(desk), unit_(std::move(unit)), transcript_(std::move(transcript)) {}

  Result<WrittenText> go(LlmRequest request, const core::JsonSchema& schema) {
    WrittenText out;
    out.transcript = transcript_.run();
    for (int attempt = 0; attempt < attempts; ++attempt) {
      TRY_ASSIGN(const auto reply, ask(request, out.why));
      if (!reply) return out;
      std::string wrong;
      TRY_ASSIGN(const bool done, read(*reply, schema, out, wrong));
      if (done) {
        out.why.clear();
        stop_ = "submit";
        return out;
      }
      out.why = "the model did not fill in the fields: " + wrong;
      stop_ = "schema_errors";
      request.messages.push_back(reply->message);
      LlmMessage back;
      back.role = reply->message.calls.empty() ? LlmMessage::Role::user : LlmMessage::Role::tools;
      if (reply->message.calls.empty()) back.text = wrong;
      for (const ToolCall& call : reply->message.calls) back.answers.push_back({call.id, core::Json::object({{"error", wrong}}).dump(), true});
      request.messages.push_back(std::move(back));
    }
    return out;
  }

  const Usage& usage() const { return usage_; }
  std::int64_t money() const { return money_; }
  const std::string& stop() const { return stop_; }
  Transcript& transcript() { return transcript_; }

 private:
  // Nothing when there is no reply; `why` says it.
  Result<std::optional<LlmReply>> ask(const LlmRequest& request, std::string& why) {
    const std::string body = desk_.provider->render(request);
    const std::unique_ptr<Outgate> gate = desk_.outgate(tools::World{});
    if (const auto leave = gate->check(request, body); !leave.ok()) {
      why = leave.error().message;
      stop_ = "outgate";
      return std::optional<LlmReply>();
    }
    const auto reserved = desk_.budget->reserve({transcript_.run(), unit_, desk_.night, desk_.fork}, static_cast<std::int64_t>(body.size() / 3) + 64, request.max_output_tokens);
    if (!reserved.ok()) {
      if (reserved.error().kind != ErrorKind::denied) return reserved.error();
      why = reserved.error().message;
      stop_ = why.substr(0, why.find(' '));
      return std::optional<LlmReply>();
    }
    Result<void> written;
    const auto keep = [&](const char* type, std::string_view bytes, core::Json line) {
      auto blob = transcript_.put_blob(bytes);
      if (blob.ok()) line.set("body_blob", *blob);
      auto added = blob.ok() ? transcript_.add(type, std::move(line)) : Result<void>(blob.error());
      if (written.ok() && !added.ok()) written = std::move(added);
    };
    CallObserver observer;
    observer.request = [&](std::string_view bytes) { keep("llm_request", bytes, core::Json::object({{"bytes", bytes.size()}})); };
    observer.response = [&](int status, std::string_view bytes, const std::string& trouble) {
      keep("llm_response", bytes, core::Json::object({{"status", status}, {"bytes", bytes.size()}, {"trouble", trouble}}));
    };
    observer.may_retry = [] { return std::string("a text is not worth a second try"); };
    LlmOutcome outcome = desk_.provider->call(request, {core::steady_ms() + desk_.limits.wall_ms, desk_.cancel}, observer);
    TRY(desk_.budget->settle(*reserved, outcome.spent));
    usage_ += outcome.spent;
    money_ += outcome.spent.known ? desk_.budget->price(outcome.spent) : reserved->money;
    TRY(written);
    if (outcome.kind == LlmOutcome::Kind::ok) return std::optional(std::move(outcome.reply));
    why = outcome.reason;
    stop_ = "endpoint";
    return std::optional<LlmReply>();
  }

  Result<bool> read(const LlmReply& reply, const core::JsonSchema& schema, WrittenText& out, std::string& wrong) {
    const auto& calls = reply.message.calls;
    if (calls.size() != 1 || calls.front().name != tool_name || !calls.front().arguments) {
      wrong = fmt::format("call {} once, with JSON arguments", tool_name);
      return false;
    }
    const core::Json& given = *calls.front().arguments;
    TRY(transcript_.add("tool_call", core::Json::object({{"name", calls.front().name}, {"arguments", masked_strings(given, desk_.mask)}})));
    if (const auto checked = schema.check(given); !checked.ok()) {
      wrong = checked.error().message;
      return false;
    }
    out.obstacle = desk_.mask(given["obstacle"].as_string());
    out.tried = desk_.mask(given["tried"].as_string());
    out.question = desk_.mask(given["question"].as_string());
    return true;
  }

  const ModelDesk& desk_;
  std::string unit_;
  Transcript transcript_;
  Usage usage_{0, 0, 0, 0, true};
  std::int64_t money_ = 0;
  std::string stop_ = "stopped";
};

}  // namespace

Result<WrittenText> write_parked_text(const ModelDesk& desk, const std::string& unit, const core::Json& facts, const std::vector<std::string>& paths) {
  const prompts::Prompt& prompt = prompts::prompt(prompt_name);
  TRY_ASSIGN(const core::Json schema, core::Json::parse(schema_text));
  TRY_ASSIGN(const core::JsonSchema compiled, core::JsonSchema::compile(schema));
  LlmRequest request;
  request.system = std::string(prompt.text);
  request.tools.push_back({std::string(tool_name), "Takes the text: what stands in the way, what was tried, and one question.", schema});
  LlmMessage message;
  message.text = masked_strings(facts, desk.mask).dump();
  request.messages.push_back(std::move(message));
  request.max_output_tokens = std::min<std::int64_t>(2048, desk.provider->endpoint().max_output_tokens);
  for (const std::string& path : paths) request.sources.push_back({path, "a parked unit"});

  store::TranscriptRow row;
  row.run = new_run_id(*desk.clock);
  row.job = "parked_text";
  row.unit = unit;
  row.endpoint = desk.provider->endpoint().name;
  row.model = desk.provider->endpoint().model;
  row.prompt_sha256 = prompt.sha256;
  row.started_at = desk.clock->now();
  TRY(desk.book->put_transcript(row));
  TRY_ASSIGN(Transcript transcript, Transcript::open(desk.transcripts, row.run, desk.mask, *desk.clock));
  TRY(transcript.add("start", core::Json::object({{"job", row.job}, {"unit", unit}, {"endpoint", row.endpoint}, {"model", row.model}, {"prompt", std::string(prompt.name)},
                                                  {"prompt_version", prompt.version}, {"prompt_sha256", prompt.sha256}})));
  TextRun run(desk, unit, std::move(transcript));
  TRY_ASSIGN(WrittenText out, run.go(std::move(request), compiled));
  TRY(run.transcript().add("stop", core::Json::object({{"stop", run.stop()}, {"reason", desk.mask(out.why)}})));
  row.outcome = run.stop();
  row.last_sha256 = run.transcript().last_sha256();
  row.lines = run.transcript().lines();
  row.ended_at = desk.clock->now();
  row.tokens_in = run.usage().all_input();
  row.tokens_out = run.usage().output;
  row.money = run.money();
  TRY(desk.book->put_transcript(row));
  return out;
}

}  // namespace sluice::agent
