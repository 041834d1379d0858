// core/ufuncs/ufunc_types.h -- what ufuncs are defined for: lists of types, and the core dimensions of generalized
// ones.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/array/view.h"

namespace gpuopt {

struct TypeSignature {
  std::vector<gpuopt_dtype> inputs, outputs;
};

// "float32,float32->float32; float64,float64->float64": at least one, all of as many inputs and outputs. Throws
// ERR_INVALID_ARGUMENT.
std::vector<TypeSignature> parse_types(const std::string &ufunc, const char *types);

// The first whose inputs these can be cast to safely; for numbers the rules of weak scalars hold. Throws ERR_TYPE.
size_t resolved_types(const std::string &ufunc, const std::vector<TypeSignature> &signatures,
                      std::span<const gpuopt_array> inputs);

// "(m,n),(n,p)->(m,p)". Grammar and errors are those of NumPy's generalized ufuncs ("Generalized universal function
// API"), without optional dimensions.
class CoreSignature {
 public:
  // Throws ERR_INVALID_ARGUMENT, also for a dimension that only outputs have.
  CoreSignature(const std::string &ufunc, const char *signature);

  size_t nin() const { return inputs_.size(); }
  size_t nout() const { return outputs_.size(); }
  size_t rank(size_t k) const { return dimensions(k).size(); }  // of operand k: inputs, then outputs
  const std::string &text() const { return text_; }

  // The size of each core dimension, from the inputs and given outputs (NULL: none). Throws ERR_SHAPE.
  Dims sizes(std::span<const gpuopt_array> operands) const;
  // The core part of operand k's shape.
  Dims shape(size_t k, const Dims &sizes) const;

 private:
  const std::vector<size_t> &dimensions(size_t k) const {
    return k < inputs_.size() ? inputs_[k] : outputs_[k - inputs_.size()];
  }
  std::vector<std::vector<size_t>> parse_side(const std::string &side, bool output);
  size_t dimension_named(const std::string &name, bool output);
  void bind(size_t k, const gpuopt_array_s &x, Dims &sizes) const;

  std::string ufunc_, text_;
  std::vector<std::string> names_;
  Dims fixed_;  // of each dimension: its size if the signature has a number, else -1
  std::vector<std::vector<size_t>> inputs_, outputs_;
};

}  // namespace gpuopt
