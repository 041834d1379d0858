// bindings/go/numbers_test.go -- parts of numbers, polynomials, convolutions of several dimensions, histograms of
// points, normal vectors and functions of lines, whose answers are known.

package gpuopt

import "testing"

// asFloats gives an array in float64.
func asFloats(t *testing.T, x *Array, err error) *Array {
	t.Helper()
	return must[*Array](t)(must[*Array](t)(x, err).AsType(Float64))
}

func TestPartsOfNumbers(t *testing.T) {
	x := listOf[float64](t, 6.0, -0.375)
	mantissa, exponent, err := x.Frexp()
	expectNear(t, "Frexp", mantissa, err, 0.75, -0.75)
	expectNear(t, "Frexp", asFloats(t, exponent, err), nil, 3, -1)
	y, err := Ldexp(mantissa, exponent)
	expectNear(t, "Ldexp", y, err, 6, -0.375)
	fraction, whole, err := listOf[float64](t, -2.25, 4).Modf()
	expectNear(t, "Modf", fraction, err, -0.25, 0)
	expectNear(t, "Modf", whole, err, -2, 4)
	quotient, remainder, err := DivMod(listOf[float64](t, 7, -7), Num(3))
	expectNear(t, "DivMod", quotient, err, 2, -3)
	expectNear(t, "DivMod", remainder, err, 1, 2)
	y, err = listOf[float64](t, 1, -4).Spacing()
	expectEqual(t, "Spacing", floats(t, must[*Array](t)(y, err)), []float64{0x1p-52, -0x1p-50})
	y, err = FloatPower(listOf[float64](t, 2), Num(-1))
	expectNear(t, "FloatPower", y, err, 0.5)
	y, err = XLogY(listOf[float64](t, 0, 3), Num(1))
	expectNear(t, "XLogY", y, err, 0, 0)
	y, err = listOf[float64](t, 0, 1).Entr()
	expectNear(t, "Entr", y, err, 0, 0)
	expectCode(t, failing(Ldexp(x, Num(1.5))), ErrType)
}

func TestPolynomials(t *testing.T) {
	p, one := listOf[float64](t, 1, -3, 2), listOf[float64](t, 1, 1)
	x, err := PolyVal(p, listOf[float64](t, 0, 5))
	expectNear(t, "PolyVal", x, err, 2, 12)
	x, err = PolyAdd(p, one)
	expectNear(t, "PolyAdd", x, err, 1, -2, 3)
	x, err = PolySub(p, one)
	expectNear(t, "PolySub", x, err, 1, -4, 1)
	x, err = PolyMul(p, one)
	expectNear(t, "PolyMul", x, err, 1, -2, -1, 2)
	quotient, remainder, err := PolyDiv(p, listOf[float64](t, 1, -1))
	expectNear(t, "PolyDiv", quotient, err, 1, -2)
	expectNear(t, "PolyDiv", remainder, err, 0)
	x, err = p.PolyDer(1)
	expectNear(t, "PolyDer", x, err, 2, -3)
	x, err = one.PolyInt(1, nil)
	expectNear(t, "PolyInt", x, err, 0.5, 1, 0)
	x, err = one.PolyInt(1, Num(7))
	expectNear(t, "PolyInt", x, err, 0.5, 1, 7)
	x, err = p.Roots()
	expectEqual(t, "Roots", must[*Array](t)(x, err).Shape(), []int{2})
	x, err = listOf[float64](t, 1, 2).Poly()
	expectNear(t, "Poly", x, err, 1, -3, 2)
}

func TestFits(t *testing.T) {
	x, y := listOf[float64](t, 0, 1, 2, 3), listOf[float64](t, 1, 3, 5, 7)
	fit, err := PolyFit(x, y, 1, nil, -1)
	expectNear(t, "PolyFit", fit.Coefficients, err, 2, 1)
	fit, err = PolyFit(x, y, 1, y, 1e-10)
	expectNear(t, "PolyFit", fit.Coefficients, err, 2, 1)
	coefficients, covariance, err := PolyFitCov(x, y, 1, nil, true)
	expectNear(t, "PolyFitCov", coefficients, err, 2, 1)
	expectEqual(t, "PolyFitCov", covariance.Shape(), []int{2, 2})
	_, err = PolyFit(x, y, -1, nil, -1)
	expectCode(t, err, ErrInvalidArgument)
}

func TestConvolutionsAlongAllAxes(t *testing.T) {
	x, y := matrixOf(t, 2, 1, 2, 3, 4), matrixOf(t, 1, 0, 1)
	for _, method := range []ConvolveMethod{ConvolveAuto, ConvolveDirect, ConvolveFFT} {
		z, err := ConvolveND(x, y, ConvolveFull, method)
		expectNear(t, "ConvolveND", z, err, 0, 1, 2, 0, 3, 4)
		z, err = CorrelateND(x, y, ConvolveValid, method)
		expectNear(t, "CorrelateND", z, err, 2, 4)
	}
	expectEqual(t, "ChooseConvMethod", must[ConvolveMethod](t)(ChooseConvMethod(x, y, ConvolveSame)), ConvolveDirect)
}

func TestHistogramsOfPoints(t *testing.T) {
	points := matrixOf(t, 4, 0, 0, 1, 2, 1, 2, 0.25, 1.5)
	counts, edges, err := points.HistogramDD([]int{2, 2}, nil, false)
	expectNear(t, "HistogramDD", counts, err, 1, 1, 0, 2)
	expectNear(t, "HistogramDD", edges[1], err, 0, 1, 2)
	counts, err = points.HistogramDDWith(false, edges...)
	expectNear(t, "HistogramDDWith", counts, err, 1, 1, 0, 2)
	counts, _, err = points.HistogramDD([]int{1, 1}, [][2]float64{{0, 0.5}, {0, 3}}, false)
	expectNear(t, "HistogramDD", counts, err, 2)
	_, _, err = points.HistogramDD([]int{1, 1}, [][2]float64{{0, 0.5}}, false)
	expectCode(t, err, ErrShape)
}

func TestNormalVectors(t *testing.T) {
	mean, cov := listOf[float64](t, 1, 2), matrixOf(t, 2, 2, 0.5, 0.5, 1)
	rng := must[*Generator](t)(NewPCG64(cpu(t), 5))
	for _, method := range []NormalMethod{NormalSVD, NormalEigh, NormalCholesky} {
		x, err := rng.MultivariateNormal(mean, cov, method, 1e-8, 3)
		expectEqual(t, "MultivariateNormal", must[*Array](t)(x, err).Shape(), []int{3, 2})
	}
	state := must[*RandomState](t)(NewRandomState(cpu(t), 5))
	x, err := state.MultivariateNormal(mean, cov, -1)
	expectEqual(t, "MultivariateNormal", must[*Array](t)(x, err).Shape(), []int{2})
	expectCode(t, failing(state.MultivariateNormal(mean, matrixOf(t, 2, 1, 0, 0, -1), 1e-8)), ErrInvalidArgument)
}

func TestIntegersHaveBoundsOfTheirOwn(t *testing.T) {
	low, high := listOf[int64](t, 0, 5), listOf[int64](t, 3, 400)
	drawn, err := must[*Generator](t)(NewPCG64(cpu(t), 1)).IntegersBetween(Default, low, high, false, SameShape)
	expectEqual(t, "IntegersBetween", floats(t, must[*Array](t)(drawn, err)), []float64{1, 207}) // NumPy's
	drawn, err = must[*RandomState](t)(NewRandomState(cpu(t), 1)).RandIntBetween(Default, low, high, SameShape)
	expectEqual(t, "RandIntBetween", floats(t, must[*Array](t)(drawn, err)), []float64{1, 240})
	drawn, err = must[*Generator](t)(NewPCG64(cpu(t), 1)).IntegersBetween(Int16, Num(3), high, true, 4, 2)
	expectEqual(t, "IntegersBetween", must[*Array](t)(drawn, err).Shape(), []int{4, 2})
}

func TestFunctionsOfLines(t *testing.T) {
	x := matrixOf(t, 2, 3, 1, 2, 4, 6, 5)
	y, err := x.ApplyAlongAxis(-1, func(line *Array) (*Array, error) { return line.Sort(0, false) })
	expectNear(t, "ApplyAlongAxis", y, err, 1, 2, 3, 4, 5, 6)
	y, err = x.ApplyAlongAxis(0, func(line *Array) (*Array, error) { return Sum(line) })
	expectNear(t, "ApplyAlongAxis", y, err, 7, 7, 7)
	y, err = x.ApplyAlongAxis(0, func(line *Array) (*Array, error) { return line, nil })
	expectNear(t, "ApplyAlongAxis", y, err, 3, 1, 2, 4, 6, 5)
	expectCode(t, failing(x.ApplyAlongAxis(0, func(line *Array) (*Array, error) { return line.Reshape(7) })), ErrShape)
}
