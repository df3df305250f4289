// SPDX-License-Identifier: Apache-2.0
#include "core/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "core/fd.h"

namespace sluice::core {
namespace {

class File : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = TempDir::create("sluice-file-test");
    ASSERT_TRUE(made.ok()) << made.error().message;
    dir_ = std::make_unique<TempDir>(std::move(made).value());
  }
  std::string at(const std::string& name) const { return join_path(dir_->path(), name); }
  std::unique_ptr<TempDir> dir_;
};

TEST(WriteFile, TakesThePlaceOfNoDevicePipeOrDirectory) {
  auto dir = TempDir::create("sluice-file-");
  ASSERT_TRUE(dir.ok());
  const std::string pipe = dir->path() + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, dir->path(), std::string("/dev/full")}) {
    const auto written = write_file(path, "text");
    ASSERT_FALSE(written.ok()) << path;
    EXPECT_NE(written.error().message.find("no regular file"), std::string::npos) << written.error().message;
  }
  struct stat there {};
  ASSERT_EQ(::stat(pipe.c_str(), &there), 0);
  EXPECT_TRUE(S_ISFIFO(there.st_mode));
}

TEST_F(File, written_bytes_are_read_back_and_no_sibling_stays) {
  const std::string bytes("a\0\xff\n", 4);
  ASSERT_TRUE(write_file(at("x"), "old").ok());
  ASSERT_TRUE(write_file(at("x"), bytes).ok());
  EXPECT_EQ(read_file(at("x")).value_or("?"), bytes);
  int entries = 0;
  for ([[maybe_unused]] const auto& e : std::filesystem::directory_iterator(dir_->path())) ++entries;
  EXPECT_EQ(entries, 1);
}

TEST_F(File, reading_is_capped_and_names_the_limit) {
  ASSERT_TRUE(write_file(at("x"), std::string(100, 'a')).ok());
  EXPECT_TRUE(read_file(at("x"), 100).ok());
  const auto r = read_file(at("x"), 99);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().kind, ErrorKind::invalid);
  EXPECT_NE(r.error().message.find("99"), std::string::npos);
}

TEST_F(File, errors_say_what_is_wrong) {
  EXPECT_EQ(read_file(at("absent")).error().kind, ErrorKind::not_found);
  EXPECT_EQ(read_file(dir_->path()).error().kind, ErrorKind::invalid);
  EXPECT_EQ(write_file(at("no/such/dir/x"), "a").error().kind, ErrorKind::not_found);
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  EXPECT_EQ(read_file(at("fifo")).error().kind, ErrorKind::invalid) << "and does not wait for a writer";
}

TEST_F(File, files_of_proc_without_a_size_are_read) {
  const auto r = read_file("/proc/self/stat");
  ASSERT_TRUE(r.ok());
  EXPECT_GT(r->size(), 10u);
}

TEST_F(File, beneath_reads_plain_files_and_refuses_everything_planted) {
  ASSERT_TRUE(make_directories(at("root/sub")).ok());
  ASSERT_TRUE(write_file(at("root/sub/x"), "hello").ok());
  ASSERT_TRUE(write_file(at("secret"), "secret").ok());
  EXPECT_EQ(read_file_beneath(at("root"), "sub/x", 10).value_or("?"), "hello");
  ASSERT_EQ(::symlink("../secret", at("root/link").c_str()), 0);
  ASSERT_EQ(::symlink("sub", at("root/dirlink").c_str()), 0);
  ASSERT_EQ(::mkfifo(at("root/fifo").c_str(), 0600), 0);
  const Fd sock(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  struct sockaddr_un address {};
  address.sun_family = AF_UNIX;
  const std::string name = at("root/s");
  if (name.size() < sizeof address.sun_path) {
    std::memcpy(address.sun_path, name.c_str(), name.size());
    ASSERT_EQ(::bind(sock.get(), reinterpret_cast<struct sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(read_file_beneath(at("root"), "s", 10).error().kind, ErrorKind::denied);
  }
  for (const char* planted : {"link", "dirlink/x", "fifo", "../secret", "sub/../../secret", "sub"}) {
    const auto r = read_file_beneath(at("root"), planted, 10);
    ASSERT_FALSE(r.ok()) << planted;
    EXPECT_EQ(r.error().kind, ErrorKind::denied) << planted << ": " << r.error().message;
  }
  EXPECT_EQ(read_file_beneath(at("root"), "/etc/passwd", 10).error().kind, ErrorKind::denied);
  EXPECT_EQ(read_file_beneath(at("root"), "absent", 10).error().kind, ErrorKind::not_found);
  EXPECT_EQ(read_file_beneath(at("root"), "sub/x", 4).error().kind, ErrorKind::invalid);
}

TEST_F(File, remove_all_takes_a_hostile_tree_and_follows_no_link) {
  ASSERT_TRUE(make_directories(at("keep")).ok());
  ASSERT_TRUE(write_file(at("keep/file"), "x").ok());
  ASSERT_TRUE(make_directories(at("tree/locked/inner")).ok());
  ASSERT_TRUE(write_file(at("tree/locked/inner/file"), "x").ok());
  ASSERT_EQ(::symlink("../keep", at("tree/link").c_str()), 0);
  ASSERT_EQ(::mkfifo(at("tree/fifo").c_str(), 0), 0);
  ASSERT_EQ(::chmod(at("tree/locked/inner").c_str(), 0), 0);
  ASSERT_EQ(::chmod(at("tree/locked").c_str(), 0500), 0);
  const auto r = remove_all(at("tree"));
  EXPECT_TRUE(r.ok()) << r.error().message;
  EXPECT_FALSE(exists(at("tree")));
  EXPECT_TRUE(exists(at("keep/file")));
  ASSERT_EQ(::symlink("keep", at("link").c_str()), 0);
  EXPECT_TRUE(remove_all(at("link")).ok());
  EXPECT_TRUE(exists(at("keep/file")));
  EXPECT_TRUE(remove_all(at("absent")).ok());
}

TEST_F(File, remove_all_is_not_stopped_by_depth) {
  const Fd top(::open(dir_->path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::mkdirat(top.get(), "deep", 0700), 0);
  int fd = ::openat(top.get(), "deep", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (int i = 0; i < 1100; ++i) {
    ASSERT_EQ(::mkdirat(fd, "a-directory-name", 0700), 0);
    const int next = ::openat(fd, "a-directory-name", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ::close(fd);
    fd = next;
  }
  ::close(fd);
  const auto r = remove_all(at("deep"));
  EXPECT_TRUE(r.ok()) << r.error().message;
  EXPECT_FALSE(exists(at("deep")));
}

TEST_F(File, a_temporary_directory_goes_with_its_owner_unless_released) {
  std::string path, kept;
  {
    auto a = TempDir::create_in(dir_->path(), "a");
    ASSERT_TRUE(a.ok());
    TempDir moved = std::move(a).value();
    path = moved.path();
    ASSERT_TRUE(write_file(join_path(path, "x"), "x").ok());
    auto b = TempDir::create_in(dir_->path(), "b");
    ASSERT_TRUE(b.ok());
    kept = b->release();
  }
  EXPECT_FALSE(exists(path));
  EXPECT_TRUE(exists(kept));
}

TEST_F(File, what_a_dead_process_left_is_removed_and_nothing_else) {
  const std::string mine = std::to_string(::getpid());
  for (const char* name : {"run-4194305-a", "run-x-a", "run-4194305", "other-4194305-a"}) ASSERT_TRUE(make_directories(at(name) + "/d").ok());
  ASSERT_TRUE(make_directories(at("run-" + mine + "-a")).ok());
  ASSERT_TRUE(write_file(at("run-4194305-file"), "").ok());
  remove_left_over(dir_->path(), "run-");
  EXPECT_FALSE(exists(at("run-4194305-a"))) << "no Linux process has this id";
  for (const std::string& name : {std::string("run-x-a"), std::string("run-4194305"), std::string("other-4194305-a"), std::string("run-4194305-file"), "run-" + mine + "-a"})
    EXPECT_TRUE(exists(at(name))) << name;
}

TEST_F(File, paths_are_joined) {
  EXPECT_EQ(join_path("a", "b"), "a/b");
  EXPECT_EQ(join_path("a/", "b"), "a/b");
  EXPECT_EQ(join_path("a", "/b"), "/b");
  EXPECT_EQ(join_path("", "b"), "b");
  EXPECT_EQ(absolute_path("/a/../b/./c"), "/b/c");
}

}  // namespace
}  // namespace sluice::core
