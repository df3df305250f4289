// SPDX-License-Identifier: Apache-2.0
#include "runners/launcher.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "core/text.h"

// The launcher's file, as bytes of this one.
asm(".pushsection .rodata\n"
    ".global sluice_launcher_begin\n.global sluice_launcher_end\n"
    "sluice_launcher_begin:\n.incbin \"" SLUICE_LAUNCHER "\"\n"
    "sluice_launcher_end:\n.byte 0\n"
    ".popsection\n");
extern "C" {
extern const char sluice_launcher_begin[];
extern const char sluice_launcher_end[];
}

namespace sluice::runners {

Result<core::Fd> launcher_image() {
  core::Fd image(memfd_create("launcher", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  std::string_view rest(sluice_launcher_begin, static_cast<std::size_t>(sluice_launcher_end - sluice_launcher_begin));
  while (image && !rest.empty()) {
    const ssize_t n = write(image.get(), rest.data(), rest.size());
    if (n <= 0) image.close();
    else rest.remove_prefix(static_cast<std::size_t>(n));
  }
  // A command that found the descriptor could change the program of the next step.
  if (!image || fcntl(image.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0)
    return make_error(ErrorKind::internal, fmt::format("the launcher cannot be put into memory: {}", std::strerror(errno)));
  return image;
}

std::vector<std::string> launcher_argv(int image_fd, const LauncherOptions& options, const std::vector<std::string>& command) {
  std::vector<std::string> argv{fmt::format("/proc/self/fd/{}", image_fd), std::to_string(options.status_fd)};
  const auto add = [&](const char* name, const std::string& value) { argv.insert(argv.end(), {name, value}); };
  if (options.results_fd >= 0) add("-results", std::to_string(options.results_fd));
  if (options.filter_fd >= 0) add("-filter", std::to_string(options.filter_fd));
  if (options.landlock_abi > 0) add("-landlock", std::to_string(options.landlock_abi));
  for (const auto& path : options.readable) add("-read", path);
  for (const auto& path : options.writable) add("-write", path);
  for (const auto& path : options.devices) add("-device", path);
  argv.push_back("--");
  argv.insert(argv.end(), command.begin(), command.end());
  return argv;
}

LauncherReport parse_launcher_report(const std::string& status) {
  LauncherReport report;
  for (const auto line : core::split_lines(status)) {
    constexpr std::string_view error = "\"setup-error\": ";
    report.launched |= line.starts_with("\"launched\":");
    report.ended |= line.starts_with("\"ended\":");
    report.not_found |= line.starts_with("\"not-found\":");
    if (line.starts_with(error)) report.setup_error = core::printable(line.substr(error.size()), 500);
  }
  return report;
}

}  // namespace sluice::runners
