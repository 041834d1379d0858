// tests/fuzz/programs/session.cpp -- reads programs of the fuzzer and the words of their statements.
#include "tests/fuzz/programs/session.h"

#include <istream>
#include <sstream>

namespace fuzz {
namespace {

unsigned char digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned char>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned char>(c - 'a' + 10);
  throw std::runtime_error(std::string("not a hexadecimal digit: ") + c);
}

Statement parse_statement(const std::string &line) {
  std::istringstream words(line);
  Statement statement;
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  size_t first = 0;
  if (all.size() >= 2 && all[1] == "=") statement.result = all[0], first = 2;
  if (first >= all.size()) throw std::runtime_error("a statement without a verb: " + line);
  statement.verb = all[first];
  statement.words.assign(all.begin() + static_cast<std::ptrdiff_t>(first) + 1, all.end());
  return statement;
}

Verb find(const std::string &name) {
  for (const auto *verbs : {&array_verbs(), &join_verbs(), &number_verbs(), &exchange_verbs(), &kernel_verbs()}) {
    const auto found = verbs->find(name);
    if (found != verbs->end()) return found->second;
  }
  throw std::runtime_error("there is no verb " + name);
}

}  // namespace

gpuopt_array Session::array(const std::string &name) {
  const auto found = arrays.find(name);
  if (found == arrays.end()) throw MissingArray();
  return found->second.get();
}

gpuopt_stream Session::stream(const std::string &name) {
  auto &slot = streams[name];
  if (!slot) {
    gpuopt_stream made = nullptr;
    gpuopt_error error = GPUOPT_ERROR_INIT;
    if (gpuopt_stream_create(device, &made, &error) != GPUOPT_OK) throw std::runtime_error(error.message);
    slot.reset(made);
  }
  return slot.get();
}

const std::string &Call::word(size_t i) const {
  if (i >= statement.words.size()) throw std::runtime_error(statement.verb + " has too few words");
  return statement.words[i];
}

gpuopt_array Call::array(size_t i) {
  const gpuopt_array found = session.array(word(i));
  session.elements += static_cast<uint64_t>(gpuopt_array_size(found));
  return found;
}

gpuopt_dtype Call::dtype(size_t i) const {
  gpuopt_dtype dtype = 0;
  if (absent(i)) return dtype;
  if (gpuopt_dtype_from_name(word(i).c_str(), &dtype, nullptr) != GPUOPT_OK)
    throw std::runtime_error("not a dtype: " + word(i));
  return dtype;
}

gpuopt_scalar Call::scalar(size_t i) const {
  const std::string &text = word(i), value = text.substr(std::min<size_t>(2, text.size()));
  switch (text[0]) {
    case '?':
      return gpuopt_scalar_bool(value == "1");
    case 'i':
      return gpuopt_scalar_int(std::stoll(value));
    case 'u':
      return gpuopt_scalar_uint(std::stoull(value));
    case 'f':
      return gpuopt_scalar_real(std::stod(value));
    case 'c':
      return gpuopt_scalar_complex(std::stod(value), std::stod(value.substr(value.find(':') + 1)));
    default:
      throw std::runtime_error("not a number: " + text);
  }
}

std::vector<int64_t> Call::list(size_t i) const {
  std::vector<int64_t> numbers;
  if (absent(i)) return numbers;
  std::istringstream text(word(i));
  for (std::string number; std::getline(text, number, ',');) numbers.push_back(std::stoll(number));
  return numbers;
}

std::vector<unsigned char> Call::bytes(size_t i, size_t size) const {
  const std::string &text = word(i);
  std::vector<unsigned char> palette(text.size() / 2), all(size);
  for (size_t k = 0; k < palette.size(); ++k)
    palette[k] = static_cast<unsigned char>(digit(text[2 * k]) * 16 + digit(text[2 * k + 1]));
  for (size_t k = 0; k < size; ++k) all[k] = palette.at(k % palette.size());
  return all;
}

Outcome execute(Session &session, const Statement &statement) {
  Call call(session, statement);
  call.outcome.status = find(statement.verb)(call);
  gpuopt_array made = call.outcome.result;
  if (made) {
    session.elements += static_cast<uint64_t>(gpuopt_array_size(made));
    session.arrays[statement.result].reset(made);
  }
  return std::move(call.outcome);
}

std::vector<Program> parse(std::istream &text) {
  std::vector<Program> programs;
  for (std::string line; std::getline(text, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line.rfind("program ", 0) == 0)
      programs.push_back({line.substr(8), {}});
    else if (programs.empty())
      throw std::runtime_error("a statement before the first program: " + line);
    else
      programs.back().statements.push_back(parse_statement(line));
  }
  return programs;
}

}  // namespace fuzz
