/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/copying.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"
#include "tools/bench/run.h"

enum { DEPTH = 2, GO = 1, GO_NOT };

struct lane {
	_Alignas(64) _Atomic uint64_t done; /* head: messages written; others: read */
	struct bare_lanes *bare;
	unsigned number, pipes;
	bool refused;
	uint64_t end_ns;
	uint8_t *head, *place[2];
	pthread_t thread;
};

struct bare_lanes {
	const struct copying *copying;
	size_t step;
	_Atomic uint32_t go; /* 0: wait for GO, or GO_NOT: not all are there */
	struct lane lanes[COPYING_LANES_MAX];
};

/* ---- a lane ------------------------------------------------------------------------ */

static bool lane_makes(const struct lane *lane)
{
	return lane->number == 0 || lane->bare->copying->sources;
}

static void wait_for(const _Atomic uint64_t *done, uint64_t number)
{
	while (atomic_load_explicit(done, memory_order_acquire) < number)
		cpu_relax();
}

/* The message that all pipes of the lane begin with. */
static const uint8_t *head_get(struct lane *lane, uint64_t k)
{
	struct bare_lanes *bare = lane->bare;
	const struct copying *copying = bare->copying;
	const bool shared = copying->lanes > 1 && !copying->sources;
	uint8_t *head = lane->head + (shared ? k % DEPTH * bare->step : 0);

	if (!lane_makes(lane)) {
		wait_for(&bare->lanes[0].done, k + 1);
		return head;
	}
	for (unsigned l = 1; shared && l < copying->lanes && k >= DEPTH; l++)
		wait_for(&bare->lanes[l].done, k + 1 - DEPTH);
	copying->kernels->clear(lane->place[0], copying->bytes);
	copying->kernels->copy(head, lane->place[0], copying->bytes);
	if (shared)
		atomic_store_explicit(&lane->done, k + 1, memory_order_release);
	return head;
}

static void lane_message(struct lane *lane, uint64_t k)
{
	const struct copying *copying = lane->bare->copying;
	const uint8_t *head = head_get(lane, k);

	for (unsigned p = 0; p < lane->pipes; p++) {
		const uint8_t *from = head;

		for (unsigned s = 0; s < copying->stages; s++) {
			uint8_t *to = lane->place[(s + 1) % 2];

			copying->kernels->copy(to, from, copying->bytes);
			from = to;
		}
	}
	if (!lane_makes(lane))
		atomic_store_explicit(&lane->done, k + 1, memory_order_release);
}

static bool place_take(const struct copying *copying, unsigned number)
{
	return platform_pin(copying->cpus[number]) == 0 &&
	    (!copying->fifo || platform_realtime(0, RUN_FIFO) == 0);
}

static void *lane_main(void *self)
{
	struct lane *lane = self;
	const struct copying *copying = lane->bare->copying;
	uint64_t messages;

	lane->refused = !place_take(copying, lane->number);
	while (atomic_load(&lane->bare->go) == 0)
		futex_wait(&lane->bare->go, 0, 0);
	messages = atomic_load(&lane->bare->go) == GO ? copying->messages : 0;
	for (uint64_t k = 0; k < messages; k++)
		lane_message(lane, k);
	lane->end_ns = clock_ns();
	return NULL;
}

/* ---- all of them ------------------------------------------------------------------------ */

/* What is the lane's lies together, as in the memory of a host; all pages are there before. */
static bool lane_open(struct bare_lanes *bare, unsigned number)
{
	struct lane *lane = &bare->lanes[number];
	const size_t size = (2 + DEPTH) * bare->step;

	*lane = (struct lane){.bare = bare, .number = number};
	lane->place[0] = aligned_alloc(64, size);
	if (lane->place[0] == NULL)
		return false;
	memset(lane->place[0], 1, size);
	lane->place[1] = lane->place[0] + bare->step;
	lane->head = lane_makes(lane) ? lane->place[1] + bare->step : bare->lanes[0].head;
	for (unsigned p = 0; p < bare->copying->pipes; p++)
		lane->pipes += bare->copying->lane_of(bare->copying, p) == number;
	return true;
}

/* Their threads wait until all are there, as the lanes of a waveform do. */
static double lanes_run(struct bare_lanes *bare)
{
	const unsigned lanes = bare->copying->lanes;
	uint64_t began, end = 0;
	bool refused = false;
	unsigned n = 0;

	while (n < lanes &&
	    pthread_create(&bare->lanes[n].thread, NULL, lane_main, &bare->lanes[n]) == 0)
		n++;
	clock_sleep_until(clock_ns() + 2000000);
	began = clock_ns();
	atomic_store(&bare->go, n == lanes ? GO : GO_NOT);
	futex_wake(&bare->go, INT_MAX);
	for (unsigned l = 0; l < n; l++) {
		pthread_join(bare->lanes[l].thread, NULL);
		refused |= bare->lanes[l].refused;
		end = bare->lanes[l].end_ns > end ? bare->lanes[l].end_ns : end;
	}
	return refused || n < lanes ? NAN : (double)(end - began) * 1e-9;
}

double copying_run(const struct copying *copying)
{
	struct bare_lanes *bare = aligned_alloc(64, sizeof(*bare));
	double seconds = NAN;
	unsigned n = 0;

	if (bare == NULL)
		return NAN;
	memset(bare, 0, sizeof(*bare));
	bare->copying = copying;
	bare->step = (copying->bytes + 127) & ~(size_t)63;
	while (n < copying->lanes && n < COPYING_LANES_MAX && lane_open(bare, n))
		n++;
	if (n == copying->lanes)
		seconds = lanes_run(bare);
	for (unsigned l = 0; l < n; l++)
		free(bare->lanes[l].place[0]);
	free(bare);
	return seconds;
}
