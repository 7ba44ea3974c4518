/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/doctor/radio.h - the radio of a radio file, as its driver examines it in a host of its
 * own (aloe-host --examine): doctor knows no driver.
 */
#ifndef TOOLS_ALOE_DOCTOR_RADIO_H
#define TOOLS_ALOE_DOCTOR_RADIO_H

#include "core/cli/cli.h"

/* doctor_radio prints what is found, or all of it as JSON at the end: the exit status of aloe. */
int doctor_radio(const struct cli_args *args);

#endif
