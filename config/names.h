// SPDX-License-Identifier: Apache-2.0
// The words of the file for the closed lists of core/model/config.h.
#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "core/model/config.h"

namespace sluice::config {

template <class T>
using Word = std::pair<std::string_view, T>;

// PathClass::none has no word: it is the absence of `class`.
inline constexpr Word<model::PathClass> path_classes[] = {{"deleted", model::PathClass::deleted},
                                                          {"protected", model::PathClass::protected_},
                                                          {"pin", model::PathClass::pin},
                                                          {"risk", model::PathClass::risk},
                                                          {"generated", model::PathClass::generated},
                                                          {"test", model::PathClass::test},
                                                          {"fork", model::PathClass::fork}};
inline constexpr Word<model::UpstreamSay> upstream_says[] = {{"list", model::UpstreamSay::list},
                                                             {"explain", model::UpstreamSay::explain},
                                                             {"block", model::UpstreamSay::block},
                                                             {"ours", model::UpstreamSay::ours}};
inline constexpr Word<model::MissingSay> missing_says[] = {{"fail", model::MissingSay::fail},
                                                           {"drop", model::MissingSay::drop}};
inline constexpr Word<model::RuleMode> rule_modes[] = {{"enforce", model::RuleMode::enforce},
                                                       {"observe", model::RuleMode::observe},
                                                       {"off", model::RuleMode::off}};

inline constexpr Word<model::RungMode> rung_modes[] = {{"off", model::RungMode::off},
                                                       {"propose", model::RungMode::propose},
                                                       {"land", model::RungMode::land}};

template <class T, std::size_t N>
std::string_view name_of(T value, const Word<T> (&words)[N]) {
  for (const auto& [name, word] : words)
    if (word == value) return name;
  return "none";
}

}  // namespace sluice::config
