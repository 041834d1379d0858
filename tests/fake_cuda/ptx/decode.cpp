// tests/fake_cuda/ptx/decode.cpp -- what all families of opcodes have in common, and the making of a module.
#include "tests/fake_cuda/ptx/decode.h"

#include <algorithm>

namespace fake_cuda::ptx {
namespace {

const Families &families() {
  static const Families known = [] {
    Families made;
    for (const auto add :
         {add_integer, add_bits, add_float, add_compare, add_convert, add_memory, add_atomics, add_flow})
      add(made);
    return made;
  }();
  return known;
}

const std::map<std::string, Special> &specials() {
  static const std::map<std::string, Special> known = {
      {"%tid.x", Special::kTidX},
      {"%tid.y", Special::kTidY},
      {"%tid.z", Special::kTidZ},
      {"%ntid.x", Special::kNtidX},
      {"%ntid.y", Special::kNtidY},
      {"%ntid.z", Special::kNtidZ},
      {"%ctaid.x", Special::kCtaidX},
      {"%ctaid.y", Special::kCtaidY},
      {"%ctaid.z", Special::kCtaidZ},
      {"%nctaid.x", Special::kNctaidX},
      {"%nctaid.y", Special::kNctaidY},
      {"%nctaid.z", Special::kNctaidZ},
      {"%laneid", Special::kLaneid},
      {"%warpid", Special::kWarpid},
      {"%nwarpid", Special::kNwarpid},
      {"%smid", Special::kSmid},
      {"%nsmid", Special::kNsmid},
      {"%gridid", Special::kGridid},
      {"%lanemask_eq", Special::kLanemaskEq},
      {"%lanemask_le", Special::kLanemaskLe},
      {"%lanemask_lt", Special::kLanemaskLt},
      {"%lanemask_ge", Special::kLanemaskGe},
      {"%lanemask_gt", Special::kLanemaskGt},
      {"%dynamic_smem_size", Special::kDynamicShared},
      {"%total_smem_size", Special::kTotalShared},
      {"%envreg1", Special::kWorkspaceHigh},
      {"%envreg2", Special::kWorkspaceLow},
      {"%clock", Special::kClock},
      {"%clock64", Special::kClock},
      {"%globaltimer", Special::kClock},
      {"%globaltimer_lo", Special::kClock},
  };
  return known;
}

Row special_row(Special of) { return kSpecialRow | uint32_t(of); }

}  // namespace

Decoder::Decoder(Module &of_module, Function &of_function, const Statement &of_statement)
    : statement(of_statement), function(of_function), module(of_module), left_(of_statement.modifiers) {
  op.statement = &statement;
  op.guarded = statement.guarded;
  op.guard_negated = statement.guard_negated;
  if (op.guarded) op.guard = function.place[statement.guard];
}

bool Decoder::take(const char *modifier) {
  const auto found = std::find(left_.begin(), left_.end(), modifier);
  if (found == left_.end()) return false;
  left_.erase(found);
  return true;
}

Type Decoder::take_type() {
  for (auto at = left_.begin(); at != left_.end(); ++at) {
    const Type type = type_named(*at);
    if (type == Type::kNone) continue;
    left_.erase(at);
    return type;
  }
  unknown("it has no type");
}

Rounding Decoder::take_rounding(bool needed) {
  if (take("rn")) return Rounding::kNearest;
  if (take("rz")) return Rounding::kZero;
  if (take("rm")) return Rounding::kDown;
  if (take("rp")) return Rounding::kUp;
  if (needed) unknown("it names no rounding, so that multiplications and additions may be contracted");
  return Rounding::kNearest;
}

const Operand &Decoder::operand(size_t number) const {
  if (number >= statement.operands.size()) unknown("it has too few operands");
  return statement.operands[number];
}

unsigned Decoder::register_bytes(const Operand &of) const {
  if (of.kind != Operand::Kind::kRegister) unknown("an operand is no register");
  return bytes_of(function.registers[of.number]);
}

Row Decoder::constant(uint64_t bits) {
  const auto [found, is_new] = function.constant_rows.try_emplace(bits, 0);
  if (is_new) {
    found->second = kConstantRow | uint32_t(function.constants.size() / kLanes);
    function.constants.insert(function.constants.end(), kLanes, bits);
  }
  return found->second;
}

Row Decoder::in(const Operand &from, Type type, bool wider) {
  const unsigned bytes = bytes_of(type);
  const uint64_t mask = bytes >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * bytes)) - 1;
  switch (from.kind) {
    case Operand::Kind::kRegister: {
      const Type declared = function.registers[from.number];
      if (declared == Type::kPred) unknown("a predicate among values");
      if (bytes_of(declared) != bytes && !(wider && bytes_of(declared) > bytes)) unknown("a register of another width");
      return function.place[from.number];
    }
    case Operand::Kind::kInteger:
      if (type == Type::kF32 || type == Type::kF64) unknown("an integer where a floating-point number should be");
      return constant(from.bits & mask);
    case Operand::Kind::kFloat:
      if (bytes_of(from.type) != bytes) unknown("a number of another width");
      return constant(from.bits);
    case Operand::Kind::kSpecial: {
      const auto found = specials().find(from.name);
      if (found != specials().end()) return special_row(found->second);
      if (from.name == "WARP_SZ") return constant(kLanes);
      unknown("the special register " + from.name);
    }
    case Operand::Kind::kVariable: {
      const auto found = module.addresses.find(from.variable);
      if (from.variable->space == Space::kShared) function.shared.insert(from.variable);
      if (found != module.addresses.end()) return constant((found->second + uint64_t(from.offset)) & mask);
      const auto own = function.places.find(from.variable);
      if (own != function.places.end() && from.variable->space == Space::kParam && function.text->entry)
        return constant(own->second + uint64_t(from.offset));
      unknown("the address of " + from.name);
    }
    default:
      if (from.kind == Operand::Kind::kName && from.name == "WARP_SZ") return constant(kLanes);
      unknown("an operand of an unknown kind");
  }
}

Row Decoder::out(const Operand &to, Type type, bool wider) {
  if (to.kind == Operand::Kind::kSink) return special_row(Special::kSink);
  if (to.kind != Operand::Kind::kRegister) unknown("a result that is no register");
  return in(to, type, wider);
}

uint32_t Decoder::predicate(const Operand &of) const {
  if (of.kind != Operand::Kind::kRegister || function.registers[of.number] != Type::kPred)
    unknown("an operand that is no predicate");
  return function.place[of.number];
}

uint32_t Decoder::predicate_in(const Operand &of, bool &negated) {
  negated = of.negated;
  if (of.kind == Operand::Kind::kInteger) return of.bits ? 1 : 0;
  return predicate(of);
}

void Decoder::operands(Type type, int sources) {
  if (statement.operands.size() != size_t(sources) + 1) unknown("it has another number of operands");
  op.to[0] = out(0, type);
  for (int k = 0; k < sources; ++k) op.from[k] = in(size_t(k) + 1, type);
}

void Decoder::finish() const {
  if (!left_.empty()) unknown("the modifier ." + left_.front());
}

void Decoder::unknown(const std::string &why) const {
  throw BadPtx("line " + std::to_string(statement.line) + ": unknown: " + statement.text +
               (why.empty() ? "" : " (" + why + ")"));
}

namespace {

uint64_t up(uint64_t bytes, uint64_t align) { return (bytes + align - 1) / align * align; }

// ------------------------------------------------------------------------------------------------ variables

constexpr uint64_t kRedZone = 256;  // at least, beside each array

uint64_t behind_all(const Module &module, uint64_t align) {
  const uint64_t end = module.shared.empty() ? 0 : module.shared.back().begin + module.shared.back().bytes;
  return up(end + kRedZone, align);
}

void place_shared(Module &module, const Variable &variable) {
  if (variable.dynamic) return;
  const uint64_t at = behind_all(module, std::max(1u, variable.align));
  module.addresses[&variable] = at;
  module.shared.push_back({variable.name, at, variable.bytes});
}

// What the launch adds begins behind everything else, for all arrays without a size at the same place.
void place_dynamic_shared(Module &module) {
  uint64_t align = 16;
  for (const Variable &variable : module.text.variables)
    if (variable.space == Space::kShared && variable.dynamic) align = std::max<uint64_t>(align, variable.align);
  module.dynamic_begin = behind_all(module, align);
  for (const Variable &variable : module.text.variables)
    if (variable.space == Space::kShared && variable.dynamic) module.addresses[&variable] = module.dynamic_begin;
}

void place_all(Module &module) {
  for (const Space space : {Space::kConst, Space::kGlobal}) {
    if (space == Space::kConst) module.constant_begin = module.memory_bytes;
    for (const Variable &variable : module.text.variables) {
      if (variable.space != space) continue;
      if (variable.external) throw BadPtx("the variable " + variable.name + " is not in the module");
      module.memory_bytes = up(module.memory_bytes, std::max(8u, variable.align));
      module.addresses[&variable] = module.memory_bytes;
      module.memory_bytes += variable.bytes;
    }
    if (space == Space::kConst) module.constant_end = module.memory_bytes;
  }
  for (const Variable &variable : module.text.variables)
    if (variable.space == Space::kShared) place_shared(module, variable);
  for (const FunctionText &function : module.text.functions)
    for (const Variable &variable : function.body.locals)
      if (variable.space == Space::kShared) place_shared(module, variable);
  place_dynamic_shared(module);
}

void fill(Module &module, const Variable &variable) {
  uint8_t *const to = reinterpret_cast<uint8_t *>(module.addresses[&variable]);
  if (!variable.initial.empty()) std::memcpy(to, variable.initial.data(), variable.initial.size());
  for (const Variable::Reference &reference : variable.references) {
    uint64_t address = 0;
    for (const auto &[other, at] : module.addresses)
      if (other->name == reference.of && other->space != Space::kShared) address = at + uint64_t(reference.plus);
    if (!address) throw BadPtx("the initial value of " + variable.name + " is the address of " + reference.of);
    std::memcpy(to + reference.at, &address, sizeof address);
  }
}

void make_memory(Module &module) {
  place_all(module);
  const size_t bytes = module.memory_bytes + 64;
  module.memory.reset(static_cast<uint8_t *>(::operator new[](bytes, std::align_val_t(256))));
  std::memset(module.memory.get(), 0, bytes);
  const uint64_t base = reinterpret_cast<uint64_t>(module.memory.get());
  module.constant_begin += base;
  module.constant_end += base;
  for (auto &[variable, at] : module.addresses)
    if (variable->space != Space::kShared) at += base;
  for (const Variable &variable : module.text.variables)
    if (variable.space == Space::kConst || variable.space == Space::kGlobal) fill(module, variable);
}

// ------------------------------------------------------------------------------------------------ functions

void place_parameters(Function &function, const std::deque<Variable> &variables) {
  for (const Variable &variable : variables) {
    if (variable.space != Space::kParam) continue;
    function.parameter_bytes = uint32_t(up(function.parameter_bytes, std::max(1u, variable.align)));
    function.places[&variable] = function.parameter_bytes;
    function.parameter_bytes += uint32_t(variable.bytes);
  }
}

void place_locals(Function &function) {
  for (const Variable &variable : function.text->body.locals) {
    if (variable.space != Space::kLocal) continue;
    function.local_bytes = uint32_t(up(function.local_bytes, std::max(1u, variable.align)));
    function.places[&variable] = function.local_bytes;
    function.local_bytes += uint32_t(variable.bytes);
  }
  function.local_bytes = uint32_t(up(function.local_bytes, 16));
}

// A kernel's parameters are the launch's, and begin at 0; those of calls are in the frame.
void begin(Function &function, const FunctionText &text) {
  function.text = &text;
  function.registers = text.body.registers;
  for (const Type type : function.registers)
    function.place.push_back(type == Type::kPred ? function.predicates++ : function.rows++);
  place_parameters(function, text.parameters);
  place_parameters(function, text.results);
  place_parameters(function, text.body.locals);
  function.parameter_bytes = uint32_t(up(function.parameter_bytes, 16));
  place_locals(function);
}

void decode(Module &module, Function &function) {
  for (const Statement &statement : function.text->body.statements) {
    Decoder decoder(module, function, statement);
    const auto family = families().find(statement.opcode);
    if (family == families().end()) decoder.unknown("the opcode");
    family->second(decoder);
    decoder.finish();
    function.ops.push_back(decoder.op);
  }
  // Who comes to the end returns.
  static const Statement at_end = {"ret", {}, "the end of the function", false, false, 0, {}, "", 0};
  function.ops.push_back(Decoder(module, function, at_end).op);
  function.ops.back().flow = Flow::kReturn;
}

// To callers, what those use that they call; false once all have it.
bool pass_on_shared(Module &module) {
  bool more = false;
  for (Function &function : module.functions) {
    const size_t before = function.shared.size();
    for (const CallSite &site : function.calls)
      function.shared.insert(site.callee->shared.begin(), site.callee->shared.end());
    more = more || function.shared.size() != before;
  }
  return more;
}

}  // namespace

uint32_t shared_bytes_of(const Module &module, const char *kernel) {
  uint64_t bytes = 0;
  for (const Variable *variable : module.by_name.at(kernel)->shared)
    if (!variable->dynamic) bytes = up(bytes, std::max(1u, variable->align)) + variable->bytes;
  return uint32_t(bytes);
}

std::shared_ptr<Module> load_module(const std::string &text) {
  auto module = std::make_shared<Module>();
  module->text = parse(text);
  make_memory(*module);
  for (const FunctionText &function : module->text.functions) {
    if (!function.defined) continue;
    Function &made = module->functions.emplace_back();
    begin(made, function);
    module->by_name[function.name] = &made;
  }
  for (Function &function : module->functions) decode(*module, function);
  while (pass_on_shared(*module)) {
  }
  return module;
}

}  // namespace fake_cuda::ptx
