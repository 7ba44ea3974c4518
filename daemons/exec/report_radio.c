/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/exec/report.h"

static const char *const names[RADIO_COUNTS] = {[RADIO_COUNT_PACKETS] = "packets",
    [RADIO_COUNT_LOST] = "lost",
    [RADIO_COUNT_REORDERED] = "reordered",
    [RADIO_COUNT_BEHIND] = "behind",
    [RADIO_COUNT_OVERRUNS] = "overruns",
    [RADIO_COUNT_UNSIZED] = "unsized",
    [RADIO_COUNT_SENT] = "sent",
    [RADIO_COUNT_NO_ROOM] = "no_room",
    [RADIO_COUNT_TX_LATE] = "late",
    [RADIO_COUNT_UNDERRUNS] = "underruns",
    [RADIO_COUNT_SEQUENCE] = "sequence",
    [RADIO_COUNT_RESTARTS] = "restarts",
    [RADIO_COUNT_FAILED] = "failed"};

/* A host writes it: it is a text only as far as it looks like one. */
static void put_trouble(
    json_t *channel, const struct image_radio_state *state, uint64_t c, uint64_t which)
{
	char text[IMAGE_RADIO_TROUBLE] = "";

	if (which == 0 || which >= IMAGE_RADIO_TROUBLES)
		return;
	memcpy(text, state->troubles[c][which], sizeof(text) - 1);
	for (char *at = text; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	put_text(channel, "trouble", text);
}

json_t *report_radio(const struct exec_wave *wave)
{
	const struct image_radio_state *state = &image_run(&wave->view)->radio;
	const uint64_t shown = get(&state->n_channels);
	const uint64_t n = shown < IMAGE_RADIO_CHANNELS_MAX ? shown : IMAGE_RADIO_CHANNELS_MAX;
	json_t *o = json_object(), *channels = json_array();

	put_u64(o, "caught_up", get(&state->caught_up));
	put_u64(o, "flywheeled", get(&state->flywheeled));
	put_u64(o, "partial", get(&state->partial));
	for (uint32_t k = 0; k < RADIO_COUNTS; k++) {
		uint64_t sum = 0;

		for (uint64_t c = 0; c < n; c++)
			sum += get(&state->channel[c][k]);
		put_u64(o, names[k], sum);
	}
	for (uint64_t c = 0; c < n; c++) {
		json_t *channel = json_object();

		for (uint32_t k = 0; k < RADIO_COUNTS; k++)
			put_u64(channel, names[k], get(&state->channel[c][k]));
		put_trouble(channel, state, c, get(&state->trouble[c]));
		json_array_append_new(channels, channel);
	}
	json_object_set_new(o, "left_us", report_margin(&state->margin));
	json_object_set_new(o, "channels", channels);
	return o;
}
