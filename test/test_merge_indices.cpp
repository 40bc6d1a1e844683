// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// merge_indices under host policies: each word names the source of an output of std::merge, and
// columns are gathered with these words.
#include "host_policies.h"
#include "oracle.h"

#include <cmerge/merge_indices.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/system_error.h>
#include <thrust/transform.h>

#include <string>

namespace {

using oracle::for_each_host_system;
using oracle::shape;
using oracle::tagged;

static_assert(cmerge::merge_source<std::uint32_t>{5u}.position() == 5);
static_assert(!cmerge::merge_source<std::uint32_t>{5u}.is_second());
static_assert(cmerge::merge_source<std::uint32_t>{0x80000007u}.position() == 7);
static_assert(cmerge::merge_source<std::uint32_t>{0x80000007u}.is_second());
static_assert(cmerge::merge_source<std::uint64_t>{std::uint64_t{1} << 63}.is_second());

TEST_CASE_TEMPLATE("each output gets a word that names its source", Word, std::uint32_t,
                   std::uint64_t) {
  for (const shape s : oracle::all_shapes) {
    for (const auto& size : oracle::host_sizes) {
      INFO("shape ", oracle::name(s), ", seed ", oracle::seed(), ", m ", size.first, ", n ",
           size.second);
      const auto in = oracle::make_inputs(s, size.first, size.second);
      const auto all = oracle::merged(in.a, in.b, oracle::by_key{});
      for_each_host_system([&](const auto& policy) {
        oracle::guarded<Word> words(all.size());
        CHECK(cmerge::merge_indices(policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(),
                                    words.data(), oracle::by_key{}) == words.end());
        REQUIRE(words.is_intact());
        for (std::size_t k = 0; k < all.size(); ++k) {
          const cmerge::merge_source<Word> source{words.data()[k]};
          REQUIRE(source.is_second() == ((all[k].tag & oracle::second_input) != 0));
          REQUIRE(source.position() == (all[k].tag & ~oracle::second_input));
        }
      });
    }
  }
}

TEST_CASE("columns of any type are gathered by the words") {
  const auto in = oracle::make_inputs(shape::few, 3000, 5000);
  const auto all = oracle::merged(in.a, in.b, oracle::by_key{});
  std::vector<std::string> column1;
  std::vector<std::string> column2;
  for (const tagged& x : in.a) column1.push_back("a" + std::to_string(x.tag));
  for (const tagged& x : in.b) column2.push_back("b" + std::to_string(x.tag));
  std::vector<std::uint32_t> words(all.size());
  cmerge::merge_indices(thrust::host, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(),
                        words.begin(), oracle::by_key{});
  std::vector<std::string> gathered(all.size());
  thrust::transform(thrust::host, words.begin(), words.end(), gathered.begin(),
                    cmerge::source_element{column1.begin(), column2.begin()});
  for (std::size_t k = 0; k < all.size(); ++k) {
    const bool second = (all[k].tag & oracle::second_input) != 0;
    REQUIRE(gathered[k] == (second ? "b" : "a") + std::to_string(all[k].tag));
  }
}

TEST_CASE("no policy: the iterators select the system") {
  const std::vector<int> a{1, 4};
  const std::vector<double> b{0.5, 3.0, 4.0};
  std::vector<std::uint64_t> words(5);
  CHECK(cmerge::merge_indices(a.begin(), a.end(), b.begin(), b.end(), words.begin()) ==
        words.end());
  const std::uint64_t second = cmerge::merge_source<std::uint64_t>::second_bit;
  CHECK(words == std::vector<std::uint64_t>{second, 0, second + 1, 1, second + 2});
}

struct position {
  template <class Word>
  std::size_t operator()(Word word) const {
    static_assert(sizeof(Word) == 8, "outputs without a value type get 64-bit words");
    return static_cast<std::size_t>(cmerge::merge_source<Word>{word}.position());
  }
};

TEST_CASE("outputs that are not memory get 64-bit words") {
  const std::vector<int> a{1, 4, 4};
  const std::vector<int> b{2, 3};
  std::vector<std::size_t> positions(5);
  cmerge::merge_indices(thrust::seq, a.begin(), a.end(), b.begin(), b.end(),
                        thrust::make_transform_output_iterator(positions.begin(), position{}));
  CHECK(positions == std::vector<std::size_t>{0, 0, 1, 1, 2});
}

TEST_CASE("ranges too long for 32-bit words are refused before anything is written") {
  const thrust::counting_iterator<std::int64_t> first(0);
  const std::int64_t too_long = (std::int64_t{1} << 31) + 1;
  std::uint32_t word = 42;
  for_each_host_system([&](const auto& policy) {
    CHECK_THROWS_AS(cmerge::merge_indices(policy, first, first + too_long, first, first, &word),
                    thrust::system_error);
    CHECK_THROWS_AS(cmerge::merge_indices(policy, first, first, first, first + too_long, &word),
                    thrust::system_error);
  });
  CHECK(word == 42);
}

}  // namespace
