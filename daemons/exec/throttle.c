/* SPDX-License-Identifier: BSD-3-Clause
 *
 * throttle.c - when a quota kept a lane's thread of ordinary priority from running: the kernel
 * counts for how long, and its records of the CPU say when the thread did not run. */
#include <string.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"
#include "daemons/exec/misses.h"

#define READ_AGAIN_NS 900000000ull

static int32_t thread_of(const struct exec_wave *wave, uint32_t segment)
{
	const struct exec_place *place = &wave->places[segment];
	const struct exec *exec = wave->exec;

	if (!image_timed(wave->view.head->clock) || place->lane >= exec->node->n_lanes ||
	    exec->lanes[place->lane].image == NULL || place->entry >= NODE_ENTRIES_MAX)
		return 0;
	return (int32_t)atomic_load(&exec->lanes[place->lane].image->tid[place->entry]);
}

/* How much the count has risen since it was read last, of the same control group; 0: it was not
 * read before. */
static uint64_t rise_read(struct exec_throttle *throttle, int32_t tid, uint64_t now)
{
	const struct exec_throttle before = *throttle;
	uint64_t group, total;

	throttle->read_ns = now;
	if (platform_throttled(tid, &group, &total) != 0)
		group = total = 0;
	throttle->group = group;
	throttle->total_ns = total;
	return before.read_ns != 0 && before.group == group && total > before.total_ns
	    ? total - before.total_ns
	    : 0;
}

/* The newest of the old ones stay: a slot that is looked at later may have been late by them. */
static void spans_add(struct exec_throttle *throttle, const struct evidence_span *spans, uint32_t n)
{
	enum { MOST = sizeof(throttle->spans) / sizeof(throttle->spans[0]) };
	const uint32_t over = throttle->n + n > MOST ? throttle->n + n - MOST : 0;

	memmove(throttle->spans, throttle->spans + over,
	    (throttle->n - over) * sizeof(throttle->spans[0]));
	throttle->n -= over;
	memcpy(throttle->spans + throttle->n, spans, n * sizeof(spans[0]));
	throttle->n += n;
}

void throttle_look(struct exec_wave *wave, uint32_t segment, bool now)
{
	struct exec_throttle *throttle = &wave->progress[segment].throttle;
	const uint64_t at = clock_ns(), before = throttle->read_ns;
	struct evidence_span spans[8];
	struct witness_records records;
	struct evidence_waits waits = {.tid = thread_of(wave, segment)};
	uint64_t rise;

	if ((!now && at - before < READ_AGAIN_NS) || waits.tid <= 0 ||
	    platform_priority(waits.tid) != 0)
		return;
	rise = rise_read(throttle, waits.tid, at);
	if (rise == 0)
		return;
	waits.from_ns = before;
	waits.throttled_ns = rise + throttle->left_ns;
	throttle->left_ns = 0;
	if (!witness_records(wave->exec, wave->places[segment].lane, before, &records))
		return;
	waits.records = records.records;
	waits.n_records = records.n;
	spans_add(throttle, spans,
	    (uint32_t)evidence_throttled(&waits, spans, sizeof(spans) / sizeof(spans[0])));
	/* the thread may still wait for its turn, after a time that is counted already */
	throttle->left_ns = waits.throttled_ns < rise ? waits.throttled_ns : rise;
}
