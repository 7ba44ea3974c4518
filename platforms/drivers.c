/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All drivers. RADIOS is RADIO(x) for each folder platforms/x that has a driver.c (Makefile); the
 * driver of that folder is the constant x_driver. */
#include "core/platform/radio.h"

#define RADIO(x) extern const struct radio_driver x##_driver;
RADIOS
#undef RADIO

#define RADIO(x) &x##_driver,
const struct radio_driver *const radio_drivers[] = {RADIOS NULL};
