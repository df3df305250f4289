// SPDX-License-Identifier: Apache-2.0
// The operator's file with the proposed changes: parsed again and compared before it takes the place of the old one.
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "config/config.h"
#include "core/file.h"
#include "service/calibrate.h"

namespace sluice::service {

namespace {

// A link to the file stays one.
Result<std::string> real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  if (!real) return make_error(ErrorKind::not_found, fmt::format("{}: {}", path, std::strerror(errno)));
  return std::string(real.get());
}

Result<void> check_meaning(const CalibrateReport& report) {
  TRY_ASSIGN(const model::Config before, config::parse(report.text_before, report.file));
  const auto after = config::parse(report.edited.text, report.file);
  if (!after.ok()) return make_error(ErrorKind::invalid, fmt::format("the changed text would not be accepted: {}; nothing was written", after.error().message));
  model::Config meant = before;
  meant.policy = calibrate::changed_policy(report.numbers, report.modes, before.policy);
  meant.policy.sha256 = config::policy_sha256(meant.policy);
  if (meant.policy.sha256 != after->policy.sha256 || config::explain(meant) != config::explain(*after)) {
    return make_error(ErrorKind::invalid, fmt::format("the changed text of {} would not say what is proposed; change it by hand, nothing was written", report.file));
  }
  return {};
}

}  // namespace

Result<void> apply_calibration(CalibrateReport& report) {
  if (report.edits.empty()) return {};
  if (report.file.empty()) return make_error(ErrorKind::invalid, "--apply: " + report.elsewhere);
  TRY(check_meaning(report));
  TRY_ASSIGN(const std::string path, real_path(report.file));
  struct stat status {};
  TRY_ASSIGN(const std::string now, core::read_file(path));
  if (now != report.text_before || ::stat(path.c_str(), &status) != 0) {
    return make_error(ErrorKind::conflict, fmt::format("{} was changed while the picks were judged; nothing was written, run `sluice calibrate --apply` again", report.file));
  }
  TRY(core::write_file(path, report.edited.text));
  // Best effort: a file that only its owner may read stays one.
  (void)!::chmod(path.c_str(), status.st_mode & 07777u);
  report.applied = true;
  return {};
}

}  // namespace sluice::service
