// tests/fake_cuda/ptx/syntax.h -- PTX as it is written: variables, functions and their statements.
//
// The source of the syntax and of what instructions mean is NVIDIA's "Parallel Thread Execution ISA", version 9.0.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace fake_cuda::ptx {

// What is wrong with a text, or what of it is unknown here. Nothing unknown is ever passed over.
struct BadPtx : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Type : uint8_t {
  kNone,
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kF16x2,
  kBF16,
  kBF16x2,
  kF32,
  kF64,
  kS16x2,
  kU16x2
};

// The type called so ("u32"), or kNone.
Type type_named(const std::string &name);
unsigned bytes_of(Type type);
bool is_signed(Type type);
bool is_float(Type type);

enum class Space : uint8_t { kGeneric, kGlobal, kConst, kShared, kLocal, kParam };

struct Variable {
  std::string name;
  Space space = Space::kGlobal;
  Type type = Type::kB8;
  unsigned align = 1;
  uint64_t bytes = 0;
  bool visible = false;  // others may ask for it by its name
  bool dynamic = false;  // as large as the launch says
  bool external = false;
  std::vector<uint8_t> initial;  // at most `bytes` of them, zeros behind
  // Addresses among the initial bytes: where, of what, plus what.
  struct Reference {
    uint64_t at;
    std::string of;
    int64_t plus;
  };
  std::vector<Reference> references;
};

struct Operand {
  enum class Kind : uint8_t {
    kRegister,
    kSpecial,
    kVariable,
    kName,
    kInteger,
    kFloat,
    kAddress,
    kVector,
    kSink,
    kList
  };
  Kind kind = Kind::kSink;
  bool negated = false;                // !p
  uint32_t number = 0;                 // of a register in its function
  const Variable *variable = nullptr;  // kVariable, or the base of an address
  std::string name;                    // special register, function, label
  int64_t offset = 0;                  // of an address or a variable
  uint64_t bits = 0;                   // of an integer or floating-point number
  Type type = Type::kNone;             // kF32 or kF64 of a floating-point number
  std::vector<Operand> parts;          // of a vector or list; [base] of an address; the q of p|q behind the p
};

struct Statement {
  std::string opcode;                  // "ld"
  std::vector<std::string> modifiers;  // "global", "v4", "u32"
  std::string text;                    // all of it, for messages
  bool guarded = false, guard_negated = false;
  uint32_t guard = 0;
  std::vector<Operand> operands;
  std::string block;  // "/2/5", the blocks of braces that it is in; "" outside of all
  int line = 0;
};

struct Body {
  std::vector<Type> registers;
  std::deque<Variable> locals;  // .local, and .param of calls
  std::vector<Statement> statements;
  std::map<std::string, uint32_t> labels;  // the statement behind; their names end with their block
  std::map<std::string, std::vector<std::string>> branch_tables;  // of .branchtargets and .calltargets
};

struct FunctionText {
  std::string name;
  bool entry = false, defined = false;
  std::deque<Variable> parameters, results;  // in order
  int most_threads = 1024;
  Body body;
};

struct ModuleText {
  int version = 0;  // 90 is 9.0
  int target = 0;   // 75 is sm_75
  std::deque<Variable> variables;
  std::deque<FunctionText> functions;
};

// Throws BadPtx with the line where it stopped.
ModuleText parse(const std::string &text);

}  // namespace fake_cuda::ptx
