/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/bus/place.c - the runtime directory. */
#include "core/bus/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/web_file.h"
#include "core/bus/bus.h"

/* Somebody who only looks (bus_probe, bus_sweep) holds the lock for microseconds; a frontend holds
 * it for good. */
enum { LOCK_TRIES = 25, LOCK_PAUSE_NS = 20000000 };

/* What a frontend makes in its directory, the bus's socket first. */
static const char *const sockets[] = {"frontend", "attach"};
static const char lock_name[] = "lock";

void place_init(struct place *place)
{
	*place = (struct place){.fd = -1, .lock = -1};
}

int place_endpoint(const char *dir, char *ret_endpoint)
{
	char path[PLACE_PATH_BYTES];

	if (snprintf(path, sizeof(path), "%s/frontend", dir) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	snprintf(ret_endpoint, PLACE_ENDPOINT_BYTES, "ipc://%s", path);
	return 0;
}

static void lock_pause(void)
{
	nanosleep(&(struct timespec){.tv_nsec = LOCK_PAUSE_NS}, NULL);
}

static int dir_open(const char *dir)
{
	const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat stat;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &stat) == 0 && stat.st_uid == geteuid() &&
	    !(stat.st_mode & (S_IRWXG | S_IRWXO)))
		return fd;
	close(fd);
	return -EPERM;
}

/* Whoever was here before may remove the directory just now; whoever comes next makes it again. */
static int dir_await(const char *dir)
{
	int fd = dir_open(dir);

	for (int i = 1; i < LOCK_TRIES && fd == -ENOENT; i++) {
		lock_pause();
		fd = dir_open(dir);
	}
	return fd;
}

int place_check(const char *dir)
{
	const int fd = dir_await(dir);

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

/* Whether the directory that we hold is still the one of that name: the one before us may have
 * removed it. */
static bool dir_same(int fd, const char *dir)
{
	struct stat ours, named;

	return fstat(fd, &ours) == 0 && lstat(dir, &named) == 0 && ours.st_dev == named.st_dev &&
	    ours.st_ino == named.st_ino;
}

/* The same of the lock. */
static bool lock_same(int lock, int fd)
{
	struct stat ours, named;

	return fstat(lock, &ours) == 0 &&
	    fstatat(fd, lock_name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	    ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

static int lock_open(int fd, int flags)
{
	const int lock = openat(fd, lock_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600);

	return lock < 0 ? -errno : lock;
}

static void place_free(struct place *place)
{
	if (place->lock >= 0)
		close(place->lock);
	if (place->fd >= 0)
		close(place->fd);
	place_init(place);
}

static int place_lock(struct place *place, const char *dir, bool make)
{
	int result = 0;

	place_init(place);
	if (snprintf(place->dir, sizeof(place->dir), "%s", dir) >= (int)sizeof(place->dir))
		return -ENAMETOOLONG;
	if (make && mkdir(dir, 0700) < 0 && errno != EEXIST)
		return -errno;
	place->fd = dir_open(dir);
	if (place->fd < 0)
		return place->fd;
	place->lock = lock_open(place->fd, O_CREAT);
	if (place->lock < 0)
		result = place->lock;
	else if (flock(place->lock, LOCK_EX | LOCK_NB) != 0 || !dir_same(place->fd, dir) ||
	    !lock_same(place->lock, place->fd))
		result = -EADDRINUSE;
	if (result < 0)
		place_free(place);
	return result;
}

int place_take(struct place *place, const char *dir)
{
	int result = -EADDRINUSE;

	for (int i = 0; i < LOCK_TRIES && (result == -EADDRINUSE || result == -ENOENT); i++) {
		if (i > 0)
			lock_pause();
		result = place_lock(place, dir, true);
	}
	if (result < 0)
		return result;
	snprintf(place->socket, sizeof(place->socket), "%.*s/frontend", PLACE_PATH_BYTES - 10, dir);
	sockets_remove(place->fd);
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
	unlinkat(place->fd, WEB_FILE_NAME, 0); /* of a statsman that was killed */
	unlinkat(place->fd, lock_name, 0);
	rmdir(place->dir);
	place_free(place);
}

int bus_probe(const char *dir)
{
	const int fd = dir_open(dir), lock = fd < 0 ? fd : lock_open(fd, 0);
	int result = lock;

	if (fd < 0)
		return fd;
	if (lock >= 0)
		result = flock(lock, LOCK_SH | LOCK_NB) == 0 ? -ECONNREFUSED
		    : errno == EWOULDBLOCK                   ? 0
		                                             : -errno;
	else if (lock == -ENOENT)
		result = -ECONNREFUSED;
	if (result == -ECONNREFUSED && faccessat(fd, sockets[0], F_OK, 0) == 0)
		result = -EHOSTDOWN;
	if (lock >= 0)
		close(lock);
	close(fd);
	return result;
}

int bus_sweep(const char *dir)
{
	struct place place;
	const int result = place_lock(&place, dir, false);

	if (result == 0)
		place_leave(&place);
	return result;
}

const char *bus_dir_text(int error)
{
	if (error == EPERM)
		return "a runtime directory must belong to you and be closed to all others "
		       "(chmod 700)";
	if (error == ENOTDIR)
		return "a runtime directory must be a real directory, not a symbolic link";
	return strerror(error);
}
