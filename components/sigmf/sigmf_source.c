/* SPDX-License-Identifier: BSD-3-Clause
 * sigmf_source - a SigMF recording, `length` items in each message.
 *
 * `path` names the .sigmf-meta, the .sigmf-data, an archive .sigmf, or what these names have in
 * common. The datatype decides the items: cf32_le gives cf32, ci16_le ci16, ci8 ci16 (times 256),
 * rf32_le f32, ri16_le i16, ru8 bytes; `type` must agree. Metadata and the length of the data are
 * checked before the first slot, and the hash, too, unless verify = false.
 *
 * Time is kept where samples were lost (core:global_index): with gaps = "absent" a message that
 * lacks a sample is ABSENT; with "zeros" it has zeros there; with "joined" the samples follow each
 * other as if nothing were lost. The end of the recording ends the run; the last message may be
 * short. */
#include <aloe/component.h>

#include <stdatomic.h>

#include "components/io/io.h"
#include "components/sigmf/sigmf.h"
#include "core/sigmf/reader.h"

enum { GAPS_ABSENT, GAPS_ZEROS, GAPS_JOINED };

struct sigmf_source {
	char path[IO_PATH_MAX];
	int32_t type;
	uint32_t length;
	int32_t gaps;
	bool verify;
	uint32_t buffer_ms;
	uint64_t samples;
	uint64_t lost;
	uint64_t absent;
	_Atomic uint64_t zeros; /* by the I/O thread, which is ahead of work */
	struct sigmf_reader *reader;
	uint64_t at; /* place in the recording of the next message */
	uint64_t end;
};

static const char *const gaps_names[] = {"absent", "zeros", "joined", NULL};
static const char *const source_types[] = {"byte", "i16", "f32", "cf32", "ci16", NULL};
static const uint32_t type_of[] = {ALOE_BYTE, ALOE_I16, ALOE_F32, ALOE_CF32, ALOE_CI16};

static const struct aloe_port ports[] = {
    ALOE_OUT_AS("out", ALOE_BYTE | ALOE_I16 | ALOE_F32 | ALOE_CF32 | ALOE_CI16, "type",
        "samples of the recording"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_PATH(struct sigmf_source, path, NULL, ALOE_REQUIRED, "recording to read"),
    ALOE_PARAM_ENUM(
        struct sigmf_source, type, source_types, "cf32", 0, "type of the items, as the datatype"),
    ALOE_PARAM_INT(struct sigmf_source, length, 0, 1, 1 << 24, "items", ALOE_REQUIRED,
        "items in each message"),
    ALOE_PARAM_ENUM(struct sigmf_source, gaps, gaps_names, "absent", 0,
        "what becomes of messages that lack samples"),
    ALOE_PARAM_BOOL(struct sigmf_source, verify, true, 0,
        "read all data and compare core:sha512 before the run"),
    IO_PARAM_BUFFER_MS(struct sigmf_source),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct sigmf_source, samples, "", "samples of the recording sent"),
    ALOE_VAR_U64(struct sigmf_source, lost, "", "lost samples, sent as zeros"),
    ALOE_VAR_U64(struct sigmf_source, absent, "", "messages that lack samples, sent as ABSENT"),
};

static int recording_open(struct sigmf_source *source, bool verify, struct aloe_setup *setup)
{
	const struct sigmf_format *format;
	struct diag diag;

	diag_init(&diag);
	if (!source->path[0])
		return aloe_fail(setup, "path is empty");
	if (sigmf_open(source->path, verify, &diag, &source->reader) < 0)
		return diag_fail(&diag, setup);
	diag_fini(&diag);
	format = &sigmf_formats[sigmf_meta(source->reader)->global.datatype];
	if (format->item_type == type_of[source->type])
		return 0;
	for (unsigned i = 0; source_types[i]; i++)
		if (format->item_type == type_of[i])
			aloe_fail(setup,
			    "%s has the datatype %s, which is read as type = \"%s\", and not "
			    "\"%s\"",
			    source->path, format->name, source_types[i],
			    source_types[source->type]);
	return -1;
}

static int sigmf_source_check(void *self, struct aloe_setup *setup)
{
	struct sigmf_source probe = *(const struct sigmf_source *)self;
	const int rc = recording_open(&probe, probe.verify, setup);

	if (probe.reader)
		sigmf_close(probe.reader);
	return rc;
}

static int sigmf_source_shape(void *self, struct aloe_setup *setup)
{
	setup->out[0].max = ((const struct sigmf_source *)self)->length;
	return 0;
}

static int sigmf_source_init(void *self, struct aloe_setup *setup)
{
	struct sigmf_source *source = self;

	if (recording_open(source, false, setup) < 0)
		return -1;
	sigmf_join(source->reader, source->gaps == GAPS_JOINED);
	source->at = sigmf_first(source->reader);
	source->end = sigmf_end(source->reader);
	return 0;
}

static int sigmf_source_fill(void *self, struct aloe_record *record, struct aloe_setup *setup)
{
	struct sigmf_source *source = self;
	const uint64_t left = source->end - source->at;
	const uint32_t n = left < source->length ? (uint32_t)left : source->length;
	uint32_t lost = 0;
	int rc;

	if (n == 0)
		return ALOE_FILL_END;
	rc = sigmf_take(source->reader, source->at, n, record->data, &lost);
	if (rc < 0)
		return aloe_fail(setup, "%s cannot be read at sample %llu: %s", source->path,
		    (unsigned long long)source->at, strerror(-rc));
	source->at += n;
	record->len = n;
	record->state = ALOE_VALID;
	if (lost == 0)
		return 0;
	if (source->gaps == GAPS_ABSENT) {
		record->state = ALOE_ABSENT;
		record->len = 0;
	} else {
		atomic_fetch_add_explicit(&source->zeros, lost, memory_order_relaxed);
	}
	return 0;
}

static int sigmf_source_work(void *self, struct aloe_slot *slot)
{
	struct sigmf_source *source = self;
	const struct aloe_record *record = slot->record;

	if (!record)
		return 0;
	source->lost = atomic_load_explicit(&source->zeros, memory_order_relaxed);
	if (record->state != ALOE_VALID) {
		source->absent++;
		return 0;
	}
	memcpy(slot->out[0].data, record->data,
	    (size_t)record->len * aloe_item_bytes(type_of[source->type]));
	aloe_put(slot, 0, record->len);
	source->samples += record->len;
	return 0;
}

static int sigmf_source_close(void *self, struct aloe_setup *setup)
{
	struct sigmf_source *source = self;

	(void)setup;
	sigmf_close(source->reader);
	source->reader = NULL;
	return 0;
}

ALOE_COMPONENT(sigmf_source) = {
    .summary = "samples of a SigMF recording",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct sigmf_source),
    .check = sigmf_source_check,
    .shape = sigmf_source_shape,
    .init = sigmf_source_init,
    .work = sigmf_source_work,
    .close = sigmf_source_close,
    .fill = sigmf_source_fill,
};
