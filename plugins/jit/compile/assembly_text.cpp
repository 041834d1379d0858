// plugins/jit/compile/assembly_text.cpp -- see assembly_text.h.
#include "plugins/jit/compile/assembly_text.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace gpuopt::jit {
namespace {

constexpr std::string_view kSpecial[] = {"laneid",
                                         "warpid",
                                         "nwarpid",
                                         "smid",
                                         "nsmid",
                                         "gridid",
                                         "tid",
                                         "ntid",
                                         "ctaid",
                                         "nctaid",
                                         "lanemask_eq",
                                         "lanemask_le",
                                         "lanemask_lt",
                                         "lanemask_ge",
                                         "lanemask_gt",
                                         "clock",
                                         "clock_hi",
                                         "clock64",
                                         "globaltimer_lo",
                                         "globaltimer_hi",
                                         "globaltimer",
                                         "clusterid",
                                         "nclusterid",
                                         "cluster_ctaid",
                                         "cluster_nctaid",
                                         "cluster_ctarank",
                                         "cluster_nctarank",
                                         "total_smem_size",
                                         "dynamic_smem_size",
                                         "aggr_smem_size"};

bool is_in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Walks over a text, and copies it but for what is to be changed.
class Walk {
 public:
  Walk(const std::string &code, bool for_host) : code_(code), for_host_(for_host) {}

  std::string changed() {
    while (at_ < code_.size()) {
      if (skip_blank()) continue;
      const std::string_view name = name_here();
      copy(std::max<size_t>(name.size(), 1));
      if (name == "asm" || name == "__asm" || name == "__asm__") statement();
    }
    return std::move(out_);
  }

 private:
  char peek(size_t by = 0) const { return at_ + by < code_.size() ? code_[at_ + by] : '\0'; }
  void copy(size_t count) {
    out_.append(code_, at_, count);
    at_ += count;
  }

  // Copies a comment, literal or space that begins here.
  bool skip_blank() {
    size_t end = at_;
    if (code_.compare(at_, 2, "//") == 0) {
      end = code_.find('\n', at_);
    } else if (code_.compare(at_, 2, "/*") == 0) {
      end = code_.find("*/", at_ + 2);
      if (end != std::string::npos) end += 2;
    } else if (peek() == '"' || peek() == '\'') {
      end = end_of_literal();
    } else {
      while (end < code_.size() && std::isspace(static_cast<unsigned char>(code_[end]))) end++;
    }
    end = std::min(end, code_.size());
    if (end == at_) return false;
    copy(end - at_);
    return true;
  }
  size_t end_of_literal() const {
    size_t end = at_ + 1;
    while (end < code_.size() && code_[end] != code_[at_]) end += code_[end] == '\\' ? 2 : 1;
    return end + 1;
  }

  // The name or number that begins here. The ' in a number begins no literal.
  std::string_view name_here() const {
    size_t end = at_;
    const bool number = std::isdigit(static_cast<unsigned char>(peek()));
    while (end < code_.size() && (is_in_name(code_[end]) || (number && code_[end] == '\''))) end++;
    return std::string_view(code_).substr(at_, end - at_);
  }

  // asm volatile ( texts : outputs : inputs : clobbers )
  void statement() {
    for (std::string_view name = "volatile"; !name.empty();) {
      while (skip_blank()) {
      }
      name = name_here();
      copy(name.size());
    }
    if (peek() != '(') return;
    int depth = 0, section = 0;
    while (at_ < code_.size()) {
      const char c = peek();
      if (depth == 1 && c == '"') {
        literal(section);
        continue;
      }
      if (skip_blank()) continue;
      depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
      if (depth == 1 && c == ':') section++;
      copy(std::max<size_t>(name_here().size(), 1));
      if (depth == 0) return;
    }
  }

  // A literal of a statement: 0 is the section of the texts, 1 and 2 are those of operands.
  void literal(int section) {
    const size_t end = std::min(end_of_literal(), code_.size());
    while (at_ < end) {
      if (section == 0 && peek() == '%') {
        percent();
      } else if (for_host_ && (section == 1 || section == 2) && is_register(peek())) {
        out_ += 'r';
        at_++;
      } else {
        copy(1);
      }
    }
  }
  static bool is_register(char c) { return std::string_view("hlfdq").find(c) != std::string_view::npos; }

  void percent() {
    copy(1);
    if (peek() == '%') return copy(1);
    const std::string_view name = name_here();
    if (std::find(std::begin(kSpecial), std::end(kSpecial), name) != std::end(kSpecial)) out_ += '%';
  }

  const std::string &code_;
  const bool for_host_;
  size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string parsable_assembly(const std::string &code, bool for_host) {
  return code.find("asm") == std::string::npos ? code : Walk(code, for_host).changed();
}

}  // namespace gpuopt::jit
