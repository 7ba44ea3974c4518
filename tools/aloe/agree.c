/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/agree.h"

#include <aloe/component.h>
#include <inttypes.h>

#include "core/base/text.h"

struct agreement { /* of an output */
	uint64_t compared, differ, first, last;
};

static void row_judge(
    const struct digest_row *row, const struct digest_row *other, struct agreement *ret)
{
	const bool same = other && other->index == row->index && digests_same(row, other);

	/* an instance that rests at an index need not have a message of it */
	if (row->state == ALOE_IDLE && (!other || other->index != row->index))
		return;
	ret->compared++;
	if (same)
		return;
	if (ret->differ++ == 0)
		ret->first = row->index;
	ret->last = row->index;
}

static void output_judge(const struct digest_table *was, const struct digest_table *is,
    uint64_t from, uint64_t end, struct agreement *ret)
{
	size_t at = 0;

	*ret = (struct agreement){0};
	for (size_t i = 0; i < was->n_rows; i++) {
		const struct digest_row *row = &was->rows[i];

		if (row->index < from || row->index >= end)
			continue;
		while (at < is->n_rows && is->rows[at].index < row->index)
			at++;
		row_judge(row, at < is->n_rows ? &is->rows[at] : NULL, ret);
	}
}

static void output_print(const char *name, const struct agreement *one, FILE *out)
{
	fprintf(out, "%-24s %10" PRIu64 " message%s  ", name, one->compared,
	    plural((double)one->compared));
	if (one->differ == 0)
		fputs("same\n", out);
	else
		fprintf(out,
		    "DIFFERS in %" PRIu64 ", first at index %" PRIu64 ", last at index %" PRIu64
		    "\n",
		    one->differ, one->first, one->last);
}

static void end_print(uint64_t last, uint64_t end, FILE *out)
{
	if (last + 1 < end)
		fprintf(out, "from index %" PRIu64 " on all sinks agree with the recording\n",
		    last + 1);
	else
		fprintf(out,
		    "at no index up to the last, %" PRIu64
		    ", all sinks agree from there on: a component has state that the recording "
		    "does not have\n",
		    last);
}

size_t agree_judge(const struct digests run[2], uint64_t from, uint64_t end, FILE *out)
{
	uint64_t compared = 0, last = 0;
	size_t differ = 0;

	for (size_t i = 0; i < run[0].n; i++) {
		struct agreement one;

		output_judge(&run[0].tables[i], &run[1].tables[i], from, end, &one);
		output_print(json_string_value(json_array_get(run[0].names, i)), &one, out);
		compared += one.compared;
		differ += one.differ > 0;
		last = one.differ > 0 && one.last > last ? one.last : last;
	}
	if (differ)
		end_print(last, end, out);
	else if (compared)
		fprintf(out,
		    "same       from index %" PRIu64 " to %" PRIu64 " no message differs\n", from,
		    end - 1);
	else
		fprintf(out, "no message was recorded that could be compared\n");
	return compared ? differ : 1;
}
