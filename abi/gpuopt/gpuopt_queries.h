/* abi/gpuopt/gpuopt_queries.h -- whether work is done, the vendor's handles, and facts about devices as numbers; part
 * of gpuopt.h, which includes it. */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_QUERIES_H)
#define GPUOPT_QUERIES_H

/* Whether all work submitted to the stream, or all before the event, is done: 1 or 0 in *done. What is recorded is
 * submitted first, by the former. Never waits for the device. cupy.cuda.Stream.done, Event.done. */
GPUOPT_CALL gpuopt_stream_query(gpuopt_stream stream, int32_t *done, gpuopt_error *error);
GPUOPT_CALL gpuopt_event_query(gpuopt_event event, int32_t *done, gpuopt_error *error);
/* The backend's own handle, a CUstream of CUDA, for other libraries to submit work to; it lives as long as the stream.
 * What is recorded on the stream is submitted first. *handle is NULL where the backend has none, as the CPU's.
 * cupy.cuda.Stream.ptr. */
GPUOPT_CALL gpuopt_stream_native(gpuopt_stream stream, void **handle, gpuopt_error *error);

/* A fact about a device. One that the backend does not know is GPUOPT_ERR_UNSUPPORTED, a number that is no
 * GPUOPT_ATTRIBUTE_* GPUOPT_ERR_INVALID_ARGUMENT. cupy.cuda.Device.attributes, mem_info. */
GPUOPT_CALL gpuopt_device_get_attribute(gpuopt_device device, gpuopt_attribute attribute, int64_t *value,
                                        gpuopt_error *error);

#endif
