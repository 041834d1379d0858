// core/kernels/text/kernel_text.cpp -- see kernel_text.h.
#include "core/kernels/text/kernel_text.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <string_view>

#include "core/kernels/text/kernel_overloads.h"
#include "core/kernels/text/kernel_words.h"

namespace gpuopt {
namespace {

std::vector<const std::string *> texts_of(const UserKernel &source) {
  return {&source.operation, &source.preamble, &source.loop_prep, &source.after_loop,
          &source.combine,   &source.finish,   &source.identity,  &source.reduce_type};
}

std::set<std::string> words_of(const UserKernel &source) {
  std::set<std::string> words;
  for (const std::string *text : texts_of(source)) collect_words(*text, words);
  return words;
}

// The code of each of the author's texts.
class Codes {
 public:
  explicit Codes(const UserKernel &source) {
    for (const std::string *text : texts_of(source))
      if (!text->empty()) codes_.emplace_back(*text);
  }

  // Returns the union of what `collect` finds in each text.
  template <class Found>
  Found all(void (KernelCode::*collect)(Found &) const) const {
    Found found;
    for (const KernelCode &code : codes_) (code.*collect)(found);
    return found;
  }
  bool have_global_names() const {
    return std::any_of(codes_.begin(), codes_.end(), std::mem_fn(&KernelCode::has_global_names));
  }

 private:
  std::deque<KernelCode> codes_;
};

// The parts that the texts of all kinds of kernels have in common.
class Writer {
 protected:
  Writer(const UserKernel &source, const BoundTypes &types)
      : s_(source), types_(types), codes_(source), macros_(codes_.all(&KernelCode::collect_macros)) {
    if (s_.generated && macros_.count(s_.name)) macros_.clear();  // the function is a macro, which may use other macros
  }

  // Writes the includes and opens the namespaces. The headers declare only those functions that the text uses
  // (GPO_USES_...), not those whose names are variables of it (GPO_VARIABLE_...), and none that the author declares
  // (GPO_DECLARES_...); with GPO_GLOBAL_NAMES they are global, too, as a text that says ::sin expects.
  void head(const char *more) {
    std::set<std::string> words = words_of(s_);
    for (const std::string &name : s_.names) collect_words(name, words);  // as in "kernel<half>"
    for (const std::string &word : words)
      if (is_name(word)) out_ << "#define GPO_USES_" << word << "\n";
    for (const std::string &word : codes_.all(&KernelCode::collect_variables))
      out_ << "#define GPO_VARIABLE_" << word << "\n";
    for (const std::string &word : codes_.all(&KernelCode::collect_functions))
      out_ << "#define GPO_DECLARES_" << word << "\n";
    if (codes_.have_global_names()) out_ << "#define GPO_GLOBAL_NAMES 1\n";
    out_ << "#include \"plugins/shared/user/" << more << ".h\"\n#include \"plugins/shared/user/functions_used.h\"\n";
    if (binds(GPUOPT_COMPLEX64) || binds(GPUOPT_COMPLEX128))
      out_ << "#include \"plugins/shared/math/complex_functions.h\"\n";
    // Texts may ask which device they are compiled for: the answer is the oldest one that NVIDIA's compiler knows.
    out_ << "#if !defined(__CUDA_ARCH__)\n#define __CUDA_ARCH__ 750\n#endif\n#if !defined(__CUDACC__)\n#define "
            "__CUDACC__ 1\n#endif\n";
    out_ << "namespace gpuopt_kernel {\nusing namespace ::gpo::user;\n";
    for (const auto &[letter, dtype] : types_.all()) out_ << "using " << letter << " = " << own_type(dtype) << ";\n";
    out_ << "namespace gpuopt_text {\n";  // declarations of the author hide those above
  }
  void end() { out_ << "}\n}\n"; }
  // Makes a function of the author's namespace visible at global scope.
  void use(const std::string &function) { out_ << "using gpuopt_kernel::gpuopt_text::" << function << ";\n"; }
  std::string finished() {
    end();
    use(kernel_symbol(s_));
    return out_.str();
  }

  // Define the author's macros for the author's lines, and undefine them for generated text, which they could change.
  // Generated text between the two calls must consist of keywords and names that begin with gpuopt_. NVIDIA's compiler
  // has no push_macro; there the directives are repeated, and macros that cannot be repeated stay defined.
  void show_macros() {
    if (hidden_)
      for (const auto &[macro, directive] : macros_) of_both("#pragma pop_macro(\"" + macro + "\")", directive);
    hidden_ = false;
  }
  void hide_macros() {
    for (const auto &[macro, directive] : macros_) {
      const std::string forget = "#undef " + macro;
      of_both("#pragma push_macro(\"" + macro + "\")\n" + forget, directive.empty() ? "" : forget);
    }
    hidden_ = true;
  }
  void of_both(const std::string &others, const std::string &nvidia) {
    out_ << "\n#if defined(__CUDACC_RTC__)\n" << nvidia << "\n#else\n" << others << "\n#endif\n";
  }

  // Writes lines of the author's; compiler messages call them `what` and count them from 1. The generated text `close`,
  // which ends them, counts as part of the last line, since a compiler reports there what is missing in them.
  void lines(const std::string &text, const char *what, const char *close = "") {
    const std::string title = '"' + s_.name + (*what ? " " : "") + what + '"';
    out_ << "\n#line 1 " << title << "\n" << text << "\n";
    if (*close)
      out_ << "#line " << 1 + std::count(text.begin(), text.end(), '\n') << " " << title << "\n" << close << "\n";
    out_ << "#line 1 \"gpuopt\"\n";
  }
  // Writes a text of the author's, with the author's macros defined.
  void users(const std::string &text, const char *what, const char *close = "") {
    if (text.empty()) {
      out_ << close;
      return;
    }
    show_macros();
    lines(text, what, close);
    hide_macros();
  }

  // Returns whether a parameter has this dtype.
  bool binds(gpuopt_dtype dtype) const {
    for (size_t k = 0; k < s_.parameters.count(); ++k)
      if (types_.of(s_.parameters.at(k)) == dtype) return true;
    return false;
  }

  std::string type_of(size_t k) const { return own_type(types_.of(s_.parameters.at(k))); }
  // Returns the type of an array's elements: const unless the kernel writes them.
  std::string element_of(size_t k) const { return (s_.parameters.at(k).written ? "" : "const ") + type_of(k); }
  std::string raw_of(size_t k, const ArgumentForm &form) const {
    return "::gpo::user::Raw<" + element_of(k) + ", " + std::to_string(form.ndim) + ">";
  }

  const UserKernel &s_;
  const BoundTypes &types_;
  std::ostringstream out_;

 private:
  const Codes codes_;
  std::map<std::string, std::string> macros_;
  bool hidden_ = false;
};

class ElementwiseWriter : Writer {
 public:
  ElementwiseWriter(const UserKernel &source, const BoundTypes &types, const ElementwiseForm &form)
      : Writer(source, types), form_(form) {}

  std::string text() {
    head(s_.header);
    users(s_.preamble, s_.preamble_title);
    signature();
    loop();
    out_ << "}\n";
    return finished();
  }

 private:
  void signature() {
    out_ << "extern \"C\" __global__ void " << kernel_symbol(s_) << "(";
    for (size_t k = 0; k < s_.parameters.count(); ++k) {
      const std::string &name = s_.parameters.at(k).name;
      switch (form_.arguments[k].kind) {
        case ArgumentForm::kNumber:
          out_ << "const " << type_of(k) << " " << name;
          break;
        case ArgumentForm::kPacked:
          out_ << "const ::gpo::user::Packed<" << element_of(k) << "> gpuopt_of_" << name;
          break;
        case ArgumentForm::kStrided:
          out_ << "const ::gpo::user::Strided<" << element_of(k) << ", " << form_.ndim << "> gpuopt_of_" << name;
          break;
        case ArgumentForm::kRaw:
          out_ << "const " << raw_of(k, form_.arguments[k]) << " " << name;
          break;
      }
      out_ << ", ";
    }
    if (form_.strided()) out_ << "const ::gpo::user::Sizes<" << form_.ndim << "> gpuopt_sizes, ";
    if (form_.index_ndim >= 0) out_ << "const ::gpo::user::Sizes<" << form_.index_ndim << "> gpuopt_shape, ";
    out_ << "const ::gpo::i64 gpuopt_n) {\n";
  }

  void loop() {
    if (form_.index_ndim >= 0)
      out_ << "::gpo::user::Indexer<" << form_.index_ndim << "> _ind(gpuopt_n, gpuopt_shape);\n";
    users(s_.loop_prep, "loop_prep");
    const bool rows = form_.strided() || form_.index_ndim >= 0;
    out_ << ";\nfor (::gpo::i64 " << (rows ? "gpuopt_i" : "i")
         << " = ::gpo::user::first_index(gpuopt_n), gpuopt_last = ::gpo::user::last_index(gpuopt_n); ";
    if (rows) {
      begin_row();
    } else {
      out_ << "i < gpuopt_last; i += ::gpo::user::index_step()) {\n";
    }
    elements();
    out_ << s_.before_operation;
    s_.generated ? void(out_ << s_.operation << ";") : users(s_.operation, "", ";");
    out_ << s_.after_operation << (rows ? ";\n}\ngpuopt_i += ::gpo::user::row_step(gpuopt_run);\n}\n" : ";\n}\n");
    users(s_.after_loop, "after_loop");
    out_ << ";\n";
  }

  // Begins the loop over rows and, inside it, the loop over the elements of a row. Coordinates are computed once for
  // each row, since division is expensive, and a loop along a row can be vectorized.
  void begin_row() {
    out_ << "gpuopt_i < gpuopt_last;) {\n::gpo::i64 gpuopt_run = gpuopt_last - gpuopt_i;\n";
    if (form_.strided())
      out_ << "const ::gpo::user::Place<" << form_.ndim
           << "> gpuopt_row(gpuopt_i, gpuopt_sizes);\n"
              "gpuopt_run = ::gpo::user::row_length(gpuopt_row, gpuopt_sizes, gpuopt_run);\n";
    if (form_.index_ndim >= 0)
      out_ << "const ::gpo::user::Indexer<" << form_.index_ndim
           << "> gpuopt_row_ind(gpuopt_n, gpuopt_shape, gpuopt_i);\n"
              "gpuopt_run = gpuopt_row_ind.row_length(gpuopt_run);\n";
    out_ << "for (::gpo::i64 gpuopt_k = 0; gpuopt_k < gpuopt_run; gpuopt_k++) {\n"
            "[[maybe_unused]] const ::gpo::i64 i = gpuopt_i + gpuopt_k;\n";
    if (form_.strided()) out_ << "const ::gpo::user::Place<" << form_.ndim << "> gpuopt_place(gpuopt_row, gpuopt_k);\n";
    if (form_.index_ndim >= 0)
      out_ << "const ::gpo::user::Indexer<" << form_.index_ndim << "> _ind(gpuopt_row_ind, gpuopt_k);\n";
  }

  // Declares references to the current elements, under the names of the parameters.
  void elements() {
    for (size_t k = 0; k < s_.parameters.count(); ++k) {
      const std::string &name = s_.parameters.at(k).name;
      const auto kind = form_.arguments[k].kind;
      if (kind != ArgumentForm::kPacked && kind != ArgumentForm::kStrided) continue;
      out_ << element_of(k) << " &" << name << " = gpuopt_of_" << name << ".at("
           << (kind == ArgumentForm::kPacked ? "i" : "gpuopt_place") << ");\n";
    }
  }

  const ElementwiseForm &form_;
};

class RawWriter : Writer {
 public:
  RawWriter(const UserKernel &source, const BoundTypes &none) : Writer(source, none) {}
  std::string text() {
    head("raw");
    out_ << "\n#line 1 \"" << s_.names.front() << "\"\n"
         << with_shared_alignment(s_.operation) << "\n#line 1 \"gpuopt\"\n";
    end();
    // A name with template arguments or namespaces may refer to anything in the author's text.
    if (std::any_of(s_.names.begin(), s_.names.end(),
                    [&](auto &name) { return !is_plain(function_expression(name, s_.operation)); }))
      out_ << "using namespace gpuopt_kernel;\nusing namespace gpuopt_kernel::gpuopt_text;\n";
    std::set<std::string> functions;
    for (const std::string &name : s_.names) functions.insert(name.substr(0, name.find_first_of("<:( ")));
    for (const std::string &function : functions)
      if (!is_namespace(function)) use(function);
    for (size_t k = 0; k < s_.names.size(); ++k) signature(k);
    return out_.str();
  }

 private:
  // Writes a variable that describes the parameters of function k (plugins/shared/user/signature.h). The author's
  // macros stay defined, since a name may use them, except for `device`: NVIDIA's compiler expands __device__ to that.
  void signature(size_t k) {
    const std::string type = "<decltype(&" + function_expression(s_.names[k], s_.operation) + ")>";
    out_ << "#undef device\nextern \"C\" {\n__device__ gpuopt_signature_type" << type << " gpuopt_signature_" << k
         << " = gpuopt_signature_value" << type << "();\n}\n";
  }

  static bool is_plain(const std::string &name) { return std::all_of(name.begin(), name.end(), is_word_character); }
  bool is_namespace(const std::string &word) const {
    return std::any_of(s_.names.begin(), s_.names.end(),
                       [&](const std::string &name) { return name.compare(0, word.size() + 2, word + "::") == 0; });
  }
};

class FunctionWriter : Writer {
 public:
  FunctionWriter(const UserKernel &source, const BoundTypes &none, const CSignature &signature)
      : Writer(source, none), signature_(signature) {}

  std::string text() {
    head("types");
    users(s_.operation, "");
    std::string parameters, arguments;
    for (size_t k = 0; k < signature_.arguments.size(); ++k) {
      const std::string comma = k ? ", " : "", name = "gpuopt_x" + std::to_string(k);
      parameters += comma + c_type(signature_.arguments[k]) + " " + name;
      arguments += comma + name;
    }
    out_ << "extern \"C\" " << c_type(signature_.result) << " " << kernel_symbol(s_) << "(" << parameters
         << ") {\nreturn " << s_.name << "(" << arguments << ");\n}\n";
    end();
    return out_.str();
  }

 private:
  static std::string c_type(const CType &type) {
    return (type.constant ? "const " : "") + (type.dtype ? own_type(type.dtype) : "void") + (type.address ? " *" : "");
  }

  const CSignature &signature_;
};

class ReductionWriter : Writer {
 public:
  ReductionWriter(const UserKernel &source, const BoundTypes &types, const ReductionForm &form)
      : Writer(source, types), form_(form) {}

  std::string text() {
    head("reduction");
    users(s_.preamble, s_.preamble_title);
    const size_t first_output = s_.parameters.inputs.size();
    if (!s_.reduce_type.empty()) show_macros();
    out_ << "using gpuopt_reduced = " << (s_.reduce_type.empty() ? type_of(first_output) : s_.reduce_type) << ";\n";
    if (!s_.reduce_type.empty()) hide_macros();
    std::set<std::string> before;
    collect_words(s_.preamble, before);
    if (!before.count("_type_reduce")) out_ << "using _type_reduce = gpuopt_reduced;\n";  // else the author has one
    body();
    kernel();
    return finished();
  }

 private:
  bool is_reduced(size_t k) const {
    return k < s_.parameters.inputs.size() && form_.arguments[k].kind == ArgumentForm::kStrided;
  }
  std::string sizes(int ndim) const { return "::gpo::user::Sizes<" + std::to_string(ndim) + ">"; }

  // Returns the type and name of parameter k, with `reference` ("&" or "") between them.
  std::string declaration(size_t k, const char *reference) const {
    const ArgumentForm &form = form_.arguments[k];
    const std::string &name = s_.parameters.at(k).name;
    if (form.kind == ArgumentForm::kNumber) return "const " + type_of(k) + " " + reference + name;
    if (form.kind == ArgumentForm::kRaw) return "const " + raw_of(k, form) + " " + reference + name;
    const std::string outer = std::to_string(form_.outer), inner = std::to_string(form_.inner);
    if (!is_reduced(k))
      return "const ::gpo::user::Strided<" + element_of(k) + ", " + outer + "> " + reference + "gpuopt_of_" + name;
    return "const ::gpo::user::Reduced<" + element_of(k) + ", " + outer + ", " + inner + ", " +
           (form_.packed ? "true" : "false") + "> " + reference + "gpuopt_of_" + name;
  }

  // Writes the Body struct that plugins/shared/user/reduction.h describes.
  void body() {
    out_ << "struct gpuopt_Reduction {\nusing gpuopt_Result = gpuopt_reduced;\nstruct gpuopt_Row {\n";
    for (size_t k = 0; k < s_.parameters.inputs.size(); ++k)
      if (is_reduced(k)) out_ << element_of(k) << " *gpuopt_of_" << s_.parameters.at(k).name << ";\n";
    out_ << "};\n";
    for (size_t k = 0; k < s_.parameters.count(); ++k) out_ << declaration(k, "&") << ";\n";
    out_ << "const " << sizes(form_.outer) << " &gpuopt_outer;\nconst " << sizes(form_.inner) << " &gpuopt_inner;\n";
    row();
    map();
    out_ << "static gpuopt_fn gpuopt_reduced gpuopt_combine(const gpuopt_reduced &gpuopt_a, const gpuopt_reduced "
            "&gpuopt_b) {\n[[maybe_unused]] const gpuopt_reduced &a = gpuopt_a, &b = gpuopt_b;\n";
    result_of(s_.combine, "reduce", s_.generated);
    out_ << "static gpuopt_fn gpuopt_reduced gpuopt_identity() {\n";
    if (s_.has_identity) result_of(s_.identity, "identity", false);
    if (!s_.has_identity) out_ << "return {};\n}\n";  // never called
    finish();
    out_ << "};\n";
  }

  void row() {
    out_ << "gpuopt_fn gpuopt_Row gpuopt_row(::gpo::i64 gpuopt_k) const {\nconst ::gpo::user::Place<" << form_.outer
         << "> gpuopt_place(gpuopt_k, gpuopt_outer);\nreturn {";
    for (size_t k = 0; k < s_.parameters.inputs.size(); ++k)
      if (is_reduced(k)) out_ << "gpuopt_of_" << s_.parameters.at(k).name << ".row(gpuopt_place), ";
    out_ << "};\n}\n";
  }

  void map() {
    out_ << "gpuopt_fn gpuopt_reduced gpuopt_map(const gpuopt_Row &gpuopt_row, ::gpo::i64 gpuopt_j) const {\n"
            "[[maybe_unused]] const ::gpo::i64 _J = gpuopt_j;\n";
    for (size_t k = 0; k < s_.parameters.inputs.size(); ++k) {
      const std::string &name = s_.parameters.at(k).name;
      if (is_reduced(k))
        out_ << element_of(k) << " &" << name << " = gpuopt_of_" << name << ".at(gpuopt_row.gpuopt_of_" << name
             << ", gpuopt_j, gpuopt_inner);\n";
    }
    result_of(s_.operation, "map", s_.generated);
  }

  // Writes the end of a function: it returns the value of an expression, which is the author's unless `ours`.
  void result_of(const std::string &expression, const char *what, bool ours) {
    if (!ours) show_macros();
    out_ << "return static_cast<gpuopt_reduced>(";
    lines(expression, what, ");");
    if (!ours) hide_macros();
    out_ << "}\n";
  }

  void finish() {
    out_ << "gpuopt_fn void gpuopt_finish(::gpo::i64 gpuopt_k, const gpuopt_reduced &gpuopt_a) const {\n"
            "[[maybe_unused]] const gpuopt_reduced &a = gpuopt_a;\nconst ::gpo::user::Place<"
         << form_.outer << "> gpuopt_place(gpuopt_k, gpuopt_outer);\n";
    for (size_t k = s_.parameters.inputs.size(); k < s_.parameters.count(); ++k) {
      const std::string &name = s_.parameters.at(k).name;
      out_ << element_of(k) << " &" << name << " = gpuopt_of_" << name << ".at(gpuopt_place);\n";
    }
    s_.generated ? void(out_ << s_.finish << ";") : users(s_.finish, "post_map", ";");
    out_ << "}\n";
  }

  void kernel() {
    out_ << "extern \"C\" __global__ void " << kernel_symbol(s_) << "(";
    for (size_t k = 0; k < s_.parameters.count(); ++k) out_ << declaration(k, "") << ", ";
    out_ << "const " << sizes(form_.outer) << " gpuopt_outer, const " << sizes(form_.inner)
         << " gpuopt_inner, void *const gpuopt_partials, const ::gpo::user::Sequences gpuopt_sequences, const int "
            "gpuopt_stage) {\nconst gpuopt_Reduction gpuopt_body = {";
    for (size_t k = 0; k < s_.parameters.count(); ++k) {
      const auto kind = form_.arguments[k].kind;
      out_ << (kind == ArgumentForm::kNumber || kind == ArgumentForm::kRaw ? "" : "gpuopt_of_")
           << s_.parameters.at(k).name << ", ";
    }
    out_ << "gpuopt_outer, gpuopt_inner};\n"
            "::gpo::user::reduce(gpuopt_body, gpuopt_partials, gpuopt_sequences, gpuopt_stage);\n}\n";
  }

  const ReductionForm &form_;
};

}  // namespace

const char *cpp_type(gpuopt_dtype d) {
  switch (d) {
    case GPUOPT_BOOL:
      return "bool";
    case GPUOPT_INT8:
      return "int8_t";
    case GPUOPT_INT16:
      return "int16_t";
    case GPUOPT_INT32:
      return "int32_t";
    case GPUOPT_INT64:
      return "int64_t";
    case GPUOPT_UINT8:
      return "uint8_t";
    case GPUOPT_UINT16:
      return "uint16_t";
    case GPUOPT_UINT32:
      return "uint32_t";
    case GPUOPT_UINT64:
      return "uint64_t";
    case GPUOPT_FLOAT16:
      return "float16";
    case GPUOPT_BFLOAT16:
      return "bfloat16";
    case GPUOPT_FLOAT32:
      return "float";
    case GPUOPT_FLOAT64:
      return "double";
    case GPUOPT_COMPLEX64:
      return "complex<float>";
    default:
      return "complex<double>";
  }
}

std::string own_type(gpuopt_dtype dtype) {
  const std::string name = cpp_type(dtype);
  return name == "bool" || name == "float" || name == "double" ? name : "::gpo::user::" + name;
}

bool ElementwiseForm::strided() const {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const ArgumentForm &a) { return a.kind == ArgumentForm::kStrided; });
}

std::string kernel_symbol(const UserKernel &kernel) { return (kernel.raw ? "" : "gpuopt_kernel_") + kernel.name; }

std::string function_text(const UserKernel &source, const CSignature &signature) {
  const BoundTypes none(source.name, {}, {});
  return FunctionWriter(source, none, signature).text();
}

bool wants_index(const UserKernel &source) { return words_of(source).count("_ind"); }

std::string elementwise_text(const UserKernel &source, const BoundTypes &types, const ElementwiseForm &form) {
  return ElementwiseWriter(source, types, form).text();
}

std::string reduction_text(const UserKernel &source, const BoundTypes &types, const ReductionForm &form) {
  return ReductionWriter(source, types, form).text();
}

namespace {

struct MangledName {
  std::string_view name;
  const char *mangled;
};
constexpr MangledName kTypeNames[] = {{"float", "f"},         {"double", "d"},        {"int", "i"},
                                      {"unsigned int", "j"},  {"unsigned", "j"},      {"char", "c"},
                                      {"bool", "b"},          {"short", "s"},         {"unsigned short", "t"},
                                      {"signed char", "a"},   {"unsigned char", "h"}, {"long", "l"},
                                      {"unsigned long", "m"}, {"long long", "x"},     {"unsigned long long", "y"},
                                      {"true", "Lb1E"},       {"false", "Lb0E"}};
constexpr MangledName kNumberSuffixes[] = {{"", "i"}, {"u", "j"}, {"l", "l"}, {"ul", "m"}, {"ll", "x"}, {"ull", "y"}};

// Returns the mangled form of the name in the list; NULL if it is not there.
const char *mangled_in(std::span<const MangledName> list, std::string_view name) {
  const auto place = std::find_if(list.begin(), list.end(), [&](const MangledName &each) { return each.name == name; });
  return place == list.end() ? nullptr : place->mangled;
}

// Returns the mangled form of an argument of a template, a number or a type of the language's own; "" if it is neither.
std::string mangled_argument(const std::string &argument) {
  if (const char *const type = mangled_in(kTypeNames, argument)) return type;
  const bool negative = !argument.empty() && argument[0] == '-';
  const size_t digits = argument.find_first_not_of("0123456789", negative);
  const std::string suffix = digits == std::string::npos ? "" : argument.substr(digits);
  const std::string number = argument.substr(negative, digits == std::string::npos ? digits : digits - negative);
  const char *const kind = mangled_in(kNumberSuffixes, suffix);
  if (number.empty() || !kind) return "";
  return std::string("L") + kind + (negative ? "n" : "") + number + "E";
}

// Returns the mangled form of "name" or "name<argument, argument>"; "" if it is neither.
std::string mangled_part(const std::string &part) {
  const size_t begin = std::min(part.find('<'), part.size());
  const std::string name = part.substr(0, begin);
  if (name.empty() || !std::all_of(name.begin(), name.end(), is_word_character)) return "";
  std::string made = std::to_string(name.size()) + name;
  if (begin == part.size()) return made;
  if (part.back() != '>') return "";
  made += 'I';
  for (size_t at = begin + 1; at < part.size();) {
    const size_t end = std::min(part.find(',', at), part.size() - 1);
    const std::string argument = mangled_argument(part.substr(at, end - at));
    if (argument.empty()) return "";
    made += argument;
    at = part.find_first_not_of(' ', end + 1);
  }
  return made + 'E';
}

}  // namespace

// Mangles the name as the Itanium C++ ABI does, which NVRTC and the host's compilers follow.
std::string variable_symbol(const std::string &name) {
  std::string parts;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find("::", begin), name.size());
    const std::string part = mangled_part(name.substr(begin, end - begin));
    if (part.empty()) return "";
    parts += part;
    begin = end + 2;
  }
  return "_ZN13gpuopt_kernel11gpuopt_text" + parts + "E";
}

std::string signature_symbol(const UserKernel &source) {
  const auto place = std::find(source.names.begin(), source.names.end(), source.name);
  return "gpuopt_signature_" + std::to_string(place - source.names.begin());
}

std::string raw_text(const UserKernel &source) {
  const BoundTypes none(source.name, {}, {});
  return RawWriter(source, none).text();
}

}  // namespace gpuopt
