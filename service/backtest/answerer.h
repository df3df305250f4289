// SPDX-License-Identifier: Apache-2.0
// A rung behind the rules: a merge driver, a model. What the ladder of a backtest asks when nothing before answered.
#pragma once

#include <cstdint>
#include <string>

#include "core/model/proposal.h"
#include "core/result.h"
#include "service/backtest/case.h"

namespace sluice::service::backtest {

struct Cost {
  std::int64_t calls = 0, tokens_in = 0, tokens_out = 0, money = 0;  // money in millionths of the currency
  std::int64_t ms = 0;                                               // waited for
  Cost& operator+=(const Cost& o) {
    calls += o.calls;
    tokens_in += o.tokens_in;
    tokens_out += o.tokens_out;
    money += o.money;
    ms += o.ms;
    return *this;
  }
};

struct HunkReply {
  // refused: no answer, or an explicit one. invalid: an answer that cannot be used (no parse, unknown id, a marker left).
  enum class Kind { answered, refused, invalid } kind = Kind::refused;
  std::string text;   // answered: in the place of the hunk, whole lines
  std::string rule;   // answered: what stands in by_rule: the driver's or the model's name
  std::string cause;  // refused, invalid: one short word or sentence
  Cost cost;
};

class HunkAnswerer {
 public:
  virtual ~HunkAnswerer() = default;
  virtual model::Rung rung() const = 0;  // external or model
  // Everything its answers depend on: name, prompt, options. Another value, and kept results are made anew.
  virtual std::string version() const = 0;
  // Several threads ask at once. It must see nothing that is newer than the case: neither `resolved` nor later history.
  // Errors: only what ends the run (no budget left, cancelled); everything else is a reply.
  virtual Result<HunkReply> answer(const Case& one) = 0;
};

}  // namespace sluice::service::backtest
