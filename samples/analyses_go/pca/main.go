// samples/analyses_go/pca/main.go -- principal components of measurements of birds, and a picture of them, in Go.

// Pca is the program of samples/pca/pca.cpp, which explains the method; it prints and draws the same.
//
// usage: pca [PICTURE.svg]    The device is what GPUOPT_BACKEND or ARRAY_MODULE say, else the CPU.
package main

import (
	"fmt"
	"os"
	"strings"

	gp "gpuopt.invalid/gpuopt/bindings/go"
)

const each, measurements = 50, 4

var (
	names   = []string{"sparrow", "blackbird", "magpie"}
	colours = []string{"#b5651d", "#222222", "#1f6fb5"}
)

// must gives the value, or ends the program with the error.
func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "pca:", err)
		os.Exit(1)
	}
}

// measure gives wing, tail, bill and weight of birds, a row for each: the species' means, and what a large bird has
// more of all.
func measure(xp *gp.Device) *gp.Array {
	random := must(gp.NewRandomState(xp, 7))
	of := []float64{77, 57, 10, 28, 130, 105, 19, 100, 190, 240, 34, 210}
	means := must(gp.FromSlice(xp, of, len(names), measurements))
	spread := must(gp.FromSlice(xp, []float64{3, 4, 0.8, 6}))
	var species []*gp.Array
	for s := range names {
		size := must(random.Normal(0, 1, each, 1))
		rest := must(random.Normal(0, 1, each, measurements))
		differences := gp.Of(rest).Multiply(gp.Num(0.6)).Add(size).Multiply(spread)
		species = append(species, must(differences.Add(must(means.At(gp.At(s)))).Array()))
	}
	return must(gp.Concat(0, species...))
}

// standardized gives columns of mean 0 and standard deviation 1.
func standardized(x *gp.Array) *gp.Array {
	return must(gp.Of(x).Subtract(gp.Of(x).Mean(gp.Axes(0))).Divide(gp.Of(x).Std(gp.Axes(0))).Array())
}

// rounded gives the numbers to so many decimals.
func rounded(x *gp.Expr, scale float64) *gp.Array {
	return must(x.Multiply(gp.Num(scale)).Then(gp.Round).Divide(gp.Num(scale)).Array())
}

// drawing gives a drawing of 560 by 400 points: one circle for each bird.
func drawing(places []float64) string {
	var svg strings.Builder
	svg.WriteString("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-280 -200 560 400\" " +
		"font-family=\"sans-serif\">\n<rect x=\"-280\" y=\"-200\" width=\"560\" height=\"400\" fill=\"white\"/>\n" +
		"<path d=\"M-260 0H260M0 -180V180\" stroke=\"#bbb\"/>\n")
	for i := 0; i < len(places)/2; i++ {
		x, y, colour := 90*places[2*i], -90*places[2*i+1], colours[i/each]
		fmt.Fprintf(&svg, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"4\" fill=\"%s\" fill-opacity=\"0.7\"/>\n", x, y, colour)
	}
	for s, name := range names {
		fmt.Fprintf(&svg, "<text x=\"-265\" y=\"%d\" fill=\"%s\">%s</text>\n", 20*s-175, colours[s], name)
	}
	svg.WriteString("</svg>\n")
	return svg.String()
}

func main() {
	path := "pca.svg"
	if len(os.Args) > 1 {
		path = os.Args[1]
	}
	u, s, vh, err := standardized(measure(must(gp.Open("")))).SVD(false)
	check(err)
	squares := must(gp.Square(s))
	fmt.Println("explained variance:", rounded(gp.Of(squares).Divide(gp.Of(squares).Sum()), 1000))

	// A direction and its opposite are the same component: let the first measurement count positively.
	counts := gp.Of(must(vh.At(gp.Range(gp.None, gp.None), gp.At(0)))).Less(gp.Num(0))
	sign := must(gp.Where(counts, gp.Num(-1.0), gp.Num(1.0)))
	first := gp.Of(must(vh.At(gp.At(0)))).Multiply(must(sign.At(gp.At(0))))
	fmt.Println("first component:   ", rounded(first, 1000))
	all := must(gp.Of(s).Multiply(sign).Multiply(u).Array())
	places := must(all.At(gp.Range(gp.None, gp.None), gp.Range(0, 2)))
	for k, name := range names {
		birds := must(places.At(gp.Range(k*each, (k+1)*each)))
		fmt.Printf("%s: %v\n", name, rounded(gp.Of(birds).Mean(gp.Axes(0)), 100))
	}
	check(os.WriteFile(path, []byte(drawing(must(gp.ToSlice[float64](places)))), 0o666))
	fmt.Println("the picture is in", path)
}
