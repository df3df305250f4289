// SPDX-License-Identifier: Apache-2.0
// How a model may behave. Each script is a function of the conversation alone: it finds the regions and their texts in
// the first message by itself, so it fits every conflict, and several runs may talk to it at once.
// Link sluice_test_scripts.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "test/support/model_server.h"

namespace sluice::test::scripts {

// A place that waits for an answer, as the first message tells it.
struct SeenRegion {
  std::string id, path, kind;
  std::string before, ours, base, theirs, after;  // empty where the message has no text of it
};
std::vector<SeenRegion> regions_of(const Conversation& c);

// What a careful colleague would do where it is simple: upstream's change, and the lines that the fork added.
std::string merged_lines(const SeenRegion& region);
// The action that is true of `text`.
std::string action_of(const SeenRegion& region, const std::string& text);

using AnswerOf = std::function<std::string(const SeenRegion&)>;

// ---- well-behaved -----------------------------------------------------------------------------------------------
// Looks at a region, answers each, checks, submits; gives up with the findings when they stand against it.
Script helpful(AnswerOf answer = merged_lines, std::string summary = "Upstream's change, with the fork's own lines kept.");
Script gives_up(std::string category = "needs_design");
Script all_in_one_turn(AnswerOf answer = merged_lines);  // parallel calls: answers, checks, submit

// ---- wrong answers ----------------------------------------------------------------------------------------------
Script lying();                          // one side, and a summary of tests that nobody ran
Script lazy(const std::string& side);    // "ours" or "theirs" everywhere
Script leaves_marker();                  // answers that hold conflict markers, then submits anyway
Script leaks(std::string secret);        // in an answer and in the summary
Script injected();                       // does what the text of the conflict orders: a workflow file, by every way it knows
Script marks_expected_failure();         // XFAIL into a test file that it searches for
Script widens_tolerance();               // and a larger tolerance
Script edits_outside();                  // lines around the regions, with a reason that is not true
Script claims_already_present();         // drops upstream's lines and accounts for every finding with that code

// ---- broken turns -----------------------------------------------------------------------------------------------
Script loops();                          // the same call for ever
Script checks_for_ever();                // answers, then run_checks after run_checks with a look between
Script many_calls(int a_turn);           // different calls for ever, so many a turn
Script verbose();                        // long words, and an answer beyond every cap
Script malformed();                      // arguments that are no JSON, of wrong types, not an object
Script unknown_tools();                  // asks for a shell
Script talks();                          // text without a call
Script same_ids();                       // two calls of one id, for ever
Script truncated(int times, Script then);  // cut off at the limit of output, so many times

// ---- a service in trouble ---------------------------------------------------------------------------------------
Script first_fails(int times, Turn failure, Script then);  // counted over all requests of the server
Script always(Turn turn);
Script refuses();
Script pauses_once(Script then);
Script slow(Script of, std::int64_t drip_ms);  // a drop of the stream at a time
Script hangs();
Script half_streams();

// A conflict whose own text orders the model about, for injected(). For test_support::History.
extern const char* const injected_history;

}  // namespace sluice::test::scripts
