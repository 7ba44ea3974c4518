/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/host/examine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/json/json.h"
#include "core/waveform/radio_file.h"

/* AHEAD: samples and parts of a second from reception to transmission, whichever is less: what a
 * device can hold, and a stall of this thread, which has no priority. */
enum { FILE_MAX = 8 << 20, AHEAD_SAMPLES = 100000, AHEAD_PER_S = 5 };
#define TRIAL_S 1.0
/* For the first packet, as a driver says after 2 s why none comes; and then for all of them. */
#define PATIENCE_NS 3000000000ull
#define NAP_NS 50000ull

/* ---- what is found ------------------------------------------------------------------------ */

struct examination {
	struct radio_look look; /* first */
	bool bad;
};

static void print_found(
    struct radio_look *look, const char *what, enum radio_verdict verdict, const char *text)
{
	static const char *const words[] = {
	    [RADIO_GOOD] = "good", [RADIO_BAD] = "bad", [RADIO_UNKNOWN] = "unknown"};
	json_t *line =
	    json_pack("{s:s, s:s, s:s}", "what", what, "verdict", words[verdict], "text", text);

	((struct examination *)look)->bad |= verdict == RADIO_BAD;
	if (line != NULL && json_dumpf(line, stdout, JSON_COMPACT) == 0)
		putchar('\n');
	fflush(stdout);
	json_decref(line);
}

/* ---- a second of samples ------------------------------------------------------------------ */

struct loopback {
	struct radio *radio;
	double rate_hz;
	uint64_t ahead; /* ticks from reception to transmission */
	uint64_t packets[RADIO_CHANNELS_MAX], samples[RADIO_CHANNELS_MAX], lost[RADIO_CHANNELS_MAX],
	    sent[RADIO_CHANNELS_MAX], no_room[RADIO_CHANNELS_MAX];
};

static void send_back(struct loopback *trial, uint32_t c, const struct radio_packet *packet)
{
	struct radio *radio = trial->radio;
	const uint32_t n = packet->samples < radio->tx_packet ? packet->samples : radio->tx_packet;
	uint8_t *place = n > 0 ? radio->driver->place(radio, c) : NULL;

	if (place == NULL) {
		trial->no_room[c] += n > 0;
		return;
	}
	memcpy(place, packet->iq, (size_t)n * RADIO_IQ);
	radio->driver->send(radio, c, n, packet->ticks + trial->ahead);
	trial->sent[c]++;
}

/* What has come on a channel, counted and sent back: how many. */
static unsigned channel_turn(struct loopback *trial, uint32_t c)
{
	struct radio *radio = trial->radio;
	const struct radio_driver *driver = radio->driver;
	struct radio_packet packets[TRANSPORT_BURST];
	const unsigned n =
	    driver->receive(radio, c, driver->clock(radio), packets, TRANSPORT_BURST);

	for (unsigned i = 0; i < n; i++) {
		trial->packets[c]++;
		trial->samples[c] += packets[i].samples;
		trial->lost[c] += packets[i].gap;
		trial->lost[c] -= packets[i].overtaken && trial->lost[c] > 0;
		send_back(trial, c, &packets[i]);
	}
	driver->release(radio, c, packets, n);
	driver->flush(radio);
	return n;
}

static bool is_enough(const struct loopback *trial)
{
	for (uint32_t c = 0; c < trial->radio->channels; c++)
		if ((double)trial->samples[c] < trial->rate_hz * TRIAL_S)
			return false;
	return true;
}

/* Until every channel has given its samples, or it is clear that they do not come. */
static void channels_stream(struct loopback *trial)
{
	uint64_t end = clock_ns() + PATIENCE_NS;
	bool begun = false;

	trial->radio->driver->start(trial->radio);
	while (clock_ns() < end && !is_enough(trial)) {
		unsigned n = 0;

		for (uint32_t c = 0; c < trial->radio->channels; c++)
			n += channel_turn(trial, c);
		if (n > 0 && !begun)
			end = clock_ns() + PATIENCE_NS;
		begun |= n > 0;
		if (n == 0)
			clock_sleep_until(clock_ns() + NAP_NS);
	}
}

static void say_channel(const struct loopback *trial, struct radio_look *look, uint32_t c)
{
	const bool sends = trial->radio->tx_packet > 0;
	struct radio_counts counts = {0};
	const char *trouble;
	bool good;

	trial->radio->driver->count(trial->radio, c, &counts);
	trouble = trial->radio->trouble[c][counts.trouble % RADIO_TROUBLES];
	good = (double)trial->samples[c] >= trial->rate_hz * TRIAL_S &&
	    trial->lost[c] + counts.overruns + counts.restarts + counts.failed == 0 &&
	    counts.late + counts.underruns + counts.sequence + trial->no_room[c] == 0;
	if (trial->packets[c] == 0)
		radio_found(look, "loopback", RADIO_BAD, "channel %" PRIu32 ": no samples came%s%s",
		    c, trouble[0] ? "; " : "", trouble);
	else
		radio_found(look, "loopback", good ? RADIO_GOOD : RADIO_BAD,
		    "channel %" PRIu32 ", 1 s at %g samples/s: %" PRIu64
		    " packet%s received, %" PRIu64 " lost, %" PRIu64 " overrun%s; %" PRIu64
		    " sent back, %" PRIu64 " late, %" PRIu64 " underrun%s, %" PRIu64
		    " out of sequence, %" PRIu64 " found no room%s",
		    c, trial->rate_hz, trial->packets[c], plural(trial->packets[c]), trial->lost[c],
		    counts.overruns, plural(counts.overruns), trial->sent[c], counts.late,
		    counts.underruns, plural(counts.underruns), counts.sequence, trial->no_room[c],
		    sends ? "" : " (the radio cannot send)");
}

static void try_out(struct radio *radio, double rate_hz, struct radio_look *look)
{
	struct loopback trial = {.radio = radio, .rate_hz = rate_hz};
	const double ahead = rate_hz / AHEAD_PER_S;

	trial.ahead =
	    (uint64_t)(ahead < AHEAD_SAMPLES ? ahead : AHEAD_SAMPLES) * radio->ticks_per_sample;
	channels_stream(&trial);
	if (radio->driver->end != NULL)
		radio->driver->end(radio);
	for (uint32_t c = 0; c < radio->channels; c++)
		say_channel(&trial, look, c);
}

/* ---- the file ------------------------------------------------------------------------ */

static int radio_parse(const char *path, struct wf_radios **ret)
{
	char *text = NULL;
	struct diag diag;
	size_t len;
	int rc = file_read(path, FILE_MAX, &text, &len);

	diag_init(&diag);
	if (rc < 0)
		diag_error(&diag, path, 0, "cannot be read: %s", file_reason(rc));
	else if (wf_radios_parse(path, text, NULL, NULL, &diag, ret) == 0 && *ret == NULL)
		diag_error(&diag, path, 0, "has no group radio: { type = ...; }");
	diag_print(&diag, stderr);
	rc = diag.errors > 0 ? -1 : 0;
	diag_fini(&diag);
	free(text);
	return rc;
}

static void open_and_try(
    const struct wf_radios *radios, const struct radio_use *use, struct radio_look *look)
{
	const struct radio_driver *driver = radios->driver[0];
	struct radio *radio = NULL;
	char why[RADIO_NOTE] = "";
	const int status = driver->open(
	    (const void *const *)radios->settings, radios->n, use, &radio, why, sizeof(why));

	if (status != 0) {
		radio_found(look, "open", RADIO_BAD, "%s", why[0] ? why : strerror(-status));
		return;
	}
	radio_found(look, "open", RADIO_GOOD, "%" PRIu32 " channel%s ready%s%s", radio->channels,
	    radio->channels == 1 ? "" : "s", radio->note[0] ? "; less than asked for: " : "",
	    radio->note);
	if (driver->tell != NULL)
		driver->tell(radio, look);
	try_out(radio, use->rate_hz, look);
	driver->close(radio);
}

int host_examine(const char *path)
{
	struct examination examination = {.look.found = print_found};
	struct radio_use use = {.waveform = "aloe doctor"};
	struct wf_radios *radios = NULL;

	if (radio_parse(path, &radios) < 0 || radios == NULL)
		return 2;
	if (radios->driver[0]->examine == NULL)
		radio_found(&examination.look, "driver", RADIO_UNKNOWN,
		    "the driver \"%s\" has nothing to examine; a run shows whether the radio "
		    "streams",
		    radios->driver[0]->type);
	else
		radios->driver[0]->examine(
		    (const void *const *)radios->settings, radios->n, &examination.look, &use);
	if (use.rate_hz > 0 && !examination.bad)
		open_and_try(radios, &use, &examination.look);
	wf_radios_free(radios);
	return examination.bad ? 1 : 0;
}
