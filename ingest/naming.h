// SPDX-License-Identifier: Apache-2.0
// Third door of ingest/: what a message says of other commits, and where a sha that somebody wrote down stands on
// upstream's line. For the score of what a team lands (service/observe.h).
#pragma once

#include "ingest/sources.h"
