/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/notify.h - tells a service manager (systemd, Type=notify) how this program fares: one
 * datagram for each state, to the socket that the environment names. [control]
 *
 *         notify_open(&notify);               // nobody asks: all that follows does nothing
 *         notify_send(&notify, "READY=1");
 *         while (...)
 *                 if (notify_due(&notify, clock_ns()) && all_is_well())
 *                         notify_alive(&notify, clock_ns());
 *         notify_send(&notify, "STOPPING=1");
 */
#ifndef ALOE_BASE_NOTIFY_H
#define ALOE_BASE_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

struct notify {
	int fd; /* -1: nobody asks */
	struct sockaddr_un to;
	socklen_t to_len;
	/* a third of the time after which who is silent is killed; 0: there is no watchdog */
	uint64_t every_ns;
	uint64_t next_ns;
};

/* notify_open reads NOTIFY_SOCKET (a path, or an abstract name after @), WATCHDOG_USEC and
 * WATCHDOG_PID, and takes them out of the environment, because they are for this process and not
 * for its children. 0, also where nobody asks; -EAFNOSUPPORT: an address of another kind,
 * -ENAMETOOLONG, or -errno. */
int notify_open(struct notify *notify);
void notify_close(struct notify *notify);

/* notify_send sends "READY=1", "STOPPING=1" or lines of such assignments: 0, or -errno. It waits at
 * most a second for a receiver that is behind. */
int notify_send(const struct notify *notify, const char *state);

/* notify_due: a sign of life is due; notify_alive sends one (WATCHDOG=1), and the next is due a
 * third of the watchdog's time later. notify_left_ms: until it is due, at most `most_ms`. */
bool notify_due(const struct notify *notify, uint64_t now_ns);
int notify_alive(struct notify *notify, uint64_t now_ns);
int notify_left_ms(const struct notify *notify, uint64_t now_ns, int most_ms);

#endif
