// tile-opt [--pass=a,b] [--tile=N] [--width=N] [--emit=tile|c|none] [--run] FILE
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tilec/passes.h"

namespace {

int fail(const std::string& what) {
  std::fprintf(stderr, "tile-opt: %s\n", what.c_str());
  return 1;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

bool read_file(const std::string& path, std::string& text) {
  std::FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (file == nullptr) return false;
  char chunk[4096];
  while (std::size_t got = std::fread(chunk, 1, sizeof chunk, file)) text.append(chunk, got);
  if (file != stdin) std::fclose(file);
  return true;
}

// Inputs are the same small numbers in every run; each output is printed as its sum and first elements.
void run(const tilec::Kernel& kernel) {
  std::vector<tilec::Tile> buffers;
  for (const tilec::Buffer& buffer : kernel.buffers) {
    tilec::Tile tile(tilec::elements(buffer.shape));
    for (std::size_t i = 0; i < tile.size(); ++i) tile[i] = static_cast<float>(static_cast<int>(i * 7 % 13) - 6) / 4;
    buffers.push_back(tile);
  }
  tilec::interpret(kernel, buffers);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (!kernel.buffers[i].output) continue;
    double sum = 0;
    for (float value : buffers[i]) sum += value;
    std::printf("%s.%s: sum %.4f, first", kernel.name.c_str(), kernel.buffers[i].name.c_str(), sum);
    for (std::size_t k = 0; k < buffers[i].size() && k < 4; ++k) {
      std::printf(" %.4f", static_cast<double>(buffers[i][k]));
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  tilec::Options options;
  std::vector<std::string> passes;
  std::string file, emit = "tile";
  bool execute = false;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    std::size_t equals = argument.find('=');
    std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (argument.rfind("--pass=", 0) == 0) {
      passes = split(value);
    } else if (argument.rfind("--tile=", 0) == 0) {
      options.tile = std::atoi(value.c_str());
    } else if (argument.rfind("--width=", 0) == 0) {
      options.width = std::atoi(value.c_str());
    } else if (argument.rfind("--emit=", 0) == 0) {
      emit = value;
    } else if (argument == "--run") {
      execute = true;
    } else if (argument == "--version") {
      std::printf("tile-opt for toolchain %s\n", TILEC_TOOLCHAIN);
      return 0;
    } else if (argument.rfind("--", 0) == 0) {
      return fail("unknown option " + argument);
    } else {
      file = argument;
    }
  }
  if (options.tile < 1 || options.width < 1) return fail("--tile and --width are at least 1");

  std::string text, error;
  tilec::Module module;
  if (!read_file(file, text)) return fail("cannot read '" + file + "'");
  if (!tilec::parse(text, module, error)) return fail(error);
  for (const tilec::Kernel& kernel : module.kernels) {
    if (!tilec::verify(kernel, error)) return fail(error);
  }
  if (!tilec::run_passes(module, passes, options, error)) return fail(error);

  if (emit == "tile") std::fputs(tilec::print(module).c_str(), stdout);
  if (emit == "c") std::fputs(tilec::emit_c(module).c_str(), stdout);
  if (execute) {
    for (const tilec::Kernel& kernel : module.kernels) run(kernel);
  }
  return 0;
}
