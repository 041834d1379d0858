// core/text_files/text_pieces.h -- large texts, read by several threads.
#pragma once
#include "core/text_files/text_rows.h"

namespace gpuopt {

// The rows of a text, in parts that follow each other.
using TextParts = std::vector<std::unique_ptr<TextRows>>;

// Whether several threads may read a text of so many bytes: it is long, and a line end is always one, as where there
// are no quotes.
bool is_read_in_pieces(const TableSyntax &syntax, uint64_t bytes);

// Reads what is left of a text: the rest of what the reader has taken from the source, and the source. Pieces of some
// megabytes that end with a line are read by as many threads as the process has processors, GPUOPT_NUM_THREADS or 16,
// the calling one included; they end before the function does. Rows and failures are those of a single reader.
TextParts read_in_pieces(Source &source, TableReader &reader, const RowRules &rules, const std::string &where);

}  // namespace gpuopt
