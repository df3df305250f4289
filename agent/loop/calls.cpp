// SPDX-License-Identifier: Apache-2.0
// Carrying out the calls of one turn, in their order.
#include <fmt/format.h>

#include <set>

#include "agent/loop/conversation.h"
#include "agent/loop/redaction.h"
#include "agent/loop/run.h"
#include "agent/loop/transcript_line.h"
#include "core/hash.h"
#include "core/text.h"

namespace sluice::agent {
namespace {

using Kind = LoopEnd::Kind;

constexpr std::size_t answer_cap = 128 << 10;

// Repeating these is how they are used: edit, check, edit, check. Only without another call between is it the same one.
bool is_check(std::string_view tool) { return tool == "run_checks" || tool == "submit"; }

bool asks_compiler(const ToolCall& call) { return call.name == "run_checks" && call.arguments && (*call.arguments)["level"].as_string() == "compile"; }

std::string key_of(const ToolCall& call) {
  return core::sha256_hex(fmt::format("{}:{}{}", call.name.size(), call.name, call.arguments ? call.arguments->dump() : call.raw));
}

ToolAnswer error_answer(const std::string& id, std::string_view what) {
  return {id, core::Json::object({{"error", what}}).dump(), true};
}

}  // namespace

// Why nothing of this turn can be carried out; empty = it can.
std::string Run::unusable(const std::vector<ToolCall>& calls) const {
  std::set<std::string_view> ids;
  for (const ToolCall& call : calls) {
    if (call.id.empty()) return "a call of your turn has no id";
    if (!ids.insert(call.id).second) return "two calls of your turn have the same id";
  }
  return "";
}

bool Run::count_schema_error() {
  if (++schema_errors_ < s_.limits.schema_errors_in_a_row) return true;
  stop(Kind::stopped, "schema_errors", fmt::format("{} turns or calls in a row could not be used: no call, an unknown tool, or arguments that do not fit", schema_errors_));
  return false;
}

Result<void> Run::refuse_turn(LlmReply reply, const std::string& why, bool echo_as_text) {
  TRY(s_.transcript->add("guardrail", core::Json::object({{"what", "turn refused"}, {"reason", why}})));
  append_refused_turn(request_, masked_echo(std::move(reply.message), s_.mask), why, echo_as_text);
  count_schema_error();
  return {};
}

Result<void> Run::carry_out(LlmReply reply) {
  if (const std::string why = unusable(reply.message.calls); !why.empty())
    return refuse_turn(std::move(reply), why + "; nothing of it was done. Make the calls again.", true);
  LlmMessage answers;
  answers.role = LlmMessage::Role::tools;
  for (const ToolCall& call : reply.message.calls) {
    TRY_ASSIGN(const bool goes_on, carry_out(call, answers.answers));
    if (!goes_on) return {};
  }
  request_.messages.push_back(masked_echo(std::move(reply.message), s_.mask));
  request_.messages.push_back(std::move(answers));
  return {};
}

// Stops that are known before a call is carried out.
bool Run::may_call(const ToolCall& call) {
  const LoopLimits& limits = s_.limits;
  const bool compiles = asks_compiler(call);
  if (cancelled())
    stop(Kind::cancelled, "cancelled", "the run was cancelled");
  else if (core::steady_ms() >= deadline())
    stop(Kind::stopped, "wall", fmt::format("the run took longer than its {} s", limits.wall_ms / 1000));
  else if (end_.calls >= limits.tool_calls)
    stop(Kind::stopped, "tool_calls", fmt::format("the model made {} calls without submitting", limits.tool_calls));
  else if (compiles && s_.toolbox->compile_checks() >= limits.compile_checks)
    stop(Kind::stopped, "compile_checks", fmt::format("the compiler was asked {} times without an accepted answer", limits.compile_checks));
  else if (!compiles && is_check(call.name) && s_.toolbox->static_checks() >= limits.static_checks)
    stop(Kind::stopped, "static_checks", fmt::format("the checks ran {} times without an accepted answer", limits.static_checks));
  else if (++(is_check(call.name) ? same_checks_ : same_)[key_of(call)] >= limits.same_call)
    stop(Kind::stopped, "same_call", fmt::format("the model made the same call {} times: {}", limits.same_call, core::printable(call.name, 64)));
  return !ended_;
}

Result<bool> Run::carry_out(const ToolCall& call, std::vector<ToolAnswer>& answers) {
  TRY(record_call(call));
  if (!may_call(call)) return false;
  ++end_.calls;
  TRY_ASSIGN(tools::Answer done, s_.toolbox->call(call.name, call.arguments));
  ToolAnswer answer{call.id, masked_strings(done.body, s_.mask).dump(), done.is_error || done.schema_error};
  if (answer.text.size() > answer_cap)
    answer = error_answer(call.id, fmt::format("the result has {} bytes, at most {} can be shown; ask for less", answer.text.size(), answer_cap));
  else
    for (const std::string& path : done.paths) add_source(request_, path, "answer to " + call.name);
  TRY(record_answer(call, answer, done.schema_error));
  answers.push_back(std::move(answer));
  if (is_check(call.name) && !done.schema_error) TRY(record_findings(call.name));
  if (done.end == tools::Answer::End::submitted) {
    end_.confidence = masked(done.confidence);
    end_.summary = masked(done.summary);
    stop(Kind::submitted, "submit", "the model submitted, and the static checks passed");
  } else if (done.end == tools::Answer::End::gave_up) {
    end_.category = masked(done.category);
    end_.question = masked(done.question);
    stop(Kind::gave_up, "give_up:" + end_.category, "the model gave up and asks a question");
  } else if (done.schema_error) {
    count_schema_error();
  } else {
    schema_errors_ = 0;
    if (!is_check(call.name)) same_checks_.clear();
    if (is_check(call.name) && s_.toolbox->unchanged_rounds() >= s_.limits.unchanged_findings)
      stop(Kind::stopped, "unchanged_findings", fmt::format("the findings did not change over {} rounds of checks", s_.limits.unchanged_findings));
  }
  return !ended_;
}

}  // namespace sluice::agent
