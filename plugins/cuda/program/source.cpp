// plugins/cuda/program/source.cpp -- see source.h. A kernel's text is a struct that says how one element is read,
// computed and stored; the loops around it are the templates of plugins/cuda/text.
#include "plugins/cuda/program/source.h"

#include <algorithm>
#include <set>

#include "plugins/shared/program/program_check.h"
#include "plugins/shared/program/step_text.h"

namespace gpuopt::cuda {
namespace {

using plugin::op_text;

const char *type_of(int dtype) { return plugin::type_text(dtype); }

const char *reduction_name(int reduction) {
  static const char *const names[] = {
#define GPUOPT_REDUCTION(name, kinds, result, doc) #name,
#include <gpuopt/ops.def>
  };
  return names[reduction];
}

const char *scan_name(int scan) {
  static const char *const names[] = {
#define GPUOPT_SCAN(name, kinds, result, doc) #name,
#include <gpuopt/ops.def>
  };
  return names[scan];
}

std::string text(int64_t number) { return std::to_string(number); }
std::string value(int step) { return plugin::value_text(step); }
std::string word(int number) { return "p.w[" + text(number) + "]"; }
std::string words_from(int number) { return "p.w + " + text(number); }

class SourceWriter {
 public:
  SourceWriter(const gpuopt_step *steps, const Pass &pass, const Shape &shape, const std::string &name)
      : steps_(steps), pass_(pass), shape_(shape), name_(name), words_(place_parameters(pass, shape)) {
    body_ = name + "_body";
    in_element_.resize(pass.operands.size());
    for (const auto *accesses : element_accesses()) {
      for (const PassAccess &access : *accesses) in_element_[access.operand] = true;
    }
  }

  std::vector<KernelSource> run() {
    write_includes();
    write_body();
    std::vector<KernelSource> kernels;
    const std::vector<std::string> calls = kernel_calls();
    for (size_t k = 0; k < calls.size(); k++) {
      KernelSource kernel;
      kernel.entry = calls.size() == 1 ? name_ : name_ + text(static_cast<int64_t>(k));
      kernel.operation = operation();
      kernel.parameter_words = words_.count;
      kernel.threads = block_threads(shape_.kind, k);
      kernel.text = out_ + kernel_head(kernel.entry, words_.count, kernel.threads) + " {\n" +
                    (calls[k].find("(body") != std::string::npos ? "  const " + body_ + " body(p);\n" : "") + "  " +
                    calls[k] + ";\n}\n";
      kernels.push_back(std::move(kernel));
    }
    return kernels;
  }

 private:
  const gpuopt_step &step(int v) const { return steps_[v]; }
  const char *type(int v) const { return type_of(step(v).dtype); }
  const char *operand_type(int o) const { return type_of(pass_.operands[static_cast<size_t>(o)].dtype); }
  Lie lie(int o) const { return shape_.lies[static_cast<size_t>(o)]; }
  int operand_count() const { return static_cast<int>(pass_.operands.size()); }
  bool stored(int o) const { return pass_.operands[static_cast<size_t>(o)].stored; }
  bool varies(int o) const { return lie(o) == Lie::kContiguous || lie(o) == Lie::kStrided; }
  bool in_element(int o) const { return in_element_[static_cast<size_t>(o)]; }
  std::string words_type() const { return "gpo::Words<" + text(words_.count) + ">"; }

  // Returns the accesses that are made for every element. Those of a Reduce's results are made once for each row.
  std::vector<const std::vector<PassAccess> *> element_accesses() const {
    std::vector<const std::vector<PassAccess> *> all = {&pass_.element.loads, &pass_.element.stores};
    if (pass_.kind == PassKind::kScan) {
      all.push_back(&pass_.result.loads);
      all.push_back(&pass_.result.stores);
    }
    return all;
  }

  void line(const std::string &content) { out_ += indent_ + content + "\n"; }
  void open(const std::string &content) {
    line(content + " {");
    indent_ += "  ";
  }
  void close(const char *end = "}") {
    indent_.resize(indent_.size() - 2);
    line(end);
  }

  // ---- includes and names

  void add_includes(const Fragment &fragment, std::set<std::string> &headers) const {
    for (const uint16_t v : fragment.code) {
      const gpuopt_step &s = step(v);
      if (s.kind == GPUOPT_STEP_ELEMENTWISE) headers.insert(op_text(s.index).header);
      if (s.kind == GPUOPT_STEP_CAST) headers.insert("plugins/shared/casts.h");
      if (plugin::is_complex(s.loop_dtype)) headers.insert(plugin::kComplexHeader);
    }
  }

  void write_includes() {
    std::set<std::string> headers;
    add_includes(pass_.element, headers);
    add_includes(pass_.result, headers);
    for (const int v : sequence_steps()) {
      if (plugin::is_complex(step(v).loop_dtype)) headers.insert(plugin::kComplexHeader);
    }
    static const char *const skeletons[] = {"map", "reduce", "scan"};
    line(std::string("#include \"plugins/cuda/text/") + skeletons[static_cast<int>(pass_.kind)] + ".h\"");
    for (const std::string &header : headers) line("#include \"" + header + "\"");
    line("");
  }

  std::vector<int> sequence_steps() const {
    if (pass_.kind == PassKind::kScan) return {pass_.scan};
    return {pass_.reductions.begin(), pass_.reductions.end()};
  }

  // Returns the names of the first few functions, for messages.
  std::string operation() const {
    std::vector<std::string> names;
    for (const Fragment *fragment : {&pass_.element, &pass_.result}) {
      for (const uint16_t v : fragment->code)
        names.push_back(step(v).kind == GPUOPT_STEP_CAST ? "cast" : op_text(step(v).index).name);
      if (fragment != &pass_.element) continue;
      for (const int v : sequence_steps())
        names.push_back(pass_.kind == PassKind::kScan ? scan_name(step(v).index) : reduction_name(step(v).index));
    }
    constexpr size_t kNamed = 6;
    std::string joined;
    for (size_t i = 0; i < std::min(names.size(), kNamed); i++) joined += (i ? ", " : "") + names[i];
    return names.empty() ? "copy" : names.size() > kNamed ? joined + ", ..." : joined;
  }

  // ---- the body

  void write_body() {
    line("struct " + body_ + " {");
    indent_ = "  ";
    line("using P = " + words_type() + ";");
    line(std::string("using Index = gpo::") + (shape_.wide ? "u64;" : "u32;"));
    write_members();
    write_row();
    if (pass_.kind == PassKind::kMap) {
      write_vectors();
      write_map();
    } else {
      write_position();
      if (pass_.kind == PassKind::kReduce) {
        write_partial();
        write_reads();
        if (shape_.vector > 1) write_wide();
        write_reduce();
        write_finish();
      } else {
        write_scan();
      }
    }
    indent_.clear();
    line("};\n");
  }

  // Writes the members, which the constructor initialises: constants, and the values of operands that are kUniform.
  void write_members() {
    line("const P &p;");
    std::string initial = "p(q)";
    for (const auto &[v, number] : words_.constants) {
      line(std::string("const ") + type(v) + " c" + text(v) + ";");
      initial += ", c" + text(v) + "(gpo::constant<" + type(v) + ">(" + words_from(number) + "))";
    }
    for (int o = 0; o < operand_count(); o++) {
      if (!in_element(o) || lie(o) != Lie::kUniform) continue;
      line(std::string("const ") + operand_type(o) + " u" + text(o) + ";");
      initial += ", u" + text(o) + "(gpo::load(" + pointer(o) + "(" + word(address(o)) + ")))";
    }
    line("GPO_FN explicit " + body_ + "(const P &q) : " + initial + " {}\n");
  }

  int address(int o) const { return words_.address[static_cast<size_t>(o)]; }
  int outer_strides(int o) const { return words_.outer_strides[static_cast<size_t>(o)]; }
  int inner_strides(int o) const { return words_.inner_strides[static_cast<size_t>(o)]; }
  std::string pointer(int o) const {
    return std::string("gpo::pointer<") + (stored(o) ? "" : "const ") + operand_type(o) + ">";
  }
  // Returns the text of a pointer to an operand's first element of the row with coordinates `at`.
  std::string row_pointer(int o) const {
    if (lie(o) == Lie::kUniform || shape_.outer == 0) return pointer(o) + "(" + word(address(o)) + ")";
    return pointer(o) + "(" + word(address(o)) + ", gpo::offset(at, " + words_from(outer_strides(o)) + "))";
  }
  // Returns the text of the coordinates of row `number`.
  std::string place_of(const char *number) const {
    return "gpo::place<" + text(shape_.outer) + ", Index>(" + number + ", " + words_from(words_.outer_sizes) + ")";
  }

  // Writes struct Row, what elements of a row have in common (values of operands that are kRow, pointers for others),
  // and the function row() that fills it.
  void write_row() {
    open("struct Row");
    bool any = false;
    for (int o = 0; o < operand_count(); o++) {
      if (!in_element(o) || lie(o) == Lie::kUniform) continue;
      any = true;
      const bool is_value = lie(o) == Lie::kRow && !stored(o);
      line(is_value ? std::string(operand_type(o)) + " u" + text(o) + ";"
                    : std::string(stored(o) ? "" : "const ") + operand_type(o) + " *a" + text(o) + ";");
    }
    close("};");
    const bool placed = any && shape_.outer > 0;
    open(std::string("GPO_FN Row row(gpo::u64") + (placed ? " number" : "") + ") const");
    if (placed) line("const auto at = " + place_of("number") + ";");
    line("Row r;");
    for (int o = 0; o < operand_count(); o++) {
      if (!in_element(o) || lie(o) == Lie::kUniform) continue;
      const bool is_value = lie(o) == Lie::kRow && !stored(o);
      line(is_value ? "r.u" + text(o) + " = gpo::load(" + row_pointer(o) + ");"
                    : "r.a" + text(o) + " = " + row_pointer(o) + ";");
    }
    line("return r;");
    close();
  }

  // ---- fragments

  void write_code(const Fragment &fragment) {
    for (const uint16_t v : fragment.constants)
      line(std::string("const ") + type(v) + " " + value(v) + " = c" + text(v) + ";");
    for (const uint16_t v : fragment.code) {
      const gpuopt_step &s = step(v);
      std::string call = s.kind == GPUOPT_STEP_CAST ? std::string("gpo::cast<") + type(v) + ">("
                                                    : std::string("gpo::ops::") + op_text(s.index).name + "::apply(";
      for (int i = 0; i < s.nsrc; i++) call += (i ? ", " : "") + value(s.src[i]);
      line(std::string("const ") + type(v) + " " + value(v) + " = " + call + ");");
    }
  }

  // Writes the values that a fragment loads. `read(o)` is the text for an operand that varies along the row; others
  // were loaded with the row, or by the constructor.
  template <class Read>
  void write_loads(const Fragment &fragment, Read read) {
    for (const PassAccess &load : fragment.loads) {
      const std::string name = "u" + text(load.operand);
      const std::string from = varies(load.operand) ? read(load.operand) : in_row(load.operand) + name;
      line(std::string("const ") + type(load.step) + " " + value(load.step) + " = " + from + ";");
    }
  }
  std::string in_row(int o) const { return lie(o) == Lie::kUniform ? "" : "row."; }

  // ---- Map

  // Writes Reads and Writes, the elements that one step of a Map loads and stores.
  void write_vectors() {
    write_vector_struct("Reads", false);
    write_vector_struct("Writes", true);
  }
  void write_vector_struct(const char *struct_name, bool of_stores) {
    line("template <int n>");
    open(std::string("struct ") + struct_name);
    for (int o = 0; o < operand_count(); o++) {
      if (stored(o) == of_stores && (of_stores || varies(o)))
        line(std::string("gpo::Vector<") + operand_type(o) + ", n> x" + text(o) + ";");
    }
    close("};");
  }

  bool any_varies() const {
    for (int o = 0; o < operand_count(); o++) {
      if (!stored(o) && varies(o)) return true;
    }
    return false;
  }

  void write_map() {
    const bool reads = any_varies();
    line("template <int n>");
    open(reads ? "GPO_FN void read(const Row &row, gpo::u64 i, Reads<n> &reads) const"
               : "GPO_FN void read(const Row &, gpo::u64, Reads<n> &) const");
    for (int o = 0; o < operand_count(); o++) {
      if (!stored(o) && varies(o)) line("reads.x" + text(o) + " = gpo::load<n>(row.a" + text(o) + " + i);");
    }
    close();
    line("template <int n>");
    open("GPO_FN void evaluate(const Row &row, const Reads<n> &reads, Writes<n> &writes, int j) const");
    write_loads(pass_.element, [](int o) { return "reads.x" + text(o) + ".get(j)"; });
    write_code(pass_.element);
    for (const PassAccess &store : pass_.element.stores)
      line("writes.x" + text(store.operand) + ".set(j, " + value(store.step) + ");");
    close();
    line("template <int n>");
    const bool indexed = std::any_of(pass_.element.stores.begin(), pass_.element.stores.end(),
                                     [&](const PassAccess &store) { return varies(store.operand); });
    open(std::string("GPO_FN void write(const Row &row, gpo::u64") + (indexed ? " i" : "") +
         ", const Writes<n> &writes) const");
    for (const PassAccess &store : pass_.element.stores) {
      const std::string o = text(store.operand);
      line("gpo::store<n>(row.a" + o + (varies(store.operand) ? " + i" : "") + ", writes.x" + o + ");");
    }
    close();
  }

  // ---- sequences

  // Returns the type in which elements of a sequence are numbered. It is 64-bit, like addresses, if all that varies is
  // contiguous along one dimension: elements that are read ahead are then at constant distances. A split reduction
  // would take more registers for that, so that fewer of its blocks would run at a time.
  const char *position_index() const {
    bool dense = shape_.kind == KernelKind::kReduceRows && !shape_.split && shape_.inner == 1;
    for (int o = 0; o < operand_count(); o++) dense &= !in_element(o) || lie(o) != Lie::kStrided;
    return dense ? "gpo::u64" : "Index";
  }
  void write_position() {
    const std::string parameters = "<" + text(shape_.inner) + ", " + position_index() + ">";
    line("using Position = gpo::Place" + parameters + ";");
    open("GPO_FN Position position(gpo::u64 i) const");
    line("return gpo::place" + parameters + "(i, " + words_from(words_.inner_sizes) + ");");
    close();
  }

  // Returns the text of a pointer to an operand's element at position `at` of a sequence.
  std::string element_pointer(int o) const {
    std::string first = "row.a" + text(o);
    if (lie(o) == Lie::kContiguous) return first + " + at.at[0]";
    if (lie(o) == Lie::kStrided)
      return "gpo::step(" + first + ", gpo::offset(at, " + words_from(inner_strides(o)) + "))";
    return first;
  }
  void write_stores(const Fragment &fragment) {
    for (const PassAccess &store : fragment.stores)
      line("gpo::store(" + element_pointer(store.operand) + ", " + value(store.step) + ");");
  }

  std::string reduction(uint16_t v) const { return std::string("gpo::reduce::") + reduction_name(step(v).index); }

  // Returns the list of item(reduction, number) over the reductions, in braces.
  template <class Item>
  std::string each(Item item) const {
    std::string list;
    for (size_t k = 0; k < pass_.reductions.size(); k++)
      list += (k ? ", " : "") + item(reduction(pass_.reductions[k]), text(static_cast<int64_t>(k)));
    return "{" + list + "}";
  }

  void write_partial() {
    for (size_t k = 0; k < pass_.reductions.size(); k++) {
      const uint16_t v = pass_.reductions[k];
      line("using A" + text(static_cast<int64_t>(k)) + " = " + reduction(v) + "::accumulator<" +
           type_of(step(v).loop_dtype) + ">;");
    }
    open("struct Partial");
    for (size_t k = 0; k < pass_.reductions.size(); k++) {
      const std::string number = text(static_cast<int64_t>(k));
      const std::string type = "A" + number;  // 16 bytes are moved at once
      line("alignas(sizeof(" + type + ") == 16 ? 16 : alignof(" + type + ")) " + type + " a" + number + ";");
    }
    close("};");
    open("GPO_FN static Partial identity()");
    line("return " + each([](const auto &op, const auto &k) { return op + "::identity<A" + k + ">()"; }) + ";");
    close();
    open("GPO_FN static Partial combine(const Partial &x, const Partial &y)");
    line("return " + each([](const auto &op, const auto &k) { return op + "::combine(x.a" + k + ", y.a" + k + ")"; }) +
         ";");
    close();
    open("GPO_FN static Partial shuffle_down(const Partial &x, int distance)");
    line("return " + each([](const auto &, const auto &k) { return "gpo::shuffle_down(x.a" + k + ", distance)"; }) +
         ";");
    close();
    open("GPO_FN static Partial shuffle(const Partial &x, int lane)");
    line("return " + each([](const auto &, const auto &k) { return "gpo::shuffle(x.a" + k + ", lane)"; }) + ";");
    close();
  }

  void write_reads() {
    open("struct Reads");
    for (int o = 0; o < operand_count(); o++) {
      if (in_element(o) && !stored(o) && varies(o)) line(std::string(operand_type(o)) + " x" + text(o) + ";");
    }
    close("};");
    open("GPO_FN void read(const Row &row, const Position &at, Reads &reads) const");
    for (int o = 0; o < operand_count(); o++) {
      if (in_element(o) && !stored(o) && varies(o))
        line("reads.x" + text(o) + " = gpo::load(" + element_pointer(o) + ");");
    }
    close();
  }

  // Writes f(o) for each operand of which vectors are loaded.
  template <class Line>
  void for_each_wide(Line f) {
    for (int o = 0; o < operand_count(); o++) {
      if (in_element(o) && !stored(o) && varies(o)) line(f(o));
    }
  }
  std::string vector_type(int o) const {
    return std::string("gpo::Vector<") + operand_type(o) + ", " + text(shape_.vector) + ">";
  }

  // Writes the vectors that a lane reads, and how a warp passes them on.
  void write_wide() {
    open("struct Wide");
    for_each_wide([&](int o) { return vector_type(o) + " x" + text(o) + ";"; });
    close("};");
    open("struct Stage");
    for_each_wide([&](int o) { return vector_type(o) + " x" + text(o) + "[gpo::reduce_lanes];"; });
    close("};");
    open("GPO_FN void read_wide(const Row &row, gpo::u64 i, Wide &wide) const");
    for_each_wide([&](int o) {
      return "wide.x" + text(o) + " = gpo::load<" + text(shape_.vector) + ">(row.a" + text(o) + " + i);";
    });
    close();
    open("GPO_FN static void put(Stage &stage, int lane, const Wide &wide)");
    for_each_wide([&](int o) { return "stage.x" + text(o) + "[lane] = wide.x" + text(o) + ";"; });
    close();
    open("GPO_FN static void take(const Stage &stage, int i, Reads &reads)");
    for_each_wide([&](int o) { return "reads.x" + text(o) + " = gpo::element(stage.x" + text(o) + ", i);"; });
    close();
  }

  void write_reduce() {
    open("GPO_FN Partial evaluate(const Row &row, const Position &at, gpo::u64 i, const Reads &reads) const");
    write_loads(pass_.element, [](int o) { return "reads.x" + text(o); });
    write_code(pass_.element);
    write_stores(pass_.element);
    std::string lifts;
    for (size_t k = 0; k < pass_.reductions.size(); k++) {
      const uint16_t v = pass_.reductions[k];
      lifts += (k ? ", " : "") + reduction(v) + "::lift<A" + text(static_cast<int64_t>(k)) + ">(" +
               value(step(v).src[0]) + ", gpo::i64(i))";
    }
    line("return {" + lifts + "};");
    close();
  }

  void write_finish() {
    const bool placed = shape_.outer > 0 && std::any_of(pass_.operands.begin(), pass_.operands.end(),
                                                        [](const PassOperand &o) { return !o.full; });
    open(std::string("GPO_FN void finish(gpo::u64") + (placed ? " number" : "") + ", const Partial &x) const");
    if (placed) line("const auto at = " + place_of("number") + ";");
    for (const PassAccess &load : pass_.result.loads)
      line(std::string("const ") + type(load.step) + " " + value(load.step) + " = gpo::load(" +
           row_pointer(load.operand) + ");");
    for (size_t k = 0; k < pass_.reductions.size(); k++) {
      const uint16_t v = pass_.reductions[k];
      line(std::string("const ") + type(v) + " " + value(v) + " = " + reduction(v) + "::finish(x.a" +
           text(static_cast<int64_t>(k)) + ");");
    }
    write_code(pass_.result);
    for (const PassAccess &store : pass_.result.stores)
      line("gpo::store(" + row_pointer(store.operand) + ", " + value(store.step) + ");");
    close();
  }

  void write_scan() {
    const gpuopt_step &s = step(pass_.scan);
    const std::string op = std::string("gpo::reduce::") + scan_name(s.index);
    const auto read = [&](int o) { return "gpo::load(" + element_pointer(o) + ")"; };
    line("using A = " + std::string(type_of(s.dtype)) + ";");
    open("GPO_FN static A combine(A x, A y)");
    line("return " + op + "::combine(x, y);");
    close();
    open("GPO_FN A source(const Row &row, const Position &at) const");
    write_loads(pass_.element, read);
    write_code(pass_.element);
    line("return " + op + "::lift<A>(" + value(s.src[0]) + ", 0);");
    close();
    open("GPO_FN void result(const Row &row, const Position &at, A " + value(pass_.scan) + ") const");
    write_loads(pass_.result, read);
    write_code(pass_.result);
    write_stores(pass_.result);
    close();
  }

  // ---- the kernels

  // Returns the body of each kernel, a call of a template of plugins/cuda/text.
  std::vector<std::string> kernel_calls() const {
    switch (shape_.kind) {
      case KernelKind::kMapRows:
        return {"gpo::map_rows<" + text(shape_.vector) + ", " + text(reads_ahead(pass_, shape_)) + ">(body, " +
                word(kLengthWord) + ", " + word(kCutWord) + ")"};
      case KernelKind::kMapPoints:
        return {"gpo::map_points<" + text(reads_ahead(pass_, shape_)) + ", " + body_ + "::Index>(body, " +
                word(kRowsWord) + ")"};
      case KernelKind::kReduceRows:
      case KernelKind::kReduceColumns:
        return reduce_calls();
      default:
        return scan_calls();
    }
  }

  std::vector<std::string> reduce_calls() const {
    const bool rows = shape_.kind == KernelKind::kReduceRows;
    const int ahead = reads_ahead(pass_, shape_);
    const std::string wide = shape_.vector > 1 ? ", " + text(shape_.vector) : "";
    const std::string partials = "gpo::pointer<" + body_ + "::Partial>(" + word(kScratchWord) + ")";
    std::vector<std::string> calls = {std::string(rows ? "gpo::reduce_rows<" : "gpo::reduce_columns<") + text(ahead) +
                                      ", " + (shape_.split ? "true" : "false") + wide + ">(body, " + word(kRowsWord) +
                                      ", {" + word(kLengthWord) + ", " + word(kCutWord) + ", " + word(kGroupsWord) +
                                      "}, " + partials + ")"};
    if (shape_.split) calls.push_back("gpo::merge_groups(body, " + word(kGroupsWord) + ", " + partials + ")");
    return calls;
  }

  std::vector<std::string> scan_calls() const {
    const bool rows = shape_.kind == KernelKind::kScanRows;
    const std::string totals = "gpo::pointer<" + body_ + "::A>(" + word(kScratchWord) + ")";
    const auto call = [&](const char *phase) {
      return std::string(rows ? "gpo::scan_rows<" : "gpo::scan_columns<") + "gpo::ScanPhase::" + phase + ">(body, " +
             word(kRowsWord) + ", " + word(kLengthWord) + ", " + word(kCutWord) + ", " + totals + ")";
    };
    if (!shape_.split) return {call("kWhole")};
    return {call("kTotals"), "gpo::scan_carries<" + body_ + ">(" + word(kCutWord) + ", " + totals + ")",
            call("kApply")};
  }

  const gpuopt_step *const steps_;
  const Pass &pass_;
  const Shape &shape_;
  const std::string name_;
  const PassWords words_;
  std::string body_, out_, indent_;
  std::vector<bool> in_element_;
};

}  // namespace

PassWords place_parameters(const Pass &pass, const Shape &shape) {
  PassWords words;
  words.count = kHeaderWords;
  const auto take = [&](int n) {
    const int first = words.count;
    words.count += n;
    return first;
  };
  words.outer_sizes = take(shape.outer);
  words.inner_sizes = take(shape.inner);
  for (const Lie lie : shape.lies) {
    words.address.push_back(take(1));
    words.outer_strides.push_back(lie == Lie::kUniform ? PassWords::kNone : take(shape.outer));
    words.inner_strides.push_back(lie == Lie::kStrided ? take(shape.inner) : PassWords::kNone);
  }
  std::set<uint16_t> constants(pass.element.constants.begin(), pass.element.constants.end());
  constants.insert(pass.result.constants.begin(), pass.result.constants.end());
  for (const uint16_t v : constants) words.constants.emplace_back(v, take(2));
  return words;
}

std::vector<KernelSource> write_kernels(const gpuopt_step *steps, const Pass &pass, const Shape &shape,
                                        const std::string &name) {
  return SourceWriter(steps, pass, shape, name).run();
}

int block_threads(KernelKind kind, size_t kernel) {
  if (kind != KernelKind::kScanRows && kind != KernelKind::kScanColumns) return 256;
  return kernel == 1 ? GPUOPT_LANES : 64;  // scan_carries: a warp
}

namespace {

constexpr int kLanesOfPart = 4;  // `own` of text/reduce.h's fold_part

// Returns about how many steps it takes to find an element: a division for every dimension but one.
int steps_to_find(const Shape &shape) {
  constexpr int kDivision = 4;
  if (shape.kind == KernelKind::kMapRows) return 0;
  return kDivision * (std::max<int>(shape.kind == KernelKind::kMapPoints ? shape.outer : shape.inner, 1) - 1);
}

// Returns the most that reads_ahead() may be. The code of an element is repeated for each one at hand. Long code may be
// repeated less often, since it would take seconds to compile, and more registers than there are.
int most_ahead(const Pass &pass, const Shape &shape) {
  constexpr int kSteps = 96;  // of all elements at hand
  const int steps = static_cast<int>(pass.element.code.size() + pass.reductions.size()) + steps_to_find(shape);
  const int elements = pass.long_steps > 0 ? pass.most_at_once() : std::clamp(kSteps / std::max(steps, 1), 8, 64);
  switch (shape.kind) {
    case KernelKind::kMapRows:
      return std::clamp(elements / shape.vector, 1, 16);
    case KernelKind::kReduceRows:
      return std::clamp(elements / shape.vector, 1, std::min(8, GPUOPT_CHUNK / GPUOPT_LANES / shape.vector));
    case KernelKind::kReduceColumns:
      return std::clamp(elements / kLanesOfPart, 1, 2);
    default:
      return std::min(4, elements);
  }
}

// Returns the bytes that `accesses` read or store for each element, without those that neighbouring elements share.
int bytes_of_element(const Pass &pass, const Shape &shape, const std::vector<PassAccess> &accesses) {
  int bytes = 0;
  for (const PassAccess &access : accesses) {
    const Lie lie = shape.lies[access.operand];
    if (lie == Lie::kUniform || (lie == Lie::kRow && shape.kind != KernelKind::kMapPoints)) continue;
    bytes += plugin::dtype_size(pass.operands[access.operand].dtype);
  }
  return bytes;
}

}  // namespace

int reads_ahead(const Pass &pass, const Shape &shape) {
  const int read = bytes_of_element(pass, shape, pass.element.loads);
  const int bytes = std::max(1, read ? read : bytes_of_element(pass, shape, pass.element.stores));
  const int at_once = shape.kind == KernelKind::kReduceColumns ? kLanesOfPart : shape.vector,
            most = most_ahead(pass, shape);
  int ahead = 1;
  while (ahead < most && ahead * at_once * bytes < kBytesOnTheirWay) ahead *= 2;
  return ahead;
}

}  // namespace gpuopt::cuda
