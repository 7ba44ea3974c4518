/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_turbo_trellis.h - one step through the trellis of utran_turbo_decoder.c,
 * forward and backward, and all of them in metrics of 16 bits. In plain C.
 */
#ifndef CORE_KERNELS_UTRAN_TURBO_TRELLIS_H
#define CORE_KERNELS_UTRAN_TURBO_TRELLIS_H

#include <stddef.h>
#include <stdint.h>

/* Branch metrics by bit and parity. */
struct turbo_branches {
	int of00, of01, of10, of11;
};

static inline int turbo_max(int a, int b)
{
	return a > b ? a : b;
}

/* Two states lead to the same two: `g` on the ways i to p and j to q, `h` on those across. */
static inline void turbo_butterfly(
    const int *from, int i, int j, int *to, int p, int q, int g, int h)
{
	to[p] = turbo_max(from[i] + g, from[j] + h);
	to[q] = turbo_max(from[i] + h, from[j] + g);
}

static inline void turbo_step_forward(const int *from, struct turbo_branches g, int *to)
{
	turbo_butterfly(from, 0, 1, to, 0, 4, g.of00, g.of11);
	turbo_butterfly(from, 2, 3, to, 5, 1, g.of01, g.of10);
	turbo_butterfly(from, 4, 5, to, 2, 6, g.of01, g.of10);
	turbo_butterfly(from, 6, 7, to, 7, 3, g.of00, g.of11);
}

static inline void turbo_step_backward(const int *from, struct turbo_branches g, int *to)
{
	turbo_butterfly(from, 0, 4, to, 0, 1, g.of00, g.of11);
	turbo_butterfly(from, 5, 1, to, 2, 3, g.of01, g.of10);
	turbo_butterfly(from, 2, 6, to, 4, 5, g.of01, g.of10);
	turbo_butterfly(from, 7, 3, to, 6, 7, g.of00, g.of11);
}

/* Metrics of 16 bits are counted from that of state 0; each state's are a row of what is kept. */
static inline void turbo_keep(const int *m, int16_t *kept, size_t stride)
{
	for (int s = 0; s < 8; s++)
		kept[s * stride] = (int16_t)m[s];
}

static inline void turbo_relative(const int *from, int *to)
{
	for (int s = 0; s < 8; s++)
		to[s] = from[s] - from[0];
}

static inline struct turbo_branches turbo_branches16(int x, int y)
{
	return (struct turbo_branches){x + y, x, y, 0};
}

/* The way through n steps from metrics `m` on; kept are those before a step. */
static inline void turbo_forward16(
    const int16_t *x, const int16_t *y, size_t n, int *m, int16_t *restrict kept, size_t stride)
{
	for (size_t t = 0; t < n; t++) {
		int next[8];

		turbo_step_forward(m, turbo_branches16(x[t], y[t]), next);
		turbo_keep(m, kept + t, stride);
		turbo_relative(next, m);
	}
}

static inline void turbo_backward16(
    const int16_t *x, const int16_t *y, size_t n, int *m, int16_t *restrict kept, size_t stride)
{
	for (size_t t = n; t-- > 0;) {
		int next[8];

		turbo_step_backward(m, turbo_branches16(x[t], y[t]), next);
		turbo_keep(m, kept + t, stride);
		turbo_relative(next, m);
	}
}

#endif
