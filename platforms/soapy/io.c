/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The thread that calls SoapySDR.
 *
 * 	opened --start--> streams --gone, silent for SILENT_NS--> closed
 * 	closed --every RETRY_NS--> opened
 *
 * It leaves the lane's CPU to the lane, and whatever threads a module starts do the same. */
#include "platforms/soapy/io.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"

enum { REPORTS = 16 /* of a turn */ };
#define NAP_NS 200000ull
#define SILENT_NS 2000000000ull
#define RETRY_NS 1000000000ull
#define DRAIN_NS 1000000000ull  /* for what was sent last */
#define REPORTS_NS 100000000ull /* for what the device says of that */
#define READ_US 20000u          /* patience of a read, where nothing is to be sent */
#define READ_SENDING_US 500u

static void nap_take(void)
{
	clock_sleep_until(clock_ns() + NAP_NS);
}

/* Around each call, so that the lane can tell that one hangs. */
static void call_begin(struct soapy_radio *radio)
{
	atomic_store(&radio->called_ns, clock_ns());
}

static void call_end(struct soapy_radio *radio)
{
	const uint64_t took_ns = clock_ns() - atomic_exchange(&radio->called_ns, 0);

	if (took_ns > SOAPY_HANGS_NS && radio->heard_ns != 0)
		log_warning(&radio->log,
		    "radio: a call of the SoapySDR module of %.200s has returned after %.1f s; "
		    "what the device received meanwhile may be lost",
		    radio->setup.args, (double)took_ns * 1e-9);
}

static void count_one(struct soapy_radio *radio, uint32_t c, enum soapy_count which)
{
	atomic_fetch_add_explicit(&radio->count[c][which], 1, memory_order_relaxed);
}

static void count_all(struct soapy_radio *radio, enum soapy_count which)
{
	for (uint32_t c = 0; c < radio->radio.channels; c++)
		count_one(radio, c, which);
}

/* ---- the device comes and goes --------------------------------------------------------- */

static int device_open(struct soapy_radio *radio)
{
	int status;

	call_begin(radio);
	status = radio->library->open(
	    &radio->setup, &radio->facts, &radio->device, radio->why, sizeof(radio->why));
	call_end(radio);
	return status;
}

static void device_close(struct soapy_radio *radio)
{
	call_begin(radio);
	if (radio->device != NULL)
		radio->library->close(radio->device);
	call_end(radio);
	radio->device = NULL;
}

static int device_start(struct soapy_radio *radio)
{
	int status;

	call_begin(radio);
	status = radio->library->start(radio->device);
	call_end(radio);
	radio->heard_ns = clock_ns();
	radio->track.rate = radio->facts.rate;
	for (uint32_t c = 0; c < radio->radio.channels; c++)
		radio->out[c].silent = radio->out[c].bursting = false;
	return status;
}

static void device_gone(struct soapy_radio *radio, enum soapy_trouble trouble, const char *why)
{
	log_error(&radio->log,
	    "radio: %.200s: %s; the slots go on, and ALOE opens the device again "
	    "every second",
	    radio->setup.args, why);
	atomic_store(&radio->trouble, (int)trouble);
	count_all(radio, SOAPY_RESTARTS);
	soapy_end_cell(&radio->in);
	device_close(radio);
	radio->tried_ns = clock_ns();
}

/* Without a time of the device the slots' numbers go on as time has. */
static void device_again(struct soapy_radio *radio)
{
	const double away = (double)(clock_ns() - radio->heard_ns) * 1e-9 * radio->facts.rate;

	radio->tried_ns = clock_ns();
	if (device_open(radio) != 0 || device_start(radio) != 0) {
		count_all(radio, SOAPY_FAILED);
		device_close(radio);
		return;
	}
	track_skip(&radio->track, (uint64_t)away);
	radio->track.lost = false;
	if (radio->facts.has_time)
		radio->track.begun = false;
	radio->in.anew = true;
	atomic_store(&radio->trouble, SOAPY_WELL);
	log_note(&radio->log, "radio: %.200s is back", radio->setup.args);
}

/* ---- what comes ------------------------------------------------------------------------ */

static void lost_unsized(struct soapy_radio *radio)
{
	count_all(radio, SOAPY_UNSIZED);
	track_skip(&radio->track, soapy_abandon(radio, radio->track.next));
	if (!radio->lost_said)
		log_warning(&radio->log,
		    "radio: %.200s has lost samples and has no time stamps, so nobody knows how "
		    "many; the report counts such losses as unsized",
		    radio->setup.args);
	radio->lost_said = true;
}

static void samples_lost(struct soapy_radio *radio)
{
	count_all(radio, SOAPY_OVERRUNS);
	track_lost(&radio->track);
}

static void time_jumped(struct soapy_radio *radio, uint64_t ticks)
{
	log_warning(&radio->log,
	    "radio: the time of %.200s was set while samples came; the slots go on by the new time",
	    radio->setup.args);
	count_all(radio, SOAPY_SEQUENCE);
	soapy_end_cell(&radio->in);
	radio->in.anew = true;
	radio->in.origin = ticks;
}

static void samples_take(struct soapy_radio *radio, uint32_t n, const struct soapy_about *about)
{
	uint64_t ticks, missing;
	const bool begins = !radio->track.begun;
	const enum track_step step =
	    track_samples(&radio->track, n, about->has_time, about->time_ns, &ticks, &missing);

	if (begins)
		radio->in.origin = ticks;
	if (step == TRACK_UNSIZED) {
		lost_unsized(radio);
		ticks = radio->track.next;
		track_skip(&radio->track, n);
	}
	if (step == TRACK_JUMP)
		time_jumped(radio, ticks);
	radio->in.missing += missing;
	soapy_put(radio, ticks, n);
	if (about->lost_after)
		samples_lost(radio);
}

/* No more than to the end of a packet, which the lane waits for. */
static uint32_t read_wanted(const struct soapy_radio *radio)
{
	const uint32_t packet = radio->radio.rx_packet;
	uint32_t n = radio->setup.tx && radio->facts.mtu < SOAPY_CHUNK ? radio->facts.mtu
	                                                               : SOAPY_CHUNK,
	         left = packet;

	if (radio->track.begun)
		left = packet - (uint32_t)((radio->track.next - radio->in.origin) % packet);
	return left < n ? left : n;
}

static bool rx_serve(struct soapy_radio *radio)
{
	struct soapy_about about = {0};
	int got;

	call_begin(radio);
	got = radio->library->read(radio->device, radio->chunk, read_wanted(radio),
	    radio->setup.tx ? READ_SENDING_US : READ_US, &about);
	call_end(radio);
	if (got > 0) {
		radio->heard_ns = clock_ns();
		samples_take(radio, (uint32_t)got, &about);
	} else if (got == SOAPY_LOST || got == SOAPY_LATE) {
		samples_lost(radio);
	} else if (got == SOAPY_BROKEN) {
		count_all(radio, SOAPY_SEQUENCE);
		track_lost(&radio->track);
	} else if (got != SOAPY_NOTHING) {
		device_gone(radio, SOAPY_IS_GONE, radio->library->failed(radio->device));
		return true;
	}
	if (clock_ns() - radio->heard_ns > SILENT_NS)
		device_gone(radio, SOAPY_IS_SILENT, "no samples for two seconds");
	return got != SOAPY_NOTHING;
}

/* Where nothing is received, packets of silence are the clock, by the device's time or ours. */
static bool silence_serve(struct soapy_radio *radio)
{
	const uint32_t packet = radio->radio.rx_packet,
	               n = packet < SOAPY_CHUNK ? packet : SOAPY_CHUNK;
	int64_t now_ns = (int64_t)clock_ns();
	struct soapy_about about = {.has_time = true};
	uint64_t now;

	radio->heard_ns = (uint64_t)now_ns;
	if (radio->facts.has_time) {
		call_begin(radio);
		now_ns = radio->library->time(radio->device);
		call_end(radio);
	}
	now = track_ticks(now_ns, radio->facts.rate);
	if (!radio->track.begun || now > radio->track.next + (uint64_t)radio->facts.rate ||
	    now + (uint64_t)radio->facts.rate < radio->track.next) {
		about.time_ns = now_ns;
		samples_take(radio, n, &about);
		return true;
	}
	if (now < radio->track.next + n)
		return false;
	about.has_time = false;
	samples_take(radio, n, &about);
	return true;
}

/* ---- what goes ------------------------------------------------------------------------ */

static void report_take(struct soapy_radio *radio, uint32_t c, int status)
{
	if (status == SOAPY_LATE)
		count_one(radio, c, SOAPY_TX_LATE);
	else if (status == SOAPY_UNDER)
		count_one(radio, c, SOAPY_UNDERRUNS);
	else if (status == SOAPY_LOST || status == SOAPY_BROKEN)
		count_one(radio, c, SOAPY_SEQUENCE);
}

static void reports_take(struct soapy_radio *radio, uint32_t c)
{
	for (int i = 0; i < REPORTS && !radio->out[c].silent; i++) {
		int status;

		call_begin(radio);
		status = radio->library->report(radio->device, c);
		call_end(radio);
		if (status == SOAPY_NOTHING)
			return;
		radio->out[c].silent = status == SOAPY_NONE || status == SOAPY_GONE;
		if (status == SOAPY_ENDED)
			radio->out[c].bursting = false;
		report_take(radio, c, status);
	}
}

static int write_some(struct soapy_radio *radio, uint32_t c, const struct soapy_cell *cell,
    const uint8_t *iq, bool last)
{
	struct soapy_out *out = &radio->out[c];
	const bool timed = cell->ticks != UINT64_MAX;
	const int64_t time_ns =
	    timed ? track_time_ns(cell->ticks + out->sent, radio->facts.rate) : 0;
	int took;

	call_begin(radio);
	took = radio->library->write(
	    radio->device, c, iq, cell->samples - out->sent, timed, time_ns, last);
	call_end(radio);
	return took;
}

/* A packet that comes too late is dropped by the device; what it does not take waits. */
static bool tx_serve(struct soapy_radio *radio, uint32_t c)
{
	struct soapy_out *out = &radio->out[c];
	const uint64_t at = atomic_load_explicit(&out->read, memory_order_relaxed);
	const struct soapy_cell *cell = &out->cells[at % out->size];
	int took;

	if (at == atomic_load_explicit(&out->written, memory_order_acquire))
		return false;
	took = write_some(radio, c, cell,
	    out->iq + (at % out->size * radio->radio.tx_packet + out->sent) * RADIO_IQ, false);
	if (took == SOAPY_GONE) {
		device_gone(radio, SOAPY_IS_GONE, radio->library->failed(radio->device));
		return true;
	}
	if (took < 0)
		report_take(radio, c, took);
	out->bursting |= took > 0;
	out->sent =
	    took == SOAPY_LATE ? cell->samples : out->sent + (took > 0 ? (uint32_t)took : 0);
	if (out->sent < cell->samples)
		return took > 0;
	out->sent = 0;
	atomic_store_explicit(&out->read, at + 1, memory_order_release);
	return true;
}

/* The way out is kept free while there is no device: what is sent then is lost, as sequence. */
static void tx_drop(struct soapy_radio *radio)
{
	for (uint32_t c = 0; c < radio->radio.channels; c++) {
		struct soapy_out *out = &radio->out[c];
		const uint64_t there = atomic_load_explicit(&out->written, memory_order_acquire);

		while (atomic_load_explicit(&out->read, memory_order_relaxed) < there) {
			count_one(radio, c, SOAPY_SEQUENCE);
			atomic_fetch_add_explicit(&out->read, 1, memory_order_release);
		}
		out->sent = 0;
	}
}

static bool tx_all(struct soapy_radio *radio)
{
	bool moved = false;

	for (uint32_t c = 0; radio->setup.tx && c < radio->radio.channels; c++) {
		for (uint64_t n = 0; n < radio->out[c].size && radio->device != NULL; n++) {
			if (!tx_serve(radio, c))
				break;
			moved = true;
		}
		if (radio->device != NULL)
			reports_take(radio, c);
	}
	return moved;
}

/* ---- the thread ------------------------------------------------------------------------ */

static void streams_turn(struct soapy_radio *radio)
{
	bool moved = tx_all(radio);

	if (radio->device != NULL)
		moved |= radio->setup.rx ? rx_serve(radio) : silence_serve(radio);
	if (!moved && !radio->setup.rx)
		nap_take();
}

/* What was sent last goes out, and the burst ends by one sample of silence. */
static void streams_finish(struct soapy_radio *radio)
{
	static const uint8_t silence[RADIO_IQ] = {0};
	const struct soapy_cell one = {.ticks = UINT64_MAX, .samples = 1};
	uint64_t until = clock_ns() + DRAIN_NS;
	bool waits = true;

	while (radio->device != NULL && waits && clock_ns() < until) {
		waits = false;
		if (!tx_all(radio))
			nap_take();
		for (uint32_t c = 0; c < radio->radio.channels; c++)
			waits |= radio->setup.tx &&
			    atomic_load(&radio->out[c].read) < atomic_load(&radio->out[c].written);
	}
	for (uint32_t c = 0; c < radio->radio.channels && radio->device != NULL; c++)
		if (radio->out[c].bursting)
			(void)write_some(radio, c, &one, silence, true);
	until = clock_ns() + REPORTS_NS;
	while (radio->device != NULL && radio->setup.tx && clock_ns() < until) {
		for (uint32_t c = 0; c < radio->radio.channels; c++)
			reports_take(radio, c);
		nap_take();
	}
}

/* A lane's sleeps are exact, and threads inherit that, here the module's, too. The thread of UHD
 * that waits for answers of the device sleeps 0 ns at a time: with exact sleeps it takes a whole
 * CPU, and x310sim beside it none. */
static void leave_lane(void)
{
	const int cpu = sched_getcpu();

	platform_usual_slack();
	if (cpu >= 0)
		(void)platform_pin_beside(&cpu, 1); /* a machine of one CPU: as it is */
}

void *soapy_io(void *self)
{
	struct soapy_radio *radio = self;
	bool started = false;

	leave_lane();
	log_init(&radio->log, "aloe-host");
	radio->status = device_open(radio);
	sem_post(&radio->opened);
	while (radio->status == 0 && !atomic_load(&radio->quit)) {
		if (!atomic_load(&radio->start)) {
			nap_take();
		} else if (!started) {
			started = true;
			if (device_start(radio) != 0)
				device_gone(
				    radio, SOAPY_IS_GONE, radio->library->failed(radio->device));
		} else if (radio->device != NULL) {
			streams_turn(radio);
		} else {
			tx_drop(radio);
			if (clock_ns() >= radio->tried_ns + RETRY_NS)
				device_again(radio);
			else
				nap_take();
		}
	}
	if (started)
		streams_finish(radio);
	device_close(radio);
	atomic_store(&radio->done, true);
	return NULL;
}
