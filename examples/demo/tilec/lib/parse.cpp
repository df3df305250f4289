// kernel add(a: 1x64, b: 1x64) -> (c: 1x64) {
//   %0 = load a
//   %1 = load b
//   %2 = add %0, %1
//   store %2, c
// }
#include <cctype>
#include <cstdlib>

#include "tilec/ir.h"

namespace tilec {
namespace {

class Parser {
 public:
  Parser(const std::string& text, Module& module) : text_(text), module_(module) {}

  bool run(std::string& error) {
    while (skip(), at_ < text_.size() && error_.empty()) kernel();
    error = error_;
    return error_.empty();
  }

 private:
  void fail(const std::string& what) {
    if (error_.empty()) error_ = "line " + std::to_string(op_line_ > 0 ? op_line_ : line_) + ": " + what;
    at_ = text_.size();
  }

  void skip() {
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == '\n') ++line_;
      if (c == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '/') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == ' ' || c == '\n') {
        ++at_;
      } else {
        return;
      }
    }
  }

  bool accept(const char* token) {
    skip();
    std::size_t length = std::char_traits<char>::length(token);
    if (text_.compare(at_, length, token) != 0) return false;
    at_ += length;
    return true;
  }
  void expect(const char* token) {
    if (!accept(token)) fail(std::string("expected '") + token + "'");
  }

  std::string word() {
    skip();
    std::size_t from = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
    if (at_ == from) fail("expected a name");
    return text_.substr(from, at_ - from);
  }

  double number() {
    skip();
    char* end = nullptr;
    double value = std::strtod(text_.c_str() + at_, &end);
    if (end == text_.c_str() + at_) fail("expected a number");
    at_ = static_cast<std::size_t>(end - text_.c_str());
    return value;
  }

  int integer() {
    skip();
    std::size_t from = at_;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) ++at_;
    if (at_ == from || at_ - from > 6) fail("expected a whole number of at most 6 digits");
    return error_.empty() ? std::atoi(text_.substr(from, at_ - from).c_str()) : 0;
  }

  Shape shape() {
    Shape shape;
    shape.rows = integer();
    expect("x");
    shape.cols = integer();
    return shape;
  }

  void buffers(Kernel& kernel, bool output) {
    expect("(");
    while (error_.empty() && !accept(")")) {
      Buffer buffer;
      buffer.name = word();
      expect(":");
      buffer.shape = shape();
      buffer.output = output;
      kernel.buffers.push_back(buffer);
      accept(",");
    }
  }

  void attributes(Op& op) {
    if (!accept("{")) return;
    while (error_.empty() && !accept("}")) {
      std::string name = word();
      if (!accept("=")) expect(":");
      op.attributes[name] = integer();
      accept(",");
    }
  }

  Shape shape_of(const Kernel& kernel, int value) {
    if (const Op* op = producer(kernel, value)) return op->shape;
    fail("%" + std::to_string(value) + " is used before it is defined");
    return {};
  }

  // A smaller tile is repeated along the rows or columns where it has one.
  Shape broadcast(const Shape& a, const Shape& b) {
    auto edge = [&](int x, int y) {
      if (x != y && x != 1 && y != 1) fail("shapes " + print(a) + " and " + print(b) + " do not fit");
      return x > y ? x : y;
    };
    return {edge(a.rows, b.rows), edge(a.cols, b.cols)};
  }

  void infer(Kernel& kernel, Op& op) {
    std::vector<Shape> in;
    for (int operand : op.operands) in.push_back(shape_of(kernel, operand));
    if (op.name == "load" || op.name == "store") {
      for (const Buffer& buffer : kernel.buffers) {
        if (buffer.name == op.buffer) op.shape = buffer.shape;
      }
    } else if (op.name == "matmul" && in.size() == 2) {
      if (in[0].cols != in[1].rows) fail("matmul of " + print(in[0]) + " and " + print(in[1]));
      op.shape = {in[0].rows, in[1].cols};
    } else if ((op.name == "row_sum" || op.name == "row_max") && in.size() == 1) {
      op.shape = {in[0].rows, 1};
    } else if (is_elementwise(op) && in.size() == (op.name == "exp" ? 1u : 2u)) {
      op.shape = in.size() == 1 ? in[0] : broadcast(in[0], in[1]);
    } else if (op.name != "const") {
      fail("no operation '" + op.name + "' with " + std::to_string(in.size()) + " operands");
    }
  }

  void operation(Kernel& kernel) {
    Op op;
    op.line = line_;
    if (accept("%")) {
      op.result = integer();
      expect("=");
    }
    op.name = word();
    if (op.name == "const") op.value = number();
    if (op.name == "load") op.buffer = word();
    if (op.name != "const" && op.name != "load") {
      do {
        if (!accept("%")) break;
        op.operands.push_back(integer());
      } while (accept(","));
      if (op.name == "store") op.buffer = word();
    }
    attributes(op);
    op_line_ = op.line;  // reading attributes may have gone on to the next line
    if (error_.empty()) infer(kernel, op);
    op_line_ = 0;
    if (accept(":") && error_.empty() && !(shape() == op.shape)) fail("the shape is " + print(op.shape));
    kernel.ops.push_back(op);
  }

  void kernel() {
    Kernel kernel;
    expect("kernel");
    kernel.name = word();
    buffers(kernel, false);
    expect("->");
    buffers(kernel, true);
    expect("{");
    while (error_.empty() && !accept("}")) {
      if (skip(), at_ >= text_.size()) return fail("expected '}'");
      operation(kernel);
    }
    module_.kernels.push_back(kernel);
  }

  const std::string& text_;
  Module& module_;
  std::size_t at_ = 0;
  int line_ = 1;
  int op_line_ = 0;
  std::string error_;
};

}  // namespace

bool parse(const std::string& text, Module& module, std::string& error) { return Parser(text, module).run(error); }

}  // namespace tilec
