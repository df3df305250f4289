// SPDX-License-Identifier: Apache-2.0
// Path patterns of the configuration, on bytes, `/`-separated.
#pragma once

#include <string_view>

namespace sluice::core {

// `*` matches within one component, `?` one byte but '/', `**` any number of components (also none),
// `[abc]` and `[a-z]` one byte. A pattern without '/' matches the last component (`*.pdf`); a pattern
// ending in '/' matches everything below it. Linear in pattern x path, no backtracking blow-up.
bool glob_match(std::string_view pattern, std::string_view path);

}  // namespace sluice::core
