// samples/analyses_go/gwas/main.go -- which of many genetic variants influence a trait: a genome-wide association study
// with a linear mixed model, in Go.

// Gwas is the program of samples/gwas/gwas.cpp, which explains the method; it prints the same.
//
// usage: gwas [PEOPLE SNPS]    The device is what GPUOPT_BACKEND or ARRAY_MODULE say, else the CPU.
package main

import (
	"fmt"
	"math"
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
		fmt.Fprintln(os.Stderr, "gwas:", err)
		os.Exit(1)
	}
}

// A study has counts of variants, of which one in fifty is missing (NaN), and traits that three of the SNPs influence.
type study struct {
	snps, trait *gp.Array
	causal      [3]int
}

// standardized gives columns of mean 0 and standard deviation 1; missing values become 0.
func standardized(x *gp.Array) *gp.Array {
	deviation := must(gp.NanStd(x, gp.Axes(0)))
	divisor := must(gp.Where(gp.Of(deviation).Equal(gp.Num(0.0)), gp.Num(1.0), deviation))
	scaled := gp.Of(x).Subtract(must(gp.NanMean(x, gp.Axes(0)))).Divide(divisor)
	return must(gp.Where(must(gp.IsNaN(x)), gp.Num(0.0), scaled))
}

// makeStudy gives people of four villages; in each a variant has a frequency of its own. All variants have a small
// influence, too.
func makeStudy(people, count int, xp *gp.Device) study {
	const villages = 4
	random := must(gp.NewRandomState(xp, 11))
	frequency := must(random.Uniform(0.1, 0.5, 1, count))
	local := gp.Of(frequency).Add(must(random.Normal(0, 0.08, villages, count)))
	local = gp.Of(must(gp.Clip(local, gp.Num(0.02), gp.Num(0.98))))
	person := must(xp.Arange(gp.Int64, gp.Num(0), gp.Num(people), gp.Num(1)))
	village := must(gp.Of(person).Remainder(gp.Num(villages)).Array())
	chance := must(must(local.Array()).Take(village, 0))
	one := gp.Of(must(random.RandomSample(people, count))).Less(chance).AsType(gp.Float64)
	other := gp.Of(must(random.RandomSample(people, count))).Less(chance).AsType(gp.Float64)
	snps := must(one.Add(other).Array())

	causal := [3]int{count / 7, count / 2, count - count/5}
	small := must(gp.Of(must(random.Normal(0, 1, count))).Divide(gp.Num(math.Sqrt(float64(count)))).Array())
	trait := gp.Of(must(random.Normal(0, 1, people))).Add(must(gp.MatMul(standardized(snps), small)))
	for _, snp := range causal {
		column := must(snps.At(gp.Range(gp.None, gp.None), gp.At(snp)))
		trait = trait.Add(gp.Of(column).Multiply(gp.Num(0.7)))
	}
	observed := must(trait.Eval())
	missing := must(gp.Less(must(random.RandomSample(people, count)), gp.Num(0.02)))
	check(snps.MaskAssign(missing, gp.Num(math.NaN())))
	return study{snps, observed, causal}
}

// unlikelihood gives twice the negative logarithm of the likelihood of traits y, without mean, whose variances are
// proportional to v.
func unlikelihood(y, v *gp.Array) float64 {
	scale := must(gp.Of(y).Square().Divide(v).Mean().Float())
	return float64(y.Size())*math.Log(scale) + must(gp.Of(v).Log().Sum().Float())
}

func bestDelta(y, w *gp.Array) float64 {
	best, least := 1.0, math.Inf(1)
	for k := -20; k <= 20; k++ {
		delta := math.Exp(float64(k) / 4)
		if value := unlikelihood(y, must(gp.Add(w, gp.Num(delta)))); value < least {
			best, least = delta, value
		}
	}
	return best
}

// pValues gives the p-value of each column of x: how likely an influence at least that strong would be seen if there
// were none.
func pValues(x, y, v *gp.Array) *gp.Array {
	weighted := must(gp.Of(x).Divide(must(v.ExpandDims(1))).Array())
	xx := must(gp.Of(weighted).Multiply(x).Sum(gp.Axes(0)).Array())
	xy := must(gp.MatMul(y, weighted))
	slope := must(gp.Divide(xy, xx))
	rest := gp.Of(y).Square().Divide(v).Sum().Subtract(gp.Of(slope).Multiply(xy))
	deviation := rest.Divide(gp.Num(float64(y.Size() - 1))).Divide(xx).Sqrt()
	return must(gp.Of(slope).Divide(deviation).Abs().Divide(gp.Num(math.Sqrt(2))).Then(gp.Erfc).Array())
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func run(people, count int) {
	of := makeStudy(people, count, must(gp.Open(""))) // the environment's device
	x := standardized(of.snps)
	y := must(gp.Of(of.trait).Subtract(gp.Of(of.trait).Mean()).Array())

	kinship := gp.Of(must(gp.MatMul(x, must(x.T())))).Divide(gp.Num(float64(count)))
	w, u, err := must(kinship.Array()).EigH(false)
	check(err)
	turned := must(u.T())
	rotated := must(gp.MatMul(turned, y))
	delta := bestDelta(rotated, w)
	p := pValues(must(gp.MatMul(turned, x)), rotated, must(gp.Add(w, gp.Num(delta))))

	fmt.Printf("%d people, %d SNPs; delta %.4g\nSNPs with influence:", people, count, delta)
	for _, snp := range of.causal {
		fmt.Print(" ", snp)
	}
	fmt.Println("\nleast p-values:")
	order := must(gp.ToSlice[int64](must(p.ArgSort(-1, false))))
	for _, snp := range order[:min(5, len(order))] {
		fmt.Printf("  SNP %5d  p %.3g\n", snp, must(p.Item(int(snp))).Float())
	}
	found := must(gp.Of(p).Less(gp.Num(0.05 / float64(count))).Sum().Float())
	fmt.Printf("SNPs below 0.05 / %d: %.0f\n", count, found)
}

func main() {
	sizes := []int{400, 2000}
	if len(os.Args) == 3 {
		for i := range sizes {
			sizes[i] = must(strconv.Atoi(os.Args[i+1]))
		}
	}
	run(sizes[0], sizes[1])
}
