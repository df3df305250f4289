// SPDX-License-Identifier: Apache-2.0
// Disks that fill up, locks, missing permissions, kill -9, damaged files: one clear error, nothing
// changed, and the store usable afterwards.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>

#include "store/store.h"
#include "test/store/support.h"

namespace sluice::store {
namespace {

// Runs `body` in a child; its answer is the exit status (0 = as wanted).
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 99;
    try {
      status = body();
    } catch (...) {  // a failed must(): the number tells
    }
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Writes until the disk is full, checks the error, and that the half-written transaction left nothing.
// 0 = as promised, otherwise the number of the broken promise.
int fill(Store& store, std::string& message) {
  if (!store.put_value("before", "1").ok()) return 1;
  Result<void> done;
  {
    auto transaction = store.begin();
    if (!transaction.ok()) return 2;
    const std::string block(64 << 10, 'x');
    for (int n = 0; n < 1000 && done.ok(); ++n) done = store.put_value("block" + std::to_string(n), block);
    if (!done.ok() && store.put_value("after", "1").ok()) return 3;
    const auto committed = transaction->commit();
    if (done.ok()) done = committed;
    if (committed.ok()) return 4;
  }
  message = done.error().message;
  if (done.error().kind != ErrorKind::transient) return 5;
  if (message.find("disk full") == std::string::npos) return 6;
  const auto block = store.value("block0");
  if (!block.ok() || block->has_value()) return 7;
  const auto before = store.value("before");
  if (!before.ok() || *before != "1") return 8;
  return 0;
}

TEST_F(StoreTest, AFullFileSystemIsOneErrorAndNothingIsLost) {
  const core::TempDir mount_point = must(core::TempDir::create("sluice-full"));
  if (::mount("tmpfs", mount_point.path().c_str(), "tmpfs", 0, "size=2m") != 0)
    GTEST_SKIP() << "cannot mount a small tmpfs: " << std::strerror(errno) << " (needs root)";
  const struct Unmount {
    std::string path;
    ~Unmount() { ::umount2(path.c_str(), MNT_DETACH); }
  } unmount{mount_point.path()};
  const std::string ballast = core::join_path(mount_point.path(), "ballast");
  {
    const int fd = ::open(ballast.c_str(), O_CREAT | O_WRONLY, 0600);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(::posix_fallocate(fd, 0, 512 << 10), 0);
    ::close(fd);
  }
  Store store = must(Store::open(mount_point.path()));
  std::string message;
  EXPECT_EQ(fill(store, message), 0) << message;
  // The log of the refused transaction still fills the disk; somebody makes room.
  ASSERT_EQ(::unlink(ballast.c_str()), 0);
  must(store.put_value("after", "1"));
  EXPECT_EQ(must(store.value("after")), "1");
  must(store.check_integrity());
}

TEST_F(StoreTest, AStoreCannotBeCreatedOnAFullFileSystemAndSaysSo) {
  const core::TempDir mount_point = must(core::TempDir::create("sluice-full"));
  if (::mount("tmpfs", mount_point.path().c_str(), "tmpfs", 0, "size=16k") != 0)
    GTEST_SKIP() << "cannot mount a small tmpfs: " << std::strerror(errno) << " (needs root)";
  const struct Unmount {
    std::string path;
    ~Unmount() { ::umount2(path.c_str(), MNT_DETACH); }
  } unmount{mount_point.path()};
  const auto store = Store::open(mount_point.path());
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().kind, ErrorKind::transient) << store.error().message;
  EXPECT_NE(store.error().message.find("disk full"), std::string::npos) << store.error().message;
}

TEST_F(StoreTest, AFileSizeLimitIsADiskThatIsFull) {
  const std::string dir = path();
  EXPECT_EQ(in_child([&] {
              Store store = must(Store::open(dir));
              std::signal(SIGXFSZ, SIG_IGN);
              const rlimit limit{1 << 20, 1 << 20};
              if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 50;
              std::string message;
              const int broken = fill(store, message);
              if (broken != 0) std::fprintf(stderr, "promise %d: %s\n", broken, message.c_str());
              return broken;
            }),
            0);
  Store store = open();
  EXPECT_EQ(must(store.value("before")), "1");
  must(store.put_value("after", "1"));
}

TEST_F(StoreTest, AStoreThatMayOnlyBeReadIsDenied) {
  open();
  // Away from a parent that only its owner may enter.
  ASSERT_EQ(::chmod(path().c_str(), 0555), 0);
  for (const char* name : {"/sluice.db", "/sluice.db-wal", "/sluice.db-shm"})
    ::chmod((path() + name).c_str(), 0444);
  const std::string dir = path();
  const int status = in_child([&] {
    if (::getuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return 50;
    const auto store = Store::open(dir);
    if (store.ok()) return 1;
    if (store.error().kind != ErrorKind::denied ||
        store.error().message.find("sluice.db") == std::string::npos) {
      std::fprintf(stderr, "%s\n", store.error().message.c_str());
      return 2;
    }
    return 0;
  });
  ASSERT_EQ(::chmod(path().c_str(), 0755), 0);
  if (status == 50) GTEST_SKIP() << "cannot give up root to test permissions";
  EXPECT_EQ(status, 0);
}

TEST_F(StoreTest, AReadOnlyFileSystemIsDenied) {
  const core::TempDir mount_point = must(core::TempDir::create("sluice-ro"));
  if (::mount("tmpfs", mount_point.path().c_str(), "tmpfs", 0, "size=4m") != 0)
    GTEST_SKIP() << "cannot mount a tmpfs: " << std::strerror(errno) << " (needs root)";
  const struct Unmount {
    std::string path;
    ~Unmount() { ::umount2(path.c_str(), MNT_DETACH); }
  } unmount{mount_point.path()};
  must(must(Store::open(mount_point.path())).put_value("a", "1"));
  ASSERT_EQ(::mount(nullptr, mount_point.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
  const auto store = Store::open(mount_point.path());
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().kind, ErrorKind::denied) << store.error().message;
  ASSERT_EQ(::mount(nullptr, mount_point.path().c_str(), nullptr, MS_REMOUNT, nullptr), 0);
  EXPECT_EQ(must(must(Store::open(mount_point.path())).value("a")), "1");
}

TEST_F(StoreTest, AStoreLockedByAnotherIsTransientAndUsableAfterwards) {
  Store store = open();
  must(store.put_value("a", "1"));
  Database other = raw();
  must(other.begin());
  const auto done = store.put_value("a", "2");  // waits for the busy timeout
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().kind, ErrorKind::transient);
  EXPECT_NE(done.error().message.find("locked by another process"), std::string::npos)
      << done.error().message;
  EXPECT_EQ(must(store.value("a")), "1");  // readers do not wait
  other.rollback();
  must(store.put_value("a", "3"));
  EXPECT_EQ(must(store.value("a")), "3");
}

TEST_F(StoreTest, KilledInTheMiddleOfATransactionNothingOfItIsLeft) {
  must(open().put_value("a", "1"));
  const std::string dir = path();
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Store store = must(Store::open(dir));
    auto transaction = must(store.begin());
    must(store.put_value("a", "2"));
    must(store.put_ledger(ledger_row('1', 1)));
    // More than the page cache, so that pages of the open transaction are in the log on disk.
    for (int n = 0; n < 200; ++n) must(store.put_value("b" + std::to_string(n), std::string(64 << 10, 'x')));
    (void)!::write(ready[1], "x", 1);
    while (true) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  Store store = open();
  EXPECT_EQ(must(store.value("a")), "1");
  EXPECT_FALSE(must(store.value("b0")).has_value());
  EXPECT_TRUE(must(store.ledger_all()).empty());
  EXPECT_EQ(must(store.verify_events()), 0);
  must(store.put_value("a", "3"));
  must(store.check_integrity());
}

TEST_F(StoreTest, AFileThatIsNoDatabaseIsNamedAndKept) {
  const std::string garbage(8192, 'g');
  must(core::write_file(file(), garbage));
  const auto store = Store::open(path());
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().kind, ErrorKind::internal);
  EXPECT_NE(store.error().message.find("sluice.db"), std::string::npos);
  EXPECT_EQ(must(core::read_file(file())), garbage);
}

TEST_F(StoreTest, ADamagedPageIsAnErrorNotAnAnswer) {
  {
    Store store = open();
    for (int n = 0; n < 100; ++n) must(store.put_value("k" + std::to_string(n), std::string(2000, 'v')));
  }
  std::string bytes = must(core::read_file(file()));
  for (std::size_t at = 4096; at < bytes.size(); at += 4096) bytes.replace(at, 64, std::string(64, '\xee'));
  must(core::write_file(file(), bytes));
  auto store = Store::open(path());
  if (!store.ok()) {
    EXPECT_EQ(store.error().kind, ErrorKind::internal) << store.error().message;
    return;
  }
  EXPECT_EQ(store->check_integrity().error().kind, ErrorKind::internal);
  const auto value = store->value("k50");
  ASSERT_FALSE(value.ok());
  EXPECT_EQ(value.error().kind, ErrorKind::internal) << value.error().message;
}

TEST_F(StoreTest, ADirectoryThatCannotBeMadeIsDenied) {
  const auto store = Store::open("/proc/sluice/store");
  ASSERT_FALSE(store.ok());
  EXPECT_TRUE(store.error().kind == ErrorKind::denied || store.error().kind == ErrorKind::not_found)
      << store.error().message;
}

}  // namespace
}  // namespace sluice::store
