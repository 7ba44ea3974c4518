/* SPDX-License-Identifier: BSD-3-Clause
 * digester - keeps a digest (XXH64) of each message that passes on a link, with its index, state
 * and length. `aloe run --record DIR --digests` and `aloe replay --compare` add digesters to a
 * waveform. The file is as core/recording/digests.h says.
 *
 * The items are read where they lie, in the ring of the link, and are not copied: the I/O thread
 * gets 8 bytes for each message. Under slip the waveform waits for an I/O thread that is too slow,
 * so nothing is lost; under skip the message is counted as lost.
 *
 * What cannot be written (a full disk) is counted in `lost`, and the waveform goes on: from the
 * first message that is lost nothing more is written. */
#include <aloe/component.h>

#include <stdatomic.h>
#include <time.h>

#include "components/io/io.h"
#include "core/base/bytes.h"
#include "core/base/digest.h"
#include "core/recording/digests.h"

/* A ring of records has room for whole messages: it is kept below RING_BYTES. */
enum { BLOCK_NS = 500000000, RING_BYTES = 1 << 20, BUFFER_MS_MIN = 10 };

struct digester {
	char path[IO_PATH_MAX];
	uint32_t buffer_ms;
	uint64_t messages;
	uint64_t lost;

	_Atomic uint64_t messages_kept, messages_lost; /* by the I/O thread, which is behind work */
	uint32_t item_bytes;
	bool broken;
	FILE *file;
	uint64_t since_ns; /* the first row of the block */
	uint32_t n;        /* rows of it */
	uint8_t rows[DIGESTS_ROWS_MAX * DIGESTS_ROW];
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_ANY, "messages to digest"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_PATH(struct digester, path, NULL, ALOE_REQUIRED, "file to write"),
    IO_PARAM_BUFFER_MS(struct digester),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct digester, messages, "", "messages whose digest was kept"),
    ALOE_VAR_U64(struct digester, lost, "",
        "messages without a digest because the file could not be written"),
};

static int digester_check(void *self, struct aloe_setup *setup)
{
	return io_check_writable(((const struct digester *)self)->path, setup);
}

/* Large messages: less time, so that many digesters fit into memory. */
static void buffer_limit(struct digester *digester, const struct aloe_setup *setup)
{
	const double bytes = (double)setup->in[0].max * digester->item_bytes + 1;
	const double ms = RING_BYTES / bytes * (double)setup->slot_ns / 1e6;

	if (ms < digester->buffer_ms)
		digester->buffer_ms = ms < BUFFER_MS_MIN ? BUFFER_MS_MIN : (uint32_t)ms;
}

static int digester_init(void *self, struct aloe_setup *setup)
{
	struct digester *digester = self;
	uint8_t head[DIGESTS_HEAD];

	digester->item_bytes = aloe_item_bytes(setup->in[0].type);
	buffer_limit(digester, setup);
	digester->file = fopen(digester->path, "wbe");
	digests_head(head, setup->in[0].type, setup->in[0].max);
	if (digester->file && fwrite(head, sizeof(head), 1, digester->file) == 1 &&
	    fflush(digester->file) == 0)
		return 0;
	aloe_fail(setup, "%s cannot be written: %s", digester->path, strerror(errno));
	if (digester->file) /* close is not called for what did not open */
		fclose(digester->file);
	digester->file = NULL;
	return -1;
}

/* A message that is no longer than its digest goes as it is. After the last index of the waveform
 * messages are no part of it: `end` says so to drain. */
static int digester_work(void *self, struct aloe_slot *slot)
{
	struct digester *digester = self;
	const struct aloe_in *in = &slot->in[0];
	const size_t size = (size_t)in->len * digester->item_bytes;
	uint64_t digest;

	digester->messages = atomic_load_explicit(&digester->messages_kept, memory_order_relaxed);
	digester->lost = atomic_load_explicit(&digester->messages_lost, memory_order_relaxed);
	if (!slot->record)
		return 0;
	slot->record->state = in->state;
	slot->record->len = in->len;
	slot->record->end = aloe_after(slot) != 0;
	if (size > sizeof(digest)) {
		digest = digest64(in->data, size, 0);
		memcpy(slot->record->data, &digest, sizeof(digest));
	} else if (size > 0) {
		memcpy(slot->record->data, in->data, size);
	}
	return 0;
}

static bool block_write(struct digester *digester, bool last)
{
	uint8_t block[DIGESTS_BLOCK];
	const size_t size = (size_t)digester->n * DIGESTS_ROW;

	digests_block(block, digester->rows, digester->n, last);
	return fwrite(block, sizeof(block), 1, digester->file) == 1 &&
	    fwrite(digester->rows, 1, size, digester->file) == size && fflush(digester->file) == 0;
}

static void block_end(struct digester *digester, bool last)
{
	digester->broken = digester->broken || !block_write(digester, last);
	atomic_fetch_add_explicit(
	    digester->broken ? &digester->messages_lost : &digester->messages_kept, digester->n,
	    memory_order_relaxed);
	digester->n = 0;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void row_take(struct digester *digester, const struct aloe_record *record)
{
	const size_t size = (size_t)record->len * digester->item_bytes;
	struct digest_row row = {
	    .index = record->index, .state = record->state, .len = record->len};

	if (size > sizeof(row.digest))
		memcpy(&row.digest, record->data, sizeof(row.digest));
	else
		row.digest = digest64(record->data, size, 0);
	if (digester->n == 0)
		digester->since_ns = now_ns();
	digests_row(digester->rows + (size_t)digester->n++ * DIGESTS_ROW, &row);
	if (digester->n == DIGESTS_ROWS_MAX || now_ns() - digester->since_ns >= BLOCK_NS)
		block_end(digester, false);
}

static int digester_drain(void *self, const struct aloe_record *record, struct aloe_setup *setup)
{
	(void)setup;
	if (!record->end)
		row_take(self, record);
	return 0;
}

static int digester_close(void *self, struct aloe_setup *setup)
{
	struct digester *digester = self;

	(void)setup;
	if (digester->file) {
		block_end(digester, true);
		if (fclose(digester->file) != 0)
			digester->broken = true;
	}
	digester->file = NULL;
	digester->messages = atomic_load(&digester->messages_kept);
	digester->lost = atomic_load(&digester->messages_lost);
	if (digester->broken && digester->lost == 0)
		digester->lost = 1; /* at least: the end of the file */
	return 0;
}

ALOE_COMPONENT(digester) = {
    .summary = "keep a digest of each message of a link",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct digester),
    .check = digester_check,
    .init = digester_init,
    .work = digester_work,
    .close = digester_close,
    .drain = digester_drain,
    .mix = "copy 1",
};
