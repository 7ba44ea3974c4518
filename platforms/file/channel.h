/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/file/channel.h - one channel of a radio of files: two rings of samples between the
 * lane's thread, which never waits for a file, and a thread of its own, which does.
 */
#ifndef PLATFORMS_FILE_CHANNEL_H
#define PLATFORMS_FILE_CHANNEL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum file_format { FILE_CI16, FILE_CF32 };
enum file_end { FILE_ENDS, FILE_LOOPS };

struct file_settings { /* as the radio file says, see the keys in driver.c */
	const char *path, *tx_path;
	int format, at_end;
	double rate;
};

struct file_ring { /* samples of 16 + 16 bits; numbers run on for ever */
	uint8_t *bytes;
	uint64_t size; /* samples */
	_Atomic uint64_t written, read;
};

struct file_channel {
	const struct file_settings *settings;
	struct file_ring in, out;
	_Atomic uint64_t end; /* samples of the recording; UINT64_MAX: not reached, or none */
	_Atomic int error;    /* errno of a file that cannot be read or written any more; 0 */
	_Atomic bool quit;
	pthread_t thread;
	bool has_thread;
	int fd, tx_fd; /* -1 */
	uint8_t *block;
	/* the lane's */
	uint64_t received, released; /* samples */
	uint32_t owed;               /* fast: packets of the slot that is being given */
	uint64_t placed;             /* samples in the out ring, sent but not flushed */
};

/* file_open opens the files, fills the ring and starts the thread: 0, or -errno with what it was
 * about. ring_samples: of each ring, a whole number of packets. Behind the ring of what is sent
 * there is room for one packet more. */
int file_open(struct file_channel *channel, const struct file_settings *settings,
    uint64_t ring_samples, uint32_t packet, const char **ret_what);
/* file_close writes what is in the ring, and closes: 0, or the -errno of what could not be read or
 * written. */
int file_close(struct file_channel *channel);

/* file_item gives the bytes of a sample in the file. */
size_t file_item(int format);

#endif
