// The project has no public address yet: gpuopt.invalid/gpuopt stands for it (docs/versioning.md).
module gpuopt.invalid/gpuopt/bindings/go

go 1.19
