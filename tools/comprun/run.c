/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Slot after slot, as an engine would, as fast as files go. */
#include <inttypes.h>
#include <string.h>

#include "core/base/text.h"
#include "tools/comprun/comprun.h"

static int call_failed(
    struct comprun_bench *bench, uint64_t index, const char *where, int rc, const char *why)
{
	if (why && why[0])
		return diag_error(&bench->diag, NULL, 0, "%s: %s at index %" PRIu64 ": %s",
		    bench->entry->name, where, index, why);
	return diag_error(&bench->diag, NULL, 0,
	    "%s: %s at index %" PRIu64
	    " returned %d and gave no reason: let %s %s before it returns "
	    "a negative number",
	    bench->entry->name, where, index, rc, where,
	    strcmp(where, "work") == 0 ? "set slot->why" : "call aloe_fail(setup, ...)");
}

/* fill_ahead fills the next record, and marks this one as the last if there is none. */
static int fill_ahead(struct comprun_bench *bench, uint64_t index)
{
	struct aloe_record *record = &bench->record[index % 2];
	int rc;

	record->index = index;
	record->len = 0;
	record->end = 0;
	record->state = ALOE_VALID;
	rc = bench->component->fill(bench->state, record, &bench->setup);
	if (rc < 0)
		return call_failed(bench, index, "fill", rc, bench->setup.error);
	if (rc == ALOE_FILL_END) {
		bench->source_ended = true;
		bench->record[(index + 1) % 2].end = 1;
	}
	return 0;
}

/* What the engine does for an I/O component without work. */
static void record_copy(struct comprun_bench *bench, struct aloe_slot *slot)
{
	struct aloe_record *record = slot->record;

	if (bench->component->fill) {
		memcpy(bench->out[0].data, record->data,
		    (size_t)record->len * aloe_item_bytes(bench->format_out[0].type));
		bench->out[0].len = record->len;
		bench->out[0].state = record->state;
		slot->flags |= record->end ? ALOE_SLOT_END : 0;
	} else {
		record->len = bench->in[0].len;
		record->state = bench->in[0].state;
		if (record->len)
			memcpy(record->data, bench->in[0].data,
			    (size_t)record->len * aloe_item_bytes(bench->format_in[0].type));
	}
}

static int inputs_read(struct comprun_bench *bench, bool *ret_any)
{
	int rc = 0;

	*ret_any = bench->n_in == 0;
	for (uint32_t i = 0; i < bench->n_in && rc == 0; i++) {
		rc = bench_input(bench, i);
		*ret_any |= bench->in[i].state == ALOE_VALID;
	}
	return rc;
}

/* index_run runs one index, with ALOE_SLOT_AFTER in `flags` behind the last: 0 to go on, 1 at the
 * end, negative on failure. */
static int index_run(struct comprun_bench *bench, uint64_t index, uint32_t flags)
{
	struct aloe_record *record =
	    bench->component->fill || bench->component->drain ? &bench->record[index % 2] : NULL;
	struct aloe_slot slot = {
	    .index = index, .in = bench->in, .out = bench->out, .record = record, .flags = flags};
	int rc = 0;

	for (uint32_t i = 0; i < bench->n_out; i++)
		bench->out[i] = (struct aloe_out){.data = bench->port_out[i].data,
		    .max = bench->port_out[i].connected ? bench->format_out[i].max : 0};
	if (record && bench->component->drain)
		record->index = index;
	if (bench->component->work)
		rc = bench->component->work(bench->state, &slot);
	else if (record)
		record_copy(bench, &slot);
	if (rc < 0)
		return call_failed(bench, index, "work", rc, slot.why);
	if (bench->component->drain)
		rc = bench->component->drain(bench->state, record, &bench->setup);
	if (rc < 0)
		return call_failed(bench, index, "drain", rc, bench->setup.error);
	for (uint32_t i = 0; i < bench->n_out; i++)
		if (bench_output(bench, i) < 0)
			return -1;
	return slot.flags & ALOE_SLOT_END ? 1 : 0;
}

/* What it holds after its last input leaves within its tail. */
static int tail_run(struct comprun_bench *bench, uint64_t index)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < bench->setup.tail; i++) {
		for (uint32_t port = 0; port < bench->n_in; port++)
			bench->in[port] =
			    (struct aloe_in){.data = bench->port_in[port].data, .state = ALOE_IDLE};
		rc = index_run(bench, index + i, ALOE_SLOT_AFTER);
	}
	return rc;
}

int bench_run(struct comprun_bench *bench, uint64_t slots)
{
	const bool fills = bench->component->fill != NULL;
	bool any = true;
	int rc = fills ? fill_ahead(bench, 0) : 0;
	uint64_t index;

	for (index = 0; rc == 0 && index < slots; index++) {
		if (fills && bench->source_ended && !bench->record[index % 2].end)
			break; /* it was empty */
		if (fills && !bench->source_ended)
			rc = fill_ahead(bench, index + 1);
		if (rc == 0)
			rc = inputs_read(bench, &any);
		if (rc < 0 || !any)
			break;
		rc = index_run(bench, index, 0);
		if (fills && bench->source_ended && rc == 0)
			break;
	}
	if (rc == 0 && bench->n_in > 0)
		rc = tail_run(bench, index);
	return rc < 0 || bench->diag.errors ? CLI_FAILED : CLI_OK;
}

void bench_vars(const struct comprun_bench *bench, FILE *out)
{
	for (uint32_t i = 0; i < bench->component->vars.len; i++) {
		const struct aloe_var *var = &bench->component->vars.items[i];
		const void *field = bench->state + var->offset;
		uint64_t whole;
		char number[NUMBER_TEXT];
		double real;
		memcpy(&whole, field, sizeof(whole));
		memcpy(&real, field, sizeof(real));
		if (var->real)
			fprintf(out, "%s %s\n", var->name, number_text(real, 9, number));
		else
			fprintf(out, "%s %" PRIu64 "\n", var->name, whole);
	}
}
