// SPDX-License-Identifier: Apache-2.0
// What a run writes into its transcript.
#include <fmt/format.h>

#include "agent/loop/redaction.h"
#include "agent/loop/run.h"
#include "agent/loop/transcript_line.h"
#include "core/hash.h"
#include "core/text.h"

namespace sluice::agent {
namespace {

constexpr std::size_t inline_cap = 2'000;  // longer payloads are blobs
constexpr std::size_t most_findings = 100;

std::string_view kind_name(LoopEnd::Kind kind) {
  switch (kind) {
    case LoopEnd::Kind::submitted: return "submitted";
    case LoopEnd::Kind::gave_up: return "gave_up";
    case LoopEnd::Kind::stopped: return "stopped";
    case LoopEnd::Kind::failed: return "failed";
    case LoopEnd::Kind::cancelled: return "cancelled";
  }
  return "failed";
}

// Under `key` where it is short, else as a blob under `key`_blob.
Result<void> put(Transcript& transcript, core::Json& body, std::string_view key, const std::string& text) {
  if (text.size() <= inline_cap) {
    body.set(key, text);
    return {};
  }
  TRY_ASSIGN(const std::string sha, transcript.put_blob(text));
  body.set(fmt::format("{}_blob", key), sha);
  return {};
}

core::Json finding_json(const tools::Finding& f) {
  core::Json out = core::Json::object({{"rule", f.rule}, {"judgement", model::to_string(f.judgement)}, {"path", f.path}, {"line", f.line}});
  if (!f.item_id.empty()) out.set("item_id", f.item_id);
  if (f.count != 1) out.set("count", f.count);
  return out;
}

}  // namespace

Result<void> Run::record_start() {
  const model::EndpointConfig& e = s_.provider->endpoint();
  std::string offered;
  for (const LlmTool& tool : request_.tools) offered += fmt::format("{}\n{}\n{}\n", tool.name, tool.description, tool.schema.dump());
  core::Json parameters = core::Json::object({{"max_output_tokens", request_.max_output_tokens}, {"force_tool", request_.force_tool}, {"effort", e.effort}});
  core::Json body = core::Json::object({{"endpoint", e.name}, {"dialect", e.dialect}, {"model", e.model}, {"parameters", std::move(parameters)},
                                        {"system_sha256", core::sha256_hex(request_.system)}, {"tools_sha256", core::sha256_hex(offered)},
                                        {"unit", s_.account.unit}, {"night", s_.account.night}, {"fork", s_.account.fork}, {"inputs", s_.inputs}});
  TRY(s_.transcript->put_blob(request_.system));
  TRY(s_.transcript->put_blob(offered));
  return s_.transcript->add("start", std::move(body));
}

Result<void> Run::record_request(std::string_view body) {
  TRY_ASSIGN(const std::string sha, s_.transcript->put_blob(body));
  return s_.transcript->add("llm_request", core::Json::object({{"turn", end_.turns}, {"attempt", attempts_}, {"bytes", body.size()}, {"body_blob", sha}}));
}

Result<void> Run::record_response(int status, std::string_view body, const std::string& trouble) {
  TRY_ASSIGN(const std::string sha, s_.transcript->put_blob(masked_body(body, s_.mask)));
  core::Json line = core::Json::object({{"turn", end_.turns}, {"attempt", attempts_}, {"status", status}, {"bytes", body.size()}, {"body_blob", sha}});
  if (!trouble.empty()) line.set("trouble", trouble);
  return s_.transcript->add("llm_response", std::move(line));
}

Result<void> Run::record_call(const ToolCall& call) {
  core::Json body = core::Json::object({{"turn", end_.turns}, {"id", call.id}, {"name", call.name}});
  const std::string arguments = call.arguments ? masked_strings(*call.arguments, s_.mask).dump() : masked(call.raw);
  TRY(put(*s_.transcript, body, "arguments", arguments));
  return s_.transcript->add("tool_call", std::move(body));
}

Result<void> Run::record_answer(const ToolCall& call, const ToolAnswer& answer, bool schema_error) {
  core::Json body = core::Json::object({{"turn", end_.turns}, {"id", call.id}, {"name", call.name}, {"error", answer.is_error}});
  if (schema_error) body.set("schema_error", true);
  TRY(put(*s_.transcript, body, "result", answer.text));
  return s_.transcript->add("tool_result", std::move(body));
}

Result<void> Run::record_findings(std::string_view tool) {
  const auto& findings = s_.toolbox->last_findings();
  core::Json list = core::Json::array();
  for (std::size_t i = 0; i < findings.size() && i < most_findings; ++i) list.push(finding_json(findings[i]));
  return s_.transcript->add("guardrail", core::Json::object({{"what", "findings"}, {"tool", tool}, {"count", findings.size()}, {"findings", std::move(list)}}));
}

Result<void> Run::record_stop() {
  const Usage& u = end_.usage;
  core::Json body = core::Json::object({{"outcome", kind_name(end_.kind)}, {"stop", end_.stop}, {"reason", end_.reason}, {"turns", end_.turns},
                                        {"calls", end_.calls}, {"input", u.input}, {"cache_read", u.cache_read}, {"cache_write", u.cache_write},
                                        {"output", u.output}, {"usage_known", u.known}, {"money", end_.money}, {"later", end_.later}});
  if (end_.kind == LoopEnd::Kind::submitted) body.set("confidence", end_.confidence).set("summary", end_.summary);
  if (end_.kind == LoopEnd::Kind::gave_up) body.set("category", end_.category).set("question", end_.question);
  return s_.transcript->add("stop", std::move(body));
}

}  // namespace sluice::agent
