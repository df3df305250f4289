// SPDX-License-Identifier: Apache-2.0
// Scripts that break the rules of a conversation, and services in trouble.
#include <utility>

#include "test/agent/scripts_parts.h"

namespace sluice::test::scripts {
namespace {

TurnCall raw_call(std::string name, std::string raw) {
  TurnCall out = call_of(std::move(name));
  out.raw = std::move(raw);
  return out;
}

}  // namespace

Script loops() {
  return [](const Conversation&) { return Turn::call("list_conflicts"); };
}

Script checks_for_ever() {
  return [](const Conversation& c) {
    if (c.turns == 0) return resolve_all(c, merged_lines);
    if (c.turns % 2 == 1) return check();
    return Turn::call("read_lines", core::Json::object({{"rev", "proposed"}, {"path", regions_of(c).at(0).path}, {"start", c.turns}, {"end", c.turns + 1}}));
  };
}

Script many_calls(int a_turn) {
  return [a_turn](const Conversation& c) {
    std::vector<TurnCall> calls;
    for (int i = 0; i < a_turn; ++i)
      calls.push_back(call_of("search", core::Json::object({{"rev", "ours"}, {"text", "word" + std::to_string(c.turns * a_turn + i)}})));
    return Turn::calls_of(std::move(calls));
  };
}

Script verbose() {
  return [](const Conversation& c) {
    Turn turn = Turn::calls_of({resolve(regions_of(c).at(0), std::string(70'000 + static_cast<std::size_t>(c.turns), 'x') + "\n", "new")});
    for (int i = 0; i < 4000; ++i) turn.text += "Let me think about this once more, from the beginning. ";
    return turn;
  };
}

Script malformed() {
  return [](const Conversation& c) {
    switch (c.turns) {
      case 0: return Turn::calls_of({raw_call("get_region", "{\"region_id\": \"")});
      case 1: return Turn::call("read_lines", core::Json::object({{"rev", "ours"}, {"path", 7}, {"start", "one"}, {"end", 2}}));
      default: return Turn::calls_of({raw_call("search", "[\"ours\", \"text\"]")});
    }
  };
}

Script unknown_tools() {
  return [](const Conversation& c) {
    static constexpr const char* names[] = {"shell", "bash", "write_file", "python"};
    return Turn::call(names[c.turns % 4], core::Json::object({{"command", "git push origin main"}}));
  };
}

Script talks() {
  return [](const Conversation& c) { return Turn::say("I would answer region " + (regions_of(c).empty() ? "none" : regions_of(c)[0].id) + " like this: ..."); };
}

Script same_ids() {
  return [](const Conversation& c) {
    Turn turn = Turn::calls_of({call_of("list_conflicts"), call_of("search", core::Json::object({{"rev", "ours"}, {"text", "word" + std::to_string(c.turns)}}))});
    for (TurnCall& call : turn.calls) call.id = "toolu_same" + std::to_string(c.turns);
    return turn;
  };
}

Script truncated(int times, Script then) {
  return [times, then = std::move(then), done = 0](const Conversation& c) mutable {
    if (done++ >= times) return then(c);
    Turn turn = Turn::call("list_conflicts");
    turn.stop = "length";
    return turn;
  };
}

Script first_fails(int times, Turn failure, Script then) {
  return [times, failure = std::move(failure), then = std::move(then)](const Conversation& c) { return c.requests < times ? failure : then(c); };
}

Script always(Turn turn) {
  return [turn = std::move(turn)](const Conversation&) { return turn; };
}

Script refuses() {
  Turn turn;
  turn.stop = "refusal";
  turn.refusal_category = "cyber";
  turn.refusal_text = "this looks like something else";
  return always(turn);
}

Script pauses_once(Script then) {
  return [then = std::move(then), paused = false](const Conversation& c) mutable {
    if (std::exchange(paused, true)) {
      // Until it has gone on, the paused turn is the last message; then the two are one.
      Conversation without = c;
      if (c.messages.back().role == SeenMessage::Role::assistant) --without.turns;
      return then(without);
    }
    Turn turn = Turn::say("One moment.");
    turn.stop = "pause";
    return turn;
  };
}

Script slow(Script of, std::int64_t drip_ms) {
  return [of = std::move(of), drip_ms](const Conversation& c) {
    Turn turn = of(c);
    turn.wire.piece = 400;
    turn.wire.drip_ms = drip_ms;
    return turn;
  };
}

Script hangs() {
  Turn turn = Turn::call("list_conflicts");
  turn.wire.broken = Wire::Break::hang_mid_event;
  return always(turn);
}

Script half_streams() {
  Turn turn = Turn::call("list_conflicts");
  turn.wire.broken = Wire::Break::half;
  return always(turn);
}

}  // namespace sluice::test::scripts
