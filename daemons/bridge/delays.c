/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/bridge/delays.h"

#include <stdlib.h>
#include <string.h>

#define SECOND_NS 1000000000u

void delays_add(struct delays *delays, uint64_t round_ns, uint64_t now_ns)
{
	const uint64_t second = now_ns / SECOND_NS;
	struct delays_second *one = &delays->seconds[second % DELAYS_SECONDS];

	if (round_ns > DELAYS_MOST_NS)
		return;
	if (one->n == 0 || one->second != second)
		*one = (struct delays_second){second, round_ns, round_ns, 0};
	one->least_ns = round_ns < one->least_ns ? round_ns : one->least_ns;
	one->most_ns = round_ns > one->most_ns ? round_ns : one->most_ns;
	one->n++;
}

static int by_size(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The slowest one is left out even of a few seconds, but never of one or two. */
static size_t left_out(size_t seconds)
{
	return seconds < 3 ? 0 : (seconds + DELAYS_LEFT_OUT - 1) / DELAYS_LEFT_OUT;
}

uint64_t delays_one_way(const struct delays *delays, uint64_t now_ns)
{
	uint64_t most[DELAYS_SECONDS], least = UINT64_MAX, n = 0;
	size_t seconds = 0;

	for (size_t i = 0; i < DELAYS_SECONDS; i++) {
		const struct delays_second *one = &delays->seconds[i];

		if (one->n == 0 || one->second + DELAYS_SECONDS <= now_ns / SECOND_NS)
			continue;
		most[seconds++] = one->most_ns;
		least = one->least_ns < least ? one->least_ns : least;
		n += one->n;
	}
	if (n < DELAYS_FEW)
		return 0;
	qsort(most, seconds, sizeof(most[0]), by_size);
	return most[seconds - 1 - left_out(seconds)] - least / 2;
}
