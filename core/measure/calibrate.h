/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/measure/calibrate.h - what the core does that the calling thread runs on: the rate of the
 * unit of account (core/base/calibrate.h), and of each class of work (core/kernels/calibrate.h).
 */
#ifndef ALOE_MEASURE_CALIBRATE_H
#define ALOE_MEASURE_CALIBRATE_H

#include <stdint.h>

#include "core/base/calibrate.h"
#include "core/base/simd.h"

enum { CALIBRATE_BLOCKS = 25, CALIBRATE_BLOCK_NS = 1000000 };

struct calibration {
	double mmac_per_s; /* median of the blocks */
	/* (90th - 10th percentile) / median of the blocks: 0.02 is quiet, 0.5 is disturbed */
	double spread;
	double mmac_per_s_best; /* of the fastest block */
	uint32_t blocks;        /* measured: CALIBRATE_BLOCKS */
	/* iterations in each, chosen so that it takes about CALIBRATE_BLOCK_NS */
	uint32_t block_macs;
};

/* calibrate_mmac measures the core that the calling thread runs on; the caller pins it first.
 * [control] About 50 ms of the CPU (warm up, then the blocks) at whatever priority the caller has;
 * what others take of it meanwhile is not counted. 0, or -EIO when the clock does not advance. */
int calibrate_mmac(struct calibration *ret);

/* calibrate_mac_now_ns measures the unit for a moment (some 15 us): what a time is to be held
 * against that is measured just before or after, for the clock of a core changes from one moment to
 * the next. */
double calibrate_mac_now_ns(void);

/* calibrate_classes measures ns an item, of each class, at a level that this machine has, on the
 * core that the calling thread runs on; `mac` is the scalar class, measured before: the others are
 * measured in units of it, so that a clock that changes meanwhile changes nothing. [control] About
 * 150 ms. 0, -ENOMEM, or -EIO when the clock does not advance. */
int calibrate_classes(
    enum simd_level level, const struct calibration *mac, double ret_ns[CALIBRATE_CLASSES]);

#endif
