module standardize_go

go 1.19

require gpuopt v0.0.0

replace gpuopt => ../../bindings/go
