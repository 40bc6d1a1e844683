// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an output of a merge comes from, in one word: what merge_indices writes.
#pragma once

#include <cmerge/config.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {

/// One word that says which input an output comes from, and from which position there.
///
/// The top bit is set for the second input; the other bits are the position.
///
/// \tparam Word  `std::uint64_t` or `std::uint32_t`
template <class Word>
struct CMERGE_VISIBLE merge_source {
  static_assert(std::is_unsigned_v<Word> && (sizeof(Word) == 4 || sizeof(Word) == 8),
                "cmerge: a source is an unsigned word of 32 or 64 bits");

  /// The bit that is set for the second input.
  CMERGE_HIDDEN static constexpr Word second_bit = Word{1} << (8 * sizeof(Word) - 1);
  /// Elements that an input can have.
  CMERGE_HIDDEN static constexpr std::uint64_t max_elements = second_bit;

  Word word;

  [[gnu::always_inline]] CMERGE_HOST_DEVICE constexpr bool is_second() const {
    return (word & second_bit) != 0;
  }
  [[gnu::always_inline]] CMERGE_HOST_DEVICE constexpr Word position() const {
    return word & ~second_bit;
  }
};

/// A function of a source word: the element of one of two columns that it stands for.
///
/// With it, `thrust::transform` gathers one column after the other, once `merge_indices` has merged
/// their keys.
///
/// \tparam Column1, Column2  random-access iterators with one value type
template <class Column1, class Column2 = Column1>
struct CMERGE_VISIBLE source_element {
  using value_type = typename std::iterator_traits<Column1>::value_type;

  Column1 column1;
  Column2 column2;

  CMERGE_EXEC_CHECK_DISABLE
  template <class Word>
  [[gnu::always_inline]] CMERGE_HOST_DEVICE value_type operator()(Word word) const {
    const merge_source<Word> source{word};
    const auto i = static_cast<std::ptrdiff_t>(source.position());
    if (source.is_second()) return column2[i];
    return column1[i];
  }
};
template <class Column1, class Column2>
source_element(Column1, Column2) -> source_element<Column1, Column2>;

namespace detail {

/// The source words of one input, from `first` on.
template <class Word>
struct source_iterator {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = Word;
  using difference_type = std::ptrdiff_t;
  using pointer = const Word*;
  using reference = Word;

  Word first;

  CMERGE_HOST_DEVICE constexpr Word operator*() const { return first; }
  template <class Index>
  CMERGE_HOST_DEVICE constexpr Word operator[](Index i) const {
    return first + static_cast<Word>(i);
  }
  CMERGE_HOST_DEVICE constexpr source_iterator operator+(std::ptrdiff_t i) const {
    return {first + static_cast<Word>(i)};
  }
  CMERGE_HOST_DEVICE constexpr std::ptrdiff_t operator-(source_iterator other) const {
    return static_cast<std::ptrdiff_t>(first - other.first);
  }
};

/// The word that an output iterator takes: of its own type, or 64 bits if it does not say.
template <class Output, class = void>
struct source_word {
  using type = std::uint64_t;
};
template <class Output>
struct source_word<Output, std::void_t<typename std::iterator_traits<Output>::value_type>> {
  using value = typename std::iterator_traits<Output>::value_type;
  using type = std::conditional_t<std::is_void_v<value>, std::uint64_t, value>;
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
