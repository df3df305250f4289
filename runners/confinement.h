// SPDX-License-Identifier: Apache-2.0
// Backend B: Landlock, a system call filter and resource limits, for machines that deny namespaces. Nothing can
// be mounted, so a command sees the machine's own paths and may open very few of them.
#pragma once

#include <map>
#include <string>

#include "runners/bubblewrap.h"
#include "runners/launcher.h"
#include "runners/paths.h"

namespace sluice::runners {

// The directories that stand in the place of /src, /build and /suites; those that the run has.
Places places_of(const Mounts& mounts);

// PATH, HOME, LC_ALL, TMPDIR, SLUICE_SRC, SLUICE_BUILD, SLUICE_SUITES, then `variables`, with places put in.
std::map<std::string, std::string> plain_environment(const Mounts& mounts, const std::string& scratch,
                                                     const std::map<std::string, std::string>& variables);

// Readable: /usr and what of the root is no link into it, /etc/alternatives, the loader's cache, /proc, sources
// and suites. Writable: the build directory and `scratch`. Devices: null, zero, full, random, urandom.
void allow_paths(const Mounts& mounts, const std::string& scratch, LauncherOptions& options);

}  // namespace sluice::runners
