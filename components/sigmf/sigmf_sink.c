/* SPDX-License-Identifier: BSD-3-Clause
 * sigmf_sink - the samples of every VALID message into a SigMF recording: cf32 as cf32_le, ci16 as
 * ci16_le (or ci8, rounded, with datatype = "ci8"), f32 as rf32_le, i16 and llr16 as ri16_le, bytes
 * and bits as ru8.
 *
 * `path` is the name of the recording; .sigmf-meta and .sigmf-data are added. An ABSENT message is
 * a gap: no sample stands for it in the data, it counts as the largest message of the input, an
 * annotation names it, and the next VALID message begins a segment with core:global_index. ABSENT
 * messages before the first VALID one are the pipeline filling, and no part of the recording. IDLE
 * messages are none. The hash is made while the data are written; a run that ends by a crash leaves
 * .sigmf-meta.partial. */
#include <aloe/component.h>

#include "components/io/io.h"
#include "components/sigmf/sigmf.h"
#include "core/sigmf/writer.h"

struct sigmf_sink {
	char path[IO_PATH_MAX];
	double rate_hz;
	double frequency_hz;
	int32_t datatype;
	char description[256];
	char hw[128];
	uint32_t buffer_ms;
	uint64_t messages;
	uint64_t samples;
	uint64_t absent;
	uint32_t item_bytes;
	uint32_t length; /* of an ABSENT message */
	bool started;
	struct sigmf_writer *writer;
};

static const char *const datatype_names[] = {"auto", "ci8", NULL};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_ANY, "samples"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_PATH(struct sigmf_sink, path, NULL, ALOE_REQUIRED, "recording to write"),
    ALOE_PARAM_REAL(struct sigmf_sink, rate_hz, ALOE_NAN, 1, 1e12, "Hz", 0,
        "core:sample_rate; not set: it is not stated"),
    ALOE_PARAM_REAL(struct sigmf_sink, frequency_hz, ALOE_NAN, -1e12, 1e12, "Hz", 0,
        "core:frequency of each segment; not set: it is not stated"),
    ALOE_PARAM_ENUM(struct sigmf_sink, datatype, datatype_names, "auto", 0,
        "auto: by the type of the input; ci8: ci16 in 8 bits"),
    ALOE_PARAM_TEXT(struct sigmf_sink, description, "", 0, "core:description"),
    ALOE_PARAM_TEXT(struct sigmf_sink, hw, "", 0, "core:hw"),
    IO_PARAM_BUFFER_MS(struct sigmf_sink),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct sigmf_sink, messages, "", "VALID messages taken"),
    ALOE_VAR_U64(struct sigmf_sink, samples, "", "samples in the VALID messages"),
    ALOE_VAR_U64(struct sigmf_sink, absent, "",
        "ABSENT messages after the first VALID one, gaps in the recording"),
};

static int sigmf_sink_check(void *self, struct aloe_setup *setup)
{
	const struct sigmf_sink *sink = self;
	struct diag diag;

	diag_init(&diag);
	if (sink->datatype != 0 && setup->in[0].type != ALOE_CI16)
		return aloe_fail(
		    setup, "datatype = \"ci8\" is made of ci16; the input is not ci16");
	if (sigmf_path_check(sink->path, &diag) < 0)
		return diag_fail(&diag, setup);
	return 0;
}

static int sigmf_sink_init(void *self, struct aloe_setup *setup)
{
	struct sigmf_sink *sink = self;
	struct sigmf_global global = sigmf_no_global;
	struct diag diag;

	diag_init(&diag);
	if (sigmf_datatype_for(setup->in[0].type, &global.datatype) < 0)
		return aloe_fail(setup, "the type of the input is not known");
	if (sink->datatype != 0)
		global.datatype = SIGMF_CI8;
	sink->item_bytes = aloe_item_bytes(setup->in[0].type);
	sink->length = setup->in[0].max;
	global.sample_rate_hz = sink->rate_hz;
	global.description = sink->description[0] ? sink->description : NULL;
	global.hw = sink->hw[0] ? sink->hw : NULL;
	global.recorder = "ALOE sigmf_sink";
	global.slot_ns = setup->slot_ns;
	global.items = setup->in[0].max;
	global.port = setup->instance;
	if (sigmf_create(sink->path, &global, &diag, &sink->writer) < 0)
		return diag_fail(&diag, setup);
	return 0;
}

static int sigmf_sink_work(void *self, struct aloe_slot *slot)
{
	struct sigmf_sink *sink = self;
	const struct aloe_in *in = &slot->in[0];

	sink->started |= in->state == ALOE_VALID;
	sink->messages += in->state == ALOE_VALID;
	sink->samples += in->len;
	sink->absent += sink->started && in->state == ALOE_ABSENT;
	if (!slot->record)
		return 0;
	slot->record->state = sink->started ? in->state : (uint32_t)ALOE_IDLE;
	slot->record->len = in->len;
	if (in->len)
		memcpy(slot->record->data, in->data, (size_t)in->len * sink->item_bytes);
	return 0;
}

static int sigmf_sink_drain(void *self, const struct aloe_record *record, struct aloe_setup *setup)
{
	struct sigmf_sink *sink = self;
	const struct sigmf_message message = {.slot = record->index,
	    .items = record->data,
	    .n = record->len,
	    .tick = SIGMF_NONE,
	    .frequency_hz = sink->frequency_hz};
	int rc = 0;

	if (record->state == ALOE_VALID)
		rc = sigmf_put(sink->writer, &message);
	else if (record->state == ALOE_ABSENT)
		rc = sigmf_put_lost(sink->writer, record->index, sink->length);
	if (rc == -E2BIG)
		return aloe_fail(
		    setup, "%s: a recording has at most %d gaps", sink->path, SIGMF_CAPTURES_MAX);
	if (rc < 0)
		return aloe_fail(setup, "%s cannot be written at sample %llu: %s", sink->path,
		    (unsigned long long)sigmf_written(sink->writer), strerror(-rc));
	return 0;
}

static int sigmf_sink_close(void *self, struct aloe_setup *setup)
{
	struct sigmf_sink *sink = self;
	struct sigmf_writer *writer = sink->writer;
	struct diag diag;

	diag_init(&diag);
	sink->writer = NULL;
	if (sigmf_finish(writer, &diag) < 0)
		return diag_fail(&diag, setup);
	return 0;
}

ALOE_COMPONENT(sigmf_sink) = {
    .summary = "samples into a SigMF recording",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct sigmf_sink),
    .check = sigmf_sink_check,
    .init = sigmf_sink_init,
    .work = sigmf_sink_work,
    .close = sigmf_sink_close,
    .drain = sigmf_sink_drain,
};
