// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words that merge_indices writes, and a function object that gathers elements by them.
#pragma once

#include <cmerge/config.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {

/// The source of one output of a merge, in one word: which input, and the position in it.
///
/// The top bit is set for the second input. The other bits are the position.
///
/// \tparam Word  `std::uint64_t` or `std::uint32_t`
///
/// \snippet host_calls.cpp merge_source
template <class Word>
struct CMERGE_VISIBLE merge_source {
  static_assert(std::is_unsigned_v<Word> && (sizeof(Word) == 4 || sizeof(Word) == 8),
                "cmerge: a merge_source needs an unsigned word of 32 or 64 bits");

  /// The bit that is set for the second input.
  CMERGE_HIDDEN static constexpr Word second_bit = Word{1} << (8 * sizeof(Word) - 1);
  /// Maximum number of elements of an input.
  CMERGE_HIDDEN static constexpr std::uint64_t max_elements = second_bit;

  /// The word, as `merge_indices` writes it.
  Word word;

  /// Tells which input the output comes from.
  ///
  /// \returns true for the second input, false for the first
  [[gnu::always_inline]] CMERGE_HOST_DEVICE constexpr bool is_second() const {
    return (word & second_bit) != 0;
  }

  /// Tells which element of the input the output is.
  ///
  /// \returns the index of the element in its input, from 0
  [[gnu::always_inline]] CMERGE_HOST_DEVICE constexpr Word position() const {
    return word & ~second_bit;
  }
};

/// A function object that turns a source word into the element that it names.
///
/// `merge_indices` merges the keys. Then `thrust::transform` with a `source_element` gathers one
/// column after the other.
///
/// - Preconditions: the word names an element of its column.
///
/// \tparam Column1  random-access iterator over the column of the first input
/// \tparam Column2  random-access iterator over the column of the second input, with the same value
///                  type
///
/// \snippet host_calls.cpp source_element
template <class Column1, class Column2 = Column1>
struct CMERGE_VISIBLE source_element {
  /// The type of the elements.
  using value_type = typename std::iterator_traits<Column1>::value_type;

  /// Beginning of the column of the first input.
  Column1 column1;
  /// Beginning of the column of the second input.
  Column2 column2;

  /// Reads one element.
  ///
  /// \tparam Word  `std::uint64_t` or `std::uint32_t`
  /// \param word   a word that `merge_indices` has written
  /// \returns a copy of the element
  CMERGE_EXEC_CHECK_DISABLE
  template <class Word>
  [[gnu::always_inline]] CMERGE_HOST_DEVICE value_type operator()(Word word) const {
    const merge_source<Word> source{word};
    const auto i = static_cast<std::ptrdiff_t>(source.position());
    if (source.is_second()) return column2[i];
    return column1[i];
  }
};
/// Deduces the types of the columns.
template <class Column1, class Column2>
source_element(Column1, Column2) -> source_element<Column1, Column2>;

namespace detail {

/// An iterator over the source words of one input. `first` is the word of its first element.
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

/// The type of word for an output iterator: its value type, or 64 bits if it has none.
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
