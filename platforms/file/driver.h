/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/file/driver.h - a radio that is two files (core/platform/radio.h): what it receives is
 * a recording of raw samples as SigMF has them, what it is sent goes to another file. Each group of
 * a radio file is one channel.
 *
 * 	path ---> reader thread ---> ring ---> receive ...
 * 	tx_path <--- reader thread <--- ring <--- send
 *
 * In real time a packet has come when its last sample would have been taken at `rate`. Under
 * --clock virtual a slot's packets have come when the slot before was given back and both rings can
 * do with the next one, so that no sample is lost however slow a component or a disk is.
 */
#ifndef PLATFORMS_FILE_DRIVER_H
#define PLATFORMS_FILE_DRIVER_H

#include "core/platform/radio.h"

extern const struct radio_driver file_driver;

#endif
