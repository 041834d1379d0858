// bindings/go/fft_test.go -- discrete Fourier transforms.

package gpuopt

import "testing"

func TestTransforms(t *testing.T) {
	x := must[*Array](t)(Add(counting(t, 4), Num(1)))
	values := func(y *Array, err error) []float64 { t.Helper(); return floats(t, must[*Array](t)(y, err)) }
	parts := func(y *Array, err error) []float64 {
		t.Helper()
		z := must[*Array](t)(y, err)
		re, im := values(Real(z)), values(Imag(z))
		both := []float64{}
		for i := range re {
			both = append(both, re[i], im[i])
		}
		return both
	}
	spectrum := must[*Array](t)(x.FFT(None, 0, FFTBackward))
	expectEqual(t, "FFT", parts(spectrum, nil), []float64{10, 0, -2, 2, -2, 0, -2, -2})
	expectEqual(t, "IFFT", parts(spectrum.IFFT(None, -1, FFTBackward)), []float64{1, 0, 2, 0, 3, 0, 4, 0})
	half := must[*Array](t)(x.RFFT(None, 0, FFTBackward))
	expectEqual(t, "RFFT", parts(half, nil), []float64{10, 0, -2, 2, -2, 0})
	expectEqual(t, "IRFFT", values(half.IRFFT(4, 0, FFTBackward)), []float64{1, 2, 3, 4})
	expectEqual(t, "HFFT", values(x.HFFT(4, 0, FFTBackward)), []float64{8, -2, 0, -2})
	expectEqual(t, "IHFFT", values(Real(must[*Array](t)(x.IHFFT(2, 0, FFTBackward)))), []float64{1.5, -0.5})
	expectEqual(t, "FFT", parts(x.FFT(2, 0, FFTForward)), []float64{1.5, 0, -0.5, 0})
	expectCode(t, failing(x.RFFT(0, 0, FFTBackward)), ErrInvalidArgument)
	expectCode(t, failing(spectrum.RFFT(None, 0, FFTBackward)), ErrType)
	expectCode(t, failing(x.FFT(None, 1, FFTBackward)), ErrIndex)

	m := must[*Array](t)(x.Reshape(2, 2))
	whole := must[*Array](t)(m.FFTN(nil, nil, FFTForward))
	expectEqual(t, "FFTN", parts(whole, nil), []float64{2.5, 0, -0.5, 0, -1, 0, 0, 0})
	expectEqual(t, "IFFTN", parts(whole.IFFTN([]int{1}, []int{-1}, FFTBackward)), []float64{2.5, 0, -1, 0})
	both := must[*Array](t)(m.RFFTN([]int{2, 2}, nil, FFTBackward))
	expectEqual(t, "IRFFTN", values(both.IRFFTN([]int{2, 2}, []int{0, 1}, FFTBackward)), []float64{1, 2, 3, 4})
	expectCode(t, failing(m.FFTN([]int{2}, []int{0, 1}, FFTBackward)), ErrInvalidArgument)
}

func TestFrequencies(t *testing.T) {
	d := cpu(t)
	values := func(y *Array, err error) []float64 { t.Helper(); return floats(t, must[*Array](t)(y, err)) }
	shifted := must[*Array](t)(must[*Array](t)(d.FFTFreq(Default, 4, 0.25)).FFTShift())
	expectEqual(t, "FFTShift", values(shifted, nil), []float64{-2, -1, 0, 1})
	expectEqual(t, "IFFTShift", values(shifted.IFFTShift(0)), []float64{0, 1, -2, -1})
	expectEqual(t, "RFFTFreq", values(d.RFFTFreq(Default, 4, 0.25)), []float64{0, 1, 2})
	expectCode(t, failing(d.FFTFreq(Default, 0, 1)), ErrInvalidArgument)
}
