/* SPDX-License-Identifier: BSD-3-Clause
 *
 * throttle.c - which times off the CPU a control group's quota accounts for. */
#include "core/evidence/evidence.h"

static uint64_t span_ns(const struct evidence_span *span)
{
	return span->to_ns - span->from_ns;
}

static bool is_told(const struct evidence_span *spans, size_t n, uint64_t from_ns)
{
	while (n > 0 && spans[n - 1].from_ns != from_ns)
		n--;
	return n > 0;
}

/* The longest time that is not told yet in which the thread wanted to run and did not, and which
 * ended after from_ns; false: there is none. */
static bool longest_find(const struct evidence_waits *waits, const struct evidence_span *told,
    size_t n_told, struct evidence_span *ret)
{
	uint64_t out = 0;

	*ret = (struct evidence_span){0, 0};
	for (size_t i = 0; i < waits->n_records; i++) {
		const struct evidence_record *record = &waits->records[i];

		if (record->tid != waits->tid)
			continue;
		if (record->kind == EVIDENCE_OUT)
			out = record->preempted ? record->ns : 0;
		if (record->kind != EVIDENCE_IN || out == 0)
			continue;
		if (record->ns > waits->from_ns && record->ns - out > span_ns(ret) &&
		    !is_told(told, n_told, out))
			*ret = (struct evidence_span){out, record->ns};
		out = 0;
	}
	return ret->to_ns != 0;
}

size_t evidence_throttled(struct evidence_waits *waits, struct evidence_span *ret, size_t max)
{
	struct evidence_span span;
	size_t n = 0;

	while (n < max && longest_find(waits, ret, n, &span) &&
	    waits->throttled_ns >= span_ns(&span) / 2) {
		waits->throttled_ns -=
		    waits->throttled_ns < span_ns(&span) ? waits->throttled_ns : span_ns(&span);
		ret[n++] = span;
	}
	return n;
}
