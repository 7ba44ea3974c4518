/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/calibrate.h - the unit of account of every cost, the MAC-equivalent, and the classes of
 * work. core/measure/calibrate.h measures both.
 *
 * One MAC-equivalent is one iteration of a fixed scalar multiply-accumulate kernel (a += x[i] *
 * y[i] in float, compiled without vectorisation, contraction or unrolling, 4 kB of data in L1). The
 * kernel is the unit, not the machine's peak: each iteration waits for the addition before it, so
 * the rate follows the clock and the adder's latency.
 *
 * 	c [kMAC per slot] = t [us] x R [MMAC/s] / 1000        t [us] = c [kMAC] x 1000 / R [MMAC/s]
 */
#ifndef ALOE_BASE_CALIBRATE_H
#define ALOE_BASE_CALIBRATE_H

#include <stddef.h>
#include <stdint.h>

/* What work is made of, for times that are taken from one machine to another: each class has a rate
 * of its own on each machine and vector level (core/measure/calibrate.h measures them,
 * core/map/class.h converts by them). */
enum calibrate_class {
	CALIBRATE_CALL,
	CALIBRATE_SCALAR,
	CALIBRATE_ARITHMETIC,
	CALIBRATE_COPY,
	CALIBRATE_BITS,
	CALIBRATE_REGISTER,
	CALIBRATE_SHUFFLE8,
	CALIBRATE_SHUFFLE16,
	CALIBRATE_TRANSPOSE8,
	CALIBRATE_TRANSPOSE16,
	CALIBRATE_GATHER8,
	CALIBRATE_GATHER16,
	CALIBRATE_WEAVE,
	CALIBRATE_TRELLIS,
	CALIBRATE_CLASSES
};

const char *calibrate_class_name(enum calibrate_class which);
int calibrate_class_find(const char *name, size_t len); /* the class, or -ENOENT */

/* The conversions above. 0 when the rate is 0 (not calibrated). */
double calibrate_kmac(double ns, double mmac_per_s);
double calibrate_ns(double kmac, double mmac_per_s);

#endif
