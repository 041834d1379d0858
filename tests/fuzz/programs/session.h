// tests/fuzz/programs/session.h -- what the statements of one fuzz program work on: its arrays, random generators and
// streams.
#pragma once
#include <gpuopt/gpuopt.h>

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace fuzz {

// "v3 = op add v1 v2": the name of the result (empty where there is none), the verb, and its words.
struct Statement {
  std::string result, verb;
  std::vector<std::string> words;
};

struct Program {
  std::string name;
  std::vector<Statement> statements;
};

// A statement names an array that an earlier, failed statement should have made. It is skipped, in every mode alike.
struct MissingArray {};

struct ReleaseArray {
  void operator()(gpuopt_array_s *x) const { gpuopt_array_release(x); }
};
using Array = std::unique_ptr<gpuopt_array_s, ReleaseArray>;
struct ReleaseState {
  void operator()(gpuopt_random_state_s *x) const { gpuopt_random_state_release(x); }
};
struct ReleaseGenerator {
  void operator()(gpuopt_generator_s *x) const { gpuopt_generator_release(x); }
};
struct ReleaseStream {
  void operator()(gpuopt_stream_s *x) const { gpuopt_stream_release(x); }
};

// The names of one program. The streams come first, so that they outlive the arrays bound to them.
struct Session {
  gpuopt_device device = nullptr;
  std::map<std::string, std::unique_ptr<gpuopt_stream_s, ReleaseStream>> streams;
  std::map<std::string, Array> arrays;
  std::map<std::string, std::unique_ptr<gpuopt_random_state_s, ReleaseState>> states;
  std::map<std::string, std::unique_ptr<gpuopt_generator_s, ReleaseGenerator>> generators;
  std::string scratch;    // how paths of files begin that a statement may make
  uint64_t elements = 0;  // read and written by the statements so far: what the program's deadline grows with

  gpuopt_array array(const std::string &name);
  gpuopt_stream stream(const std::string &name);
};

// What a statement did. `result` is the new array; `written` the array that a statement in place has changed; `payload`
// other bytes that it gave: an item, a text.
struct Outcome {
  gpuopt_status status = GPUOPT_OK;
  gpuopt_array result = nullptr, written = nullptr;
  std::vector<unsigned char> payload;
};

// One statement on its way to the C ABI: the words, read as what the calls want.
class Call {
 public:
  Call(Session &session_, const Statement &statement_) : session(session_), statement(statement_) {}

  const std::string &word(size_t i) const;
  size_t count() const { return statement.words.size(); }
  bool absent(size_t i) const { return word(i) == "-"; }
  // Counts the array's elements towards the work of the program.
  gpuopt_array array(size_t i);
  int64_t integer(size_t i) const { return std::stoll(word(i)); }
  double real(size_t i) const { return std::stod(word(i)); }
  gpuopt_dtype dtype(size_t i) const;
  gpuopt_scalar scalar(size_t i) const;
  // "3,5"; "-" is the empty list.
  std::vector<int64_t> list(size_t i) const;
  // The palette of word `i`, in hexadecimal, repeated to so many bytes.
  std::vector<unsigned char> bytes(size_t i, size_t size) const;

  Session &session;
  const Statement &statement;
  Outcome outcome;
  gpuopt_error error = GPUOPT_ERROR_INIT;
};

// Runs one statement. The new array, if there is one, is kept in the session under the statement's name. Throws
// std::runtime_error for a statement that is none.
Outcome execute(Session &session, const Statement &statement);

using Verb = gpuopt_status (*)(Call &);
// The verbs of a file, by name.
const std::map<std::string, Verb> &array_verbs();  // verbs_array.cpp: making, looking at, viewing and writing arrays
const std::map<std::string, Verb>
    &number_verbs();                              // verbs_number.cpp: operations, reductions, products, random numbers
const std::map<std::string, Verb> &join_verbs();  // verbs_join.cpp: joining, splitting and rearranging arrays
const std::map<std::string, Verb> &exchange_verbs();  // verbs_exchange.cpp: files, DLPack
const std::map<std::string, Verb> &kernel_verbs();    // verbs_kernel.cpp: what needs a compiler

std::vector<Program> parse(std::istream &text);

}  // namespace fuzz
