// plugins/jit/ptx/ptx_text.h -- the instructions of an asm statement of CUDA C++, which are PTX ("PTX ISA", "Syntax";
// "Inline PTX Assembly in CUDA").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpuopt::jit {

struct PtxOperand {
  enum Kind {
    kOfStatement,  // %0 of the asm statement; `number` says which
    kRegister,     // one that the text declares, by its name
    kSpecial,      // a special register, such as "%laneid"
    kNumber,       // as it is written
    kAddress,      // [parts[0] + offset]
    kGroup         // {parts...}
  };
  Kind kind = kNumber;
  std::string text;
  unsigned number = 0;
  bool negated = false;  // a predicate, !p
  int64_t offset = 0;
  std::vector<PtxOperand> parts;
};

struct PtxInstruction {
  std::string label;   // "again", of an entry that is a label and no instruction
  std::string opcode;  // "add.u32"
  std::vector<PtxOperand> operands;
  std::vector<PtxOperand> guard;  // the predicate of @p, or nothing
};

struct PtxRegister {
  std::string name, type;  // "u32", without a dot
};

struct PtxText {
  std::vector<PtxRegister> registers;
  std::vector<PtxInstruction> instructions;
  std::string problem;  // what is not understood, or ""
};

// Parses a text as LLVM has it: "$0" stands for an operand, and "$(", "$|" and "$)" for braces and bars (the LLVM
// Language Reference, "Inline Asm Template String"). Braces only group: a name stands for one register, or one label,
// in all of it.
PtxText parse_ptx(const std::string &text);

// Returns the value of a number of PTX as so many bits, and whether it is one: decimal, octal, binary or hexadecimal
// integers, 0f and 0d with the bits of a float, and decimal fractions, which are of type double.
struct PtxNumber {
  bool valid = false, is_float = false;
  uint64_t bits = 0;  // of the integer, or of the double
};
PtxNumber ptx_number(const std::string &text);

}  // namespace gpuopt::jit
