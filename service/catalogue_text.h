// SPDX-License-Identifier: Apache-2.0
// The rules as the page docs/guardrails.md prints them: from the code's own catalogue, so that the page cannot say
// something else than what is judged.
#pragma once

#include <string>

namespace sluice::service {

// Markdown, one section a rule: what it asks, what follows, what lifts it, its numbers, something that happened, and
// the stored faults that prove it.
std::string catalogue_markdown();

}  // namespace sluice::service
