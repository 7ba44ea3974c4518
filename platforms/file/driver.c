/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/file/driver.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "platforms/file/channel.h"

enum { PACKET_MAX = 65536, PACKET_MIN = 1024, RING_SLOTS = 8, RING_SAMPLES = 1 << 18 };
#define PATIENCE_NS (UINT64_MAX / 8) /* a file that is slow is waited for */

struct file_radio {
	struct radio radio; /* first */
	struct file_channel channel[RADIO_CHANNELS_MAX];
	uint32_t packets;  /* of a slot */
	uint64_t start_ns; /* 0: not started */
	double rate_hz;
};

static struct file_radio *file_of(struct radio *radio)
{
	return (struct file_radio *)radio;
}

/* ---- settings ------------------------------------------------------------------------ */

static const char *const formats[] = {"ci16_le", "cf32_le", NULL};
static const char *const ends[] = {"end", "loop", NULL};

#define AT(field) offsetof(struct file_settings, field)
static const struct radio_key keys[] = {
    {"path", RADIO_PATH, AT(path), "file of the samples that are received",
        .needed = "path = \"FILE\" of the samples"},
    {"format", RADIO_CHOICE, AT(format),
        "format of the samples in both files, as SigMF calls the format: \"ci16_le\" (16 bits "
        "real, 16 bits "
        "imaginary) or \"cf32_le\" (two floats, full scale 1), low byte first",
        .words = formats, .needed = "format = \"ci16_le\" or \"cf32_le\""},
    {"rate", RADIO_REAL, AT(rate),
        "samples a second at which the file was recorded; the waveform must have the same rate",
        1e3, 1e9, "samples/s", .needed = "rate = R, samples a second,"},
    {"at_end", RADIO_CHOICE, AT(at_end),
        "\"end\": the end of the file ends the run; \"loop\": the file follows itself without a "
        "seam",
        .words = ends},
    {"tx_path", RADIO_PATH, AT(tx_path),
        "file for the samples that are sent, which is written anew",
        .otherwise = "none: nothing can be sent"},
};

static const char manual[] =
    "A file radio delivers its samples in real time, at rate. With --clock virtual the samples "
    "come as fast as the slots are run, and no sample is lost, however slow a component or a disk "
    "is. In real time a slot waits for samples that the disk has not delivered yet, and samples "
    "that the disk does not take are left out and counted (no_room). The samples that a slot sends "
    "are appended to the samples sent before, so tx_path has no gaps for slots in which nothing "
    "was sent. Two groups are two channels.";

static void check_path(const struct radio_check *check, const struct file_settings *settings)
{
	const size_t item = file_item(settings->format);
	const int line = radio_line(check, "path");
	struct stat about;

	if (line == 0)
		return;
	if (access(settings->path, R_OK) != 0 || stat(settings->path, &about) != 0)
		diag_error(check->diag, check->file, line, "path = \"%.200s\" cannot be read: %s",
		    settings->path, strerror(errno));
	else if (!S_ISREG(about.st_mode))
		diag_error(check->diag, check->file, line,
		    "path = \"%.200s\" is not a regular file; a recording is needed",
		    settings->path);
	else if (about.st_size == 0 || (size_t)about.st_size % item != 0)
		diag_error(check->diag, check->file, line,
		    "path = \"%.200s\" has a length of %llu, which is not a whole number of "
		    "samples of %zu bytes (%s); at least one sample is needed",
		    settings->path, (unsigned long long)about.st_size, item,
		    formats[settings->format]);
}

static void check_tx_path(const struct radio_check *check, const struct file_settings *settings)
{
	const struct file_settings *first = check->first;
	const int line = radio_line(check, "tx_path");

	if (line != 0 && strcmp(settings->path, settings->tx_path) == 0)
		diag_error(check->diag, check->file, line,
		    "tx_path = \"%.200s\" is the file that is read; another file is needed",
		    settings->tx_path);
	if (first == NULL)
		return;
	if (!first->tx_path[0] != !settings->tx_path[0])
		diag_error(check->diag, check->file, check->line,
		    "radio: tx_path is needed for all radios or for none");
	else if (line != 0 && strcmp(first->tx_path, settings->tx_path) == 0)
		diag_error(check->diag, check->file, line,
		    "tx_path = \"%.200s\" belongs to the other radio; another file is needed",
		    settings->tx_path);
}

static void file_check(void *self, const struct radio_check *check)
{
	const struct file_settings *settings = self;

	check_path(check, settings);
	check_tx_path(check, settings);
	if (check->use != NULL && settings->rate != check->use->rate_hz)
		diag_error(check->diag, check->file, radio_line(check, "rate"),
		    "the file has the rate %.10g, but %s has %.10g; both rates must be the same",
		    settings->rate, check->use->waveform, check->use->rate_hz);
}

static uint32_t channels_of(const void *settings)
{
	(void)settings;
	return 1;
}

/* Two waveforms that write one file would spoil it; both may read one. */
static void claim_of(const void *settings, char *ret, size_t size)
{
	snprintf(ret, size, "%s", ((const struct file_settings *)settings)->tx_path);
}

/* A trial would write what is sent over the file of an earlier run. */
static void file_examine(
    const void *const *all, uint32_t n, struct radio_look *look, struct radio_use *ret_use)
{
	(void)ret_use;
	for (uint32_t i = 0; i < n; i++) {
		const struct file_settings *settings = all[i];
		struct stat about;

		if (stat(settings->path, &about) != 0)
			radio_found(look, "recording", RADIO_BAD, "%s: %s", settings->path,
			    strerror(errno));
		else
			radio_found(look, "recording", RADIO_GOOD, "%s: %.6g s at %.10g samples/s",
			    settings->path,
			    (double)about.st_size / (double)file_item(settings->format) /
			        settings->rate,
			    settings->rate);
	}
}

/* ---- open and close ------------------------------------------------------------------------ */

static void file_close_all(struct radio *radio)
{
	struct file_radio *file = file_of(radio);
	struct log log;

	log_init(&log, "aloe-host");
	for (uint32_t c = 0; c < radio->channels; c++) {
		const int status = file_close(&file->channel[c]);

		if (status != 0)
			log_error(&log, "radio: %s or %s: %s", file->channel[c].settings->path,
			    file->channel[c].settings->tx_path, strerror(-status));
	}
	free(file);
}

static int file_open_all(const void *const *all, uint32_t n, const struct radio_use *use,
    struct radio **ret, char *ret_why, size_t size)
{
	const struct file_settings *first = all[0];
	const uint32_t packet = radio_packet_samples(use->slot_samples, PACKET_MIN, PACKET_MAX);
	uint64_t ring = (uint64_t)RING_SLOTS * use->slot_samples;
	struct file_radio *file = calloc(1, sizeof(*file));
	const char *what = "the radio";
	int status = file != NULL ? 0 : -ENOMEM;

	if (ring < RING_SAMPLES)
		ring = (RING_SAMPLES + packet - 1) / packet * packet;
	if (file != NULL) {
		file->radio = (struct radio){.driver = &file_driver,
		    .ticks_per_sample = 1,
		    .rx_packet = packet,
		    .tx_packet = first->tx_path[0] ? packet : 0,
		    .tx_advance = -1,
		    .patience_ns = PATIENCE_NS,
		    .end_ticks = UINT64_MAX};
		file->packets = use->slot_samples / packet;
		file->rate_hz = use->rate_hz;
	}
	for (uint32_t c = 0; c < n && status == 0; c++) {
		file->radio.channel[c] = (struct aloe_radio_channel){NAN, NAN, NAN, NAN};
		file->radio.channels++;
		status = file_open(&file->channel[c], all[c], ring, packet, &what);
	}
	if (status != 0)
		snprintf(ret_why, size, "%s: %s", what, strerror(-status));
	if (status != 0 && file != NULL)
		file_close_all(&file->radio);
	else
		*ret = file != NULL ? &file->radio : NULL;
	return status;
}

/* ---- in and out ------------------------------------------------------------------------ */

static void file_start(struct radio *radio)
{
	file_of(radio)->start_ns = clock_ns();
}

/* Packets that would have come by now. */
static uint64_t due_in_time(
    const struct file_radio *file, const struct file_channel *channel, uint64_t now_ns)
{
	const double seconds = (double)(int64_t)(now_ns - file->start_ns) * 1e-9;
	const uint64_t samples = seconds > 0 ? (uint64_t)(seconds * file->rate_hz) : 0;

	return samples > channel->received ? (samples - channel->received) / file->radio.rx_packet
	                                   : 0;
}

/* A slot's packets, once those of the slot before were given back and there is room for what the
 * slot sends. */
static uint64_t due_at_once(const struct file_radio *file, struct file_channel *channel)
{
	const uint64_t slot = (uint64_t)file->packets * file->radio.rx_packet,
	               there = atomic_load(&channel->in.written) - channel->received,
	               room = channel->out.size -
	    (atomic_load(&channel->out.written) - atomic_load(&channel->out.read));

	if (channel->owed > 0)
		return channel->owed;
	if (channel->received != channel->released || there < slot ||
	    (file->radio.tx_packet > 0 && room < slot))
		return 0;
	channel->owed = file->packets;
	return channel->owed;
}

/* The end of the radio is that of the first channel to end. */
static void see_end(struct file_radio *file, const struct file_channel *channel)
{
	const uint64_t end = atomic_load(&channel->end);

	if (end < file->radio.end_ticks)
		file->radio.end_ticks = end;
}

static unsigned file_receive(
    struct radio *radio, uint32_t c, uint64_t now_ns, struct radio_packet *ret, unsigned n)
{
	struct file_radio *file = file_of(radio);
	struct file_channel *channel = &file->channel[c];
	const uint64_t there =
	    atomic_load_explicit(&channel->in.written, memory_order_acquire) - channel->received;
	uint64_t due;

	if (file->start_ns == 0)
		return 0;
	see_end(file, channel);
	due = radio->waits ? due_at_once(file, channel) : due_in_time(file, channel, now_ns);
	due = due < there / radio->rx_packet ? due : there / radio->rx_packet;
	n = due < n ? (unsigned)due : n;
	for (unsigned i = 0; i < n; i++) {
		ret[i] = (struct radio_packet){
		    .iq = channel->in.bytes + channel->received % channel->in.size * RADIO_IQ,
		    .ticks = channel->received,
		    .samples = radio->rx_packet};
		channel->received += radio->rx_packet;
	}
	channel->owed -= radio->waits ? n : 0;
	return n;
}

static void file_release(
    struct radio *radio, uint32_t c, const struct radio_packet *packets, unsigned n)
{
	struct file_channel *channel = &file_of(radio)->channel[c];

	(void)packets;
	channel->released += (uint64_t)n * radio->rx_packet;
	atomic_store_explicit(&channel->in.read, channel->released, memory_order_release);
}

/* The room is in one piece: there is that of a packet behind the ring. */
static uint8_t *file_place(struct radio *radio, uint32_t c)
{
	struct file_ring *ring = &file_of(radio)->channel[c].out;
	const uint64_t at = file_of(radio)->channel[c].placed;

	if (ring->size - (at - atomic_load_explicit(&ring->read, memory_order_acquire)) <
	    radio->tx_packet)
		return NULL;
	return ring->bytes + at % ring->size * RADIO_IQ;
}

/* What was written beyond the ring's end belongs at its beginning. */
static void send_placed(struct radio *radio, uint32_t c, uint32_t samples, uint64_t ticks)
{
	struct file_channel *channel = &file_of(radio)->channel[c];
	struct file_ring *ring = &channel->out;
	const uint64_t at = channel->placed % ring->size,
	               over = at + samples > ring->size ? at + samples - ring->size : 0;

	(void)ticks;
	memcpy(ring->bytes, ring->bytes + ring->size * RADIO_IQ, (size_t)over * RADIO_IQ);
	channel->placed += samples;
}

static void file_flush(struct radio *radio)
{
	for (uint32_t c = 0; c < radio->channels; c++)
		atomic_store_explicit(&file_of(radio)->channel[c].out.written,
		    file_of(radio)->channel[c].placed, memory_order_release);
}

/* A file that cannot be read ends, one that cannot be written has lost what was sent. */
static void file_count(struct radio *radio, uint32_t c, struct radio_counts *ret)
{
	const struct file_channel *channel = &file_of(radio)->channel[c];

	*ret = (struct radio_counts){.sequence = atomic_load(&channel->error) != 0};
}

const struct radio_driver file_driver = {
    .type = "file",
    .summary = "two files: a recording that is received, and a file for what is sent",
    .manual = manual,
    .keys = keys,
    .n_keys = sizeof(keys) / sizeof(keys[0]),
    .settings_size = sizeof(struct file_settings),
    .fast = true,
    .check = file_check,
    .channels = channels_of,
    .claim = claim_of,
    .examine = file_examine,
    .open = file_open_all,
    .close = file_close_all,
    .clock = radio_host_clock,
    .start = file_start,
    .receive = file_receive,
    .release = file_release,
    .place = file_place,
    .send = send_placed,
    .flush = file_flush,
    .count = file_count,
};
