// samples/analyses_go/kmeans/main.go -- k-means: puts the rows of a CSV file into groups of rows that lie close
// together, in Go.

// Kmeans is the program of samples/kmeans/kmeans.cpp, which explains the method; it prints and writes the same.
//
// usage: kmeans TABLE.csv GROUPS [LABELS.csv]    The device is what GPUOPT_BACKEND or ARRAY_MODULE say, else the CPU.
package main

import (
	"fmt"
	"os"
	"strconv"

	gp "gpuopt.invalid/gpuopt/bindings/go"
)

// must gives the value, or ends the program with the error.
func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "kmeans:", err)
		os.Exit(1)
	}
}

// distances gives the squares of the distances of each row from each centre, (rows, centres), without a temporary of
// three dimensions.
func distances(x, centres *gp.Array) *gp.Array {
	lengths := gp.Of(x).Square().Sum(gp.Axes(1), gp.KeepDims())
	products := gp.Of(must(gp.MatMul(x, must(centres.T()))))
	others := gp.Of(centres).Square().Sum(gp.Axes(1))
	return must(lengths.Subtract(products.Multiply(gp.Num(2))).Add(others).Maximum(gp.Num(0.0)).Array())
}

// firstCentres gives rows that are likely to lie far from each other: each is drawn with a probability proportional to
// the square of its distance from the nearest one before.
func firstCentres(x *gp.Array, groups int) *gp.Array {
	random := must(gp.NewRandomState(x.Device(), 1))
	rows := must(x.Device().Arange(gp.Int64, gp.Num(0), gp.Num(x.Shape()[0]), gp.Num(1)))
	chosen := must(random.Choice(rows, true, nil, 1))
	for chosen.Size() < groups {
		nearest := must(gp.Min(distances(x, must(x.Take(chosen, 0))), gp.Axes(1)))
		chance := must(gp.Of(nearest).Divide(gp.Of(nearest).Sum()).Array())
		chosen = must(gp.Concat(0, chosen, must(random.Choice(rows, true, chance, 1))))
	}
	return must(x.Take(chosen, 0))
}

// group puts the rows into groups, and says after how many steps no row changes its group any more.
func group(x *gp.Array, count int) (labels, centres *gp.Array, steps int) {
	centres = firstCentres(x, count)
	numbers := must(must(x.Device().Arange(gp.Int64, gp.Num(0), gp.Num(count), gp.Num(1))).ExpandDims(1))
	for ; ; steps++ {
		next := must(gp.ArgMin(distances(x, centres), gp.Axes(1)))
		if steps > 0 && must(gp.ArrayEqual(next, labels, false)) {
			return labels, centres, steps
		}
		labels = next
		// A row of members for each group, with ones where its rows are: a product sums them up.
		members := must(gp.Of(numbers).Equal(labels).AsType(x.DType()).Array())
		sizes := must(gp.Sum(members, gp.Axes(1), gp.KeepDims()))
		means := gp.Of(must(gp.MatMul(members, x))).Divide(gp.Of(sizes).Maximum(gp.Num(1.0)))
		centres = must(gp.Where(gp.Of(sizes).Greater(gp.Num(0.0)), means, centres))
	}
}

func run(path string, count int, output string) {
	xp := must(gp.Open("")) // the environment's
	table := must(xp.LoadText(path, gp.LoadTextOptions{Delimiter: ",", NDMin: 2}))
	mean, spread := must(gp.Mean(table, gp.Axes(0))), must(gp.Std(table, gp.Axes(0)))
	labels, found, steps := group(must(gp.Of(table).Subtract(mean).Divide(spread).Array()), count)
	centres := must(gp.Of(found).Multiply(spread).Add(mean).Array())
	sizes := must(gp.ToSlice[int64](must(labels.BinCount(nil, count))))
	fmt.Printf("%d rows in %d groups; steps: %d\n", table.Shape()[0], count, steps)
	for g, size := range sizes {
		centre := gp.Of(must(centres.At(gp.At(g))))
		rounded := must(centre.Multiply(gp.Num(10.0)).Then(gp.Round).Divide(gp.Num(10.0)).Array())
		fmt.Printf("%d rows around %v\n", size, rounded)
	}
	if output != "" {
		check(labels.SaveText(output, gp.SaveTextOptions{}))
		fmt.Println("the group of each row is in", output)
	}
}

func main() {
	arguments := append(os.Args[1:], "", "", "")
	groups, err := strconv.Atoi(arguments[1])
	if err != nil || groups < 1 {
		fmt.Fprintln(os.Stderr, "usage: kmeans TABLE.csv GROUPS [LABELS.csv]")
		os.Exit(2)
	}
	run(arguments[0], groups, arguments[2])
}
