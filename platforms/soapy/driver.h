/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/soapy/driver.h - any radio for which SoapySDR has a module (core/platform/radio.h).
 *
 *                    thread of the driver (io.c)                      lane (driver.c)
 * 	SoapySDR <-- device.c <-- track.c: times and gaps --> [cells] --> receive ... release
 * 	         <-- device.c <------------------------------ [cells] <-- place ... send, flush
 *
 * SoapySDR's modules allocate, lock and wait, so every call of SoapySDR is made by one thread of
 * ordinary priority beside the lane, from `open` to `close`. device.c is the only file that knows
 * SoapySDR. It is a shared object of its own (lib/aloe-transports/soapy.so), made where
 * libsoapysdr-dev is installed, and only a host whose radio it is maps it.
 */
#ifndef PLATFORMS_SOAPY_DRIVER_H
#define PLATFORMS_SOAPY_DRIVER_H

#include "core/platform/radio.h"

extern const struct radio_driver soapy_driver;

#endif
