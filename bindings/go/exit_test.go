// bindings/go/exit_test.go -- the end of a process as libraries of C know it.

package gpuopt

import (
	"errors"
	"os"
	"os/exec"
	"testing"
)

func TestExit(t *testing.T) {
	if os.Getenv("GPUOPT_TEST_EXIT") != "" {
		Exit(7)
	}
	child := exec.Command(os.Args[0], "-test.run=^TestExit$")
	child.Env = append(os.Environ(), "GPUOPT_TEST_EXIT=1")
	var ended *exec.ExitError
	if err := child.Run(); !errors.As(err, &ended) || ended.ExitCode() != 7 {
		t.Error(err)
	}
}
