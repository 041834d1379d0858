// core/text_files/text_pieces.h -- large texts, read by several threads.
#pragma once
#include "core/text_files/text_rows.h"

namespace gpuopt {

// The rows of a text, in parts that follow each other.
using TextParts = std::vector<std::unique_ptr<TextRows>>;

// Returns whether several threads are to read a text of so many bytes: if there are several, the text is long, and no
// line end can be within quotes.
bool is_read_in_pieces(const TableSyntax &syntax, uint64_t bytes);

// Reads what is left of a text: what the reader has taken from the source and not read, and the source. It is cut into
// pieces of some megabytes that end with a line, which are read by GPUOPT_NUM_THREADS threads, or as many as there are
// processors, at most 16. The calling thread is one of them, and the others end before the function returns. Rows and
// failures are those of a single reader.
TextParts read_in_pieces(Source &source, TableReader &reader, const RowRules &rules, const std::string &where);

}  // namespace gpuopt
