// SPDX-License-Identifier: Apache-2.0
// The system calls that untrusted code is refused. libseccomp is included in seccomp.cpp alone.
#pragma once

#include "core/result.h"

namespace sluice::runners {

// An anonymous file that holds the filter as BPF, positioned at its start, for `bwrap --seccomp FD`.
// The caller closes it. Default allow; the deny list answers EPERM: what reaches into other processes,
// mounts, namespaces, keys, kernel modules, io_uring, and every socket family but AF_UNIX.
// Errors: internal.
Result<int> make_seccomp_filter();

}  // namespace sluice::runners
