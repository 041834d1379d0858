// core/ufuncs/ufunc_types.h -- the signatures of ufuncs: lists of types, and the core dimensions of generalized ufuncs.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/array/view.h"

namespace gpuopt {

// The dtypes of one signature, such as float32,float32->float32.
struct TypeSignature {
  std::vector<gpuopt_dtype> inputs, outputs;
};

// Parses a list such as "float32,float32->float32; float64,float64->float64". Throws ERR_INVALID_ARGUMENT if it is
// malformed or empty, or if the signatures differ in the number of inputs or outputs.
std::vector<TypeSignature> parse_types(const std::string &ufunc, const char *types);

// Returns the index of the first signature to whose inputs these can be cast safely, by the rules of NEP 50 for weak
// scalars. Throws ERR_TYPE if there is none.
size_t resolved_types(const std::string &ufunc, const std::vector<TypeSignature> &signatures,
                      std::span<const gpuopt_array> inputs);

// The signature of a generalized ufunc, such as "(m,n),(n,p)->(m,p)". Grammar and error messages are those of NumPy
// ("Generalized universal function API"), without optional dimensions.
class CoreSignature {
 public:
  // Throws ERR_INVALID_ARGUMENT if the signature is malformed, or if a named dimension occurs in outputs only.
  CoreSignature(const std::string &ufunc, const char *signature);

  size_t nin() const { return inputs_.size(); }
  size_t nout() const { return outputs_.size(); }
  size_t rank(size_t k) const { return dimensions(k).size(); }  // core dimensions of operand k: inputs, then outputs
  const std::string &text() const { return text_; }

  // Returns the size of each core dimension, taken from the operands: inputs, then outputs, where NULL stands for one
  // that is not given. Throws ERR_SHAPE if they disagree or an operand has too few dimensions.
  Dims sizes(std::span<const gpuopt_array> operands) const;
  // Returns the core dimensions of operand k's shape, given the result of sizes().
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
  Dims fixed_;  // for each core dimension: its size if the signature has a number, else -1
  std::vector<std::vector<size_t>> inputs_, outputs_;
};

}  // namespace gpuopt
