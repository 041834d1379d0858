// bindings/go/handle.go -- references to what the library counts: held while used, given back once.

package gpuopt

import (
	"runtime"
	"sync/atomic"
)

// A handle is one reference of the C library's. It counts its own uses: one that is ended by Close or the finalizer,
// and one for each call that runs. The last one gives the reference back, so that Close may come beside other calls.
type handle[T comparable] struct {
	raw     T
	uses    atomic.Int64
	closed  atomic.Bool
	release func(T)
	what    string
}

// newHandle takes a reference over; owner is what the garbage collector watches.
func newHandle[T comparable](raw T, what string, release func(T)) *handle[T] {
	h := &handle[T]{raw: raw, release: release, what: what}
	h.uses.Store(1)
	runtime.SetFinalizer(h, (*handle[T]).close)
	return h
}

// hold begins a use; every one that succeeds is ended by done.
func (h *handle[T]) hold() (T, error) {
	var none T
	if h == nil {
		return none, fail(ErrInvalidArgument, "the reference is nil: it was not made by this package")
	}
	for {
		uses := h.uses.Load()
		if uses == 0 || h.closed.Load() {
			return none, fail(ErrInvalidArgument, "the %s is closed", h.what)
		}
		if h.uses.CompareAndSwap(uses, uses+1) {
			return h.raw, nil
		}
	}
}

// done ends a use. As it needs the handle, the finalizer cannot come before it.
func (h *handle[T]) done() {
	if h.uses.Add(-1) == 0 {
		h.release(h.raw)
	}
}

// close ends the use every handle begins with, once.
func (h *handle[T]) close() {
	if h != nil && !h.closed.Swap(true) {
		runtime.SetFinalizer(h, nil)
		h.done()
	}
}

// forget ends the use every handle begins with without giving the reference back: somebody else has it now.
func (h *handle[T]) forget() {
	if !h.closed.Swap(true) {
		runtime.SetFinalizer(h, nil)
		h.release = func(T) {}
		h.done()
	}
}
