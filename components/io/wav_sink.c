/* SPDX-License-Identifier: BSD-3-Clause
 * wav_sink - 16-bit mono samples into a WAV file with the canonical 44-byte header, so that a file
 * that came through without an error is the file that was sent, byte by byte.
 *
 * With input `length` connected, that many samples of the block are written: the padding of the
 * last block goes. A block that is ABSENT though it was sent (a failed block) becomes as much
 * silence, and is counted: time must not shrink. Before the first block nothing is written, that is
 * the pipeline filling. The header gets its sizes when the run is done. */
#include <aloe/component.h>

#include "components/io/io.h"
#include "components/io/wav.h"

struct wav_sink {
	char path[IO_PATH_MAX];
	uint32_t rate_hz;
	uint32_t buffer_ms;
	uint64_t blocks;
	uint64_t concealed_blocks;
	uint64_t samples;
	bool started; /* something has been written */
	struct io_file file;
};

enum { SAMPLES, REAL_SAMPLES }; /* inputs */

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_I16, "samples"),
    ALOE_IN_OPTIONAL("length", ALOE_I16, "one item, the number of samples to write"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_PATH(struct wav_sink, path, NULL, ALOE_REQUIRED, "WAV file to write"),
    ALOE_PARAM_INT(
        struct wav_sink, rate_hz, 24000, 1, 1000000, "Hz", 0, "sample rate that the header states"),
    IO_PARAM_BUFFER_MS(struct wav_sink),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct wav_sink, blocks, "", "blocks written, concealed ones included"),
    ALOE_VAR_U64(
        struct wav_sink, concealed_blocks, "", "blocks that did not arrive, written as silence"),
    ALOE_VAR_U64(struct wav_sink, samples, "", "samples written"),
};

static int wav_sink_check(void *self, struct aloe_setup *setup)
{
	return io_check_writable(((const struct wav_sink *)self)->path, setup);
}

static int wav_sink_init(void *self, struct aloe_setup *setup)
{
	struct wav_sink *sink = self;
	uint8_t header[WAV_HEADER_BYTES];

	wav_header_encode(header, sink->rate_hz, 0);
	if (io_open(&sink->file, sink->path, O_WRONLY | O_CREAT | O_TRUNC, setup) < 0)
		return -1;
	return io_write(&sink->file, sink->path, header, sizeof(header), setup);
}

/* samples_wanted is how long this block is to be in the file: as `length` says, else as it is, else
 * a whole block. */
static uint32_t samples_wanted(const struct aloe_slot *slot)
{
	const uint32_t max = slot->record->max;
	uint32_t wanted = aloe_in_valid(slot, SAMPLES) ? aloe_in_len(slot, SAMPLES) : max;

	if (aloe_in_len(slot, REAL_SAMPLES)) {
		const int16_t stated = aloe_in_i16(slot, REAL_SAMPLES)[0];
		wanted = stated > 0 ? (uint32_t)stated : 0;
	}
	return wanted < max ? wanted : max;
}

static int wav_sink_work(void *self, struct aloe_slot *slot)
{
	struct wav_sink *sink = self;
	struct aloe_record *record = slot->record;
	const bool valid = aloe_in_valid(slot, SAMPLES);
	const bool sent = aloe_in_valid(slot, REAL_SAMPLES);
	const bool nothing =
	    slot->in[SAMPLES].state == ALOE_IDLE || !(valid || sent || sink->started);
	const uint32_t have = aloe_in_len(slot, SAMPLES);
	uint32_t wanted, copied;

	if (!record)
		return 0;
	record->state = nothing ? ALOE_IDLE : ALOE_VALID;
	record->len = 0;
	if (nothing)
		return 0;
	wanted = samples_wanted(slot);
	copied = have < wanted ? have : wanted;
	if (copied)
		memcpy(record->data, aloe_in_i16(slot, SAMPLES), copied * sizeof(int16_t));
	memset((int16_t *)record->data + copied, 0, (wanted - copied) * sizeof(int16_t));
	record->len = wanted;
	sink->started = true;
	sink->blocks++;
	sink->concealed_blocks += !valid;
	sink->samples += wanted;
	return 0;
}

static int wav_sink_drain(void *self, const struct aloe_record *record, struct aloe_setup *setup)
{
	struct wav_sink *sink = self;
	const size_t size = (size_t)record->len * sizeof(int16_t);

	if (record->state != ALOE_VALID)
		return 0;
	if (sink->file.offset + size > UINT32_MAX)
		return aloe_fail(setup, "%s: offset %llu: a WAV file holds at most 4 GiB",
		    sink->path, (unsigned long long)sink->file.offset);
	return io_write(&sink->file, sink->path, record->data, size, setup);
}

static int patch_header(struct wav_sink *sink, struct aloe_setup *setup)
{
	uint8_t header[WAV_HEADER_BYTES];

	if (sink->file.offset < WAV_HEADER_BYTES)
		return 0; /* not even the header could be written, and that has been told */
	wav_header_encode(header, sink->rate_hz, (uint32_t)(sink->file.offset - WAV_HEADER_BYTES));
	if (pwrite(sink->file.fd, header, sizeof(header), 0) != (ssize_t)sizeof(header))
		return aloe_fail(setup, "%s cannot be written at offset 0 (header): %s", sink->path,
		    strerror(errno));
	return io_sync(&sink->file, sink->path, setup);
}

static int wav_sink_close(void *self, struct aloe_setup *setup)
{
	struct wav_sink *sink = self;
	const int patched = sink->file.open ? patch_header(sink, setup) : 0;
	const int closed = io_close(&sink->file, sink->path, setup);

	return patched < 0 ? patched : closed;
}

ALOE_COMPONENT(wav_sink) = {
    .summary = "16-bit mono samples into a WAV file",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct wav_sink),
    .check = wav_sink_check,
    .init = wav_sink_init,
    .work = wav_sink_work,
    .close = wav_sink_close,
    .drain = wav_sink_drain,
};
