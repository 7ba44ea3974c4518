/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/soapy/io.h - the open radio, for the files of the driver alone: driver.c is the lane's
 * side, io.c the thread that calls SoapySDR, cells.c what is received between them.
 */
#ifndef PLATFORMS_SOAPY_IO_H
#define PLATFORMS_SOAPY_IO_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "core/base/log.h"
#include "platforms/soapy/device.h"
#include "platforms/soapy/driver.h"
#include "platforms/soapy/settings.h"
#include "platforms/soapy/track.h"

/* A packet. Cell n of a ring is at n modulo its size; numbers run on for ever. */
struct soapy_cell {
	uint64_t ticks;
	uint32_t samples;
	uint32_t gap; /* packets missing before this one */
	bool anew;
};

struct soapy_in { /* from the thread to the lane, all channels together */
	struct soapy_cell *cells;
	uint8_t *iq[SOAPY_CHANNELS]; /* rx_packet samples for each cell */
	uint64_t size;
	_Atomic uint64_t written, read[SOAPY_CHANNELS];
	/* the thread's */
	uint32_t fill;    /* samples in the cell that is being filled */
	uint64_t origin;  /* cells end at whole packets from here */
	uint64_t missing; /* samples before the next cell */
	bool anew;
	/* the lane's */
	uint64_t received[SOAPY_CHANNELS];
};

struct soapy_out { /* from the lane to the thread, one channel */
	struct soapy_cell *cells;
	uint8_t *iq;
	uint64_t size;
	_Atomic uint64_t written, read;
	uint64_t placed; /* the lane's */
	uint32_t sent;   /* the thread's: samples of the first cell */
	bool bursting;   /* the thread's: something was sent, and no end of it */
	bool silent;     /* the thread's: the device has no reports */
};

enum soapy_trouble { SOAPY_WELL, SOAPY_IS_GONE, SOAPY_IS_SILENT, SOAPY_HANGS };

enum soapy_count {
	SOAPY_OVERRUNS,
	SOAPY_UNSIZED,
	SOAPY_TX_LATE,
	SOAPY_UNDERRUNS,
	SOAPY_SEQUENCE,
	SOAPY_RESTARTS,
	SOAPY_FAILED,
	SOAPY_COUNTS
};

struct soapy_radio {
	struct radio radio; /* first */
	const struct soapy_library *library;
	struct soapy_setup setup;
	struct soapy_facts facts;
	struct soapy_in in;
	struct soapy_out out[SOAPY_CHANNELS];
	_Atomic uint64_t count[SOAPY_CHANNELS][SOAPY_COUNTS];
	_Atomic int trouble;
	_Atomic uint64_t called_ns; /* when the call of SoapySDR began; 0: there is none */
	_Atomic bool start, quit, done;
	pthread_t thread;
	sem_t opened;
	int status; /* of opening; 0 or -1 */
	char why[SOAPY_TEXT];
	bool has_thread, left_behind;
	/* the thread's */
	struct log log;
	struct soapy_device *device;
	struct track track;
	uint8_t *chunk[SOAPY_CHANNELS];
	uint64_t heard_ns, tried_ns;
	bool lost_said;
};

enum { SOAPY_CHUNK = 16384 /* samples that are read at a time */ };
#define SOAPY_HANGS_NS 2000000000ull /* a call that takes longer hangs */

/* soapy_io is the thread: it opens the device, posts `opened`, and moves samples until `quit`. */
void *soapy_io(void *self);

/* soapy_put takes n samples of each channel from `chunk` into cells, the first at `ticks`. What
 * finds no cell is missing in the next one. soapy_abandon drops the cell that is being filled and
 * tells how many samples its end is away. soapy_end_cell hands over what there is of it. */
void soapy_put(struct soapy_radio *radio, uint64_t ticks, uint32_t n);
uint64_t soapy_abandon(struct soapy_radio *radio, uint64_t ticks);
void soapy_end_cell(struct soapy_in *in);

#endif
