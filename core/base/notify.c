/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/notify.c - READY, STOPPING and WATCHDOG over NOTIFY_SOCKET. */
#include "core/base/notify.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { SEND_S = 1, MS_NS = 1000000, SIGNS = 3 /* in the watchdog's time */ };

/* The name of an abstract address begins with a zero byte instead of the @, and ends with the
 * address, not with a zero byte. */
static int address_make(const char *name, struct notify *notify)
{
	const size_t len = strlen(name);
	const bool abstract = name[0] == '@';

	if ((!abstract && name[0] != '/') || len < 2)
		return -EAFNOSUPPORT;
	if (len + !abstract > sizeof(notify->to.sun_path))
		return -ENAMETOOLONG;
	notify->to.sun_family = AF_UNIX;
	memcpy(notify->to.sun_path, name, len);
	if (abstract)
		notify->to.sun_path[0] = 0;
	notify->to_len =
	    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + (abstract ? 0 : 1));
	assert(notify->to_len <= sizeof(notify->to));
	return 0;
}

static uint64_t number_take(const char *name)
{
	const char *text = getenv(name);
	char *end = NULL;
	const uint64_t number = text ? strtoull(text, &end, 10) : 0;

	return text && end != text && *end == 0 ? number : 0;
}

static uint64_t watchdog_every_ns(void)
{
	const uint64_t us = number_take("WATCHDOG_USEC"), pid = number_take("WATCHDOG_PID");

	return (pid == 0 || pid == (uint64_t)getpid()) && us < UINT64_MAX / 1000 ? us * 1000 / SIGNS
	                                                                         : 0;
}

static int socket_open(struct notify *notify)
{
	const struct timeval limit = {.tv_sec = SEND_S};

	notify->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (notify->fd < 0)
		return -errno;
	return setsockopt(notify->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) < 0 ? -errno
	                                                                                  : 0;
}

int notify_open(struct notify *notify)
{
	const char *name = getenv("NOTIFY_SOCKET");
	int rc = 0;

	*notify = (struct notify){.fd = -1};
	if (name) {
		rc = address_make(name, notify);
		rc = rc ? rc : socket_open(notify);
		notify->every_ns = rc ? 0 : watchdog_every_ns();
	}
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
	return rc;
}

void notify_close(struct notify *notify)
{
	if (notify->fd >= 0)
		close(notify->fd);
	notify->fd = -1;
	notify->every_ns = 0;
}

int notify_send(const struct notify *notify, const char *state)
{
	ssize_t sent;

	if (notify->fd < 0)
		return 0;
	do
		sent = sendto(notify->fd, state, strlen(state), MSG_NOSIGNAL,
		    (const struct sockaddr *)&notify->to, notify->to_len);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : 0;
}

bool notify_due(const struct notify *notify, uint64_t now_ns)
{
	return notify->every_ns > 0 && now_ns >= notify->next_ns;
}

int notify_alive(struct notify *notify, uint64_t now_ns)
{
	notify->next_ns = now_ns + notify->every_ns;
	return notify->every_ns > 0 ? notify_send(notify, "WATCHDOG=1") : 0;
}

int notify_left_ms(const struct notify *notify, uint64_t now_ns, int most_ms)
{
	uint64_t left_ms;

	if (notify->every_ns == 0)
		return most_ms;
	left_ms = notify_due(notify, now_ns) ? 0 : (notify->next_ns - now_ns) / MS_NS + 1;
	return left_ms < (uint64_t)most_ms ? (int)left_ms : most_ms;
}
