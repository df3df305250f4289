// The tile IR: kernels of straight-line operations on two-dimensional float tiles.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace tilec {

struct Shape {
  int rows = 1;
  int cols = 1;
  bool operator==(const Shape&) const = default;
};

struct Op {
  std::string name;                       // "add", "matmul", "store", ...
  int result = -1;                        // N of %N; -1 when the operation gives nothing
  std::vector<int> operands;              // Ns of %N
  std::string buffer;                     // load, store
  double value = 0;                       // const
  Shape shape;                            // of the result; of the stored tile for store
  std::map<std::string, int> attributes;  // what passes decided: tile, width, group
  int line = 0;
};

struct Buffer {
  std::string name;
  Shape shape;
  bool output = false;
};

struct Kernel {
  std::string name;
  std::vector<Buffer> buffers;
  std::vector<Op> ops;
};

struct Module {
  std::vector<Kernel> kernels;
};

std::size_t elements(const Shape& shape);
bool is_elementwise(const Op& op);
const Op* producer(const Kernel& kernel, int value);
int uses(const Kernel& kernel, int value);

// Memory traffic: of one tile, of that many copies of it, of what an operation reads and writes.
std::size_t bytes_of(const Shape& shape);
std::size_t bytes_of(const Shape& shape, int copies);
std::size_t bytes_of(const Kernel& kernel, const Op& op);

std::string print(const Shape& shape);
std::string print(const Op& op);
std::string print(const Module& module);

// False, and a sentence with the line number, when the text is not tile IR.
bool parse(const std::string& text, Module& module, std::string& error);
bool verify(const Kernel& kernel, std::string& error);

}  // namespace tilec
