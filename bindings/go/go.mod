module gpuopt

go 1.19
