// bindings/go/file.go -- arrays in NumPy's files: .npy and .npz.

package gpuopt

// #include "shim.h"
import "C"

import "sort"

// LoadNpy reads a .npy file; what is malformed is [ErrFormat], and the message says where.
func (d *Device) LoadNpy(path string) (*Array, error) {
	text, free := cText(path)
	defer free()
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_load_npy(raw, text, r, e)
	})
}

// SaveNpy writes a .npy file: a temporary one is renamed, so that no partial file is left.
func (x *Array) SaveNpy(path string) error {
	text, free := cText(path)
	defer free()
	return x.call(func(raw C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_save_npy(raw, text, e)
	})
}

// SaveNpz writes an archive of named arrays, a .npz file, in the order of their names; deflated if compress.
func SaveNpz(path string, arrays map[string]*Array, compress bool) error {
	names := make([]string, 0, len(arrays))
	for name := range arrays {
		names = append(names, name)
	}
	sort.Strings(names)
	list := make([]*Array, len(names))
	for i, name := range names {
		list[i] = arrays[name]
	}
	cNames, freeNames := cTexts(names)
	defer freeNames()
	raws, done, err := holdAll(list)
	if err != nil {
		return err
	}
	defer done()
	text, free := cText(path)
	defer free()
	return check(func(e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_go_save_npz(text, C.int32_t(len(raws)), first(cNames), first(raws), flag(compress), e)
	})
}

// An Npz is a .npz file that is being read, by one goroutine at a time.
type Npz struct{ h *handle[C.gpuopt_npz] }

// OpenNpz opens an archive.
func OpenNpz(path string) (*Npz, error) {
	text, free := cText(path)
	defer free()
	var raw C.gpuopt_npz
	err := check(func(e *C.gpuopt_error) C.gpuopt_status { return C.gpuopt_npz_open(text, &raw, e) })
	if err != nil {
		return nil, err
	}
	return &Npz{newHandle(raw, "archive", func(n C.gpuopt_npz) { C.gpuopt_npz_close(n) })}, nil
}

// Close closes the file.
func (n *Npz) Close() { n.h.close() }

// Names gives the names of the arrays, without ".npy".
func (n *Npz) Names() []string {
	raw, err := n.h.hold()
	if err != nil {
		return nil
	}
	defer n.h.done()
	names := make([]string, int(C.gpuopt_npz_count(raw)))
	for i := range names {
		names[i] = C.GoString(C.gpuopt_npz_name(raw, C.int32_t(i)))
	}
	return names
}

// Read reads one array to a device.
func (n *Npz) Read(name string, device *Device) (*Array, error) {
	raw, err := n.h.hold()
	if err != nil {
		return nil, err
	}
	defer n.h.done()
	text, free := cText(name)
	defer free()
	return device.make(func(d C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_npz_read(raw, text, d, r, e)
	})
}
