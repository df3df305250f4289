// SPDX-License-Identifier: Apache-2.0
#include "core/result.h"

#include <string>

namespace sluice::core {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::not_found:
      return "not_found";
    case ErrorKind::conflict:
      return "conflict";
    case ErrorKind::invalid:
      return "invalid";
    case ErrorKind::denied:
      return "denied";
    case ErrorKind::transient:
      return "transient";
    case ErrorKind::internal:
      return "internal";
  }
  return "internal";
}

void throw_bug(const char* file, int line, const char* what) {
  throw Bug(std::string(file) + ":" + std::to_string(line) + ": broken assumption: " + what);
}

}  // namespace sluice::core
