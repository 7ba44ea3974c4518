/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/manual.h - sections of aloe(1) that describe files: every key that
 * the drivers of radios and core/waveform/platform.c read. */
#ifndef TOOLS_ALOE_MANUAL_H
#define TOOLS_ALOE_MANUAL_H

extern const char manual_platform[];
/* for the whole run of the program */
const char *manual_radio(void);

#endif
