// SPDX-License-Identifier: Apache-2.0
// Front door of service/: the pipeline and what people ask of it. Read pipeline.h.
#pragma once

#include "service/pipeline.h"
