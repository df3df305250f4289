// SPDX-License-Identifier: Apache-2.0
// What the tests of config/ share: a smallest configuration, and the error of a text.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "config/config.h"

namespace sluice::config {

// 8 lines: what a test appends starts on line 9.
inline const std::string smallest =
    "[fork]\n"
    "url = \"/srv/fork\"\n"
    "branch = \"main\"\n"
    "[upstream]\n"
    "url = \"/srv/upstream\"\n"
    "branch = \"main\"\n"
    "[store]\n"
    "path = \"state\"\n";

inline const std::string build_suite = "[[suite]]\nid = \"build\"\nkind = \"build\"\ncommand = [\"make\"]\n";

inline model::Config parsed(const std::string& text) {
  Result<model::Config> config = parse(text, "/etc/sluice/sluice.toml");
  if (!config.ok()) {
    ADD_FAILURE() << config.error().message;
    throw std::runtime_error(config.error().message);
  }
  return std::move(config).value();
}

// The message, without the directory of the file; "" when the text is accepted.
inline std::string error_of(std::string_view text) {
  const Result<model::Config> config = parse(text, "sluice.toml");
  if (config.ok()) return "";
  EXPECT_EQ(config.error().kind, ErrorKind::invalid);
  return config.error().message;
}

inline std::string with(std::string_view more) { return smallest + std::string(more); }

}  // namespace sluice::config
