/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/bus/tcp.h - which TCP sockets may be opened, with which options, and what is said of what
 * they refuse. The bus's own.
 */
#ifndef ALOE_BUS_TCP_H
#define ALOE_BUS_TCP_H

#include "core/bus/bus.h"

enum { TCP_ENDPOINT = 80, TCP_CONNECT_AGAIN_MS = 1000 };

/* tcp_check: 0, or -EINVAL with the reasons and what to do in diag. */
int tcp_check(const struct bus_tcp *tcp, bool listens, struct diag *diag);
/* tcp_options sets the limits of a socket that others can reach: 0 or -errno. */
int tcp_options(void *socket, const struct bus_tcp *tcp);
size_t tcp_bytes_max(const struct bus_tcp *tcp);

struct tcp_news {
	struct bus_counts told;
	uint64_t at_ns;
};

/* tcp_tell is bus_news, of counts and who was refused last (NULL: nobody). */
bool tcp_tell(struct tcp_news *news, const struct bus_counts *counts, const char *last,
    uint64_t now_ns, char *ret_text, size_t size);

#endif
