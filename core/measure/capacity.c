/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/measure/capacity.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/platform/platform.h"
#include "core/measure/local.h"
#include "core/measure/lane_cost.h"

static bool known(const char *state)
{
	struct class_rates rates;

	local_rates(state, &rates);
	return class_rates_known(&rates) && local_lane_known(state);
}

static int measure(const char *state)
{
	struct lane_cost cost;
	int rc = local_calibrate(state);

	if (rc < 0 || local_lane_known(state))
		return rc;
	rc = lane_cost_measure(&cost);
	return rc < 0 ? rc : local_lane_keep(state, cost.base_ns, cost.handover_ns);
}

/* The descriptor of the lock, which is ours until that is closed; or -errno. */
static int lock(const char *state)
{
	char path[PATH_MAX];
	int rc = path_print(path, sizeof(path), "%s/capacity", state), fd;

	rc = rc < 0 ? rc : dir_make(path);
	rc = rc < 0 ? rc : path_print(path, sizeof(path), "%s/capacity/lock", state);
	if (rc < 0)
		return rc;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	while (fd >= 0 && flock(fd, LOCK_EX) < 0) {
		if (errno == EINTR)
			continue;
		rc = -errno;
		close(fd);
		return rc;
	}
	return fd < 0 ? -errno : fd;
}

/* A measurement that failed is not repeated for AGAIN_S: each load would wait for another one. What
 * it gave stands in the lock's file; nothing there, or something else than an errno: no failure. */
static int failed_lately(int fd)
{
	struct stat stat;
	char text[16] = "";
	int rc;

	if (fstat(fd, &stat) < 0 || time(NULL) - stat.st_mtime >= CAPACITY_AGAIN_S ||
	    stat.st_mtime > time(NULL) || pread(fd, text, sizeof(text) - 1, 0) <= 0)
		return 0;
	rc = atoi(text);
	return rc < 0 && rc > -4096 ? rc : 0;
}

static void failed_keep(int fd, int rc)
{
	if (ftruncate(fd, 0) == 0 && rc < 0)
		dprintf(fd, "%d\n", rc);
}

static int measure_once(const char *state, int fd)
{
	int rc = known(state) ? 0 : failed_lately(fd);

	if (rc < 0 || known(state))
		return rc;
	rc = measure(state);
	failed_keep(fd, rc);
	return rc;
}

int capacity_keep(const char *state, bool *ret_waited)
{
	const bool ready = known(state);
	int fd, rc;

	if (ret_waited)
		*ret_waited = !ready;
	if (ready)
		return 0;
	fd = lock(state);
	if (fd < 0)
		return fd;
	rc = measure_once(state, fd);
	close(fd);
	return rc;
}

/* At ordinary priority: a load may be waiting for it. */
static void *keep_main(void *state)
{
	platform_demote(0);
	capacity_keep(state, NULL); /* whoever needs it and does not find it tries again */
	free(state);
	return NULL;
}

int capacity_keep_soon(const char *state)
{
	char path[PATH_MAX], *copy;
	pthread_attr_t attr;
	pthread_t thread;
	int rc =
	    state ? path_print(path, sizeof(path), "%s", state) : dir_state(path, sizeof(path));

	if (rc < 0)
		return rc;
	if (known(path))
		return 0;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	rc = pthread_create(&thread, &attr, keep_main, copy);
	pthread_attr_destroy(&attr);
	if (rc)
		free(copy);
	return -rc;
}
