// SPDX-License-Identifier: Apache-2.0
// Inner header: the state of one run, shared by the files that take a turn, carry out its calls and write it down.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "agent/loop/loop.h"

namespace sluice::agent {

class Run {
 public:
  Run(const LoopSetup& setup, LlmRequest first);

  Result<LoopEnd> go();

 private:
  // One call of the model and what follows from it. The run has ended when end_ says so.
  Result<void> turn();
  bool may_go_on();                        // stops that are known before a call
  Result<void> ask(const Reservation& reservation, std::int64_t input);  // input: estimated tokens
  Result<void> after(LlmOutcome outcome);
  Result<void> take(LlmReply reply);
  void too_long(const std::string& reason);
  void cut_off();

  // calls.cpp
  Result<void> carry_out(LlmReply reply);
  Result<bool> carry_out(const ToolCall& call, std::vector<ToolAnswer>& answers);  // false: the run has ended
  bool may_call(const ToolCall& call);
  std::string unusable(const std::vector<ToolCall>& calls) const;
  Result<void> refuse_turn(LlmReply reply, const std::string& why, bool echo_as_text);
  bool count_schema_error();  // false: the run has ended

  // record.cpp: lines of the transcript
  Result<void> record_start();
  Result<void> record_request(std::string_view body);
  Result<void> record_response(int status, std::string_view body, const std::string& trouble);
  Result<void> record_call(const ToolCall& call);
  Result<void> record_answer(const ToolCall& call, const ToolAnswer& answer, bool schema_error);
  Result<void> record_findings(std::string_view tool);
  Result<void> record_stop();

  void stop(LoopEnd::Kind kind, std::string name, std::string reason);
  bool cancelled() const { return s_.cancel != nullptr && s_.cancel->load(); }
  std::string masked(std::string_view text) const { return s_.mask ? s_.mask(text) : std::string(text); }
  std::int64_t deadline() const { return started_ + s_.limits.wall_ms; }

  const LoopSetup& s_;
  LlmRequest request_;
  LoopEnd end_;
  bool ended_ = false;
  std::int64_t started_;
  int schema_errors_ = 0, lengths_ = 0, attempts_ = 0;
  bool shrunk_ = false;
  std::map<std::string, int> same_, same_checks_;  // tool and arguments -> how often
};

// Tokens that a request of so many bytes will hardly exceed: three bytes each, code has more.
std::int64_t estimate_tokens(std::size_t bytes);

}  // namespace sluice::agent
