# samples/python/gallery/spectrogram.py -- the frequencies in a tone that rises, window by window.
"""A spectrogram of a rising tone, by transforms of overlapping windows."""

import gpuopt as gp
import numpy as np
import picture

RATE, LENGTH, HOP = 8000, 512, 128


def spectrogram(xp, signal):
    count = (len(signal) - LENGTH) // HOP + 1
    places = xp.arange(count)[:, None] * HOP + xp.arange(LENGTH)[None, :]
    return xp.abs(xp.fft.rfft(signal[places] * xp.hanning(LENGTH), axis=1)) ** 2


def main():
    plot = picture.wanted(__doc__)
    time = np.arange(2 * RATE) / RATE
    tone = np.sin(2 * np.pi * (500 * time + 500 * time**2))  # 500 Hz at first, 1000 Hz more in each second
    power = spectrogram(gp, gp.asarray(tone))

    np.testing.assert_allclose(gp.asnumpy(power), spectrogram(np, tone), rtol=1e-9, atol=1e-8)
    frequency = gp.asnumpy(gp.argmax(power, axis=1)) * RATE / LENGTH
    middle = (np.arange(len(frequency)) * HOP + LENGTH / 2) / RATE
    np.testing.assert_allclose(frequency, 500 + 1000 * middle, atol=RATE / LENGTH)
    print(f"the tone rises from {frequency[0]:.0f} Hz to {frequency[-1]:.0f} Hz")
    if plot:
        picture.save(lambda a: a.imshow(gp.asnumpy(gp.log10(power.T + 1e-9)), aspect="auto", origin="lower"), "Tone")


main()
