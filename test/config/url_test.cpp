// SPDX-License-Identifier: Apache-2.0
#include "config/values.h"
#include "test/config/support.h"

namespace sluice::config {
namespace {

TEST(Url, TheUsualFormsAreAllowed) {
  for (const char* url :
       {"https://github.com/owner/name", "https://host:8443/group/sub/name.git", "ssh://git@host/owner/name",
        "ssh://git@host:2222/owner/name.git", "git@github.com:owner/name.git", "host:owner/name",
        "file:///srv/repo.git", "/srv/repo", "../repo", "./repo", "repo.git", "a b/repo", "/srv/odd:name"})
    EXPECT_EQ(check_url(url), "") << url;
}

TEST(Url, WhatRunsAProgramOrTravelsInTheClearIsRefused) {
  const struct {
    const char* url;
    const char* want;
  } cases[] = {
      {"-oProxyCommand=touch /tmp/x", "starts with '-'"},
      {"--upload-pack=touch", "starts with '-'"},
      {"ext::sh -c touch% /tmp/x", "holds a space"},
      {"ext::sh", "is a remote helper"},
      {"fd::7", "is a remote helper"},
      {"ssh://-oProxyCommand=touch/x", "starts with '-'"},
      {"ssh://git@-oProxyCommand=touch/x", "starts with '-'"},
      {"ssh://-user@host/x", "starts with '-'"},
      {"-user@host:path", "starts with '-'"},
      {"git@-host:path", "starts with '-'"},
      {"http://github.com/owner/name", "is not encrypted"},
      {"HTTP://github.com/owner/name", "is not encrypted"},
      {"git://github.com/owner/name", "is not encrypted"},
      {"ftp://host/x", "is not encrypted"},
      {"rsync://host/x", "scheme 'rsync' is not known"},
      {"file://host/x", "file:///"},
      {"https://github.com", "names no repository"},
      {"https://github.com/", "names no repository"},
      {"https:///x", "names no host"},
      {"host:", "names no repository"},
      {"~/repo", "'~' is not expanded"},
      {"", "is empty"},
      {"https://host/a?private_token=secret", "query or fragment"},
  };
  for (const auto& c : cases) {
    const std::string wrong = check_url(c.url);
    EXPECT_NE(wrong.find(c.want), std::string::npos) << c.url << ": " << wrong;
  }
}

TEST(Url, CredentialsAreRefusedAndNotRepeated) {
  for (const char* url : {"https://user:s3cret@host/a/b", "https://s3cret@host/a/b",
                          "ssh://git:s3cret@host/a/b", "git:s3cret@host:a/b", "https://host/a/b?token=s3cret",
                          "http://u:s3cret@host/a", "https://x:s3cret@-h/a", "https://u:s3cret@host"}) {
    const std::string wrong = check_url(url);
    EXPECT_NE(wrong, "") << url;
    EXPECT_EQ(wrong.find("s3cret"), std::string::npos) << wrong;
  }
  EXPECT_NE(check_url("https://s3cret@host/a/b").find("SLUICE_ASKPASS"), std::string::npos);
}

TEST(Url, TheFileNamesTheLineOfABadUrl) {
  const std::string text =
      "[fork]\nbranch = \"main\"\nurl = \"ext::sh\"\n[upstream]\nurl = \"/b\"\nbranch = \"m\"\n[store]\npath "
      "= \"s\"\n";
  EXPECT_EQ(error_of(text).rfind("sluice.toml:3: [fork] url: 'ext::' is a remote helper", 0), 0u)
      << error_of(text);
}

TEST(Url, OwnerAndNameFollowFromTheUrlOfAHost) {
  EXPECT_EQ(repo_of_url("https://github.com/owner/name.git"), "owner/name");
  EXPECT_EQ(repo_of_url("https://github.com/owner/name/"), "owner/name");
  EXPECT_EQ(repo_of_url("git@github.com:owner/name.git"), "owner/name");
  EXPECT_EQ(repo_of_url("ssh://git@host:22/group/sub/name"), "group/sub/name");
  EXPECT_EQ(repo_of_url("/srv/owner/name"), "");
  EXPECT_EQ(repo_of_url("file:///srv/owner/name"), "");
  EXPECT_EQ(repo_of_url("https://host/name"), "");
}

}  // namespace
}  // namespace sluice::config
