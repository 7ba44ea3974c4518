/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/base/tai.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "core/base/clock.h"

enum { READINGS = 8 };

uint64_t tai_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_TAI, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t tai_epoch_ns(void)
{
	uint64_t least = UINT64_MAX, epoch = 0;

	for (int i = 0; i < READINGS; i++) {
		const uint64_t before = clock_ns(), tai = tai_ns(), after = clock_ns();

		if (after - before >= least)
			continue;
		least = after - before;
		epoch = tai - (before + least / 2);
	}
	return epoch;
}

/* The timer itself is never due. */
static int watch_arm(int fd)
{
	const struct itimerspec never = {
	    .it_value = {.tv_sec = (time_t)(sizeof(time_t) > 4 ? 1ll << 33 : INT32_MAX)}};

	return timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL) < 0
	    ? -errno
	    : 0;
}

int tai_watch_open(void)
{
	const int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
	int status = fd < 0 ? -errno : watch_arm(fd);

	if (fd >= 0 && status != 0)
		close(fd);
	return status != 0 ? status : fd;
}

bool tai_watch_take(int fd)
{
	uint64_t times;
	const bool was_set = read(fd, &times, sizeof(times)) != sizeof(times) && errno == ECANCELED;

	if (was_set)
		watch_arm(fd);
	return was_set;
}
