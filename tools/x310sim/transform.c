/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/transform.h"

#include <math.h>
#include <stddef.h>

void transform_roots(uint32_t n, double *ret_roots)
{
	for (uint32_t k = 0; k < n / 2; k++) {
		ret_roots[2 * (size_t)k] = cos(2 * M_PI * k / n);
		ret_roots[2 * (size_t)k + 1] = -sin(2 * M_PI * k / n);
	}
}

static void swap(double *x, size_t a, size_t b)
{
	for (int part = 0; part < 2; part++) {
		const double kept = x[2 * a + part];
		x[2 * a + part] = x[2 * b + part];
		x[2 * b + part] = kept;
	}
}

/* Each to the place whose number has its bits in reverse. */
static void reverse_bits(uint32_t n, double *x)
{
	for (uint32_t i = 1, reversed = 0; i < n; i++) {
		uint32_t bit = n >> 1;

		for (; reversed & bit; bit >>= 1)
			reversed ^= bit;
		reversed ^= bit;
		if (i < reversed)
			swap(x, i, reversed);
	}
}

static void butterfly(double *a, double *b, double re, double im)
{
	const double turned_re = b[0] * re - b[1] * im, turned_im = b[0] * im + b[1] * re;

	b[0] = a[0] - turned_re;
	b[1] = a[1] - turned_im;
	a[0] += turned_re;
	a[1] += turned_im;
}

static void transform(uint32_t n, const double *roots, double sign, double *x)
{
	reverse_bits(n, x);
	for (size_t half = 1; half < n; half *= 2) {
		const size_t stride = n / 2 / half;

		for (size_t begin = 0; begin < n; begin += 2 * half) {
			for (size_t k = 0; k < half; k++) {
				const double *root = roots + 2 * k * stride;
				double *a = x + 2 * (begin + k);

				butterfly(a, a + 2 * half, root[0], sign * root[1]);
			}
		}
	}
}

void transform_forward(uint32_t n, const double *roots, double *x)
{
	transform(n, roots, 1, x);
}

void transform_inverse(uint32_t n, const double *roots, double *x)
{
	transform(n, roots, -1, x);
}
