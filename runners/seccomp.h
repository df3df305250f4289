// SPDX-License-Identifier: Apache-2.0
// The system calls that untrusted code is refused. libseccomp is included in seccomp.cpp alone.
#pragma once

#include "core/result.h"

namespace sluice::runners {

// What a filter must do alone, because nothing else does.
struct FilterNeeds {
  bool no_namespaces = false;  // backend B
  int landlock_abi = 0;        // with no_namespaces
};

// An anonymous file that holds the filter as BPF, positioned at its start, for `bwrap --seccomp FD` or the
// launcher. The caller closes it. Default allow; the deny list answers EPERM: what reaches into other processes,
// mounts, namespaces, keys, kernel modules, io_uring, and every socket family but AF_UNIX. With no_namespaces
// also: any socket but an unnamed pair, because path names of sockets are not Landlock's business; System V and
// POSIX queues and memory, which outlive a process; new namespaces by clone; set-id bits.
// Errors: internal.
Result<int> make_seccomp_filter(const FilterNeeds& needs = {});

}  // namespace sluice::runners
