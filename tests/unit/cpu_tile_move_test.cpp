// tests/unit/cpu_tile_move_test.cpp -- copies between strided and contiguous memory: every byte arrives where it
// belongs, and no other is written.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "plugins/cpu/program/tile_move.h"

namespace gpuopt::test {
namespace {

// Elements of a matrix: the distances from row to row and column to column in elements, and the position of [0, 0].
struct Layout {
  int64_t row, column, first, elements;
};

// Returns the layouts of rows x columns elements: in C order, transposed, with gaps, and each of these reversed.
std::vector<Layout> layouts(int64_t rows, int64_t columns) {
  std::vector<Layout> made;
  for (const int64_t gap : {0, 3}) {
    const int64_t pitch = columns + gap, height = rows + gap;
    made.push_back({pitch, 1, 0, rows * pitch});
    made.push_back({1, height, 0, columns * height});
    made.push_back({2, 2 * height, 0, 2 * columns * height});
    made.push_back({-pitch, 1, (rows - 1) * pitch, rows * pitch});
    made.push_back({1, -height, (columns - 1) * height, columns * height});
    made.push_back({-1, height, rows - 1, columns * height});
  }
  return made;
}

// Copies by move_elements() and one by one, and compares all bytes of the destination.
void check(const Layout &to, const Layout &from, int64_t rows, int64_t columns, int size) {
  std::vector<char> source(static_cast<size_t>(from.elements * size));
  for (size_t i = 0; i < source.size(); i++) source[i] = static_cast<char>(i * 131 + (i >> 8) * 7 + 1);
  std::vector<char> moved(static_cast<size_t>(to.elements * size), 'x'), wanted = moved;
  for (int64_t r = 0; r < rows; r++) {
    for (int64_t c = 0; c < columns; c++) {
      std::memcpy(wanted.data() + (to.first + r * to.row + c * to.column) * size,
                  source.data() + (from.first + r * from.row + c * from.column) * size, static_cast<size_t>(size));
    }
  }
  cpu::move_elements({moved.data() + to.first * size, to.row * size, to.column * size},
                     {source.data() + from.first * size, from.row * size, from.column * size}, rows, columns, size);
  ASSERT_EQ(moved, wanted) << rows << " x " << columns << " elements of " << size << " bytes from strides " << from.row
                           << ", " << from.column << " to " << to.row << ", " << to.column;
}

TEST(CpuTileMove, AllLayoutsAndSizes) {
  for (const int64_t rows : {1, 2, 7, 16, 33}) {
    for (const int64_t columns : {1, 3, 8, 17, 64}) {
      for (const Layout &to : layouts(rows, columns)) {
        for (const Layout &from : layouts(rows, columns)) {
          for (const int size : {1, 2, 4, 8, 16}) check(to, from, rows, columns, size);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// A single element may be the source of a row, of a column or of all.
TEST(CpuTileMove, RepeatedElements) {
  for (const int size : {1, 2, 4, 8, 16}) {
    for (const Layout &from : {Layout{0, 0, 0, 1}, Layout{1, 0, 0, 20}, Layout{0, 1, 0, 40}, Layout{0, 3, 0, 120}}) {
      for (const Layout &to : layouts(20, 40)) check(to, from, 20, 40, size);
    }
  }
}

}  // namespace
}  // namespace gpuopt::test
