// SPDX-License-Identifier: Apache-2.0
// What a build made.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/result.h"

namespace sluice::runners {

// sha256 over the sorted lines "<sha256> <path>" of executables (any x bit) and libraries (.a, .so, .so.N,
// .dll, .dylib, .lib) below `build_dir`. CMakeFiles/ is left out: it holds CMake's own trial programs. Links
// are not followed. Call it only when no process of the run is alive. Errors: denied, not_found, invalid (more
// than `max_bytes` in all: holes of sparse files count, for they take as long to read).
Result<std::string> digest_artefacts(const std::string& build_dir, std::uint64_t max_bytes = 64ull << 30);

// Path -> sha256 of the files below `build_dir` that lit executes as configuration (lit.cfg, lit.site.cfg,
// lit.local.cfg, each also with .py). Errors: as above.
Result<std::map<std::string, std::string>> lit_configuration(const std::string& build_dir);

}  // namespace sluice::runners
