/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The lane's side: nothing here waits, but open, end and close. */
#include "platforms/soapy/driver.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/registry/registry.h"
#include "platforms/soapy/io.h"

enum { PACKET_MAX = 16384, PACKET_MIN = 256, RING_SLOTS = 16, RING_SAMPLES = 1 << 20 };
#define OPEN_S 25 /* exec waits for 30 s */
#define END_NS 4000000000ull
#define NAP_NS 1000000ull

static struct soapy_radio *soapy_of(struct radio *radio)
{
	return (struct soapy_radio *)radio;
}

/* ---- settings ------------------------------------------------------------------------ */

static uint32_t channels_of(const void *settings)
{
	return ((const struct soapy_settings *)settings)->channels.n;
}

static void claim_of(const void *settings, char *ret, size_t size)
{
	snprintf(ret, size, "%s", ((const struct soapy_settings *)settings)->args);
}

static const struct soapy_library *library_of(char *ret_why, size_t size)
{
	const void *symbol;
	struct diag diag;

	diag_init(&diag);
	symbol = library_find("soapy", "soapy_library", &diag);
	if (symbol == NULL)
		snprintf(ret_why, size,
		    "type = \"soapy\": %s; this type is built where libsoapysdr-dev is installed, "
		    "and needs libsoapysdr0.8",
		    diag.len > 0 ? diag.lines[0] : "the library cannot be loaded");
	diag_fini(&diag);
	return symbol;
}

/* A trial would need a rate, which only a waveform has. */
static void soapy_examine(
    const void *const *all, uint32_t n, struct radio_look *look, struct radio_use *ret_use)
{
	const struct soapy_settings *settings = all[0];
	char why[RADIO_NOTE];
	const bool there = library_of(why, sizeof(why)) != NULL;

	(void)n, (void)ret_use;
	radio_found(look, "SoapySDR", there ? RADIO_GOOD : RADIO_BAD, "%.100s: %s", settings->args,
	    there ? "the library is here" : why);
}

static void soapy_tell(struct radio *self, struct radio_look *look)
{
	const struct soapy_facts *facts = &soapy_of(self)->facts;

	radio_found(
	    look, "device", RADIO_GOOD, "%.300s, %.10g samples/s", facts->hardware, facts->rate);
}

static struct soapy_setup setup_of(const struct soapy_settings *settings, double rate_hz)
{
	struct soapy_setup setup = {.args = settings->args,
	    .rx = settings->direction != SOAPY_TX,
	    .tx = settings->direction != SOAPY_RX,
	    .n_channels = settings->channels.n,
	    .rate = rate_hz};

	for (uint32_t c = 0; c < setup.n_channels; c++) {
		setup.channel[c] = (uint32_t)settings->channels.item[c];
		setup.rx_tune[c] = (struct soapy_tune){settings->frequency.item[c],
		    settings->gain.item[c], settings->bandwidth.item[c], settings->antenna};
		setup.tx_tune[c] =
		    (struct soapy_tune){settings->tx_frequency.item[c], settings->tx_gain.item[c],
		        settings->tx_bandwidth.item[c], settings->tx_antenna};
	}
	return setup;
}

/* ---- open ------------------------------------------------------------------------ */

static int rings_new(struct soapy_radio *soapy, const struct radio_use *use)
{
	const struct radio *radio = &soapy->radio;
	const uint32_t packet = radio->rx_packet;
	const uint64_t slots = (uint64_t)RING_SLOTS * use->slot_samples;
	const uint64_t cells = (slots > RING_SAMPLES ? slots : RING_SAMPLES) / packet;
	bool all;

	soapy->in.size = cells;
	soapy->in.cells = calloc(cells, sizeof(struct soapy_cell));
	all = soapy->in.cells != NULL;
	for (uint32_t c = 0; c < radio->channels; c++) {
		struct soapy_out *out = &soapy->out[c];

		soapy->in.iq[c] = calloc(cells, (size_t)packet * RADIO_IQ);
		soapy->chunk[c] = calloc(SOAPY_CHUNK, RADIO_IQ);
		all = all && soapy->in.iq[c] != NULL && soapy->chunk[c] != NULL;
		if (!soapy->setup.tx)
			continue;
		out->size = cells; /* slots that catch up may send all at once */
		out->cells = calloc(out->size, sizeof(struct soapy_cell));
		out->iq = calloc(out->size, (size_t)packet * RADIO_IQ);
		all = all && out->cells != NULL && out->iq != NULL;
	}
	return all ? 0 : -ENOMEM;
}

static void rings_free(struct soapy_radio *soapy)
{
	free(soapy->in.cells);
	for (uint32_t c = 0; c < SOAPY_CHANNELS; c++) {
		free(soapy->in.iq[c]);
		free(soapy->chunk[c]);
		free(soapy->out[c].cells);
		free(soapy->out[c].iq);
	}
}

static void troubles_print(struct soapy_radio *soapy)
{
	static const char *const texts[] = {
	    [SOAPY_IS_GONE] =
	        "the device has ended its stream; check its cable and power; ALOE opens the device "
	        "again every second",
	    [SOAPY_IS_SILENT] =
	        "the device has sent nothing for two seconds; ALOE opens the device "
	        "again every second",
	    [SOAPY_HANGS] =
	        "a call of the device's SoapySDR module has not returned for two seconds; ALOE "
	        "goes on with the device when it returns",
	};

	for (uint32_t c = 0; c < soapy->radio.channels; c++)
		for (size_t t = SOAPY_IS_GONE; t <= SOAPY_HANGS; t++)
			snprintf(soapy->radio.trouble[c][t], RADIO_TROUBLE, "%.80s: %s",
			    soapy->setup.args, texts[t]);
}

/* A thread that does not come back keeps all that it knows. */
static bool thread_end(struct soapy_radio *soapy)
{
	const uint64_t until = clock_ns() + END_NS;

	if (!soapy->has_thread)
		return true;
	atomic_store(&soapy->quit, true);
	while (!atomic_load(&soapy->done) && clock_ns() < until)
		clock_sleep_until(clock_ns() + NAP_NS);
	soapy->has_thread = false;
	if (atomic_load(&soapy->done))
		return pthread_join(soapy->thread, NULL) == 0;
	pthread_detach(soapy->thread);
	return false;
}

static void soapy_end(struct radio *self)
{
	struct soapy_radio *soapy = soapy_of(self);
	struct log log;

	if (thread_end(soapy))
		return;
	soapy->left_behind = true;
	log_init(&log, "aloe-host");
	log_error(&log,
	    "radio: %.200s hangs in a call of its SoapySDR module; its thread is left behind until "
	    "the host ends",
	    soapy->setup.args);
}

static void soapy_close(struct radio *self)
{
	struct soapy_radio *soapy = soapy_of(self);

	if (!soapy->left_behind)
		soapy_end(self);
	if (soapy->left_behind)
		return;
	sem_destroy(&soapy->opened);
	rings_free(soapy);
	free(soapy);
}

static int device_wait(struct soapy_radio *soapy, char *ret_why, size_t size)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += OPEN_S;
	while (sem_timedwait(&soapy->opened, &until) != 0)
		if (errno != EINTR) {
			snprintf(ret_why, size,
			    "%.200s: the device was not opened within %d s, because a call of its "
			    "SoapySDR module does not return",
			    soapy->setup.args, OPEN_S);
			return -ETIMEDOUT;
		}
	if (soapy->status != 0)
		snprintf(ret_why, size, "%.200s: %s", soapy->setup.args, soapy->why);
	return soapy->status != 0 ? -EIO : 0;
}

/* What the open device says, for the waveform. */
static int facts_take(
    struct soapy_radio *soapy, const struct soapy_settings *settings, char *ret_why, size_t size)
{
	const struct soapy_facts *facts = &soapy->facts;

	for (uint32_t c = 0; c < soapy->radio.channels; c++)
		soapy->radio.channel[c] =
		    (struct aloe_radio_channel){soapy->setup.rx ? facts->rx_tune[c].frequency : NAN,
		        soapy->setup.rx ? facts->rx_tune[c].gain : NAN,
		        soapy->setup.tx ? facts->tx_tune[c].frequency : NAN,
		        soapy->setup.tx ? facts->tx_tune[c].gain : NAN};
	if (settings->tx_advance < 0 || facts->has_time)
		return 0;
	snprintf(ret_why, size,
	    "%.200s: the device has no time, so it cannot send at one; leave tx_advance out, and "
	    "samples are sent at once",
	    soapy->setup.args);
	return -ENOTSUP;
}

static int soapy_open(const void *const *all, uint32_t n, const struct radio_use *use,
    struct radio **ret, char *ret_why, size_t size)
{
	const struct soapy_settings *settings = all[0];
	const struct soapy_library *library = library_of(ret_why, size);
	struct soapy_radio *soapy = library != NULL ? calloc(1, sizeof(*soapy)) : NULL;
	const uint32_t packet = radio_packet_samples(use->slot_samples, PACKET_MIN, PACKET_MAX);
	int status;

	(void)n;
	if (soapy == NULL)
		return library != NULL ? -ENOMEM : -ENOENT;
	soapy->library = library;
	soapy->setup = setup_of(settings, use->rate_hz);
	soapy->radio = (struct radio){.driver = &soapy_driver,
	    .channels = soapy->setup.n_channels,
	    .ticks_per_sample = 1,
	    .rx_packet = packet,
	    .tx_packet = soapy->setup.tx ? packet : 0,
	    .tx_advance = settings->tx_advance,
	    .patience_ns = (uint64_t)(settings->patience_ms * 1e6),
	    .end_ticks = UINT64_MAX,
	    .deaf = !soapy->setup.rx};
	sem_init(&soapy->opened, 0, 0);
	troubles_print(soapy);
	status = rings_new(soapy, use);
	if (status == 0)
		status = -pthread_create(&soapy->thread, NULL, soapy_io, soapy);
	soapy->has_thread = status == 0;
	if (status == 0)
		status = device_wait(soapy, ret_why, size);
	if (status == 0)
		status = facts_take(soapy, settings, ret_why, size);
	if (status != 0)
		soapy_close(&soapy->radio);
	else
		*ret = &soapy->radio;
	return status;
}

/* ---- in and out ------------------------------------------------------------------------ */

static void soapy_start(struct radio *radio)
{
	atomic_store(&soapy_of(radio)->start, true);
}

static unsigned soapy_receive(
    struct radio *radio, uint32_t c, uint64_t now_ns, struct radio_packet *ret, unsigned n)
{
	struct soapy_in *in = &soapy_of(radio)->in;
	const uint64_t there =
	    atomic_load_explicit(&in->written, memory_order_acquire) - in->received[c];

	(void)now_ns;
	n = there < n ? (unsigned)there : n;
	for (unsigned i = 0; i < n; i++) {
		const uint64_t at = in->received[c]++ % in->size;
		const struct soapy_cell *cell = &in->cells[at];

		ret[i] = (struct radio_packet){.iq = in->iq[c] + at * radio->rx_packet * RADIO_IQ,
		    .ticks = cell->ticks,
		    .samples = cell->samples,
		    .gap = cell->gap,
		    .anew = cell->anew};
	}
	return n;
}

static void soapy_release(
    struct radio *radio, uint32_t c, const struct radio_packet *packets, unsigned n)
{
	(void)packets;
	atomic_fetch_add_explicit(&soapy_of(radio)->in.read[c], n, memory_order_release);
}

static uint8_t *soapy_place(struct radio *radio, uint32_t c)
{
	struct soapy_out *out = &soapy_of(radio)->out[c];

	if (out->placed - atomic_load_explicit(&out->read, memory_order_acquire) >= out->size)
		return NULL;
	return out->iq + out->placed % out->size * radio->tx_packet * RADIO_IQ;
}

static void send_placed(struct radio *radio, uint32_t c, uint32_t samples, uint64_t ticks)
{
	struct soapy_out *out = &soapy_of(radio)->out[c];

	out->cells[out->placed % out->size] =
	    (struct soapy_cell){.ticks = ticks, .samples = samples};
	out->placed++;
}

static void soapy_flush(struct radio *radio)
{
	for (uint32_t c = 0; c < radio->channels; c++)
		atomic_store_explicit(&soapy_of(radio)->out[c].written,
		    soapy_of(radio)->out[c].placed, memory_order_release);
}

static uint64_t count_of(const struct soapy_radio *soapy, uint32_t c, enum soapy_count which)
{
	return atomic_load_explicit(&soapy->count[c][which], memory_order_relaxed);
}

static void soapy_count(struct radio *radio, uint32_t c, struct radio_counts *ret)
{
	const struct soapy_radio *soapy = soapy_of(radio);
	const uint64_t since_ns = atomic_load(&soapy->called_ns);

	*ret = (struct radio_counts){.overruns = count_of(soapy, c, SOAPY_OVERRUNS),
	    .unsized = count_of(soapy, c, SOAPY_UNSIZED),
	    .late = count_of(soapy, c, SOAPY_TX_LATE),
	    .underruns = count_of(soapy, c, SOAPY_UNDERRUNS),
	    .sequence = count_of(soapy, c, SOAPY_SEQUENCE),
	    .restarts = count_of(soapy, c, SOAPY_RESTARTS),
	    .failed = count_of(soapy, c, SOAPY_FAILED),
	    .trouble = (uint32_t)atomic_load(&soapy->trouble)};
	if (ret->trouble == SOAPY_WELL && since_ns != 0 && clock_ns() > since_ns + SOAPY_HANGS_NS)
		ret->trouble = SOAPY_HANGS;
}

const struct radio_driver soapy_driver = {
    .type = "soapy",
    .summary = "any device for which SoapySDR has a module (RTL-SDR, LimeSDR, B210, ...)",
    .manual = soapy_manual,
    .keys = soapy_keys,
    .n_keys = SOAPY_KEYS,
    .settings_size = sizeof(struct soapy_settings),
    .check = soapy_check,
    .channels = channels_of,
    .claim = claim_of,
    .examine = soapy_examine,
    .tell = soapy_tell,
    .open = soapy_open,
    .end = soapy_end,
    .close = soapy_close,
    .clock = radio_host_clock,
    .start = soapy_start,
    .receive = soapy_receive,
    .release = soapy_release,
    .place = soapy_place,
    .send = send_placed,
    .flush = soapy_flush,
    .count = soapy_count,
};
