/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/bus/place.c - the runtime directory. */
#include "core/bus/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/bus/bus.h"

/* Somebody who only looks (bus_probe, bus_sweep) holds the lock for microseconds; a frontend holds it for good. */
enum { LOCK_TRIES = 25, LOCK_PAUSE_NS = 20000000 };

/* What a frontend makes in its directory, the bus's socket first. */
static const char *const sockets[] = {"frontend", "attach"};

void place_init(struct place *place)
{
	*place = (struct place){.fd = -1};
}

int place_endpoint(const char *dir, char *ret_endpoint)
{
	char path[PLACE_PATH_BYTES];

	if (snprintf(path, sizeof(path), "%s/frontend", dir) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	snprintf(ret_endpoint, PLACE_ENDPOINT_BYTES, "ipc://%s", path);
	return 0;
}

static int dir_open(const char *dir)
{
	const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat stat;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &stat) == 0 && stat.st_uid == geteuid() &&
	    !(stat.st_mode & (S_IWGRP | S_IWOTH)))
		return fd;
	close(fd);
	return -EPERM;
}

int place_check(const char *dir)
{
	const int fd = dir_open(dir);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static void sockets_remove(int fd)
{
	for (size_t i = 0; i < sizeof(sockets) / sizeof(sockets[0]); i++)
		unlinkat(fd, sockets[i], 0);
}

/* Whether the directory that we hold is still the one of that name: the one before us may have removed it. */
static bool dir_same(int fd, const char *dir)
{
	struct stat ours, named;

	return fstat(fd, &ours) == 0 && lstat(dir, &named) == 0 && ours.st_dev == named.st_dev &&
	    ours.st_ino == named.st_ino;
}

static int dir_lock(const char *dir, bool make)
{
	int fd;

	if (make && mkdir(dir, 0700) < 0 && errno != EEXIST)
		return -errno;
	fd = dir_open(dir);
	if (fd < 0)
		return fd;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && dir_same(fd, dir))
		return fd;
	close(fd);
	return -EADDRINUSE;
}

int place_take(struct place *place, const char *dir)
{
	const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};
	int fd = -EADDRINUSE;

	for (int i = 0; i < LOCK_TRIES && (fd == -EADDRINUSE || fd == -ENOENT); i++) {
		if (i > 0)
			nanosleep(&pause, NULL);
		fd = dir_lock(dir, true);
	}
	if (fd < 0)
		return fd;
	place->fd = fd;
	snprintf(place->dir, sizeof(place->dir), "%s", dir);
	snprintf(place->socket, sizeof(place->socket), "%.*s/frontend", PLACE_PATH_BYTES - 10, dir);
	sockets_remove(fd);
	return 0;
}

int place_close_to_others(struct place *place)
{
	return chmod(place->socket, 0600) < 0 ? -errno : 0;
}

void place_leave(struct place *place)
{
	if (place->fd < 0)
		return;
	sockets_remove(place->fd);
	rmdir(place->dir);
	close(place->fd);
	place_init(place);
}

int bus_probe(const char *dir)
{
	const int fd = dir_open(dir);
	int result;

	if (fd < 0)
		return fd;
	result = flock(fd, LOCK_SH | LOCK_NB) == 0 ? -ECONNREFUSED
	    : errno == EWOULDBLOCK                 ? 0
	                                           : -errno;
	if (result == -ECONNREFUSED && faccessat(fd, sockets[0], F_OK, 0) == 0)
		result = -EHOSTDOWN;
	close(fd);
	return result;
}

int bus_sweep(const char *dir)
{
	struct place place;
	const int fd = dir_lock(dir, false);

	if (fd < 0)
		return fd;
	place_init(&place);
	place.fd = fd;
	if (snprintf(place.dir, sizeof(place.dir), "%s", dir) >= (int)sizeof(place.dir)) {
		close(fd);
		return -ENAMETOOLONG;
	}
	place_leave(&place);
	return 0;
}
