// tests/kernels/programs/cuda_graphs.h -- graphs of cuda_runtime.h: lists of work in the order in which a program added
// or captured it, which is one of those that the edges of a graph allow.
#pragma once

#include "tests/kernels/programs/cuda_textures.h"

struct CUgraphNode_st {
  shim::Work work;
};
struct CUgraph_st {
  std::vector<std::shared_ptr<CUgraphNode_st>> nodes;
};
struct CUgraphExec_st {
  std::vector<std::pair<std::shared_ptr<CUgraphNode_st>, shim::Work>> steps;
};
typedef CUgraphNode_st *cudaGraphNode_t;
typedef CUgraph_st *cudaGraph_t;
typedef CUgraphExec_st *cudaGraphExec_t;
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal,
  cudaStreamCaptureModeThreadLocal,
  cudaStreamCaptureModeRelaxed
};
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone,
  cudaStreamCaptureStatusActive,
  cudaStreamCaptureStatusInvalidated
};
enum cudaGraphExecUpdateResult { cudaGraphExecUpdateSuccess, cudaGraphExecUpdateError };
struct cudaKernelNodeParams {
  void *func;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes;
  void **kernelParams, **extra;
};
struct cudaMemsetParams {
  void *dst;
  size_t pitch;
  unsigned value, elementSize;
  size_t width, height;
};
typedef void (*cudaHostFn_t)(void *);
struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void *userData;
};
struct cudaMemAllocNodeParams {
  cudaMemPoolProps poolProps;
  const void *accessDescs;
  size_t accessDescCount;
  void *dptr;
  size_t bytesize;
};

namespace shim {
inline cudaError_t add_node(cudaGraphNode_t *made, cudaGraph_t graph, Work work) {
  graph->nodes.push_back(std::make_shared<CUgraphNode_st>(CUgraphNode_st{std::move(work)}));
  if (made) *made = graph->nodes.back().get();
  return cudaSuccess;
}
inline cudaError_t run(const std::vector<Work> &all) {
  for (const Work &each : all) each();
  return cudaSuccess;
}
inline std::vector<Work> work_of(const CUgraph_st &graph) {
  std::vector<Work> all;
  for (const auto &node : graph.nodes) all.push_back(node->work);
  return all;
}
inline Work kernel_work(const cudaKernelNodeParams &p) {
  return launch_work(p.func, p.gridDim, p.blockDim, p.kernelParams, p.sharedMemBytes);
}
inline Work memset_work(cudaMemsetParams p) {
  return [p] {
    for (size_t y = 0; y < (p.height ? p.height : 1); ++y) {
      char *const row = (char *)p.dst + y * p.pitch;
      for (size_t x = 0; x < p.width; ++x) memcpy(row + x * p.elementSize, &p.value, p.elementSize);
    }
    return cudaSuccess;
  };
}
inline Work copy_work(void *to, const void *from, size_t bytes) {
  return [=] { return memmove(to, from, bytes), cudaSuccess; };
}
}  // namespace shim

inline cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode = cudaStreamCaptureModeGlobal) {
  delete shim::recording;
  return shim::recording = new std::vector<shim::Work>, cudaSuccess;
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *made) {
  if (!shim::recording) return cudaErrorInvalidValue;
  *made = new CUgraph_st;
  for (shim::Work &each : *shim::recording) shim::add_node(nullptr, *made, std::move(each));
  delete shim::recording;
  return shim::recording = nullptr, cudaSuccess;
}
inline cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *status) {
  *status = shim::recording ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
inline cudaError_t cudaGraphCreate(cudaGraph_t *made, unsigned) { return *made = new CUgraph_st, cudaSuccess; }
inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return delete graph, cudaSuccess; }
inline cudaError_t cudaGraphClone(cudaGraph_t *made, cudaGraph_t from) {
  return *made = new CUgraph_st(*from), cudaSuccess;
}
inline cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  for (size_t k = 0; nodes && k < *count && k < graph->nodes.size(); ++k) nodes[k] = graph->nodes[k].get();
  return *count = graph->nodes.size(), cudaSuccess;
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *, size_t) {
  return cudaSuccess;
}
inline cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *, size_t) {
  return shim::add_node(made, graph, [] { return cudaSuccess; });
}
inline cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *, size_t,
                                          const cudaKernelNodeParams *all) {
  return shim::add_node(made, graph, shim::kernel_work(*all));
}
inline cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *, size_t,
                                          const cudaMemsetParams *all) {
  return shim::add_node(made, graph, shim::memset_work(*all));
}
inline cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *, size_t,
                                          const cudaMemcpy3DParms *all) {
  return shim::add_node(made, graph, [copied = *all] { return cudaMemcpy3D(&copied); });
}
inline cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *, size_t,
                                            void *to, const void *from, size_t bytes, cudaMemcpyKind) {
  return shim::add_node(made, graph, shim::copy_work(to, from, bytes));
}
inline cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *, size_t,
                                        const cudaHostNodeParams *all) {
  return shim::add_node(made, graph, [called = *all] { return called.fn(called.userData), cudaSuccess; });
}
inline cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *, size_t,
                                              cudaGraph_t child) {
  return shim::add_node(made, graph, [all = shim::work_of(*child)] { return shim::run(all); });
}
// Memory of a graph is there from the beginning and for ever.
inline cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *, size_t,
                                            cudaMemAllocNodeParams *all) {
  shim::of_graphs.push_back(all->dptr = shim::allocate(all->bytesize));
  return shim::add_node(made, graph, [] { return cudaSuccess; });
}
inline cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *, size_t,
                                           void *) {
  return shim::add_node(made, graph, [] { return cudaSuccess; });
}
inline cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *,
                                       cudaGraphExecUpdateResult *result) {
  exec->steps.clear();
  for (const auto &node : graph->nodes) exec->steps.emplace_back(node, node->work);
  return *result = cudaGraphExecUpdateSuccess, cudaSuccess;
}
template <class... Rest>  // of CUDA 11 and of CUDA 12
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *made, cudaGraph_t graph, Rest...) {
  cudaGraphExecUpdateResult result;
  return cudaGraphExecUpdate(*made = new CUgraphExec_st, graph, nullptr, &result);
}
inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *made, cudaGraph_t graph, unsigned long long = 0) {
  return cudaGraphInstantiate(made, graph);
}
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t) {
  std::vector<shim::Work> all;
  for (const auto &step : exec->steps) all.push_back(step.second);
  return shim::submitted([all] { return shim::run(all); });
}
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) { return delete exec, cudaSuccess; }
inline cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    const cudaKernelNodeParams *all) {
  for (auto &step : exec->steps) {
    if (step.first.get() == node) step.second = shim::kernel_work(*all);
  }
  return cudaSuccess;
}
