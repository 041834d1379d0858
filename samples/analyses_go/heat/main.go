// samples/analyses_go/heat/main.go -- the heat equation on a plate whose rows are shared out among the processes of a
// job, in Go.

// Heat is the program of samples/heat/heat.cpp, which explains it; it prints the same, for any number of ranks.
//
// usage: heat [ROWS [STEPS]]         one process
//
//	gpuopt-run -n 4 heat        four of this machine; mpirun -n 4 heat: as many as MPI has
package main

import (
	"fmt"
	"os"
	"strconv"

	gp "gpuopt.invalid/gpuopt/bindings/go"
)

// must gives the value, or ends the program with the error.
func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, "heat:", err)
		os.Exit(1)
	}
	return value
}

func numbers(xp *gp.Device, count int) *gp.Expr {
	return gp.Of(must(xp.Arange(gp.Float64, gp.Num(0), gp.Num(count), gp.Num(1))))
}

// spot gives a warm spot, seen by its rows from `first` on.
func spot(xp *gp.Device, rows, columns, first, count int) *gp.Array {
	i := must(numbers(xp, count).Add(gp.Num(float64(first))).Array())
	down := must(gp.Of(must(i.ExpandDims(1))).Subtract(gp.Num(float64(rows) / 3)).Array())
	across := must(numbers(xp, columns).Subtract(gp.Num(float64(columns) / 2)).Array())
	squares := gp.Of(down).Multiply(down).Add(gp.Of(across).Multiply(across))
	return must(squares.Negative().Divide(gp.Num(50.0)).Exp().Multiply(gp.Num(100.0)).Array())
}

// withNeighbours gives this rank's rows between those of its neighbours; at the ends of the plate there are zeros.
func withNeighbours(comm *gp.Comm, u *gp.Array) *gp.Array {
	n := u.Shape()[0]
	above, below := comm.Rank()-1, comm.Rank()+1
	first, last := must(u.At(gp.Range(0, 1))), must(u.At(gp.Range(n-1, n)))
	up, down := first, last
	if above < 0 {
		up = nil
	}
	if below == comm.Size() {
		below, down = -1, nil
	}
	fromAbove := must(comm.SendRecv(down, max(below, 0), above, 1))
	fromBelow := must(comm.SendRecv(up, max(above, 0), below, 2))
	if fromAbove == nil {
		fromAbove = must(first.ZerosLike(gp.Float64))
	}
	if fromBelow == nil {
		fromBelow = must(first.ZerosLike(gp.Float64))
	}
	joined := must(gp.Concat(0, fromAbove, u, fromBelow))
	return must(joined.Pad([][2]int{{0, 0}, {1, 1}}, gp.PadConstant, gp.Num(0.0)))
}

func max(a, b int) int {
	if a < b {
		return b
	}
	return a
}

func step(comm *gp.Comm, u *gp.Array) *gp.Array {
	x := withNeighbours(comm, u)
	m, n := u.Shape()[0], u.Shape()[1]
	at := func(i, j int) *gp.Array { return must(x.At(gp.Range(i, m+i), gp.Range(j, n+j))) }
	around := gp.Of(at(0, 1)).Add(at(2, 1)).Add(at(1, 0)).Add(at(1, 2))
	rest := around.Subtract(gp.Of(u).Multiply(gp.Num(4.0)))
	return must(gp.Of(u).Add(rest.Multiply(gp.Num(0.2))).Array())
}

// part says which rows a rank has: the first one, and how many.
func part(rows, ranks, rank int) (int, int) {
	first, count := rank*(rows/ranks), rows/ranks
	if rank < rows%ranks {
		return first + rank, count + 1
	}
	return first + rows%ranks, count
}

func run(rows, steps int) {
	xp := must(gp.Open(""))             // the environment's; each rank may have another
	comm := must(gp.NewComm("", xp, 0)) // the job that a launcher has started, or this process alone
	defer comm.Close()
	first, count := part(rows, comm.Size(), comm.Rank())
	u := spot(xp, rows, 64, first, count)
	for i := 1; i <= steps; i++ {
		next := step(comm, u)
		change := must(gp.Of(next).Subtract(u).Abs().Max().Array())
		// What changed most, on any rank: the same number on all of them.
		largest := must(must(comm.AllReduce(change, gp.RankMax)).Item()).Float()
		u = next
		if comm.Rank() == 0 && i%max(steps/4, 1) == 0 {
			fmt.Printf("step %d: the largest change is %.17g\n", i, largest)
		}
	}
	plate := must(comm.Gather(u, 0))
	if plate == nil {
		return // rank 0 alone has it
	}
	heat, most := must(gp.Of(plate).Sum().Item()), must(gp.Of(plate).Max().Item())
	fmt.Printf("heat on the plate: %.17g, at most %.17g\n", heat.Float(), most.Float())
}

func main() {
	arguments := append(os.Args[1:], "96", "40")
	if len(os.Args) == 2 {
		arguments[1] = "40"
	}
	run(must(strconv.Atoi(arguments[0])), must(strconv.Atoi(arguments[1])))
	gp.Exit(0) // as C's exit, which MPI needs to see
}
