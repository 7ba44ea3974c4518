/* SPDX-License-Identifier: BSD-3-Clause
 * core/sigmf: a .sigmf-meta of any bytes is refused with at least one reason, or gives segments and
 * annotations in order; what is printed of these is read again as the same. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sigmf/sigmf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static void order_check(const struct sigmf_meta *meta)
{
	insist(meta->global.datatype < SIGMF_DATATYPES && meta->global.offset <= INT64_MAX);
	for (size_t i = 0; i < meta->n_captures; i++) {
		const struct sigmf_capture *c = &meta->captures[i];

		insist(c->sample_start >= (i ? c[-1].sample_start : meta->global.offset));
		insist(c->index <= INT64_MAX && c->at <= INT64_MAX);
		insist(!i || c->index - c[-1].index >= c->sample_start - c[-1].sample_start);
		insist(!i || c->at >= c[-1].at);
	}
	for (size_t i = 1; i < meta->n_annotations; i++)
		insist(meta->annotations[i].sample_start >= meta->annotations[i - 1].sample_start);
}

/* A data file of any length is refused with a reason, or has what the recording says. */
static void length_check(const struct sigmf_meta *meta, uint64_t bytes)
{
	struct diag diag;
	uint64_t samples = 0;

	diag_init(&diag);
	if (sigmf_check(meta, "fuzz", bytes, &diag, &samples) == 0) {
		insist(diag.errors == 0 && samples > 0);
		insist(samples <= bytes / sigmf_formats[meta->global.datatype].bytes);
		for (size_t i = 0; i < meta->n_captures; i++)
			insist(meta->captures[i].at <= bytes);
	} else {
		insist(diag.errors > 0);
	}
	diag_fini(&diag);
}

static void print_check(const struct sigmf_meta *meta)
{
	struct sigmf_meta *again = NULL;
	struct diag diag;
	size_t len;
	char *text = sigmf_print(meta, &len);

	insist(text != NULL);
	diag_init(&diag);
	insist(sigmf_parse("again", text, len, &diag, &again) == 0);
	insist(again->n_captures == meta->n_captures);
	insist(again->n_annotations == meta->n_annotations);
	for (size_t i = 0; i < meta->n_captures; i++)
		insist(again->captures[i].index == meta->captures[i].index &&
		    again->captures[i].at == meta->captures[i].at);
	sigmf_free(again);
	diag_fini(&diag);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sigmf_meta *meta = NULL;
	struct diag diag;

	diag_init(&diag);
	if (sigmf_parse("fuzz", (const char *)data, size, &diag, &meta) == 0) {
		insist(meta && diag.errors == 0);
		order_check(meta);
		length_check(meta, size * 8);
		length_check(meta, 1ull << 50);
		print_check(meta);
		sigmf_free(meta);
	} else {
		insist(!meta && diag.errors > 0);
	}
	diag_fini(&diag);
	return 0;
}
