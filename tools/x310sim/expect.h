/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/expect.h - the responses that a sounding is compared with, from a file, and the
 * file of those measured.
 *
 * Files hold complex taps, re and im as 32-bit floats of this machine, as those of the channel
 * emulator do: `taps` for each path, path after path (t0 r0, t0 r1, ..., t1 r0, ...) from receiver
 * r to transmitter t of the channels, and one set of paths after another where the response
 * changes.
 */
#ifndef TOOLS_X310SIM_EXPECT_H
#define TOOLS_X310SIM_EXPECT_H

#include "tools/x310sim/sound.h"

enum { EXPECT_SETS_MAX = 1024, EXPECT_WHY = 512 };

struct expect_options {
	const char *path;
	uint32_t taps; /* of a path; 0: the file is one set */
	unsigned channels[SOUND_CHANNELS];
	unsigned n_channels; /* that are joined to each other, 1 .. */
	double limit_db;
};

struct expect {
	struct expect_options options;
	uint32_t length; /* of the sounding */
	uint32_t n;      /* sets */
	float *taps;     /* of the file */
	float *sum;      /* what a transmitter is to show, `length` for each set */
};

/* expect_load reads the file for a sounding of period `length`: 0, or -errno with ret_why
 * (EXPECT_WHY bytes). */
int expect_load(
    struct expect *expect, const struct expect_options *options, uint32_t length, char *ret_why);
void expect_free(struct expect *expect); /* also of one that is all zeros */

/* expect_find is sound_find for one of the channels; -ENOENT: it is none of them. */
int expect_find(
    struct expect *expect, const struct sound *sound, unsigned channel, struct sound_found *ret);

/* expect_write writes the response measured last of the first channel that has one, `length`
 * complex taps: 0, -ENOENT: nothing was measured, or -errno. */
int expect_write(const struct sound *sound, const char *path);

#endif
