// bindings/go/text.go -- tables of numbers in text files.

package gpuopt

// #include <stdlib.h>
// #include "shim.h"
import "C"

import "unsafe"

// LoadTextOptions says how [Device.LoadText] reads a table. The zero value reads float64 between white space.
type LoadTextOptions struct {
	Delimiter  string  // what is between two columns; "": white space of any length
	Comments   string  // what begins a comment; "": "#"
	NoComments bool    // there are no comments
	Quote      string  // the character around columns that contain others, doubled inside; "": none
	Missing    string  // a text that stands for a missing value, as an empty column does
	Filling    *Scalar // what stands for missing values; nil: these are errors
	UseCols    []int   // the columns to read, negative ones from the end; nil: all
	SkipRows   int     // how many lines are left out at the beginning
	MaxRows    int     // how many rows are read at most; 0: all
	NDMin      int     // 0, 1 or 2: how many dimensions the result has at least
	DType      DType   // of the result; the zero value: float64
}

// raw gives the options for C, but for the columns, and a function that frees what they point to.
func (o LoadTextOptions) raw() (C.gpuopt_loadtxt_options, func()) {
	if o.Comments == "" && !o.NoComments {
		o.Comments = "#"
	}
	texts, free := cTexts([]string{o.Delimiter, o.Comments, o.Quote, o.Missing})
	raw := C.gpuopt_loadtxt_options{delimiter: texts[0], comments: texts[1], quote: texts[2], missing: texts[3]}
	raw.struct_size = C.uint32_t(unsafe.Sizeof(raw))
	raw.skiprows, raw.max_rows = C.int64_t(o.SkipRows), C.int64_t(o.MaxRows)
	raw.has_max_rows, raw.ndmin = flag(o.MaxRows != 0), C.int32_t(o.NDMin)
	raw.dtype, raw.has_filling = C.gpuopt_dtype(o.DType), flag(o.Filling != nil)
	if o.Filling != nil {
		raw.filling = o.Filling.raw
	}
	return raw, free
}

// LoadText reads a table of numbers from a text file; what is malformed is [ErrFormat], and the message says where.
func (d *Device) LoadText(path string, options LoadTextOptions) (*Array, error) {
	text, free := cText(path)
	defer free()
	how, freeTexts := options.raw()
	defer freeTexts()
	count, columns := sizes(options.UseCols)
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_go_loadtxt(raw, text, how, columns, count, r, e)
	})
}

// ParseText reads a table of numbers from a text.
func (d *Device) ParseText(text string, options LoadTextOptions) (*Array, error) {
	bytes := C.CBytes([]byte(text))
	defer C.free(bytes)
	how, freeTexts := options.raw()
	defer freeTexts()
	count, columns := sizes(options.UseCols)
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_go_loadtxt_memory(raw, (*C.char)(bytes), C.uint64_t(len(text)), how, columns, count, r, e)
	})
}

// SaveTextOptions says how [Array.SaveText] writes a table. The zero value writes the shortest texts between spaces.
type SaveTextOptions struct {
	Format    string // a printf format for all columns, or of a whole row; "": the shortest text of each number
	Delimiter string // what is between columns; "": a space
	Newline   string // what is behind each row; "": a line feed
	Header    string // lines in front of the rows
	Footer    string // lines behind the rows
	Comments  string // what is in front of each line of these; "": "# "
}

// SaveText writes an array of one or two dimensions as text: a temporary file is renamed, so that no partial one is
// left.
func (x *Array) SaveText(path string, options SaveTextOptions) error {
	text, free := cText(path)
	defer free()
	given := []string{options.Format, options.Delimiter, options.Newline, options.Header, options.Footer,
		options.Comments}
	texts, freeTexts := cTexts(given)
	defer freeTexts()
	for i, one := range given {
		if one == "" {
			C.free(unsafe.Pointer(texts[i]))
			texts[i] = nil
		}
	}
	how := C.gpuopt_savetxt_options{fmt: texts[0], delimiter: texts[1], newline: texts[2], header: texts[3],
		footer: texts[4], comments: texts[5]}
	how.struct_size = C.uint32_t(unsafe.Sizeof(how))
	return x.call(func(raw C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_savetxt(raw, text, &how, e)
	})
}
