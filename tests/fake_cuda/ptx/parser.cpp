// tests/fake_cuda/ptx/parser.cpp -- reads a module.
#include <algorithm>
#include <cstring>
#include <set>

#include "tests/fake_cuda/ptx/lexer.h"

namespace fake_cuda::ptx {
namespace {

struct TypeRow {
  const char *name;
  Type type;
  unsigned bytes;
  bool is_signed, is_float;
};

constexpr TypeRow kTypes[] = {
    {"pred", Type::kPred, 1, false, false},  {"b8", Type::kB8, 1, false, false},
    {"b16", Type::kB16, 2, false, false},    {"b32", Type::kB32, 4, false, false},
    {"b64", Type::kB64, 8, false, false},    {"b128", Type::kB128, 16, false, false},
    {"u8", Type::kU8, 1, false, false},      {"u16", Type::kU16, 2, false, false},
    {"u32", Type::kU32, 4, false, false},    {"u64", Type::kU64, 8, false, false},
    {"s8", Type::kS8, 1, true, false},       {"s16", Type::kS16, 2, true, false},
    {"s32", Type::kS32, 4, true, false},     {"s64", Type::kS64, 8, true, false},
    {"f16", Type::kF16, 2, true, true},      {"f16x2", Type::kF16x2, 4, true, true},
    {"bf16", Type::kBF16, 2, true, true},    {"bf16x2", Type::kBF16x2, 4, true, true},
    {"f32", Type::kF32, 4, true, true},      {"f64", Type::kF64, 8, true, true},
    {"s16x2", Type::kS16x2, 4, true, false}, {"u16x2", Type::kU16x2, 4, false, false},
};

const TypeRow *row_of(Type type) {
  for (const TypeRow &row : kTypes)
    if (row.type == type) return &row;
  return nullptr;
}

std::vector<std::string> split(const std::string &word) {
  std::vector<std::string> parts(1);
  for (const char c : word) {
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

class Parser {
 public:
  explicit Parser(const std::string &text) : text_(text), tokens_(tokens_of(text)) {}

  ModuleText module() {
    while (now().kind != Token::Kind::kEnd) module_item();
    if (module_.version == 0 || module_.target == 0) fail("it has no .version or no .target");
    return std::move(module_);
  }

 private:
  struct Named {
    bool is_register = false;
    uint32_t number = 0;
    const Variable *variable = nullptr;
  };
  struct Linkage {
    bool visible = false, external = false;
  };

  const Token &now() const { return tokens_[at_]; }
  bool is(const char *text) const {
    return (now().kind == Token::Kind::kWord || now().kind == Token::Kind::kSign) && now().text == text;
  }
  bool accept(const char *text) {
    const bool found = is(text);
    at_ += found;
    return found;
  }
  void expect(const char *text) {
    if (!accept(text)) fail("'" + now().text + "' where '" + text + "' should be");
  }
  [[noreturn]] void fail(const std::string &what) const {
    throw BadPtx("line " + std::to_string(now().line) + ": " + what);
  }
  std::string word() {
    if (now().kind != Token::Kind::kWord) fail("'" + now().text + "' is no name");
    return tokens_[at_++].text;
  }
  uint64_t integer() {
    const bool minus = accept("-");
    if (now().kind != Token::Kind::kInteger) fail("'" + now().text + "' is no integer");
    const uint64_t bits = tokens_[at_++].bits;
    return minus ? 0 - bits : bits;
  }

  void module_item() {
    if (accept(".version")) return version();
    if (accept(".target")) return target();
    if (accept(".address_size")) {
      if (integer() != 64) fail("addresses of 32 bits");
      return;
    }
    if (is(".file") || is(".section") || is(".pragma") || is(".alias")) fail("the directive " + now().text);
    Linkage linkage;
    for (;;) {
      if (accept(".visible") || accept(".weak") || accept(".common"))
        linkage.visible = true;
      else if (accept(".extern"))
        linkage.external = true;
      else
        break;
    }
    if (accept(".entry")) return function(true);
    if (accept(".func")) return function(false);
    variable(module_.variables, module_names_, linkage, false);
    expect(";");
  }

  // "9.0" is two words of a lexer that knows no decimal fractions.
  void version() {
    const uint64_t major = integer();
    const std::string minor = word();
    module_.version = int(major) * 10 + std::atoi(minor.c_str() + 1);
  }

  void target() {
    const std::string name = word();
    if (name.compare(0, 3, "sm_") != 0) fail("the target " + name);
    module_.target = std::atoi(name.c_str() + 3);
    if (is(",")) fail("a target with options");
  }

  static bool space_named(const std::string &name, Space &space) {
    static const std::map<std::string, Space> spaces = {{".global", Space::kGlobal},
                                                        {".const", Space::kConst},
                                                        {".shared", Space::kShared},
                                                        {".local", Space::kLocal},
                                                        {".param", Space::kParam}};
    const auto found = spaces.find(name);
    if (found != spaces.end()) space = found->second;
    return found != spaces.end();
  }

  // ".global .align 4 .b8 name[12] = {1, 2}", without the semicolon.
  const Variable &variable(std::deque<Variable> &into, std::map<std::string, Named> &names, Linkage linkage,
                           bool parameter) {
    Variable &made = into.emplace_back();
    made.visible = linkage.visible;
    made.external = linkage.external;
    if (!space_named(now().text, made.space)) fail("the directive " + now().text);
    ++at_;
    while (now().kind == Token::Kind::kWord && now().text[0] == '.') attribute(made);
    if (made.type == Type::kNone) fail("a variable without a type");
    made.name = word();
    made.align = std::max(made.align, bytes_of(made.type));
    if (parameter && accept("<")) fail("a range of parameters");
    made.bytes = bytes_of(made.type) * dimensions(made);
    if (accept("=")) initializer(made);
    names[made.name] = {false, 0, &made};
    return made;
  }

  void attribute(Variable &made) {
    const std::string name = word();
    const Type type = type_named(name.substr(1));
    if (type != Type::kNone) {
      made.type = type;
      return;
    }
    if (name == ".align")
      made.align = unsigned(integer());
    else if (name == ".ptr")
      return pointer_attribute();
    else
      fail("the attribute " + name);
  }

  // Of a parameter: ".ptr .global .align 4", which promises more than is checked here.
  void pointer_attribute() {
    Space ignored;
    if (space_named(now().text, ignored)) ++at_;
    if (accept(".align")) integer();
  }

  uint64_t dimensions(Variable &made) {
    uint64_t count = 1;
    while (accept("[")) {
      if (accept("]")) {
        made.dynamic = true;
        return 0;
      }
      count *= integer();
      expect("]");
    }
    return count;
  }

  void initializer(Variable &made) {
    int depth = 0;
    do {
      while (accept("{")) ++depth;
      if (!is("}")) element(made);
      while (accept("}")) --depth;
      if (depth > 0) accept(",");
    } while (depth > 0);
    if (made.initial.size() > made.bytes) fail(made.name + " has more initial values than room");
  }

  void element(Variable &made) {
    const unsigned bytes = bytes_of(made.type);
    uint64_t bits = 0;
    if (now().kind == Token::Kind::kFloat) {
      if (now().type != made.type) fail("an initial value of another type");
      bits = tokens_[at_++].bits;
    } else if (now().kind == Token::Kind::kWord) {
      reference(made);
    } else {
      bits = integer();
    }
    for (unsigned k = 0; k < bytes; ++k) made.initial.push_back(uint8_t(bits >> (8 * k)));
  }

  void reference(Variable &made) {
    if (bytes_of(made.type) != 8) fail("a part of an address as an initial value");
    Variable::Reference made_reference{made.initial.size(), word(), 0};
    const bool generic = made_reference.of == "generic";
    if (generic) {
      expect("(");
      made_reference.of = word();
      expect(")");
    }
    if (accept("+")) made_reference.plus = int64_t(integer());
    made.references.push_back(made_reference);
  }

  void parameters(std::deque<Variable> &into) {
    if (!accept("(")) return;
    while (!accept(")")) {
      if (is(".reg")) fail("a parameter in a register");
      const Variable &made = variable(into, function_names_, {}, true);
      if (made.space != Space::kParam || made.dynamic) fail("the parameter " + made.name);
      accept(",");
    }
  }

  FunctionText &function_called(const std::string &name) {
    for (FunctionText &known : module_.functions)
      if (known.name == name) return known;
    FunctionText &made = module_.functions.emplace_back();
    made.name = name;
    return made;
  }

  void function(bool entry) {
    function_names_.clear();
    std::deque<Variable> results;
    if (!entry) parameters(results);
    FunctionText &made = function_called(word());
    if (made.defined) fail(made.name + " is defined twice");
    made.entry = entry;
    made.results = std::move(results);
    made.parameters.clear();
    for (Variable &result : made.results) function_names_[result.name] = {false, 0, &result};
    parameters(made.parameters);
    while (now().kind == Token::Kind::kWord) function_directive(made);
    if (accept(";")) return;
    made.defined = true;
    scopes_.assign(1, function_names_);
    body_ = &made.body;
    expect("{");
    block();
    body_ = nullptr;
  }

  void function_directive(FunctionText &made) {
    const std::string name = word();
    if (name == ".maxntid" || name == ".reqntid") {
      uint64_t threads = integer();
      while (accept(",")) threads *= integer();
      made.most_threads = int(threads);
    } else if (name == ".minnctapersm" || name == ".maxnreg" || name == ".maxnctapersm") {
      integer();
    } else if (name != ".noreturn") {
      fail("the directive " + name);
    }
  }

  // To the closing brace. Blocks within it are kept on a stack, as their depth is the text's.
  void block() {
    while (!scopes_.empty()) {
      if (accept("}")) {
        scopes_.pop_back();
        block_.resize(block_.empty() ? 0 : block_.rfind('/'));
      } else if (accept("{")) {
        scopes_.emplace_back();
        block_ += "/" + std::to_string(++blocks_);
      } else {
        body_item();
      }
    }
  }

  void body_item() {
    if (now().kind == Token::Kind::kWord && tokens_[at_ + 1].text == ":" && now().text[0] != '.') return label();
    if (accept(".reg")) return registers();
    if (accept(".pragma")) return pragma();
    if (accept(".loc")) return location();
    if (now().kind == Token::Kind::kWord && now().text[0] == '.') {
      const Variable &made = variable(body_->locals, scopes_.back(), {}, false);
      if (made.space == Space::kParam && made.dynamic) fail("a parameter without a size");
      return expect(";");
    }
    statement();
  }

  void label() {
    const std::string name = word();
    expect(":");
    if (accept(".branchtargets") || accept(".calltargets")) {
      auto &targets = body_->branch_tables[name];
      do targets.push_back(word());
      while (accept(","));
      return expect(";");
    }
    if (is(".callprototype")) fail("a call through a pointer");
    if (!body_->labels.emplace(name + block_, uint32_t(body_->statements.size())).second)
      fail("the label " + name + " twice");
  }

  void pragma() {
    // The second tells which bytes of the next load are wanted: fewer may be loaded, and all of them are here.
    static const std::set<std::string> known = {"nounroll", "used_bytes_mask"};
    if (!known.count(now().text.substr(0, now().text.find(' ')))) fail("the pragma " + now().text);
    ++at_;
    expect(";");
  }

  void location() {
    while (now().kind == Token::Kind::kInteger) ++at_;
  }

  void registers() {
    const std::string type_name = word();
    const Type type = type_named(type_name.substr(1));
    if (type == Type::kNone) fail("registers of the type " + type_name);
    do {
      const std::string name = word();
      const bool many = accept("<");
      const uint64_t count = many ? integer() : 1;
      if (many) expect(">");
      if (count > 1u << 20) fail("too many registers");
      for (uint64_t k = 0; k < count; ++k) {
        scopes_.back()[many ? name + std::to_string(k) : name] = {true, uint32_t(body_->registers.size()), nullptr};
        body_->registers.push_back(type);
      }
    } while (accept(","));
    expect(";");
  }

  const Named *find(const std::string &name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const auto found = scope->find(name);
      if (found != scope->end()) return &found->second;
    }
    const auto found = module_names_.find(name);
    return found == module_names_.end() ? nullptr : &found->second;
  }

  void statement() {
    Statement made;
    made.line = now().line;
    const size_t begin = now().begin;
    if (accept("@")) guard(made);
    std::vector<std::string> parts = split(word());
    made.opcode = parts.front();
    made.modifiers.assign(parts.begin() + 1, parts.end());
    while (!is(";")) {
      made.operands.push_back(operand());
      if (!is(";") && !is("(") && !accept(",")) fail("'" + now().text + "' behind an operand");
    }
    made.text = text_.substr(begin, now().begin - begin);
    std::replace_if(
        made.text.begin(), made.text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    made.block = block_;
    expect(";");
    body_->statements.push_back(std::move(made));
  }

  void guard(Statement &made) {
    made.guarded = true;
    made.guard_negated = accept("!");
    const Operand predicate = named(word());
    if (predicate.kind != Operand::Kind::kRegister || body_->registers[predicate.number] != Type::kPred)
      fail("a guard that is no predicate");
    made.guard = predicate.number;
  }

  Operand named(const std::string &name) {
    Operand made;
    made.name = name;
    if (name == "_") return made;
    const Named *const found = find(name);
    if (found && found->is_register) {
      made.kind = Operand::Kind::kRegister;
      made.number = found->number;
    } else if (found) {
      made.kind = Operand::Kind::kVariable;
      made.variable = found->variable;
    } else {
      made.kind = name[0] == '%' ? Operand::Kind::kSpecial : Operand::Kind::kName;
    }
    return made;
  }

  Operand number() {
    Operand made;
    const bool floating = now().kind == Token::Kind::kFloat;
    made.kind = floating ? Operand::Kind::kFloat : Operand::Kind::kInteger;
    made.type = floating ? now().type : Type::kNone;
    made.bits = floating ? tokens_[at_++].bits : integer();
    return made;
  }

  Operand operand() {
    if (accept("[")) return address();
    if (accept("{")) return several("}", Operand::Kind::kVector);
    if (accept("(")) return several(")", Operand::Kind::kList);
    if (accept("!")) {
      Operand made = operand();
      made.negated = true;
      return made;
    }
    if (now().kind != Token::Kind::kWord) return number();
    Operand made = named(word());
    if (accept("|")) made.parts.push_back(named(word()));
    if (made.kind == Operand::Kind::kVariable && accept("+")) made.offset = int64_t(integer());
    return made;
  }

  Operand several(const char *end, Operand::Kind kind) {
    Operand made;
    made.kind = kind;
    while (!accept(end)) {
      made.parts.push_back(operand());
      accept(",");
    }
    return made;
  }

  Operand address() {
    Operand made;
    made.kind = Operand::Kind::kAddress;
    made.parts.push_back(now().kind == Token::Kind::kWord ? named(word()) : number());
    if (accept("+"))
      made.offset = int64_t(integer());
    else if (is("-"))
      made.offset = int64_t(integer());
    expect("]");
    return made;
  }

  const std::string &text_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  ModuleText module_;
  std::map<std::string, Named> module_names_, function_names_;
  std::vector<std::map<std::string, Named>> scopes_;
  std::string block_;  // as Statement's
  uint32_t blocks_ = 0;
  Body *body_ = nullptr;
};

}  // namespace

Type type_named(const std::string &name) {
  for (const TypeRow &row : kTypes)
    if (name == row.name) return row.type;
  return Type::kNone;
}

unsigned bytes_of(Type type) {
  const TypeRow *const row = row_of(type);
  return row ? row->bytes : 0;
}

bool is_signed(Type type) {
  const TypeRow *const row = row_of(type);
  return row && row->is_signed;
}

bool is_float(Type type) {
  const TypeRow *const row = row_of(type);
  return row && row->is_float;
}

ModuleText parse(const std::string &text) { return Parser(text).module(); }

}  // namespace fake_cuda::ptx
