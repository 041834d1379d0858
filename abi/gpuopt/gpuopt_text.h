/* abi/gpuopt/gpuopt_text.h -- tables of numbers in text files: CSV, and columns between white space; part of gpuopt.h,
 * which includes it.
 *
 * A table has a row in each line. Lines end with LF, CR or CR LF; a UTF-8 byte order mark at the beginning does not
 * count. Numbers are written as in C, whatever the process's locale is. The functions are safe from any threads. */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_TEXT_H)
#define GPUOPT_TEXT_H

typedef struct gpuopt_loadtxt_options {
  uint32_t struct_size, flags;
  const void *next;
  const char *delimiter;  /* what is between two columns; NULL or "": white space of any length */
  const char *comments;   /* what begins a comment, which ends with the line; NULL: "#"; "": there are none */
  const char *quote;      /* the ASCII character around columns that contain others, doubled inside; NULL or "": none */
  const char *missing;    /* a text that stands for a missing value, as an empty column does; NULL: only that does */
  const int64_t *usecols; /* `nusecols` columns to read, in this order, negative ones from the end; NULL: all */
  int64_t skiprows;       /* how many lines are left out at the beginning, whatever is in them */
  int64_t max_rows;       /* how many rows are read at most, if has_max_rows is not 0 */
  int32_t nusecols, has_max_rows;
  int32_t ndmin;       /* 0, 1 or 2: how many dimensions the result has at least */
  gpuopt_dtype dtype;  /* of the result; 0: float64 */
  int32_t has_filling; /* 1: `filling` stands for missing values; 0: these are errors */
  int32_t reserved;
  gpuopt_scalar filling;
} gpuopt_loadtxt_options;

/* The numbers of a text file, of shape (rows, columns) without its axes of size 1, unless ndmin keeps these; `options`
 * NULL: float64 between white space. Lines without columns, of white space alone and of comments are no rows (NumPy
 * refuses white space beside a delimiter). Each number is the nearest of its dtype (float16 and bfloat16: rounded from
 * float64); inf, nan and complex numbers, "1+2j" or "(1+2j)", are read as Python writes them, bool as True, False or an
 * integer. What does not fit, is no number, or has another count of columns than the first row, a NUL byte, a line
 * above 256 MiB or above 2^22 columns is GPUOPT_ERR_FORMAT, and the message says the line and the column, counted from
 * 1. A column that a line lacks is GPUOPT_ERR_INDEX. Paths are UTF-8 and files regular, as for gpuopt_load_npy();
 * reading fails with GPUOPT_ERR_IO. numpy.loadtxt; missing values as numpy.genfromtxt. */
GPUOPT_CALL gpuopt_loadtxt(gpuopt_device device, const char *path, const gpuopt_loadtxt_options *options,
                           gpuopt_array *result, gpuopt_error *error);
/* The same of `text_size` bytes in memory. `text` may be NULL if there are none. */
GPUOPT_CALL gpuopt_loadtxt_memory(gpuopt_device device, const char *text, uint64_t text_size,
                                  const gpuopt_loadtxt_options *options, gpuopt_array *result, gpuopt_error *error);

typedef struct gpuopt_savetxt_options {
  uint32_t struct_size, flags;
  const void *next;
  const char *fmt;       /* how numbers are written, see below; NULL: the shortest text that reads back as the number */
  const char *delimiter; /* between columns; NULL: " " */
  const char *newline;   /* behind each row; NULL: "\n" */
  const char *header;    /* lines in front of the rows, each behind `comments`; NULL: none */
  const char *footer;    /* lines behind the rows; NULL: none */
  const char *comments;  /* NULL: "# " */
} gpuopt_savetxt_options;

/* Writes x, which has one dimension (each element is a row) or two, else GPUOPT_ERR_SHAPE. The file is replaced at
 * once, as by gpuopt_save_npy(). `fmt` has one conversion for all columns, or is a whole row with one for each: % with
 * flags of "-+ 0", a width and a precision up to 512, and one of d i u (floats lose their fraction), o x X (integers
 * only), e E f F g G, as in C, or s, the shortest text; %% is a percent sign. All else is GPUOPT_ERR_INVALID_ARGUMENT.
 * A complex number takes one conversion for both parts, " (1+2j)", or a row has two for each column, and a sign of the
 * text in front of a negative number is left out: "%g+%gj" gives 1-2j. Bool is 0 and 1. numpy.savetxt. */
GPUOPT_CALL gpuopt_savetxt(gpuopt_array x, const char *path, const gpuopt_savetxt_options *options,
                           gpuopt_error *error);

#endif
