// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix product in steps, on a GPU: checks the results and the number of loads, and times each
// step. docs/background.md explains the steps.
// usage: matrix_product [--size N] [--csv FILE]
#include "matrix_product.h"

#include <thrust/device_vector.h>

#include <cstdio>
#include <string>
#include <vector>

#include "device_program.cuh"
#include "host_product.h"
#include "report.h"

using namespace background;

/// The product of two matrices of one size, in all steps.
class comparison {
 public:
  explicit comparison(int n) : n_(n) {
    const auto rows = static_cast<std::size_t>(n);
    const matrix a = random_matrix(rows, 1);
    const matrix b = random_matrix(rows, 2);
    expected_ = host_product(a, b, rows);
    a_ = a;
    b_ = b;
  }

  template <class Product>
  void add(const std::string& step) {
    const std::int64_t blocks = product_blocks<Product>(n_);
    thrust::device_vector<float> c(expected_.size(), -1.0f);
    const square_matrices m{a_.data().get(), b_.data().get(), c.data().get(), n_};
    const double time = median_microseconds([&] { run_on_device<Product>(blocks, m); });
    const bool is_product = matches(c);

    thrust::fill(c.begin(), c.end(), -1.0f);
    thrust::device_vector<device_counts> total(1, device_counts{});
    run_on_device<Product>(blocks, m, total.data().get());
    const device_counts counted = total[0];
    const auto n = static_cast<std::uint64_t>(n_);
    const bool is_right = is_product && matches(c) && counted.loads == Product::loads(n) &&
                          counted.stores == n * n && counted.barriers == Product::barriers(n);
    are_right_ = are_right_ && is_right;

    const cudaFuncAttributes kernel = attributes_of<Product, square_matrices>();
    results.rows.push_back({step, text(n), text(time), text(2e-3 * n_ * n_ * n_ / time),
                            text(counted.loads), text(Product::loads(n)), text(counted.barriers),
                            text(kernel.numRegs), text(kernel.localSizeBytes),
                            is_right ? "right" : "WRONG"});
  }

  bool are_right() const { return are_right_; }

  table results{"matrix_product",
                {{"step", "N", "us", "GFLOP/s", "loads", "formula", "barriers", "registers",
                  "local bytes", "result"}}};

 private:
  bool matches(const thrust::device_vector<float>& c) const {
    matrix result(c.size());
    thrust::copy(c.begin(), c.end(), result.begin());
    return result == expected_;
  }

  int n_;
  matrix expected_;
  thrust::device_vector<float> a_;
  thrust::device_vector<float> b_;
  bool are_right_ = true;
};

/// Adds all steps, the tiles with several L, V and S.
void add_steps(comparison& steps) {
  steps.add<one_output>("one output per thread");
  steps.add<outputs_in_registers<2>>("registers V=2");
  steps.add<outputs_in_registers<4>>("registers V=4");
  steps.add<outputs_in_registers<8>>("registers V=8");
  steps.add<outputs_in_registers<16>>("registers V=16");
  steps.add<tiles_in_shared_memory<16, 1, 16>>("tiles L=16 V=1 S=16");
  steps.add<tiles_in_shared_memory<32, 2, 16>>("tiles L=32 V=2 S=16");
  steps.add<tiles_in_shared_memory<64, 4, 4>>("tiles L=64 V=4 S=4");
  steps.add<tiles_in_shared_memory<64, 4, 16>>("tiles L=64 V=4 S=16");
  steps.add<tiles_in_shared_memory<128, 8, 8>>("tiles L=128 V=8 S=8");
  steps.add<tiles_in_shared_memory<128, 8, 16>>("tiles L=128 V=8 S=16");
  steps.add<tiles_in_shared_memory<256, 16, 8>>("tiles L=256 V=16 S=8");
}

int main(int argc, char** argv) {
  const std::string csv = option(argc, argv, "--csv", "");
  comparison odd(333);  // no tile divides it
  add_steps(odd);
  odd.results.print();
  comparison large(std::stoi(option(argc, argv, "--size", "2048")));
  add_steps(large);
  large.results.print();
  if (!csv.empty() && !write_csv(csv, device_title(), {large.results})) return 1;
  return odd.are_right() && large.are_right() ? 0 : 1;
}
