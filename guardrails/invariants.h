// SPDX-License-Identifier: Apache-2.0
// [[invariant]]: what of the fork no pick may take away.
#pragma once

#include <string>
#include <string_view>

namespace sluice::guardrails {

// An entry of the configuration that would have kept `line` of `path`, ready to be pasted; empty for an empty line.
// `commit` that wrote the line, may be empty.
std::string proposed_invariant(std::string_view path, std::string_view line, std::string_view commit);

}  // namespace sluice::guardrails
