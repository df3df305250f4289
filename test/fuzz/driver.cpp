// SPDX-License-Identifier: Apache-2.0
// Stands in for libFuzzer where there is none: replays a corpus and deterministic mutations of it.
//
//   fuzz_NAME CORPUS DICTIONARY   every entry, cut short, with CR LF, repeated to 100,000 bytes, and mutated
//                                 SLUICE_FUZZ_MUTATIONS times (default 60) from SLUICE_FUZZ_SEED (default 1)
//   fuzz_NAME FILE...             these inputs
//   fuzz_NAME --growth CORPUS     prints the processor time of repeated entries, to see whether it grows linearly
//
// An input that fails, crashes or takes more than a minute is written to finding-NAME-HASH in SLUICE_FUZZ_OUT (default:
// the working directory), and the message says so.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "test/fuzz/fuzz.h"
#include "test/fuzz/mutate.h"

extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));
extern "C" const char* __ubsan_default_options() { return "halt_on_error=1:print_stacktrace=1"; }

namespace sluice::fuzz {
namespace {

constexpr unsigned longest_seconds = 60;  // for one input: a hang, on any machine
constexpr std::size_t repeated_bytes = 100'000;

// What the signal handler needs: nothing in it allocates.
struct Current {
  std::string_view input;
  char path[512] = {};
  std::string_view program;
  std::string directory;
  bool written = false;
} current;

std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

void write_finding() {
  if (current.written) return;
  current.written = true;
  const int fd = open(current.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  std::size_t done = 0;
  while (fd >= 0 && done < current.input.size()) {
    const ssize_t n = write(fd, current.input.data() + done, current.input.size() - done);
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  if (fd >= 0) close(fd);
  char message[1400];
  const int n = std::snprintf(message, sizeof message, "%s: fails on an input of %zu bytes, %s %s\nsee it again with: %s %s\n",
                              current.program.data(), current.input.size(), fd >= 0 ? "written to" : "which cannot be written to",
                              current.path, current.program.data(), current.path);
  if (n > 0 && write(2, message, static_cast<std::size_t>(n)) < 0) _exit(77);
}

void on_signal(int number) {
  if (number == SIGALRM) {
    constexpr char words[] = "no answer within a minute\n";
    if (write(2, words, sizeof words - 1) < 0) _exit(77);
  }
  write_finding();
  signal(number, SIG_DFL);
  raise(number == SIGALRM ? SIGABRT : number);
}

void catch_signals() {
  static char stack[1 << 16];  // the ordinary one may be what is exhausted
  const stack_t other = {.ss_sp = stack, .ss_flags = 0, .ss_size = sizeof stack};
  sigaltstack(&other, nullptr);
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  const bool sanitized = __sanitizer_set_death_callback != nullptr;
  if (sanitized) __sanitizer_set_death_callback(write_finding);
  for (const int number : {SIGABRT, SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    if (!sanitized || number == SIGABRT || number == SIGALRM) sigaction(number, &action, nullptr);
  }
}

std::size_t inputs = 0;

void run(std::string_view input) {
  // In memory of exactly its size: a sanitizer sees the first byte read behind it.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  current.input = input;
  std::snprintf(current.path, sizeof current.path, "%s/finding-%s-%016llx", current.directory.c_str(),
                std::filesystem::path(current.program).filename().c_str(), static_cast<unsigned long long>(hash_of(input)));
  alarm(longest_seconds);
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  alarm(0);
  ++inputs;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::filesystem::path> files_below(const char* directory) {
  std::vector<std::filesystem::path> out;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.is_regular_file()) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  if (!out.empty()) return out;
  std::fprintf(stderr, "no corpus in %s\n", directory);
  std::exit(2);
}

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != 0 ? std::strtoull(value, nullptr, 10) : otherwise;
}

void replay(const char* corpus, const char* dictionary) {
  std::vector<std::string> entries;
  for (const auto& path : files_below(corpus)) entries.push_back(read(path));
  const std::vector<std::string> words = read_dictionary(read(dictionary));
  const std::uint64_t mutations = setting("SLUICE_FUZZ_MUTATIONS", 60);
  Mutator mutator(entries, words, setting("SLUICE_FUZZ_SEED", 1));
  for (const std::string& entry : entries) {
    run(entry);
    run(with_crlf(entry));
    run(repeated(entry, repeated_bytes));
    constexpr std::size_t most_cuts = 32;
    const std::size_t step = entry.size() / most_cuts + 1;
    for (std::size_t n = 0; n < entry.size(); n += step) run(std::string_view(entry).substr(0, n));
  }
  for (std::uint64_t i = 0; i < mutations; ++i) {
    for (const std::string& entry : entries) run(mutator.mutate(entry));
  }
  std::printf("%zu entries, %zu words, %zu inputs\n", entries.size(), words.size(), inputs);
}

void show_growth(const char* corpus) {
  for (const auto& path : files_below(corpus)) {
    const std::string entry = read(path);
    std::printf("%-36s", path.filename().c_str());
    for (std::size_t bytes = 1u << 16; bytes <= 1u << 19; bytes *= 2) {
      const std::string input = repeated(entry, bytes);
      const std::clock_t begin = std::clock();
      run(input);
      std::printf(" %7.1f ms", 1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
    std::printf("\n");
  }
}

}  // namespace
}  // namespace sluice::fuzz

int main(int argc, char** argv) {
  using namespace sluice::fuzz;
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s CORPUS DICTIONARY | FILE... | --growth CORPUS\n", argv[0]);
    return 2;
  }
  const char* out = std::getenv("SLUICE_FUZZ_OUT");
  current.program = argv[0];
  current.directory = out != nullptr && *out != 0 ? out : ".";
  catch_signals();
  if (argc == 3 && std::strcmp(argv[1], "--growth") == 0) {
    show_growth(argv[2]);
  } else if (argc == 3 && std::filesystem::is_directory(argv[1])) {
    replay(argv[1], argv[2]);
  } else {
    for (int i = 1; i < argc; ++i) run(read(argv[i]));
    std::printf("%zu inputs\n", inputs);
  }
  return 0;
}
