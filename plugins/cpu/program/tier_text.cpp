// plugins/cpu/program/tier_text.cpp -- see tier_text.h.
#include "plugins/cpu/program/tier_text.h"

#include <algorithm>
#include <set>
#include <vector>

#include "plugins/shared/program/op_table.h"
#include "plugins/shared/program/step_text.h"

namespace gpuopt::cpu {
namespace {

using plugin::op_text;
using plugin::type_text;
using plugin::value_text;

// The instructions [first, last) of a pass, with the steps of the constants and other values that they load, and of
// those results of theirs that something outside reads.
struct Section {
  int number, first, last;
  std::vector<int> constants, sources, results;
};

bool contains(const std::vector<int> &list, int v) { return std::find(list.begin(), list.end(), v) != list.end(); }

Section section_of(const Pass &pass, int number, CodeRange range) {
  Section section{number, range.first, range.last, {}, {}, {}};
  std::vector<int> computed, wanted;
  const auto read_by = [&](size_t i, std::vector<int> &list) {
    for (int k = 0; k < pass.code[i].nsrc; k++) list.push_back(pass.code[i].src[k]);
  };
  std::vector<int> read;
  for (size_t i = 0; i < pass.code.size(); i++) {
    const bool inside = static_cast<int>(i) >= range.first && static_cast<int>(i) < range.last;
    if (inside) computed.push_back(pass.code[i].dst);
    read_by(i, inside ? read : wanted);
  }
  for (const Store &store : pass.stores) wanted.push_back(store.src);
  for (const Reduction &reduction : pass.reductions) wanted.push_back(reduction.src);
  for (const int v : read) {
    if (contains(computed, v) || contains(section.sources, v) || contains(section.constants, v)) continue;
    const auto is_it = [&](const Leaf &leaf) { return leaf.step == v && leaf.kind == PlaceKind::kConstant; };
    const bool constant = std::any_of(pass.leaves.begin(), pass.leaves.end(), is_it);
    (constant ? section.constants : section.sources).push_back(v);
  }
  for (const int v : computed) {
    if (contains(wanted, v)) section.results.push_back(v);
  }
  return section;
}

class TextWriter {
 public:
  explicit TextWriter(const Plan &plan) : plan_(plan) {}

  std::string run() {
    for (const auto *passes : {&plan_.kept_passes, &plan_.full_passes}) {
      for (const Pass &pass : *passes) add_pass(pass);
    }
    std::string text = "#include \"plugins/jit/text/tile.h\"\n";
    for (const std::string &header : headers_) text += "#include \"" + header + "\"\n";
    return text + out_ + "__global__ void " + kTierKernel +
           "(int entry, void *const *values, const long long *pitches, long long rows, long long n) {\n"
           "  switch (entry) {\n" +
           cases_ + "  }\n}\n";
  }

 private:
  const gpuopt_step &step(int v) const { return plan_.steps[static_cast<size_t>(v)]; }
  std::string type(int v) const { return type_text(step(v).dtype); }
  void line(const std::string &content) { out_ += content + "\n"; }

  void add_pass(const Pass &pass) {
    for (int part = 0; part < 2; part++) {
      if (pass.entry[part] < 0) continue;
      const Section section = section_of(pass, pass.entry[part], pass.code_range(part));
      const std::string number = std::to_string(section.number);
      find_headers(pass, section);
      write_element(pass, section, "element" + number);
      const std::vector<Section> stages = stages_of(pass, section);
      for (size_t k = 0; k < stages.size() && stages.size() > 1; k++)
        write_element(pass, stages[k], stage_name(number, k, stages.size()));
      write_loops(pass, section, stages, number);
      write_rows(section, number);
      cases_ += "    case " + number + ": return rows" + number + "(values, pitches, rows, n);\n";
    }
  }

  const gpuopt_step &step_of(const Pass &pass, int i) const { return step(pass.code[static_cast<size_t>(i)].dst); }

  void find_headers(const Pass &pass, const Section &section) {
    for (int i = section.first; i < section.last; i++) {
      const gpuopt_step &s = step_of(pass, i);
      if (s.kind == GPUOPT_STEP_ELEMENTWISE) headers_.insert(op_text(s.index).header);
      if (plugin::is_complex(s.loop_dtype)) headers_.insert(plugin::kComplexHeader);
    }
  }

  // Returns the type of slow-path flags: as wide as the widest elements, so that a vector holds as many flags as
  // elements.
  std::string flag_type(const Pass &pass, const Section &section) const {
    bool wide = false;
    for (int i = section.first; i < section.last; i++) {
      for (const int dtype : {step_of(pass, i).dtype, step_of(pass, i).loop_dtype})
        wide |=
            dtype == GPUOPT_FLOAT64 || dtype == GPUOPT_INT64 || dtype == GPUOPT_UINT64 || dtype == GPUOPT_COMPLEX128;
    }
    return wide ? "gpo::u64" : "gpo::u32";
  }

  std::string call_of(int v) const {
    const gpuopt_step &s = step(v);
    const bool cast = s.kind == GPUOPT_STEP_CAST;
    std::string call = cast ? "gpo::cast<" + type(v) + ">("
                            : std::string("gpo::apply<easy, gpo::ops::") + op_text(s.index).name + ", " +
                                  type_text(s.loop_dtype) + ">(hard";
    for (int i = 0; i < s.nsrc; i++) call += (cast && i == 0 ? "" : ", ") + value_text(s.src[i]);
    return call + ")";
  }

  // Writes the function that computes one element of all results. It returns whether the element needs the slow path;
  // with `easy` it computes fast paths alone (plugins/shared/ops/op.h).
  void write_element(const Pass &pass, const Section &section, const std::string &name) {
    std::string parameters;
    for (const auto *list : {&section.constants, &section.sources}) {
      for (const int v : *list) parameters += (parameters.empty() ? "" : ", ") + type(v) + " " + value_text(v);
    }
    for (const int v : section.results) parameters += ", " + type(v) + " &y" + std::to_string(v);
    const std::string flag = flag_type(pass, section);
    line("template <bool easy>\nGPO_FN " + flag + " " + name + "(" + parameters + ") {\n  " + flag + " hard = 0;");
    for (int i = section.first; i < section.last; i++) {
      const int v = pass.code[static_cast<size_t>(i)].dst;
      line("  const " + type(v) + " " + value_text(v) + " = " + call_of(v) + ";");
    }
    for (const int v : section.results) line("  y" + std::to_string(v) + " = " + value_text(v) + ";");
    line("  return hard;\n}");
  }

  // Returns a constant expression that tells whether an operation has a slow path.
  std::string has_slow_path(const Pass &pass, const Section &section) const {
    std::string condition = "false";
    for (int i = section.first; i < section.last; i++) {
      const gpuopt_step &s = step_of(pass, i);
      if (s.kind == GPUOPT_STEP_ELEMENTWISE)
        condition +=
            std::string(" || gpo::ops::") + op_text(s.index).name + "::has_hard<" + type_text(s.loop_dtype) + ">";
    }
    return condition;
  }

  // Returns a constant expression that tells whether the loop should process blocks: if an operation has a slow path or
  // is long.
  std::string is_blocked(const Pass &pass, const Section &section) const {
    for (int i = section.first; i < section.last; i++) {
      const gpuopt_step &s = step_of(pass, i);
      if (s.kind == GPUOPT_STEP_ELEMENTWISE && plugin::is_long_op(s.index)) return "true";
    }
    return has_slow_path(pass, section);
  }

  // Cuts a section before each long operation but the first. A loop over several of them would be slower than one loop
  // for each: the processor works on those iterations at the same time that fit into its out-of-order window, and if
  // the body is long they are too few to cover the latency of its chain of dependent instructions.
  std::vector<Section> stages_of(const Pass &pass, const Section &section) const {
    std::vector<Section> stages;
    CodeRange range{section.first, section.first};
    bool has_long = false;
    for (; range.last < section.last; range.last++) {
      const gpuopt_step &s = step_of(pass, range.last);
      const bool is_long = s.kind == GPUOPT_STEP_ELEMENTWISE && plugin::is_long_op(s.index);
      if (is_long && has_long) {
        stages.push_back(section_of(pass, section.number, range));
        range.first = range.last;
      }
      has_long |= is_long;
    }
    stages.push_back(section_of(pass, section.number, range));
    return stages;
  }

  // Returns the name of the function that computes one element in a stage.
  static std::string stage_name(const std::string &number, size_t stage, size_t stages) {
    return "element" + number + (stages > 1 ? "_" + std::to_string(stage) : "");
  }

  // Returns the arguments of a section's function for element i. What is in `local` is read from an array y, and all
  // else from an array x.
  static std::string arguments(const Section &section, const std::vector<int> &local = {}) {
    std::string list;
    for (const int v : section.constants) list += (list.empty() ? "" : ", ") + value_text(v);
    for (const int v : section.sources)
      list += (list.empty() ? "" : ", ") +
              ("gpo::element(" + std::string(contains(local, v) ? "y" : "x") + std::to_string(v)) + ", i)";
    for (const int v : section.results) list += ", y" + std::to_string(v) + "[i]";
    return list;
  }

  void write_loops(const Pass &pass, const Section &section, const std::vector<Section> &stages,
                   const std::string &number) {
    line("static void code" + number + "(void *const *values, gpo::i64 n) {");
    for (const int v : section.constants)
      line("  const " + type(v) + " " + value_text(v) + " = gpo::element(static_cast<const " + type(v) + " *>(values[" +
           std::to_string(v) + "]), 0);");
    line("  if constexpr (" + is_blocked(pass, section) + ") {");
    write_blocks(pass, section, stages, number);
    line("  } else {");
    for (const int v : section.sources) line("    " + pointer("const " + type(v), "x", v));
    for (const int v : section.results) line("    " + pointer(type(v), "y", v));
    line("    GPO_INDEPENDENT\n    for (gpo::i64 i = 0; i < n; i++) element" + number + "<false>(" +
         arguments(section) + ");\n  }\n}");
  }

  // Writes the loop over the rows of a tile.
  void write_rows(const Section &section, const std::string &number) {
    std::string begin, next;
    int last = 0;
    for (const auto *list : {&section.constants, &section.sources, &section.results}) {
      for (const int v : *list) {
        const std::string of = std::to_string(v);
        begin += "  row[" + of + "] = values[" + of + "];\n";
        last = std::max(last, v);
        if (list == &section.constants) continue;
        next += "    row[" + of + "] = static_cast<char *>(row[" + of + "]) + pitches[" + of + "];\n";
      }
    }
    line("static void rows" + number +
         "(void *const *values, const long long *pitches, gpo::i64 rows, gpo::i64 n) {\n  void *row[" +
         std::to_string(last + 1) + "];\n" + begin + "  for (gpo::i64 r = 0;;) {\n    code" + number +
         "(row, n);\n    if (++r == rows) return;\n" + next + "  }\n}");
  }

  static std::string pointer(const std::string &type, const char *letter, int v) {
    const std::string number = std::to_string(v);
    return type + " *const " + letter + number + " = static_cast<" + type + " *>(values[" + number + "]);";
  }

  // Writes the loop over blocks, with a loop for each stage. Values that later stages read go to local arrays, and so
  // do results that overwrite a source, which a later stage or the slow path reads again.
  void write_blocks(const Pass &pass, const Section &section, const std::vector<Section> &stages,
                    const std::string &number) {
    for (const int v : section.results) write_is_apart(section, v);
    line("    for (gpo::i64 first = 0; first < n; first += gpo::tile_block) {");
    line("      const gpo::i64 count = n - first < gpo::tile_block ? n - first : gpo::tile_block;");
    for (const int v : section.sources) {
      const std::string of = std::to_string(v);
      line("      gpo::Block<" + type(v) + "> b" + of + ";\n      const " + type(v) + " *const x" + of + " = b" + of +
           ".of(values[" + of + "], first, count);");
    }
    for (const int v : section.results) {
      const std::string of = std::to_string(v);
      line("      " + type(v) + " r" + of + "[gpo::tile_block], *const y" + of + " = apart" + of +
           " && count == gpo::tile_block ? static_cast<" + type(v) + " *>(values[" + of + "]) + first : r" + of + ";");
    }
    std::string any, hard;
    std::vector<int> local = section.results;
    for (size_t k = 0; k < stages.size(); k++) {
      const std::string of = std::to_string(k);
      write_stage(pass, stages[k], of, stage_name(number, k, stages.size()), local);
      any += (k > 0 ? " | any" : "any") + of;
      hard += (k > 0 ? " | (slow" : "(slow") + of + " && hard" + of + "[i])";
    }
    line("      if (__builtin_expect((" + any + ") != 0, 0)) {\n        GPO_ONE_BY_ONE");
    line("        for (int i = 0; i < gpo::tile_block; i++) {\n          if (" + hard + ") element" + number +
         "<false>(" + arguments(section) + ");\n        }\n      }");
    for (const int v : section.results) {
      const std::string of = std::to_string(v);
      line("      if (y" + of + " == r" + of + ") __builtin_memcpy(static_cast<" + type(v) + " *>(values[" + of +
           "]) + first, r" + of + ", static_cast<gpo::u64>(count) * sizeof(" + type(v) + "));");
    }
    line("    }");
  }

  // Writes the loop of a stage, and the arrays for its values that are not in `local` yet.
  void write_stage(const Pass &pass, const Section &stage, const std::string &of, const std::string &function,
                   std::vector<int> &local) {
    for (const int v : stage.results) {
      if (contains(local, v)) continue;
      line("      " + type(v) + " y" + std::to_string(v) + "[gpo::tile_block];");
      local.push_back(v);
    }
    const std::string flag = flag_type(pass, stage);
    line("      constexpr bool slow" + of + " = " + has_slow_path(pass, stage) + ";");
    line("      " + flag + " hard" + of + "[gpo::tile_block], any" + of + " = 0;");
    line("      GPO_INDEPENDENT\n      for (int i = 0; i < gpo::tile_block; i++) {\n        const " + flag +
         " is_hard = " + function + "<true>(" + arguments(stage, local) + ");");
    line("        if constexpr (slow" + of + ") hard" + of + "[i] = is_hard, any" + of + " |= is_hard;\n      }");
  }

  // Writes whether a result is stored elsewhere than where a source is read.
  void write_is_apart(const Section &section, int result) {
    std::string condition = "true";
    for (const int v : section.sources)
      condition += " && values[" + std::to_string(v) + "] != values[" + std::to_string(result) + "]";
    line("    const bool apart" + std::to_string(result) + " = " + condition + ";");
  }

  const Plan &plan_;
  std::set<std::string> headers_;
  std::string out_, cases_;
};

}  // namespace

std::string tier_text(const Plan &plan) { return TextWriter(plan).run(); }

}  // namespace gpuopt::cpu
