/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/liquid/schemes.h - the modulation schemes of modem_mod and modem_demod, by
 * liquid-dsp's names.
 *
 * All have mean symbol energy 1. Left out: schemes of more than 8 bits a symbol, and V.29 and other
 * special constellations.
 */
#ifndef ALOE_COMPONENTS_SCHEMES_H
#define ALOE_COMPONENTS_SCHEMES_H

#include <stddef.h>

static const char *const schemes[] = {
    "bpsk",
    "qpsk",
    "psk8",
    "psk16",
    "qam8",
    "qam16",
    "qam32",
    "qam64",
    "qam128",
    "qam256",
    "dpsk2",
    "dpsk4",
    "dpsk8",
    "ask2",
    "ask4",
    "ask8",
    "ook",
    "apsk16",
    "apsk32",
    "apsk64",
    NULL,
};

#endif
