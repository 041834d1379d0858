// core/kernel_text.cpp -- see kernel_text.h.
#include "kernel_text.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

namespace gpuopt {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Every identifier and number in a text, whether it is code, a comment or a string: too many names do no harm.
void collect_words(const std::string &text, std::set<std::string> &words) {
  for (size_t begin = 0; begin < text.size();) {
    if (!is_word(text[begin])) {
      ++begin;
      continue;
    }
    size_t end = begin;
    while (end < text.size() && is_word(text[end])) ++end;
    words.insert(text.substr(begin, end - begin));
    begin = end;
  }
}

std::set<std::string> words_of(const UserKernel &source) {
  std::set<std::string> words;
  for (const std::string *text : {&source.operation, &source.preamble, &source.loop_prep, &source.after_loop,
                                  &source.combine, &source.finish, &source.identity, &source.reduce_type})
    collect_words(*text, words);
  return words;
}

// What the texts of all kernels have in common.
class Writer {
 protected:
  Writer(const UserKernel &source, const BoundTypes &types) : s_(source), types_(types) {}

  void head(const char *more) {
    for (const std::string &word : words_of(s_))
      if (is_word(word[0]) && !std::isdigit(static_cast<unsigned char>(word[0])))
        out_ << "#define GPO_USES_" << word << "\n";
    out_ << "#include \"plugins/shared/user/" << more << ".h\"\n#include \"plugins/shared/user/functions_used.h\"\n";
    if (binds(GPUOPT_COMPLEX64) || binds(GPUOPT_COMPLEX128))
      out_ << "#include \"plugins/shared/math/complex_functions.h\"\n";
    out_ << "namespace gpuopt_kernel {\nusing namespace gpo::user;\n";
    for (const auto &[letter, dtype] : types_.all()) out_ << "using " << letter << " = " << cpp_type(dtype) << ";\n";
  }
  void end() { out_ << "}\n"; }
  // Makes a function of the namespace known outside of it.
  void use(const std::string &function) { out_ << "using gpuopt_kernel::" << function << ";\n"; }
  std::string finished() {
    end();
    use(kernel_symbol(s_));
    return out_.str();
  }

  // The user's own lines, counted from 1 in what the compiler says.
  void users(const std::string &text, const char *what) {
    if (text.empty()) return;
    out_ << "\n#line 1 \"" << s_.name << (*what ? " " : "") << what << "\"\n" << text << "\n#line 1 \"gpuopt\"\n";
  }

  bool binds(gpuopt_dtype dtype) const {
    for (size_t k = 0; k < s_.parameters.count(); ++k)
      if (types_.of(s_.parameters.at(k)) == dtype) return true;
    return false;
  }

  std::string type_of(size_t k) const { return cpp_type(types_.of(s_.parameters.at(k))); }
  // As an element of an array: const unless it is written.
  std::string element_of(size_t k) const { return (s_.parameters.at(k).written ? "" : "const ") + type_of(k); }
  std::string raw_of(size_t k, const ArgumentForm &form) const {
    return "Raw<" + element_of(k) + ", " + std::to_string(form.ndim) + ">";
  }

  const UserKernel &s_;
  const BoundTypes &types_;
  std::ostringstream out_;
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
          out_ << "const Packed<" << element_of(k) << "> _" << name;
          break;
        case ArgumentForm::kStrided:
          out_ << "const Strided<" << element_of(k) << ", " << form_.ndim << "> _" << name;
          break;
        case ArgumentForm::kRaw:
          out_ << "const " << raw_of(k, form_.arguments[k]) << " " << name;
          break;
      }
      out_ << ", ";
    }
    if (form_.strided()) out_ << "const Sizes<" << form_.ndim << "> _sizes, ";
    if (form_.index_ndim >= 0) out_ << "const Sizes<" << form_.index_ndim << "> _shape, ";
    out_ << "const gpo::i64 _n) {\n";
  }

  void loop() {
    if (form_.index_ndim >= 0) out_ << "Indexer<" << form_.index_ndim << "> _ind(_n, _shape);\n";
    users(s_.loop_prep, "loop_prep");
    const bool rows = form_.strided() || form_.index_ndim >= 0;
    out_ << ";\nfor (gpo::i64 " << (rows ? "_i" : "i")
         << " = gpo::user::first_index(_n), _last = gpo::user::last_index(_n); ";
    if (rows) {
      begin_row();
    } else {
      out_ << "i < _last; i += gpo::user::index_step()) {\n";
    }
    elements();
    users(s_.operation, "");
    out_ << (rows ? ";\n}\n_i += gpo::user::row_step(_run);\n}\n" : ";\n}\n");
    users(s_.after_loop, "after_loop");
    out_ << ";\n";
  }

  // Coordinates are found once for each row: division is dear, and along a row a loop over elements can be vectorised.
  void begin_row() {
    out_ << "_i < _last;) {\ngpo::i64 _run = _last - _i;\n";
    if (form_.strided())
      out_ << "const Place<" << form_.ndim << "> _row(_i, _sizes);\n_run = row_length(_row, _sizes, _run);\n";
    if (form_.index_ndim >= 0)
      out_ << "const Indexer<" << form_.index_ndim
           << "> _row_ind(_n, _shape, _i);\n_run = _row_ind.row_length(_run);\n";
    out_ << "for (gpo::i64 _k = 0; _k < _run; _k++) {\n[[maybe_unused]] const gpo::i64 i = _i + _k;\n";
    if (form_.strided()) out_ << "const Place<" << form_.ndim << "> _place(_row, _k);\n";
    if (form_.index_ndim >= 0) out_ << "const Indexer<" << form_.index_ndim << "> _ind(_row_ind, _k);\n";
  }

  // What the author's text reads and writes by name.
  void elements() {
    for (size_t k = 0; k < s_.parameters.count(); ++k) {
      const std::string &name = s_.parameters.at(k).name;
      const auto kind = form_.arguments[k].kind;
      if (kind != ArgumentForm::kPacked && kind != ArgumentForm::kStrided) continue;
      out_ << element_of(k) << " &" << name << " = _" << name << ".at("
           << (kind == ArgumentForm::kPacked ? "i" : "_place") << ");\n";
    }
  }

  const ElementwiseForm &form_;
};

class RawWriter : Writer {
 public:
  RawWriter(const UserKernel &source, const BoundTypes &none) : Writer(source, none) {}
  std::string text() {
    head("raw");
    out_ << "\n#line 1 \"" << s_.names.front() << "\"\n" << s_.operation << "\n#line 1 \"gpuopt\"\n";
    end();
    // The arguments of templates, and what lies in namespaces, are looked for in all of it.
    if (std::any_of(s_.names.begin(), s_.names.end(), [](auto &name) { return !is_plain(name); }))
      out_ << "using namespace gpuopt_kernel;\n";
    std::set<std::string> functions;
    for (const std::string &name : s_.names) functions.insert(name.substr(0, name.find_first_of("<: ")));
    for (const std::string &function : functions)
      if (!is_namespace(function)) use(function);
    return out_.str();
  }

 private:
  static bool is_plain(const std::string &name) { return std::all_of(name.begin(), name.end(), is_word); }
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
      const std::string comma = k ? ", " : "", name = "_x" + std::to_string(k);
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
    return (type.constant ? "const " : "") + std::string(type.dtype ? cpp_type(type.dtype) : "void") +
           (type.address ? " *" : "");
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
    out_ << "using _type_reduce = " << (s_.reduce_type.empty() ? type_of(first_output) : s_.reduce_type) << ";\n";
    body();
    kernel();
    return finished();
  }

 private:
  bool is_reduced(size_t k) const {
    return k < s_.parameters.inputs.size() && form_.arguments[k].kind == ArgumentForm::kStrided;
  }
  std::string sizes(int ndim) const { return "Sizes<" + std::to_string(ndim) + ">"; }

  // The type and the name of parameter k.
  std::string declaration(size_t k, const char *reference) const {
    const ArgumentForm &form = form_.arguments[k];
    const std::string &name = s_.parameters.at(k).name;
    if (form.kind == ArgumentForm::kNumber) return "const " + type_of(k) + " " + reference + name;
    if (form.kind == ArgumentForm::kRaw) return "const " + raw_of(k, form) + " " + reference + name;
    const std::string outer = std::to_string(form_.outer), inner = std::to_string(form_.inner);
    if (!is_reduced(k)) return "const Strided<" + element_of(k) + ", " + outer + "> " + reference + "_" + name;
    return "const Reduced<" + element_of(k) + ", " + outer + ", " + inner + ", " + (form_.packed ? "true" : "false") +
           "> " + reference + "_" + name;
  }

  void body() {
    out_ << "struct _Reduction {\nusing Result = _type_reduce;\nstruct Row {\n";
    for (size_t k = 0; k < s_.parameters.inputs.size(); ++k)
      if (is_reduced(k)) out_ << element_of(k) << " *_" << s_.parameters.at(k).name << ";\n";
    out_ << "};\n";
    for (size_t k = 0; k < s_.parameters.count(); ++k) out_ << declaration(k, "&") << ";\n";
    out_ << "const " << sizes(form_.outer) << " &_outer;\nconst " << sizes(form_.inner) << " &_inner;\n";
    row();
    map();
    static_function("combine(const _type_reduce &a, const _type_reduce &b)", s_.combine, "reduce");
    if (s_.has_identity) static_function("identity()", s_.identity, "identity");
    if (!s_.has_identity) out_ << "static GPO_FN _type_reduce identity() { return {}; }\n";  // never called
    finish();
    out_ << "};\n";
  }

  void row() {
    out_ << "GPO_FN Row row(gpo::i64 _k) const {\nconst Place<" << form_.outer << "> _place(_k, _outer);\nreturn {";
    for (size_t k = 0; k < s_.parameters.inputs.size(); ++k)
      if (is_reduced(k)) out_ << "_" << s_.parameters.at(k).name << ".row(_place), ";
    out_ << "};\n}\n";
  }

  void map() {
    out_ << "GPO_FN _type_reduce map(const Row &_row, gpo::i64 _J) const {\n";
    for (size_t k = 0; k < s_.parameters.inputs.size(); ++k) {
      const std::string &name = s_.parameters.at(k).name;
      if (is_reduced(k))
        out_ << element_of(k) << " &" << name << " = _" << name << ".at(_row._" << name << ", _J, _inner);\n";
    }
    out_ << "return static_cast<_type_reduce>(";
    users(s_.operation, "map");
    out_ << ");\n}\n";
  }

  void static_function(const char *head, const std::string &expression, const char *what) {
    out_ << "static GPO_FN _type_reduce " << head << " {\nreturn static_cast<_type_reduce>(";
    users(expression, what);
    out_ << ");\n}\n";
  }

  void finish() {
    out_ << "GPO_FN void finish(gpo::i64 _k, const _type_reduce &a) const {\nconst Place<" << form_.outer
         << "> _place(_k, _outer);\n";
    for (size_t k = s_.parameters.inputs.size(); k < s_.parameters.count(); ++k) {
      const std::string &name = s_.parameters.at(k).name;
      out_ << element_of(k) << " &" << name << " = _" << name << ".at(_place);\n";
    }
    users(s_.finish, "post_map");
    out_ << ";\n}\n";
  }

  void kernel() {
    out_ << "extern \"C\" __global__ void " << kernel_symbol(s_) << "(";
    for (size_t k = 0; k < s_.parameters.count(); ++k) out_ << declaration(k, "") << ", ";
    out_ << "const " << sizes(form_.outer) << " _outer, const " << sizes(form_.inner)
         << " _inner, void *const _partials, const Sequences _sequences, const int32_t _stage) {\nconst _Reduction "
            "_body = {";
    for (size_t k = 0; k < s_.parameters.count(); ++k) {
      const auto kind = form_.arguments[k].kind;
      out_ << (kind == ArgumentForm::kNumber || kind == ArgumentForm::kRaw ? "" : "_") << s_.parameters.at(k).name
           << ", ";
    }
    out_ << "_outer, _inner};\ngpo::user::reduce(_body, _partials, _sequences, _stage);\n}\n";
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

// As the Itanium C++ ABI encodes nested names, in which NVRTC and the host's compilers agree.
std::string variable_symbol(const std::string &name) {
  std::string parts;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find("::", begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    if (part.empty() || !std::all_of(part.begin(), part.end(), is_word)) return "";
    parts += std::to_string(part.size()) + part;
    begin = end + 2;
  }
  return "_ZN13gpuopt_kernel" + parts + "E";
}

std::string raw_text(const UserKernel &source) {
  const BoundTypes none(source.name, {}, {});
  return RawWriter(source, none).text();
}

}  // namespace gpuopt
