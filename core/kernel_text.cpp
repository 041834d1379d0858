// core/kernel_text.cpp -- see kernel_text.h.
#include "kernel_text.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

namespace gpuopt {
namespace {

const char *type_name(gpuopt_dtype d) {
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

std::set<std::string> words_of(const ElementwiseSource &source) {
  std::set<std::string> words;
  for (const std::string *text : {&source.operation, &source.preamble, &source.loop_prep, &source.after_loop})
    collect_words(*text, words);
  return words;
}

class Writer {
 public:
  Writer(const ElementwiseSource &source, const BoundTypes &types, const ElementwiseForm &form)
      : s_(source), types_(types), form_(form) {}

  std::string text() {
    includes();
    out_ << "namespace gpuopt_kernel {\nusing namespace gpo::user;\n";
    for (const auto &[letter, dtype] : types_.all()) out_ << "using " << letter << " = " << type_name(dtype) << ";\n";
    users(s_.preamble, "preamble");
    signature();
    loop();
    out_ << "}\n}\nusing gpuopt_kernel::" << kernel_symbol(s_.name) << ";\n";
    return out_.str();
  }

 private:
  // The user's own lines, counted from 1 in what the compiler says.
  void users(const std::string &text, const char *what) {
    if (text.empty()) return;
    out_ << "#line 1 \"" << s_.name << (*what ? " " : "") << what << "\"\n" << text << "\n#line 1 \"gpuopt\"\n";
  }

  void includes() {
    for (const std::string &word : words_of(s_))
      if (is_word(word[0]) && !std::isdigit(static_cast<unsigned char>(word[0])))
        out_ << "#define GPO_USES_" << word << "\n";
    out_ << "#include \"plugins/shared/user/arrays.h\"\n#include \"plugins/shared/user/functions_used.h\"\n";
    if (binds(GPUOPT_COMPLEX64) || binds(GPUOPT_COMPLEX128))
      out_ << "#include \"plugins/shared/math/complex_functions.h\"\n";
  }

  bool binds(gpuopt_dtype dtype) const {
    for (size_t k = 0; k < s_.parameters.count(); ++k)
      if (types_.of(s_.parameters.at(k)) == dtype) return true;
    return false;
  }

  void signature() {
    out_ << "extern \"C\" __global__ void " << kernel_symbol(s_.name) << "(";
    for (size_t k = 0; k < s_.parameters.count(); ++k) {
      const KernelParameter &p = s_.parameters.at(k);
      const std::string type = type_name(types_.of(p)), element = (p.written ? "" : "const ") + type;
      switch (form_.arguments[k].kind) {
        case ArgumentForm::kNumber:
          out_ << "const " << type << " " << p.name;
          break;
        case ArgumentForm::kPacked:
          out_ << "const Packed<" << element << "> _" << p.name;
          break;
        case ArgumentForm::kStrided:
          out_ << "const Strided<" << element << ", " << form_.ndim << "> _" << p.name;
          break;
        case ArgumentForm::kRaw:
          out_ << "const Raw<" << element << ", " << form_.arguments[k].ndim << "> " << p.name;
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
    out_ << ";\nfor (gpo::i64 i = gpo::user::first_index(_n), _last = gpo::user::last_index(_n); i < _last; i += "
            "gpo::user::index_step()) {\n";
    if (form_.strided()) out_ << "const Place<" << form_.ndim << "> _place(i, _sizes);\n";
    if (form_.index_ndim >= 0) out_ << "_ind.set(i);\n";
    for (size_t k = 0; k < s_.parameters.count(); ++k) {
      const KernelParameter &p = s_.parameters.at(k);
      const auto kind = form_.arguments[k].kind;
      if (kind != ArgumentForm::kPacked && kind != ArgumentForm::kStrided) continue;
      out_ << (p.written ? "" : "const ") << type_name(types_.of(p)) << " &" << p.name << " = _" << p.name << ".at("
           << (kind == ArgumentForm::kPacked ? "i" : "_place") << ");\n";
    }
    users(s_.operation, "");
    out_ << ";\n}\n";
    users(s_.after_loop, "after_loop");
    out_ << ";\n";
  }

  const ElementwiseSource &s_;
  const BoundTypes &types_;
  const ElementwiseForm &form_;
  std::ostringstream out_;
};

}  // namespace

bool ElementwiseForm::strided() const {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const ArgumentForm &a) { return a.kind == ArgumentForm::kStrided; });
}

std::string kernel_symbol(const std::string &name) { return "gpuopt_kernel_" + name; }

bool wants_index(const ElementwiseSource &source) { return words_of(source).count("_ind"); }

std::string elementwise_text(const ElementwiseSource &source, const BoundTypes &types, const ElementwiseForm &form) {
  return Writer(source, types, form).text();
}

}  // namespace gpuopt
