// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "config/config.h"
#include "config/values.h"
#include "core/text.h"

namespace sluice::config {
namespace {

// What may be shown of a URL: nothing before the '@', where tokens stand.
std::string shown(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::size_t start = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::size_t end = url.find('/', start);
  const std::size_t at = url.substr(0, end).rfind('@');
  if (at == std::string_view::npos || at < start) return core::printable(url.substr(0, url.find('?')));
  return core::printable(fmt::format("{}***{}", url.substr(0, start), url.substr(at)));
}

// Position of the ':' of the scp form `[user@]host:path`: before any '/'.
std::size_t scp_colon(std::string_view url) {
  const std::size_t colon = url.find(':');
  const std::size_t slash = url.find('/');
  return colon != std::string_view::npos && (slash == std::string_view::npos || colon < slash)
             ? colon
             : std::string_view::npos;
}

std::string_view scheme_of(std::string_view url) {
  const std::size_t end = url.find("://");
  return end == std::string_view::npos ? std::string_view() : url.substr(0, end);
}

std::string check_host(std::string_view host, std::string_view url) {
  if (host.empty()) return fmt::format("'{}' names no host", shown(url));
  // ssh would take it as an option: `ssh://-oProxyCommand=...`.
  if (host.starts_with('-')) return fmt::format("host of '{}' starts with '-'", shown(url));
  return "";
}

// `authority` is `[user[:password]@]host[:port]`.
std::string check_authority(std::string_view authority, std::string_view url, bool user_is_fine) {
  const std::size_t at = authority.rfind('@');
  if (at != std::string_view::npos) {
    const std::string_view user = authority.substr(0, at);
    if (!user_is_fine || user.find(':') != std::string_view::npos)
      return fmt::format(
          "'{}' carries a credential, which would reach logs; take it out and let the program "
          "named in SLUICE_ASKPASS or an ssh key provide it",
          shown(url));
    if (user.starts_with('-')) return fmt::format("user of '{}' starts with '-'", shown(url));
    authority.remove_prefix(at + 1);
  }
  return check_host(authority, url);
}

std::string strip_git(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path.ends_with(".git")) path.remove_suffix(4);
  return std::string(path);
}

}  // namespace

bool is_local_path(std::string_view url) {
  return scheme_of(url).empty() && scp_colon(url) == std::string_view::npos;
}

std::string check_url(std::string_view url) {
  constexpr std::string_view allowed = "allowed are https, ssh, file and local paths";
  if (url.empty()) return "is empty";
  if (url.starts_with('-')) return fmt::format("'{}' starts with '-'", shown(url));
  if (url.find_first_of(" \t") != std::string_view::npos && !is_local_path(url))
    return fmt::format("'{}' holds a space", shown(url));
  if (url.starts_with('~'))
    return fmt::format("'{}': '~' is not expanded, write the whole path", core::printable(url));
  // `ext::sh -c ...` and other remote helpers run programs.
  if (const std::size_t helper = url.find("::"); helper != std::string_view::npos && helper == scp_colon(url))
    return fmt::format("'{}::' is a remote helper; {}", core::printable(url.substr(0, helper)), allowed);
  const std::string scheme = core::to_lower(scheme_of(url));
  if (scheme.empty()) {
    if (is_local_path(url)) return "";
    const std::size_t colon = scp_colon(url);
    if (colon + 1 == url.size()) return fmt::format("'{}' names no repository", shown(url));
    // `user:secret@host:path`: git would take `user` for the host, the writer meant a password.
    if (url.substr(0, url.find('/')).find('@', colon) != std::string_view::npos)
      return fmt::format("'{}' carries a credential, which would reach logs; take it out", shown(url));
    return check_authority(url.substr(0, colon), url, true);
  }
  const std::string_view rest = url.substr(scheme.size() + 3);
  if (scheme == "file")
    return rest.starts_with('/') ? "" : fmt::format("'{}' must start with file:///", shown(url));
  if (scheme == "http" || scheme == "git" || scheme == "ftp")
    return fmt::format("'{}' is not encrypted; {}", shown(url), allowed);
  if (scheme != "https" && scheme != "ssh")
    return fmt::format("scheme '{}' is not known; {}", core::printable(scheme), allowed);
  if (rest.find_first_of("?#") != std::string_view::npos)
    return fmt::format("'{}' has a query or fragment; give the repository alone", shown(url));
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos || slash + 1 == rest.size())
    return fmt::format("'{}' names no repository", shown(url));
  return check_authority(rest.substr(0, slash), url, scheme == "ssh");
}

std::string repo_of_url(std::string_view url) {
  if (is_local_path(url)) return "";
  const std::string scheme = core::to_lower(scheme_of(url));
  if (scheme == "file") return "";
  std::string_view path;
  if (scheme.empty()) {
    path = url.substr(scp_colon(url) + 1);
  } else {
    const std::string_view rest = url.substr(scheme.size() + 3);
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos) return "";
    path = rest.substr(slash);
  }
  const std::string repo = strip_git(path);
  // Nested groups (GitLab) keep all their components; a single name is no owner/name.
  return repo.find('/') == std::string::npos ? "" : repo;
}

}  // namespace sluice::config
