/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/statsman/web_signal.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/scope/scope.h"
#include "core/tap/frame.h"

#include <aloe/component.h>

static bool is_levels(const struct web_look *look)
{
	return look->view == WEB_SPECTRUM || look->view == WEB_WATERFALL;
}

void web_look_fini(struct web_look *look)
{
	scope_welch_free(look->welch);
	look->welch = NULL;
}

const char *web_look_why(const struct web_look *look)
{
	if (look->item_bytes == 0 || aloe_item_bytes(look->item_type) != look->item_bytes)
		return "nothing is known of the items of this output";
	if (look->view == WEB_CONSTELLATION && !look->is_complex)
		return "a constellation needs complex items";
	return "";
}

/* Of a real signal the lines below 0 are those above it. */
uint32_t web_look_values(const struct web_look *look)
{
	if (is_levels(look))
		return look->is_complex ? look->bins : look->bins / 2;
	return look->bins / 2;
}

/* The noise bandwidth of the flat top window is 3.77 lines. */
double web_look_rbw(const struct web_look *look)
{
	return look->rate_hz * 3.77 / look->bins;
}

size_t web_look_samples(const struct web_look *look)
{
	return is_levels(look) ? (size_t)look->bins * WEB_BLOCKS : look->bins / 2;
}

uint64_t web_look_messages(const struct web_look *look)
{
	const uint64_t each = look->items_max > 0 ? look->items_max : 1,
	               n = (web_look_samples(look) + each - 1) / each;

	return n > 0 ? n : 1;
}

uint32_t web_rate_given(uint32_t asked, size_t bytes)
{
	const double most = WEB_SIGNAL_BITS / (8.0 * (double)(bytes + WEB_SOCKET_HEAD));

	return asked <= most ? asked : most < 1 ? 1 : (uint32_t)most;
}

uint32_t web_rate_share(uint32_t most, unsigned signals)
{
	const uint32_t share = signals > 0 ? WEB_FRAMES_ALL / signals : WEB_FRAMES_ALL;

	return share < 1 ? 1 : share < most ? share : most;
}

uint32_t web_rate_lower(uint32_t rate)
{
	return rate > 1 ? rate / 2 : 1;
}

/* ---- a frame ------------------------------------------------------------------------ */

struct web_taken { /* the newest samples without a gap */
	uint8_t *items;
	size_t len;
	uint64_t newest;
	bool any, lost;
};

/* What is before a message that is missing is of another time. */
static bool taps_take(
    const struct web_look *look, const uint8_t *taps, size_t len, struct web_taken *ret)
{
	const size_t most = web_look_samples(look) * look->item_bytes;
	struct tap_frame frame;
	ssize_t took;

	*ret = (struct web_taken){.items = malloc(len + 1)};
	if (!ret->items)
		return false;
	while ((took = tap_frame_get(taps, len, &frame)) > 0) {
		taps += took;
		len -= (size_t)took;
		if (frame.flags & (TAP_ABSENT | TAP_GAP)) {
			ret->lost = true;
			ret->len = 0;
		}
		if (frame.flags != 0)
			continue;
		memcpy(ret->items + ret->len, frame.data, frame.len);
		ret->len += frame.len - frame.len % look->item_bytes;
		ret->newest = frame.index;
		ret->any = true;
	}
	if (ret->len > most && !is_levels(look))
		ret->len = most;
	if (ret->len > most) {
		memmove(ret->items, ret->items + ret->len - most, most);
		ret->len = most;
	}
	return true;
}

static void head_put(const struct web_look *look, const struct web_taken *taken, float scale,
    uint32_t n, uint8_t *ret)
{
	const bool pairs = look->is_complex && !is_levels(look);
	uint32_t bits;

	memcpy(&bits, &scale, sizeof(bits));
	for (unsigned i = 0; i < 8; i++)
		ret[i] = (uint8_t)(taken->newest >> 8 * i);
	for (unsigned i = 0; i < 4; i++)
		ret[8 + i] = (uint8_t)(bits >> 8 * i);
	ret[12] = (uint8_t)n;
	ret[13] = (uint8_t)(n >> 8);
	ret[14] = pairs ? 2 : 1;
	ret[15] = taken->lost ? WEB_FRAME_LOST : 0;
}

static uint8_t level_byte(double power)
{
	const float db = 10 * log10f((float)fmax(power, 1e-30)),
	            at = (db - WEB_DB_LOW) * 255 / (WEB_DB_HIGH - WEB_DB_LOW);

	return isnan(power) ? 0 : (uint8_t)lroundf(fminf(fmaxf(at, 0), 255));
}

/* A spectrum of fewer samples than it has lines is made of what there is, and zeros. */
static int samples_fill(struct scope_signal *signal, uint32_t bins)
{
	float *more;

	if (signal->n >= bins)
		return 0;
	more = realloc(signal->iq, 2 * (size_t)bins * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + 2 * signal->n, 0, 2 * (bins - signal->n) * sizeof(*more));
	signal->iq = more;
	signal->n = bins;
	return 0;
}

static int levels_put(struct web_look *look, struct scope_signal *signal, uint32_t n, uint8_t *ret)
{
	double power[WEB_BINS_MAX + 1], rbw;
	size_t blocks;
	int rc = samples_fill(signal, look->bins);

	assert(look->bins <= WEB_BINS_MAX && n <= look->bins);
	if (!look->welch)
		look->welch = scope_welch_new(look->bins, SCOPE_FLATTOP);
	if (rc < 0 || !look->welch)
		return -ENOMEM;
	scope_welch_power(look->welch, signal, power, &rbw, &blocks);
	for (uint32_t i = 0; i < n; i++)
		ret[i] = level_byte(blocks > 0 ? power[i] : NAN);
	return 0;
}

static void points_put(const struct scope_signal *signal, float scale, uint8_t *ret)
{
	const size_t parts = signal->is_complex ? 2 : 1;

	for (size_t i = 0; i < signal->n; i++)
		for (size_t p = 0; p < parts; p++) {
			const float value = signal->iq[2 * i + p] / scale * 127;

			ret[i * parts + p] =
			    (uint8_t)(int8_t)(isfinite(value) ? lroundf(value) : 0);
		}
}

/* `signal` is its own. */
static int data_put(
    struct web_look *look, const struct web_taken *taken, struct scope_signal *signal, uint8_t *ret)
{
	uint32_t n = web_look_values(look);
	float scale = 0;

	if (is_levels(look)) {
		const int rc = levels_put(look, signal, n, ret + WEB_FRAME_HEAD);

		if (rc < 0)
			return rc;
	} else {
		n = signal->n < n ? (uint32_t)signal->n : n;
		signal->n = n;
		scale = scope_most(signal);
		points_put(signal, scale, ret + WEB_FRAME_HEAD);
	}
	head_put(look, taken, scale, n, ret);
	return (int)(WEB_FRAME_HEAD + n * ret[14]);
}

long web_look_frame(struct web_look *look, const uint8_t *taps, size_t len, uint64_t *ret_newest,
    uint8_t ret[WEB_FRAME_MAX])
{
	struct scope_signal signal;
	struct web_taken taken;
	int rc;

	if (!taps_take(look, taps, len, &taken))
		return -ENOMEM;
	rc = taken.any && taken.len > 0
	    ? scope_take(look->item_type, taken.items, taken.len, &signal)
	    : -ENODATA;
	if (rc == 0) {
		rc = data_put(look, &taken, &signal, ret);
		scope_signal_fini(&signal);
	}
	*ret_newest = taken.newest;
	free(taken.items);
	return rc == -ENODATA ? 0 : rc;
}
