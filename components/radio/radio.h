/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/radio/radio.h - what radio_rx and radio_tx have in common: the channel, and what a
 * waveform may say about the radio that it was made for.
 *
 * The waveform's clock is the radio (`clock = "radio"`, `slot_samples`); where it is and what it
 * was set to is said once, in the radio file (`radio: { ... }`). A
 * waveform that needs a certain rate, frequency or clock says so with these parameters, and is
 * refused on a radio that has another; what it does not say may be anything.
 */
#ifndef COMPONENTS_RADIO_RADIO_H
#define COMPONENTS_RADIO_RADIO_H

#include <aloe/component.h>

#include <math.h>

struct radio_user { /* first in the state */
	uint32_t channel;
	double rate;
	double frequency;
	double gain;
	uint32_t spp;
	int32_t clock_source;
	int32_t time_source;
	struct aloe_radio *radio;
};

enum { RADIO_NUMBER_MAX = 16, RADIO_PACKET_MAX = 2000 };

static const char *const radio_sources[] = {"any", "internal", "external", "gpsdo", NULL};

#define RADIO_PARAMS                                                                               \
	ALOE_PARAM_INT(struct radio_user, channel, 0, 0, RADIO_NUMBER_MAX - 1, "", 0,              \
	    "channel of the radio, counted from 0; the channels of a second device follow "        \
	    "those of the first"),                                                                 \
	    ALOE_PARAM_REAL(struct radio_user, rate, ALOE_NAN, 1, 1e9, "Hz", 0,                    \
	        "sample rate that the radio must have, which is the waveform's own rate; not "     \
	        "set: any rate"),                                                                  \
	    ALOE_PARAM_REAL(struct radio_user, frequency, ALOE_NAN, 0, 1e11, "Hz", 0,              \
	        "frequency that the channel must be tuned to, within 1 Hz; not set: any "          \
	        "frequency"),                                                                      \
	    ALOE_PARAM_REAL(struct radio_user, gain, ALOE_NAN, -100, 200, "dB", 0,                 \
	        "gain that the channel must have, within 0.5 dB; not set: any gain"),              \
	    ALOE_PARAM_INT(struct radio_user, spp, 0, 0, RADIO_PACKET_MAX, "items", 0,             \
	        "samples that a packet must have, as spp of the radio file sets them; 0: any "     \
	        "number"),                                                                         \
	    ALOE_PARAM_ENUM(struct radio_user, clock_source, radio_sources, "any", 0,              \
	        "where the 10 MHz of the radio must come from"),                                   \
	    ALOE_PARAM_ENUM(struct radio_user, time_source, radio_sources, "any", 0,               \
	        "where the pulse per second of the radio must come from")

/* radio_check: is there a radio's slot at all? 0, or -1 after aloe_fail. */
static inline int radio_check(struct aloe_setup *setup)
{
	if (setup->slot_samples == 0)
		return aloe_fail(setup,
		    "the waveform has no radio; a radio component needs clock = \"radio\" and "
		    "slot_samples = N");
	return 0;
}

/* One number asked for, with what there is; unknown ones are noted, once. */
static inline int radio_agree(struct aloe_setup *setup, const char *name, double asked, double has,
    double within, const char *unit)
{
	if (asked != asked || fabs(has - asked) <= within)
		return 0;
	if (has == has)
		return aloe_fail(setup, "%s = %.10g %s, but the radio has %.10g %s", name, asked,
		    unit, has, unit);
	aloe_note(setup,
	    "%s = %.10g %s cannot be checked, because the radio file does not state what the "
	    "radio was set to",
	    name, asked, unit);
	return 0;
}

static inline int radio_agree_source(
    struct aloe_setup *setup, const char *name, int32_t asked, const char *has)
{
	if (asked == 0 || (has && strcmp(has, radio_sources[asked]) == 0))
		return 0;
	if (has)
		return aloe_fail(setup, "%s = \"%s\", but the radio has \"%s\"", name,
		    radio_sources[asked], has);
	aloe_note(setup,
	    "%s = \"%s\" cannot be checked, because the radio file does not state what the radio "
	    "was set to",
	    name, radio_sources[asked]);
	return 0;
}

/* radio_agree_all holds what the waveform asks for against the radio, and the channel's direction.
 * 0, or -1 after aloe_fail. */
static inline int radio_agree_all(const struct radio_user *user, double frequency_hz,
    double gain_db, uint32_t packet, struct aloe_setup *setup)
{
	const struct aloe_radio *radio = user->radio;

	if (user->spp && user->spp != packet)
		return aloe_fail(
		    setup, "spp = %u, but the radio's packets have %u samples", user->spp, packet);
	if (radio_agree(setup, "rate", user->rate, radio->rate_hz, 1e-6 * radio->rate_hz, "Hz") <
	        0 ||
	    radio_agree(setup, "frequency", user->frequency, frequency_hz, 1, "Hz") < 0 ||
	    radio_agree(setup, "gain", user->gain, gain_db, 0.5, "dB") < 0 ||
	    radio_agree_source(setup, "clock_source", user->clock_source, radio->clock_source) < 0)
		return -1;
	return radio_agree_source(setup, "time_source", user->time_source, radio->time_source);
}

/* radio_find: the radio, if it has the channel. 0, or -1 after aloe_fail. */
static inline int radio_find(struct radio_user *user, struct aloe_setup *setup)
{
	user->radio = setup->radio;
	if (!user->radio)
		return aloe_fail(
		    setup, "the clock of the waveform is not a radio; set clock = \"radio\"");
	if (user->channel >= user->radio->channels)
		return aloe_fail(setup,
		    "channel = %u is outside [0, %u], the channels of the radio", user->channel,
		    user->radio->channels - 1);
	return 0;
}

/* radio_was_set: what somebody has said of the channel; NaN where nobody has. */
static inline struct aloe_radio_channel radio_was_set(const struct radio_user *user)
{
	const struct aloe_radio_channel unknown = {ALOE_NAN, ALOE_NAN, ALOE_NAN, ALOE_NAN};

	return user->radio->channel ? user->radio->channel[user->channel] : unknown;
}

#endif
