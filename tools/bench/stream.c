/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/stream.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"

enum { WARM_NS = 20000000, WAIT_S = 20 };

void stream_put(const struct stream *stream, uint64_t number)
{
	memcpy(stream_place(stream, number), &number, sizeof(number));
}

void stream_got(const struct stream *stream, uint64_t number, const uint8_t *bytes)
{
	uint64_t have;

	memcpy(&have, bytes, sizeof(have));
	if (have != number)
		atomic_fetch_add_explicit(&stream->count->wrong, 1, memory_order_relaxed);
	atomic_store_explicit(&stream->count->newest, number + 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&stream->count->received, 1, memory_order_release);
}

static uint64_t received(const struct stream *stream)
{
	return atomic_load_explicit(&stream->count->received, memory_order_acquire);
}

/* Until messages come, at least as many as the rings have places. */
static int warm(const struct stream_way *way, struct stream *stream, pid_t receiver)
{
	const uint64_t until = clock_ns() + WAIT_S * 1000000000ull;
	int rc = way->connect(stream);

	while (rc == 0 && received(stream) < 2 * stream->depth) {
		if (waitpid(receiver, NULL, WNOHANG) != 0)
			return snprintf(stream->why, STREAM_WHY, "the receiver has ended"), -EPIPE;
		if (clock_ns() > until)
			return snprintf(
			           stream->why, STREAM_WHY, "no message has come in %d s", WAIT_S),
			       -ETIMEDOUT;
		rc = way->send(stream, clock_ns() + WARM_NS);
	}
	return rc;
}

static double cpu_seconds(pid_t pid)
{
	struct timespec used = {0, 0};
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) == 0)
		clock_gettime(clock, &used);
	return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

/* However busy the machine is, as many messages come as the ring has places. */
static int send_for(const struct stream_way *way, struct stream *stream, double seconds,
    pid_t receiver, struct stream_speed *ret)
{
	int rc = warm(way, stream, receiver);
	const uint64_t before = received(stream), began = clock_ns();
	const double cpu_before = cpu_seconds(0) + cpu_seconds(receiver);
	uint64_t until = began + (uint64_t)(seconds * 1e9);

	do {
		rc = rc ? rc : way->send(stream, until);
		until = clock_ns() + WARM_NS;
	} while (rc == 0 && received(stream) < before + stream->depth &&
	    until < began + WAIT_S * 1000000000ull);
	*ret = (struct stream_speed){.messages = (double)(received(stream) - before),
	    .seconds = (double)(clock_ns() - began) * 1e-9,
	    .cpu_s = cpu_seconds(0) + cpu_seconds(receiver) - cpu_before,
	    .wrong = (double)atomic_load(&stream->count->wrong)};
	return rc == 0 && ret->messages == 0 ? -ETIMEDOUT : rc;
}

static _Noreturn void receiver_run(const struct stream_way *way, struct stream *stream)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	way->receive(stream);
	_exit(1);
}

static int parts(
    const struct stream_way *way, struct stream *stream, double seconds, struct stream_speed *ret)
{
	pid_t receiver;
	int rc = way->open(stream);

	if (rc < 0)
		return rc;
	fflush(NULL);
	receiver = fork();
	if (receiver < 0)
		return -errno;
	if (receiver == 0)
		receiver_run(way, stream);
	rc = send_for(way, stream, seconds, receiver, ret);
	kill(receiver, SIGKILL);
	while (waitpid(receiver, NULL, 0) < 0 && errno == EINTR)
		;
	return rc;
}

int stream_measure(
    const struct stream_way *way, struct stream *stream, double seconds, struct stream_speed *ret)
{
	const size_t size = stream->depth * stream->bytes;
	int rc = -ENOMEM;

	stream->own = NULL;
	stream->why[0] = 0;
	stream->ring = calloc(1, size);
	stream->count = mmap(NULL, sizeof(*stream->count), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (stream->ring && stream->count != MAP_FAILED) {
		memset(stream->ring, 0x5a, size); /* every page is there */
		rc = parts(way, stream, seconds, ret);
		way->close(stream);
	}
	if (rc < 0 && !stream->why[0])
		snprintf(stream->why, STREAM_WHY, "%s", strerror(-rc));
	if (stream->count != MAP_FAILED)
		munmap(stream->count, sizeof(*stream->count));
	free(stream->ring);
	return rc;
}
