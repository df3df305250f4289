// SPDX-License-Identifier: Apache-2.0
// What the scripts are made of. Inner header of test/agent/scripts*.cpp.
#pragma once

#include <string>

#include "test/agent/scripts.h"

namespace sluice::test::scripts {

TurnCall call_of(std::string name, core::Json arguments = core::Json::object());
// `action` empty: the one that is true of the text.
TurnCall resolve(const SeenRegion& region, const std::string& text, const std::string& action = "");
Turn resolve_all(const Conversation& c, const AnswerOf& answer);
Turn check(const std::string& level = "static");
Turn submit(const std::string& summary, const std::string& confidence = "medium");
Turn give_up(const std::string& question, const std::string& category = "needs_design");

}  // namespace sluice::test::scripts
