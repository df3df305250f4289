// SPDX-License-Identifier: Apache-2.0
#include "git/remote.h"

#include <fmt/format.h>
#include <git2.h>

#include <algorithm>
#include <array>

#include "core/file.h"
#include "core/model/oid.h"
#include "core/text.h"
#include "git/isolation.h"

namespace sluice::git {

namespace {

Result<Remote> parse_local(const std::string& url, const std::string& path) {
  Remote out;
  out.url = core::absolute_path(path);
  out.shown = core::printable(url);
  if (!core::exists(out.url))
    return make_error(ErrorKind::not_found, fmt::format("there is no repository at {}", core::printable(out.url)));
  out.directory = out.url;
  return out;
}

bool mentions(const std::string& text, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&text](const char* w) { return text.find(w) != std::string::npos; });
}

}  // namespace

Result<Remote> parse_remote(const std::string& url) {
  const std::string shown = core::printable(url);
  if (url.empty() || url.front() == '-' ||
      std::any_of(url.begin(), url.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    return make_error(ErrorKind::invalid, fmt::format("\"{}\" is not a repository URL or path", shown));
  const auto scheme_end = url.find("://");
  const auto helper = url.find("::");
  if (helper != std::string::npos && helper < scheme_end && url.find('/') > helper)
    return make_error(ErrorKind::denied, fmt::format("the URL {} names a transport helper; only https, ssh and local "
                                                     "repositories are allowed", shown.substr(0, helper)));
  if (scheme_end == std::string::npos) {
    const auto colon = url.find(':');
    const bool scp_form = colon != std::string::npos && colon > 0 && url.find('/') > colon && !core::exists(url);
    if (!scp_form) return parse_local(url, url);
    return Remote{url, shown.substr(shown.rfind('@', colon) == std::string::npos ? 0 : shown.rfind('@', colon) + 1), {}};
  }
  const std::string scheme = core::to_lower(url.substr(0, scheme_end));
  if (scheme == "file") return parse_local(url, url.substr(scheme_end + 3));
  if (scheme != "https" && scheme != "ssh")
    return make_error(ErrorKind::denied, fmt::format("protocol \"{}\" is not allowed; use https, ssh or a local path",
                                                     core::printable(scheme)));
  const std::string rest = url.substr(scheme_end + 3);
  const auto slash = rest.find('/');
  const auto at = rest.substr(0, slash).rfind('@');
  const std::string bare = at == std::string::npos ? rest : rest.substr(at + 1);
  Remote out{url, core::printable(scheme + "://" + bare), {}};
  const bool has_password = at != std::string::npos && rest.substr(0, at).find(':') != std::string::npos;
  if (has_password || (at != std::string::npos && scheme == "https"))
    return make_error(ErrorKind::invalid,
                      fmt::format("the URL of {} holds credentials, which would show in process lists; take them out "
                                  "and name a program that prints them in SLUICE_ASKPASS", out.shown));
  return out;
}

const std::vector<std::string>& transfer_settings() {
  static const std::vector<std::string> settings = [] {
    std::vector<std::string> out = {"protocol.allow=never",        "protocol.https.allow=always",
                                    "protocol.ssh.allow=always",   "protocol.file.allow=always",
                                    "transfer.fsckObjects=true",   "transfer.unpackLimit=1",
                                    "fetch.unpackLimit=1",         "fetch.recurseSubmodules=false",
                                    "fetch.writeCommitGraph=false", "push.recurseSubmodules=no",
                                    "push.followTags=false",       "submodule.recurse=false",
                                    "http.lowSpeedLimit=1000",     "http.lowSpeedTime=120"};
    // Faults of old tools that long-lived public histories really hold and that harm nobody. What could
    // lead out of a work tree (.git in any spelling, `..`, odd .gitmodules) stays an error.
    for (const char* fault : {"zeroPaddedFilemode", "missingSpaceBeforeDate", "badTimezone", "missingTaggerEntry",
                              "missingEmail", "missingSpaceBeforeEmail", "missingNameBeforeEmail", "badEmail", "badName",
                              "badDate", "badDateOverflow", "zeroPaddedDate", "missingAuthor", "multipleAuthors",
                              "badTagName", "nulInCommit", "gitattributesLineLength", "gitattributesLarge"})
      out.push_back(fmt::format("fetch.fsck.{}=warn", fault));
    return out;
  }();
  return settings;
}

Result<std::string> remote_ref(const std::string& branch) {
  if (model::is_oid(branch)) return branch;
  const std::string name = branch.starts_with("refs/") ? branch : "refs/heads/" + branch;
  start_libgit2();
  int valid = 0;
  if (git_reference_name_is_valid(&valid, name.c_str()) != 0 || valid != 1)
    return make_error(ErrorKind::invalid, fmt::format("\"{}\" is not a branch name", core::printable(branch)));
  return name;
}

bool source_lacks_objects(const core::ProcessResult& run) {
  // ssh says "Could not read from remote repository" of every failure.
  std::string text = run.err;
  const std::string ssh = "ould not read from remote";
  for (auto at = text.find(ssh); at != std::string::npos; at = text.find(ssh)) text.erase(at, ssh.size());
  return mentions(text, {"unable to read", "ould not read", "missing blob", "missing tree", "bad object", "unable to get type of",
                            "unable to get size of", "did not send all necessary objects", "possible repository corruption"});
}

std::string git_words(const core::ProcessResult& run, std::size_t max_bytes) {
  std::string text;
  for (const std::string_view line : core::split_lines(run.err)) {
    const std::string_view words = core::trim(line);
    if (words.empty()) continue;
    if (!text.empty()) text += "; ";
    text += words;
  }
  return core::printable(text, max_bytes);
}

Error transfer_error(const core::ProcessResult& run, const Remote& remote, const std::string& branch) {
  const std::string text = core::to_lower(run.err);
  const std::string words = git_words(run, 500);
  const auto say = [&](ErrorKind kind, const std::string& what) {
    return make_error(kind, fmt::format("{} (repository {}, branch {}){}{}", what, remote.shown, core::printable(branch),
                                        words.empty() ? "" : ": ", words));
  };
  if (run.cancelled) return say(ErrorKind::transient, "the transfer was cancelled");
  if (run.timed_out) return say(ErrorKind::transient, fmt::format("the transfer took longer than its limit of {} s", run.wall_ms / 1000));
  if (mentions(text, {"couldn't find remote ref", "not our ref", "no such remote ref", "unadvertised object"}))
    return say(ErrorKind::not_found, "there is no such branch");
  if (mentions(text, {"dubious ownership"})) return say(ErrorKind::denied, "the repository belongs to another user");
  if (mentions(text, {"file too large", "signal 25", "file size limit"}))
    return say(ErrorKind::invalid, "the pack is larger than the limit");
  if (mentions(text, {"fsck error", "object fsck", "in fsck", "invalid object", "pack has bad object", "inflate returned"}))
    return say(ErrorKind::invalid, "an object failed its check");
  if (mentions(text, {"transport '", "is not allowed", "permission denied", "authentication failed", "could not read username",
                      "could not read password", "access denied", "host key verification failed", "error: 401", "error: 403",
                      "publickey", "terminal prompts disabled"}))
    return say(ErrorKind::denied, "access was denied");
  if (mentions(text, {"repository not found", "not appear to be a git repository", "does not exist", "error: 404",
                      "not a git repository", "' not found"}))
    return say(ErrorKind::not_found, "there is no such repository");
  if (source_lacks_objects(run)) return say(ErrorKind::not_found, "object_missing: the repository lacks objects of its own history");
  if (mentions(text, {"could not resolve", "timed out", "connection", "early eof", "hung up", "unable to access", "rpc failed",
                      "network is unreachable", "no route to host", "error: 5", "unexpected disconnect", "broken pipe"}))
    return say(ErrorKind::transient, "the connection failed");
  return say(ErrorKind::internal, fmt::format("git ended with status {}", run.exit_code));
}

}  // namespace sluice::git
