/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/expect.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"
#include "core/base/text.h"

enum { TAP = 2 * sizeof(float) };

static int file_wrong(char *ret_why, const char *path, const char *what)
{
	snprintf(ret_why, EXPECT_WHY, "%.150s: %s", path, what);
	return -EINVAL;
}

/* How the taps of the file lie in it. */
static int taps_divide(struct expect *expect, size_t n_taps, char *ret_why)
{
	struct expect_options *options = &expect->options;
	const uint32_t paths = options->n_channels * options->n_channels, length = expect->length;
	const uint32_t room = paths > 1 ? length / SOUND_CHANNELS : length - 1;
	uint32_t taps;
	char what[256];

	if (options->taps == 0 && n_taps % paths == 0)
		options->taps = (uint32_t)(n_taps / paths);
	taps = options->taps > 0 ? options->taps : 1;
	if (n_taps == 0 || options->taps == 0 || n_taps % ((size_t)options->taps * paths) != 0) {
		snprintf(what, sizeof(what),
		    "holds %zu complex tap%s; a multiple of %u path%s of %u tap%s is needed",
		    n_taps, plural(n_taps), paths, plural(paths), taps, plural(taps));
		return file_wrong(ret_why, options->path, what);
	}
	expect->n = (uint32_t)(n_taps / ((size_t)options->taps * paths));
	if (options->taps > room || expect->n > EXPECT_SETS_MAX) {
		snprintf(what, sizeof(what),
		    "holds %u set%s of %u tap%s; a sounding of %u sample%s has room for %u tap%s, "
		    "and at most %d sets are allowed",
		    expect->n, plural(expect->n), options->taps, plural(options->taps), length,
		    plural(length), room, plural(room), EXPECT_SETS_MAX);
		return file_wrong(ret_why, options->path, what);
	}
	return 0;
}

static bool is_good(const float *taps, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(taps[i]))
			return false;
	return true;
}

int expect_load(
    struct expect *expect, const struct expect_options *options, uint32_t length, char *ret_why)
{
	char *bytes;
	size_t size;
	int rc;

	*expect = (struct expect){.options = *options, .length = length};
	rc = file_read(options->path, SIZE_MAX, &bytes, &size);
	if (rc < 0) {
		snprintf(ret_why, EXPECT_WHY, "%.150s: %s", options->path, file_reason(rc));
		return rc;
	}
	expect->taps = (float *)(void *)bytes;
	rc = size % TAP ? file_wrong(ret_why, options->path,
	                      "ends inside a complex number of two "
	                      "32-bit floats")
	                : taps_divide(expect, size / TAP, ret_why);
	if (rc == 0 && !is_good(expect->taps, size / sizeof(float)))
		rc = file_wrong(ret_why, options->path, "holds a value that is not a number");
	if (rc == 0) {
		expect->sum = calloc(expect->n, (size_t)length * TAP);
		rc = expect->sum == NULL ? -ENOMEM : 0;
	}
	if (rc < 0)
		expect_free(expect);
	return rc;
}

void expect_free(struct expect *expect)
{
	free(expect->taps);
	free(expect->sum);
	expect->taps = expect->sum = NULL;
}

/* Each receiver's part in its own place (sound.h). */
static void add_paths(struct expect *expect, unsigned transmitter)
{
	const struct expect_options *options = &expect->options;
	const size_t per_path = 2 * (size_t)options->taps, n = options->n_channels,
	             whole = 2 * (size_t)expect->length;
	const uint32_t apart = expect->length / SOUND_CHANNELS;

	memset(expect->sum, 0, expect->n * whole * sizeof(float));
	for (size_t set = 0; set < expect->n; set++) {
		for (unsigned receiver = 0; receiver < n; receiver++) {
			const float *taps =
			    expect->taps + ((set * n + transmitter) * n + receiver) * per_path;
			const uint32_t lag = (SOUND_CHANNELS + options->channels[transmitter] -
			                         options->channels[receiver]) *
			    apart;

			for (size_t i = 0; i < per_path; i++)
				expect->sum[set * whole + (2 * (size_t)lag + i) % whole] += taps[i];
		}
	}
}

int expect_find(
    struct expect *expect, const struct sound *sound, unsigned channel, struct sound_found *ret)
{
	const struct expect_options *options = &expect->options;
	const struct sound_expected expected = {
	    expect->sum, expect->length, expect->n, options->limit_db};

	for (unsigned i = 0; i < options->n_channels; i++) {
		if (options->channels[i] != channel)
			continue;
		add_paths(expect, i);
		return sound_find(sound, channel, &expected, ret);
	}
	return -ENOENT;
}

int expect_write(const struct sound *sound, const char *path)
{
	const size_t length = sound->options.length;
	unsigned channel = 0;
	float *h;
	int rc;

	while (channel < SOUND_CHANNELS && sound->channels[channel].kept == 0)
		channel++;
	if (channel == SOUND_CHANNELS)
		return -ENOENT;
	h = calloc(length, TAP);
	if (h == NULL)
		return -ENOMEM;
	rc = sound_response(sound, channel, sound->channels[channel].kept - 1, h);
	if (rc == 0)
		rc = file_write(path, h, length * TAP);
	free(h);
	return rc;
}
