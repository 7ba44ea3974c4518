/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/pulse.h - root-raised-cosine pulses, for transmitters and matched filters.
 *
 * Time is in symbols, the pulse is symmetric about 0 and its energy (integral of its square) is 1.
 * For UTRA (3GPP TS 25.101 section 6.8.1, TS 25.104 section 6.8.1) the rolloff is 0.22 and a symbol
 * is a chip.
 */
#ifndef CORE_KERNELS_PULSE_H
#define CORE_KERNELS_PULSE_H

/* pulse_rrc gives the root-raised-cosine pulse of `rolloff` in (0, 1] at time t. */
double pulse_rrc(double t, double rolloff);

/* pulse_rc gives the raised cosine, which is what two of them in a row make: 1 at 0, and 0 at every
 * other whole t. */
double pulse_rc(double t, double rolloff);

#endif
