module analyses_go

go 1.19

require gpuopt.invalid/gpuopt/bindings/go v1.0.0

replace gpuopt.invalid/gpuopt/bindings/go => ../../bindings/go
