// SPDX-License-Identifier: Apache-2.0
// /src, /build and /suites where nothing can be mounted there.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace sluice::runners {

// A name as the configuration writes it ("/src") and the directory that takes its place.
using Places = std::vector<std::pair<std::string, std::string>>;

// Puts directories in the place of whole names: at the start of a text, after a sign that ends a path, after an
// option of one letter (-I/src/include), followed by the end, a slash or such a sign. "/usr/src" and "/srcs"
// stay. What was put in is not looked at again.
std::string place_paths(std::string_view text, const Places& places);

// Errors: invalid, naming the directory whose path would be read as something else within a shell's command
// line or a list of paths.
Result<void> check_places(const Places& places);

}  // namespace sluice::runners
