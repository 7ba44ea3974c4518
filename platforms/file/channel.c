/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/file/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/kernels/iq.h"

enum { BLOCK = 16384 /* samples moved at a time */, FILE_MODE = 0666 };
#define NAP_NS 200000ull

size_t file_item(int format)
{
	return format == FILE_CF32 ? 2 * sizeof(float) : IQ_BYTES;
}

/* ---- the thread ------------------------------------------------------------------------ */

static uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Up to n samples of the recording, as the rings have them; 0: it has ended, or `error` is set. */
static uint64_t read_some(struct file_channel *channel, uint8_t *to, uint64_t n)
{
	const bool is_float = channel->settings->format == FILE_CF32;
	const size_t item = file_item(channel->settings->format), want = (size_t)n * item;
	uint8_t *bytes = is_float ? channel->block : to;
	size_t done = 0;

	while (done < want) {
		const ssize_t got = read(channel->fd, bytes + done, want - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			atomic_store(&channel->error, errno);
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	n = done / item;
	if (is_float) /* of this machine, which is little-endian as the file is */
		iq_kernels(SIMD_PLAIN)
		    ->from_f32((const float *)(const void *)bytes, to, (uint32_t)n);
	return n;
}

/* Known together with the last samples, so that the slot that takes them is the last one, however
 * late this thread comes to read on. */
static bool is_at_end(const struct file_channel *channel)
{
	const off_t at = lseek(channel->fd, 0, SEEK_CUR);
	struct stat about;

	return channel->settings->at_end != FILE_LOOPS && fstat(channel->fd, &about) == 0 &&
	    at >= about.st_size;
}

/* Beyond its end a recording is silence, so that what has been received can run through. */
static bool recording_fill(struct file_channel *channel)
{
	struct file_ring *ring = &channel->in;
	const uint64_t at = atomic_load_explicit(&ring->written, memory_order_relaxed),
	               room = ring->size - (at - atomic_load(&ring->read)),
	               n = least_of(least_of(room, BLOCK), ring->size - at % ring->size);
	uint8_t *to = ring->bytes + at % ring->size * IQ_BYTES;
	uint64_t got = 0;

	if (n == 0)
		return false;
	if (atomic_load(&channel->end) == UINT64_MAX) {
		got = read_some(channel, to, n);
		if (got == 0 && at > 0 && channel->settings->at_end == FILE_LOOPS &&
		    atomic_load(&channel->error) == 0 && lseek(channel->fd, 0, SEEK_SET) == 0)
			return true;
	}
	if (got == 0) {
		if (atomic_load(&channel->end) == UINT64_MAX)
			atomic_store(&channel->end, at);
		memset(to, 0, n * IQ_BYTES);
		got = n;
	} else if (is_at_end(channel)) {
		atomic_store(&channel->end, at + got);
	}
	atomic_store_explicit(&ring->written, at + got, memory_order_release);
	return true;
}

static void write_all(struct file_channel *channel, const uint8_t *bytes, size_t size)
{
	while (size > 0) {
		const ssize_t done = write(channel->tx_fd, bytes, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			atomic_store(&channel->error, errno);
			return;
		}
		bytes += done;
		size -= (size_t)done;
	}
}

static bool recording_drain(struct file_channel *channel)
{
	struct file_ring *ring = &channel->out;
	const uint64_t at = atomic_load_explicit(&ring->read, memory_order_relaxed),
	               there = atomic_load_explicit(&ring->written, memory_order_acquire) - at,
	               n = least_of(least_of(there, BLOCK), ring->size - at % ring->size);
	const uint8_t *from = ring->bytes + at % ring->size * IQ_BYTES;

	if (n == 0)
		return false;
	if (channel->settings->format == FILE_CF32) {
		iq_kernels(SIMD_PLAIN)->to_f32(from, (float *)(void *)channel->block, (uint32_t)n);
		from = channel->block;
	}
	if (atomic_load(&channel->error) == 0)
		write_all(channel, from, (size_t)n * file_item(channel->settings->format));
	atomic_store_explicit(&ring->read, at + n, memory_order_release);
	return true;
}

static void *file_main(void *self)
{
	struct file_channel *channel = self;

	while (!atomic_load(&channel->quit)) {
		const bool read = recording_fill(channel), written = recording_drain(channel);

		if (!read && !written)
			clock_sleep_until(clock_ns() + NAP_NS);
	}
	while (recording_drain(channel)) /* what was sent last */
		;
	return NULL;
}

/* ---- open and close ------------------------------------------------------------------------ */

static int open_files(struct file_channel *channel, const char **ret_what)
{
	const struct file_settings *settings = channel->settings;

	*ret_what = settings->path;
	channel->fd = open(settings->path, O_RDONLY | O_CLOEXEC);
	if (channel->fd < 0)
		return -errno;
	*ret_what = settings->tx_path;
	if (settings->tx_path[0])
		channel->tx_fd =
		    open(settings->tx_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, FILE_MODE);
	return settings->tx_path[0] && channel->tx_fd < 0 ? -errno : 0;
}

int file_open(struct file_channel *channel, const struct file_settings *settings,
    uint64_t ring_samples, uint32_t packet, const char **ret_what)
{
	int status;

	*channel = (struct file_channel){.settings = settings, .fd = -1, .tx_fd = -1};
	atomic_store(&channel->end, UINT64_MAX);
	status = open_files(channel, ret_what);
	if (status != 0)
		return status;
	*ret_what = "the memory for the samples";
	channel->in.size = channel->out.size = ring_samples;
	channel->in.bytes = malloc(ring_samples * IQ_BYTES);
	channel->out.bytes = malloc((ring_samples + packet) * IQ_BYTES);
	channel->block = malloc(BLOCK * file_item(FILE_CF32));
	if (channel->in.bytes == NULL || channel->out.bytes == NULL || channel->block == NULL)
		return -ENOMEM;
	while (recording_fill(channel)) /* so that the first slots need not wait for a disk */
		;
	*ret_what = settings->path;
	if (atomic_load(&channel->error) != 0)
		return -atomic_load(&channel->error);
	status = -pthread_create(&channel->thread, NULL, file_main, channel);
	channel->has_thread = status == 0;
	return status;
}

int file_close(struct file_channel *channel)
{
	int status;

	atomic_store(&channel->quit, true);
	if (channel->has_thread)
		pthread_join(channel->thread, NULL);
	status = -atomic_load(&channel->error);
	if (channel->fd >= 0)
		close(channel->fd);
	if (channel->tx_fd >= 0 && close(channel->tx_fd) != 0 && status == 0)
		status = -errno;
	free(channel->in.bytes);
	free(channel->out.bytes);
	free(channel->block);
	return status;
}
