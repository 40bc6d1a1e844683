// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// section_schedule: the blocks of a grid write every output exactly once.
#include "oracle.h"

#include <cmerge/detail/core/section_schedule.h>

#include <limits>

namespace {

using cmerge::detail::section_schedule;

constexpr std::int64_t residents[] = {0, 1, 2, 7, 132, 528, 4224};

section_schedule::section section_of(const section_schedule& schedule, std::int64_t block) {
  return schedule.resident == 0 ? schedule.one_tile(block) : schedule[block];
}

TEST_CASE("sections consist of whole tiles and leave no gap") {
  for (const std::int64_t tile : {1, 3, 32, 1000, 7680}) {
    for (const std::int64_t resident : residents) {
      for (const std::int64_t tiles : {0, 1, 2, 5, 131, 132, 133, 1055, 1056, 1057, 40000}) {
        for (const std::int64_t rest : {0, 1, -1}) {
          const std::int64_t outputs = tiles * tile + rest;
          if (outputs < 0) continue;
          const section_schedule schedule{outputs, tile, resident};
          CAPTURE(outputs);
          CAPTURE(tile);
          CAPTURE(resident);
          REQUIRE(schedule.tiles() == (outputs + tile - 1) / tile);
          std::int64_t next = 0;
          std::int64_t longest = outputs;
          for (std::int64_t block = 0; block < schedule.blocks(); ++block) {
            const auto section = section_of(schedule, block);
            REQUIRE(section.begin == next);
            REQUIRE(section.end > next);
            REQUIRE(section.begin % tile == 0);
            REQUIRE((section.end % tile == 0 || section.end == outputs));
            if (resident == 0) REQUIRE(section.end - section.begin <= tile);
            // Sections never grow.
            REQUIRE(section.end - section.begin <= longest);
            longest = section.end - section.begin;
            next = section.end;
          }
          REQUIRE(next == outputs);
        }
      }
    }
  }
}

TEST_CASE("sections are correct near and above 2^32 outputs") {
  for (const int bits : {31, 32, 33, 40}) {
    for (const std::int64_t difference : {-1, 0, 1, 12345}) {
      const std::int64_t outputs = (std::int64_t{1} << bits) + difference;
      for (const std::int64_t resident : residents) {
        const section_schedule schedule{outputs, 7680, resident};
        const std::int64_t blocks = schedule.blocks();
        CAPTURE(outputs);
        CAPTURE(resident);
        REQUIRE(section_of(schedule, 0).begin == 0);
        REQUIRE(section_of(schedule, blocks - 1).end == outputs);
        REQUIRE(section_of(schedule, blocks - 1).begin < outputs);
        for (std::int64_t block = 1; block < blocks; block += blocks / 1000 + 1) {
          REQUIRE(section_of(schedule, block).begin == section_of(schedule, block - 1).end);
          REQUIRE(section_of(schedule, block).begin < section_of(schedule, block).end);
        }
      }
    }
  }
}

TEST_CASE("sections are correct near 2^63 - 1 outputs") {
  constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t tile : {32, 896, 7680, 32768}) {
    for (const std::int64_t outputs :
         {std::int64_t{1} << 62, max / tile * tile, max - tile, max - tile + 1, max - 1, max}) {
      const std::int64_t tiles = outputs / tile + (outputs % tile != 0 ? 1 : 0);
      for (const std::int64_t resident : residents) {
        CAPTURE(outputs);
        CAPTURE(tile);
        CAPTURE(resident);
        const section_schedule schedule{outputs, tile, resident};
        REQUIRE(schedule.tiles() == tiles);
        REQUIRE(schedule.tile_begin(tiles - 1) == (tiles - 1) * tile);
        REQUIRE(schedule.tile_begin(tiles) == outputs);
        const std::int64_t blocks = schedule.blocks();
        REQUIRE(blocks > 0);
        REQUIRE(section_of(schedule, 0).begin == 0);
        REQUIRE(section_of(schedule, blocks - 1).begin < outputs);
        REQUIRE(section_of(schedule, blocks - 1).end == outputs);
        if (blocks > 1) {
          REQUIRE(section_of(schedule, blocks - 2).end == section_of(schedule, blocks - 1).begin);
        }
      }
    }
  }
}

TEST_CASE("the first blocks take at most three quarters, so the last blocks are short") {
  const section_schedule schedule{std::int64_t{1} << 30, 1408, 528};
  CHECK(schedule[527].end <= (std::int64_t{1} << 30) / 4 * 3 + 1408);
  const auto last = schedule[schedule.blocks() - 1];
  CHECK(last.end - last.begin <= section_schedule::shortest * 1408);
}

TEST_CASE("the schedule of the textbook example") {
  // 1,638,400 outputs, 8 per thread, 1,024 threads per block.
  const section_schedule schedule{1638400, 1024 * 8, 0};
  CHECK(schedule.blocks() == 200);
  CHECK(schedule.blocks() * 1024 == 204800);
  static_assert(section_schedule{1638400, 1024 * 8, 0}.blocks() == 200,
                "a schedule can be a constant expression");
}

}  // namespace
