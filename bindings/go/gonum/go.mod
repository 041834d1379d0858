// A module of its own, so that package gpuopt needs no other module.
module gpuopt.invalid/gpuopt/bindings/go/gonum

go 1.19

require (
	gonum.org/v1/gonum v0.12.0
	gpuopt.invalid/gpuopt/bindings/go v1.0.0
)

replace gpuopt.invalid/gpuopt/bindings/go => ../
