// bindings/go/device.go -- devices: opening, facts, memory; streams and events.

package gpuopt

// #include "shim.h"
import "C"
import "unsafe"

// A Device is the library's array module: it creates arrays. The same backend and number give the same device for the
// life of the process.
type Device struct{ h *handle[C.gpuopt_device] }

func newDevice(raw C.gpuopt_device) *Device {
	return &Device{newHandle(raw, "device", func(d C.gpuopt_device) { C.gpuopt_device_release(d) })}
}

// Open opens a device by name: "cuda" (the CPU and one warning where it cannot work), "cuda:1", "cuda,cpu" (the first
// that works), "cuda!" (that one or [ErrUnavailable] with the reason), "auto" (the best, quietly), "cpu". The empty
// string asks the environment: GPUOPT_BACKEND, else ARRAY_MODULE, else the CPU. pluginPath has absolute plugin files,
// or directories of them, that are searched before the usual places.
func Open(request string, pluginPath ...string) (*Device, error) {
	device, _, err := OpenReport(request, pluginPath...)
	return device, err
}

// OpenReport is [Open], and says whether it fell back, and why: [ReasonNone] if this is what was asked for first.
// Where it fails, the reason is the error's.
func OpenReport(request string, pluginPath ...string) (*Device, Reason, error) {
	var raw C.gpuopt_device
	var reason C.gpuopt_reason
	var name *C.char
	if request != "" {
		text, free := cText(request)
		defer free()
		name = text
	}
	paths, free := cTexts(pluginPath)
	defer free()
	err := check(func(e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_go_open(name, first(paths), C.int32_t(len(paths)), &raw, &reason, e)
	})
	if err != nil {
		return nil, ReasonNone, err
	}
	return newDevice(raw), Reason(reason), nil
}

// DiscoveryReport says what was tried for each backend, where, and why it did or did not work: for people, or as JSON.
func DiscoveryReport(json bool, pluginPath ...string) (string, error) {
	paths, free := cTexts(pluginPath)
	defer free()
	return givenText(func(text **C.char, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_go_discovery(first(paths), C.int32_t(len(paths)), flag(json), text, e)
	})
}

// hold begins a use of the device, which d.h.done ends; nil is an error.
func (d *Device) hold() (C.gpuopt_device, error) {
	if d == nil {
		return nil, fail(ErrInvalidArgument, "the device is nil")
	}
	return d.h.hold()
}

// Close gives the reference back; arrays keep the device for themselves.
func (d *Device) Close() { d.h.close() }

// call makes a C call with the device.
func (d *Device) call(call func(device C.gpuopt_device, e *C.gpuopt_error) C.gpuopt_status) error {
	raw, err := d.hold()
	if err != nil {
		return err
	}
	defer d.h.done()
	return check(func(e *C.gpuopt_error) C.gpuopt_status { return call(raw, e) })
}

// make makes a C call that gives an array out.
func (d *Device) make(call func(device C.gpuopt_device, result *C.gpuopt_array,
	e *C.gpuopt_error) C.gpuopt_status) (*Array, error) {
	raw, err := d.hold()
	if err != nil {
		return nil, err
	}
	defer d.h.done()
	return giveArray(func(r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status { return call(raw, r, e) })
}

// Name gives "cpu:0".
func (d *Device) Name() string {
	raw, err := d.hold()
	if err != nil {
		return ""
	}
	defer d.h.done()
	return C.GoString(C.gpuopt_device_name(raw))
}

// Backend gives "cpu".
func (d *Device) Backend() string {
	raw, err := d.hold()
	if err != nil {
		return ""
	}
	defer d.h.done()
	return C.GoString(C.gpuopt_device_backend(raw))
}

// Equal reports whether both are the same device.
func (d *Device) Equal(other *Device) bool { return d.h.raw == other.h.raw }

// A DeviceInfo says what a device is.
type DeviceInfo struct {
	Index         int
	Name          string // the processor's own
	Detail        string // instruction set, compute capability, libraries
	Plugin        string // the path of the plugin file
	PluginVersion string
	MemoryBytes   uint64
	Processors    int
	HostMemory    bool // the host reads and writes elements as they lie, as View needs it
}

// Info says what the device is.
func (d *Device) Info() (DeviceInfo, error) {
	device, err := d.hold()
	if err != nil {
		return DeviceInfo{}, err
	}
	defer d.h.done()
	raw, err := infoOf(device)
	if err != nil {
		return DeviceInfo{}, err
	}
	return DeviceInfo{
		Index:         int(raw.index),
		Name:          C.GoString(&raw.name[0]),
		Detail:        C.GoString(&raw.detail[0]),
		Plugin:        C.GoString(&raw.plugin[0]),
		PluginVersion: C.GoString(&raw.plugin_version[0]),
		MemoryBytes:   uint64(raw.memory_bytes),
		Processors:    int(raw.processors),
		HostMemory:    raw.host_memory != 0,
	}, nil
}

// infoOf asks a device that is held.
func infoOf(device C.gpuopt_device) (C.gpuopt_device_info, error) {
	info := C.gpuopt_device_info{struct_size: C.sizeof_gpuopt_device_info}
	err := check(func(e *C.gpuopt_error) C.gpuopt_status { return C.gpuopt_device_get_info(device, &info, e) })
	return info, err
}

// Synchronize runs what is recorded and waits until all streams are idle.
func (d *Device) Synchronize() error {
	return d.call(func(device C.gpuopt_device, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_device_synchronize(device, e)
	})
}

// MemoryStats are what a device's memory pool holds, in bytes.
type MemoryStats struct {
	InUse, Cached, PeakInUse uint64
	Limit                    uint64 // 0: none
	Allocations, CacheHits   uint64 // requests served, and from what was cached
}

// MemoryStats says what the memory pool holds.
func (d *Device) MemoryStats() (MemoryStats, error) {
	raw := C.gpuopt_memory_stats{struct_size: C.sizeof_gpuopt_memory_stats}
	err := d.call(func(device C.gpuopt_device, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_memory_get_stats(device, &raw, e)
	})
	if err != nil {
		return MemoryStats{}, err
	}
	return MemoryStats{
		InUse: uint64(raw.in_use), Cached: uint64(raw.cached), PeakInUse: uint64(raw.peak_in_use),
		Limit: uint64(raw.limit), Allocations: uint64(raw.allocations), CacheHits: uint64(raw.cache_hits),
	}, nil
}

// SetMemoryLimit bounds the memory pool; 0 bytes: no bound.
func (d *Device) SetMemoryLimit(bytes uint64) error {
	return d.call(func(device C.gpuopt_device, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_memory_set_limit(device, C.uint64_t(bytes), e)
	})
}

// TrimMemory gives cached blocks back.
func (d *Device) TrimMemory() error {
	return d.call(func(device C.gpuopt_device, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_memory_trim(device, e)
	})
}

// An Attribute is what [Device.Attribute] is asked. Sizes are in bytes, clocks in kHz.
type Attribute int32

const (
	MemoryTotal             Attribute = C.GPUOPT_ATTRIBUTE_MEMORY_TOTAL
	MemoryFree              Attribute = C.GPUOPT_ATTRIBUTE_MEMORY_FREE        // of it, now
	Processors              Attribute = C.GPUOPT_ATTRIBUTE_PROCESSORS         // cores or streaming multiprocessors
	ComputeCapability       Attribute = C.GPUOPT_ATTRIBUTE_COMPUTE_CAPABILITY // 10 * major + minor: 90
	WarpSize                Attribute = C.GPUOPT_ATTRIBUTE_WARP_SIZE
	MaxThreadsPerBlock      Attribute = C.GPUOPT_ATTRIBUTE_MAX_THREADS_PER_BLOCK
	MaxThreadsPerProcessor  Attribute = C.GPUOPT_ATTRIBUTE_MAX_THREADS_PER_PROCESSOR
	SharedBytesPerBlock     Attribute = C.GPUOPT_ATTRIBUTE_SHARED_BYTES_PER_BLOCK
	SharedBytesPerProcessor Attribute = C.GPUOPT_ATTRIBUTE_SHARED_BYTES_PER_PROCESSOR
	RegistersPerBlock       Attribute = C.GPUOPT_ATTRIBUTE_REGISTERS_PER_BLOCK
	L2CacheBytes            Attribute = C.GPUOPT_ATTRIBUTE_L2_CACHE_BYTES
	Clock                   Attribute = C.GPUOPT_ATTRIBUTE_CLOCK
	MemoryClock             Attribute = C.GPUOPT_ATTRIBUTE_MEMORY_CLOCK
	MemoryBusBits           Attribute = C.GPUOPT_ATTRIBUTE_MEMORY_BUS_BITS
	PCIBus                  Attribute = C.GPUOPT_ATTRIBUTE_PCI_BUS
	PCIDevice               Attribute = C.GPUOPT_ATTRIBUTE_PCI_DEVICE
	DriverVersion           Attribute = C.GPUOPT_ATTRIBUTE_DRIVER_VERSION   // 1000 * major + 10 * minor: 13000
	HostAccess              Attribute = C.GPUOPT_ATTRIBUTE_HOST_ACCESS      // 1: the host may use the memory in place
	CompiledKept            Attribute = C.GPUOPT_ATTRIBUTE_COMPILED_KEPT    // times that compiled code was as fast
	InterpreterKept         Attribute = C.GPUOPT_ATTRIBUTE_INTERPRETER_KEPT // times that the interpreter was faster
)

// Attribute gives a fact as a number; [ErrUnsupported] for one that the backend does not know.
func (d *Device) Attribute(attribute Attribute) (int64, error) {
	var value C.int64_t
	err := d.call(func(device C.gpuopt_device, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_device_get_attribute(device, C.gpuopt_attribute(attribute), &value, e)
	})
	return int64(value), err
}

// EngineStats are counters of a device's recorder since it was opened.
type EngineStats struct {
	Operations uint64 // recorded
	Programs   uint64 // submitted to the backend
	Steps      uint64 // in those programs
	Pending    uint64 // operations recorded and not yet run
}

// EngineStats gives the counters of the recorder.
func (d *Device) EngineStats() (EngineStats, error) {
	raw := C.gpuopt_engine_stats{struct_size: C.sizeof_gpuopt_engine_stats}
	err := d.call(func(device C.gpuopt_device, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_engine_get_stats(device, &raw, e)
	})
	if err != nil {
		return EngineStats{}, err
	}
	return EngineStats{uint64(raw.operations), uint64(raw.programs), uint64(raw.steps), uint64(raw.pending)}, nil
}

// A Stream is an ordered queue of a device. A new array is bound to its device's default stream, results to that of
// their first operand; [Array.OnStream] binds one to another.
type Stream struct{ h *handle[C.gpuopt_stream] }

// hold begins a use of the stream, which s.h.done ends; nil is an error.
func (s *Stream) hold() (C.gpuopt_stream, error) {
	if s == nil {
		return nil, fail(ErrInvalidArgument, "the stream is nil")
	}
	return s.h.hold()
}

func newStream(raw C.gpuopt_stream) *Stream {
	return &Stream{newHandle(raw, "stream", func(s C.gpuopt_stream) { C.gpuopt_stream_release(s) })}
}

// NewStream makes a stream.
func (d *Device) NewStream() (*Stream, error) {
	var raw C.gpuopt_stream
	err := d.call(func(device C.gpuopt_device, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_stream_create(device, &raw, e)
	})
	if err != nil {
		return nil, err
	}
	return newStream(raw), nil
}

// DefaultStream gives the stream new arrays are bound to.
func (d *Device) DefaultStream() (*Stream, error) {
	var raw C.gpuopt_stream
	err := d.call(func(device C.gpuopt_device, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_stream_default(device, &raw, e)
	})
	if err != nil {
		return nil, err
	}
	return newStream(raw), nil
}

// Close gives the reference back.
func (s *Stream) Close() { s.h.close() }

func (s *Stream) call(call func(stream C.gpuopt_stream, e *C.gpuopt_error) C.gpuopt_status) error {
	raw, err := s.hold()
	if err != nil {
		return err
	}
	defer s.h.done()
	return check(func(e *C.gpuopt_error) C.gpuopt_status { return call(raw, e) })
}

// Done reports whether all work submitted so far is done; what is recorded is submitted first. Does not wait.
func (s *Stream) Done() (bool, error) {
	var done C.int32_t
	err := s.call(func(stream C.gpuopt_stream, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_stream_query(stream, &done, e)
	})
	return done != 0, err
}

// Native gives the backend's own handle, a CUstream of CUDA; 0 of the CPU. It lives as long as the stream.
func (s *Stream) Native() (uintptr, error) {
	var handle unsafe.Pointer
	err := s.call(func(stream C.gpuopt_stream, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_stream_native(stream, &handle, e)
	})
	return uintptr(handle), err
}

// Synchronize waits until the stream is idle.
func (s *Stream) Synchronize() error {
	return s.call(func(stream C.gpuopt_stream, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_stream_synchronize(stream, e)
	})
}

// Wait makes later work of the stream wait for an event.
func (s *Stream) Wait(event *Event) error {
	raw, err := event.hold()
	if err != nil {
		return err
	}
	defer event.h.done()
	return s.call(func(stream C.gpuopt_stream, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_stream_wait(stream, raw, e)
	})
}

// An Event is a marker in a stream.
type Event struct{ h *handle[C.gpuopt_event] }

// hold begins a use of the event, which v.h.done ends; nil is an error.
func (v *Event) hold() (C.gpuopt_event, error) {
	if v == nil {
		return nil, fail(ErrInvalidArgument, "the event is nil")
	}
	return v.h.hold()
}

// Record makes a marker after all work submitted so far; what is recorded is submitted first.
func (s *Stream) Record() (*Event, error) {
	var raw C.gpuopt_event
	err := s.call(func(stream C.gpuopt_stream, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_event_record(stream, &raw, e)
	})
	if err != nil {
		return nil, err
	}
	return &Event{newHandle(raw, "event", func(v C.gpuopt_event) { C.gpuopt_event_release(v) })}, nil
}

// Close gives the reference back.
func (v *Event) Close() { v.h.close() }

// Done reports whether the work before the event is done. Does not wait.
func (v *Event) Done() (bool, error) {
	raw, err := v.hold()
	if err != nil {
		return false, err
	}
	defer v.h.done()
	var done C.int32_t
	err = check(func(e *C.gpuopt_error) C.gpuopt_status { return C.gpuopt_event_query(raw, &done, e) })
	return done != 0, err
}

// Synchronize waits for the event.
func (v *Event) Synchronize() error {
	raw, err := v.hold()
	if err != nil {
		return err
	}
	defer v.h.done()
	return check(func(e *C.gpuopt_error) C.gpuopt_status { return C.gpuopt_event_synchronize(raw, e) })
}

// Elapsed gives the milliseconds to a later event of the same device; both must be complete.
func (v *Event) Elapsed(end *Event) (float64, error) {
	start, err := v.hold()
	if err != nil {
		return 0, err
	}
	defer v.h.done()
	stop, err := end.hold()
	if err != nil {
		return 0, err
	}
	defer end.h.done()
	var milliseconds C.double
	err = check(func(e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_event_elapsed(start, stop, &milliseconds, e)
	})
	return float64(milliseconds), err
}
