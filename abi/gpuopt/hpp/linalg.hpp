// abi/gpuopt/hpp/linalg.hpp -- part of gpuopt.hpp: linear algebra, in a namespace of its own.
//
//   gp::array x = gp::linalg::solve(a, b);
//   auto [u, s, vh] = gp::linalg::svd(a, false);
//
// The last two axes of an array are matrices, the others a stack of them. A matrix without an answer throws an error
// whose code() is GPUOPT_ERR_LINALG. See gpuopt_linalg.h for dtypes, shapes and errors.
#ifndef GPUOPT_HPP_LINALG_HPP
#define GPUOPT_HPP_LINALG_HPP

#include <utility>
#include <vector>

#include "joins.hpp"
#include "sorting.hpp"

namespace gpuopt {
inline namespace v1 {
namespace linalg {

namespace detail {
using v1::detail::gathered;
using v1::detail::gathered_list;
using v1::detail::make;
using v1::detail::make_two;
using v1::detail::product;

template <class Result, class F, class... Args>
Result make_three(F function, Args... args) {
  return v1::detail::make_each<Result>(std::make_index_sequence<3>(), function, args...);
}
inline const double *bound_or_null(const double &bound) { return bound < 0 ? nullptr : &bound; }
}  // namespace detail

// ---- Factorizations

// The lower triangular l with x = l l^H, or the upper one with x = u^H u. See gpuopt_cholesky().
inline array cholesky(const array &x, bool upper = false) {
  return detail::make<array>(gpuopt_cholesky, x.get(), int32_t{upper});
}
// How much of q and r qr() makes; see gpuopt_qr_mode.
enum class qr_mode : gpuopt_qr_mode { reduced = GPUOPT_QR_REDUCED, complete = GPUOPT_QR_COMPLETE };
struct qr_result {
  array q, r;
};
// x = q r, with orthonormal columns and an upper triangle. See gpuopt_qr().
inline qr_result qr(const array &x, qr_mode mode = qr_mode::reduced) {
  return detail::make_two<qr_result>(gpuopt_qr, x.get(), static_cast<gpuopt_qr_mode>(mode));
}
// The r of it alone.
inline array qr_r(const array &x) {
  gpuopt_array none = nullptr;
  return detail::make<array>(gpuopt_qr, x.get(), gpuopt_qr_mode{GPUOPT_QR_R}, &none);
}
struct lu_result {
  array p, l, u;
};
// x = p l u, with a permutation, a lower triangle with a diagonal of ones and an upper one. See gpuopt_lu().
inline lu_result lu(const array &x) { return detail::make_three<lu_result>(gpuopt_lu, x.get()); }
struct lu_factors {
  array lu, pivots;
};
// The same in the form that lu_solve() takes. See gpuopt_lu_factor().
inline lu_factors lu_factor(const array &x) { return detail::make_two<lu_factors>(gpuopt_lu_factor, x.get()); }

// ---- Systems of equations

// Which of the matrices a solve is made with: a, a^T or a^H; see gpuopt_trans.
enum class trans : gpuopt_trans {
  none = GPUOPT_TRANS_NONE,
  transpose = GPUOPT_TRANS_TRANSPOSE,
  conjugate = GPUOPT_TRANS_CONJUGATE
};
// The x of a x = b, for a vector b, of one dimension, or matrices. See gpuopt_solve().
inline array solve(const operand &a, const operand &b) { return detail::product(gpuopt_solve, a, b); }
// The same with factors that there are. See gpuopt_lu_solve().
inline array lu_solve(const lu_factors &factors, const array &b, trans which = trans::none) {
  const detail::gathered in(factors.lu, factors.pivots, b);
  return detail::make<array>(gpuopt_lu_solve, in[0], in[1], in[2], static_cast<gpuopt_trans>(which));
}
// The same with a triangular matrix, whose other triangle is not read. See gpuopt_solve_triangular().
inline array solve_triangular(const operand &a, const operand &b, bool lower, bool unit_diagonal = false,
                              trans which = trans::none) {
  return detail::product(gpuopt_solve_triangular, a, b, int32_t{lower}, int32_t{unit_diagonal},
                         static_cast<gpuopt_trans>(which));
}
// The inverse. See gpuopt_inv().
inline array inv(const array &x) { return detail::make<array>(gpuopt_inv, x.get()); }
// The determinant. See gpuopt_det().
inline array det(const array &x) { return detail::make<array>(gpuopt_det, x.get()); }
struct slogdet_result {
  array sign, logabsdet;
};
// The determinant as sign * exp(logabsdet). See gpuopt_slogdet().
inline slogdet_result slogdet(const array &x) { return detail::make_two<slogdet_result>(gpuopt_slogdet, x.get()); }

struct lstsq_result {
  array x, residuals, rank, s;
};
// The x that makes |b - a x| least. A negative rcond stands for the dtype's default. See gpuopt_lstsq().
inline lstsq_result lstsq(const operand &a, const operand &b, double rcond = -1) {
  const detail::gathered in(a, b);
  return v1::detail::make_each<lstsq_result>(std::make_index_sequence<4>(), gpuopt_lstsq, in[0], in[1],
                                             detail::bound_or_null(rcond));
}
// The pseudo-inverse. A negative rtol stands for the dtype's default. See gpuopt_pinv().
inline array pinv(const array &x, double rtol = -1) {
  return detail::make<array>(gpuopt_pinv, x.get(), detail::bound_or_null(rtol));
}
// The x of tensordot(a, x, x.ndim()) = b, with `axes` of a moved behind the others first. See gpuopt_tensorsolve().
inline array tensorsolve(const operand &a, const operand &b, const dims &axes = {}) {
  return detail::product(gpuopt_tensorsolve, a, b, axes.size(), axes.size() ? axes.data() : nullptr);
}
// The inverse for tensorsolve() and b of `ind` dimensions. See gpuopt_tensorinv().
inline array tensorinv(const array &a, int32_t ind = 2) { return detail::make<array>(gpuopt_tensorinv, a.get(), ind); }

// ---- Eigenvalues and singular values

struct eig_result {
  array w, v;
};
// Eigenvalues, ascending, and eigenvectors, in columns, of a Hermitian matrix, of which one triangle is read. See
// gpuopt_eigh().
inline eig_result eigh(const array &x, bool upper = false) {
  return detail::make_two<eig_result>(gpuopt_eigh, x.get(), int32_t{upper});
}
// The eigenvalues alone. See gpuopt_eigvalsh().
inline array eigvalsh(const array &x, bool upper = false) {
  return detail::make<array>(gpuopt_eigvalsh, x.get(), int32_t{upper});
}
// Eigenvalues and eigenvectors, in columns, of any square matrix; both are complex. See gpuopt_eig().
inline eig_result eig(const array &x) { return detail::make_two<eig_result>(gpuopt_eig, x.get()); }
// The eigenvalues alone. See gpuopt_eigvals().
inline array eigvals(const array &x) { return detail::make<array>(gpuopt_eigvals, x.get()); }
struct svd_result {
  array u, s, vh;
};
// x = u diag(s) vh with singular values in descending order; u and vh are square if `full`. See gpuopt_svd().
inline svd_result svd(const array &x, bool full = true) {
  return detail::make_three<svd_result>(gpuopt_svd, x.get(), int32_t{full});
}
// The singular values alone. See gpuopt_svdvals().
inline array svdvals(const array &x) { return detail::make<array>(gpuopt_svdvals, x.get()); }
// The number of singular values that do not count as 0; a negative rtol stands for the dtype's default. See
// gpuopt_matrix_rank().
inline array matrix_rank(const array &x, double rtol = -1) {
  return detail::make<array>(gpuopt_matrix_rank, x.get(), detail::bound_or_null(rtol));
}
// The condition number in a norm of matrix_norm(). See gpuopt_cond().
inline array cond(const array &x, double order = 2) { return detail::make<array>(gpuopt_cond, x.get(), order); }

// ---- Functions and products of matrices

// x to an integer power. See gpuopt_matrix_power().
inline array matrix_power(const array &x, int64_t n) { return detail::make<array>(gpuopt_matrix_power, x.get(), n); }
// The exponential of a matrix. See gpuopt_expm().
inline array expm(const array &x) { return detail::make<array>(gpuopt_expm, x.get()); }
// The product of arrays in the order that takes the fewest multiplications. See gpuopt_multi_dot().
inline array multi_dot(const std::vector<array> &arrays) {
  const detail::gathered_list in(arrays);
  return detail::make<array>(gpuopt_multi_dot, in.count(), in.data());
}

}  // namespace linalg
}  // namespace v1
}  // namespace gpuopt

#endif
