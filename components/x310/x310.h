/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/x310/x310.h - what x310_rx and x310_tx have in common: the channel, and what a waveform may say about the radio
 * that it was made for.
 *
 * The waveform's clock is the radio (`clock = "radio"`, `slot_samples`); where it is and what it was set to is said once, in
 * the platform file (`radio: { ... }`), and set by x310-init. A waveform that needs a certain rate, frequency or clock says so
 * with these parameters, and is refused on a radio that has another; what it does not say may be anything.
 */
#ifndef COMPONENTS_X310_X310_H
#define COMPONENTS_X310_X310_H

#include <aloe/component.h>

#include <math.h>

struct x310 { /* first in the state */
	uint32_t channel;
	double rate;
	double frequency;
	double gain;
	uint32_t spp;
	int32_t clock_source;
	int32_t time_source;
	struct aloe_radio *radio;
};

enum { X310_CHANNELS_MAX = 16, X310_SPP_MAX = 2000 };

static const char *const x310_sources[] = {"any", "internal", "external", "gpsdo", NULL};

#define X310_PARAMS                                                                                  \
	ALOE_PARAM_INT(struct x310, channel, 0, 0, X310_CHANNELS_MAX - 1, "", 0,                     \
	    "of the radio, from 0 on; a second device's follow the first's"),                        \
	    ALOE_PARAM_REAL(struct x310, rate, ALOE_NAN, 1, 1e9, "Hz", 0,                            \
	        "samples a second that the radio must have: the waveform's own rate; not set: any"), \
	    ALOE_PARAM_REAL(struct x310, frequency, ALOE_NAN, 0, 1e11, "Hz", 0,                      \
	        "that the channel must be tuned to, within 1 Hz; set by x310-init; not set: any"),   \
	    ALOE_PARAM_REAL(struct x310, gain, ALOE_NAN, -100, 200, "dB", 0,                         \
	        "that the channel must have, within 0.5 dB; set by x310-init; not set: any"),        \
	    ALOE_PARAM_INT(struct x310, spp, 0, 0, X310_SPP_MAX, "items", 0,                         \
	        "samples that a packet must have; set in the platform file; 0: any"),                \
	    ALOE_PARAM_ENUM(struct x310, clock_source, x310_sources, "any", 0,                       \
	        "where the radio's 10 MHz must come from; set by x310-init"),                        \
	    ALOE_PARAM_ENUM(struct x310, time_source, x310_sources, "any", 0,                        \
	        "where the radio's pulse per second must come from; set by x310-init")

/* x310_check: is there a radio's slot at all? 0, or -1 after aloe_fail. */
static inline int x310_check(struct aloe_setup *setup)
{
	if (setup->slot_samples == 0)
		return aloe_fail(
		    setup, "no radio: the waveform needs clock = \"radio\" and slot_samples = N");
	return 0;
}

/* One number asked for, with what there is; unknown ones are noted, once. */
static inline int x310_agree(struct aloe_setup *setup, const char *name, double asked, double has,
    double within, const char *unit)
{
	if (asked != asked || fabs(has - asked) <= within)
		return 0;
	if (has == has)
		return aloe_fail(
		    setup, "%s = %.10g %s, the radio has %.10g %s", name, asked, unit, has, unit);
	aloe_note(setup,
	    "%s = %.10g %s cannot be checked: the platform file does not say what the radio was set to",
	    name, asked, unit);
	return 0;
}

static inline int x310_agree_source(
    struct aloe_setup *setup, const char *name, int32_t asked, const char *has)
{
	if (asked == 0 || (has && strcmp(has, x310_sources[asked]) == 0))
		return 0;
	if (has)
		return aloe_fail(
		    setup, "%s = \"%s\", the radio has \"%s\"", name, x310_sources[asked], has);
	aloe_note(setup,
	    "%s = \"%s\" cannot be checked: the platform file does not say what the radio was set to",
	    name, x310_sources[asked]);
	return 0;
}

/* x310_agree_all holds what the waveform asks for against the radio, and the channel's direction. 0, or -1 after aloe_fail. */
static inline int x310_agree_all(const struct x310 *x310, double frequency_hz, double gain_db,
    uint32_t packet, struct aloe_setup *setup)
{
	const struct aloe_radio *radio = x310->radio;

	if (x310->spp && x310->spp != packet)
		return aloe_fail(
		    setup, "spp = %u, the radio's packets have %u samples", x310->spp, packet);
	if (x310_agree(setup, "rate", x310->rate, radio->rate_hz, 1e-6 * radio->rate_hz, "Hz") <
	        0 ||
	    x310_agree(setup, "frequency", x310->frequency, frequency_hz, 1, "Hz") < 0 ||
	    x310_agree(setup, "gain", x310->gain, gain_db, 0.5, "dB") < 0 ||
	    x310_agree_source(setup, "clock_source", x310->clock_source, radio->clock_source) < 0)
		return -1;
	return x310_agree_source(setup, "time_source", x310->time_source, radio->time_source);
}

/* x310_find: the radio, if it has the channel. 0, or -1 after aloe_fail. */
static inline int x310_find(struct x310 *x310, struct aloe_setup *setup)
{
	x310->radio = setup->radio;
	if (!x310->radio)
		return aloe_fail(setup, "no radio: the clock is another one");
	if (x310->channel >= x310->radio->channels)
		return aloe_fail(setup, "channel = %u is outside [0, %u], what the radio has",
		    x310->channel, x310->radio->channels - 1);
	return 0;
}

/* x310_was_set: what somebody has said of the channel; NaN where nobody has. */
static inline struct aloe_radio_channel x310_was_set(const struct x310 *x310)
{
	const struct aloe_radio_channel unknown = {ALOE_NAN, ALOE_NAN, ALOE_NAN, ALOE_NAN};

	return x310->radio->channel ? x310->radio->channel[x310->channel] : unknown;
}

#endif
