// SPDX-License-Identifier: Apache-2.0
// Inner header: text without what changes when it is put into JSON, once or several times over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::agent {

// Without white space, quotes and escapes: backslashes go together with the letter of the escape that they begin. A
// line has the same skeleton as itself quoted, or quoted in something that is quoted.
// `offsets`, where wanted: of each byte of the result in `text`.
std::string skeleton(std::string_view text, std::vector<std::uint32_t>* offsets = nullptr);

}  // namespace sluice::agent
