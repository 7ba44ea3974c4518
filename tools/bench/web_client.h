/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/web_client.h - who looks at a dashboard, as the page in a browser does: its events,
 * and one signal, each through a WebSocket (RFC 6455). What comes is counted and dropped.
 */
#ifndef TOOLS_BENCH_WEB_CLIENT_H
#define TOOLS_BENCH_WEB_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

enum { WEB_CLIENT_STREAMS = 2 };

struct web_client {
	int fds[WEB_CLIENT_STREAMS]; /* -1: none */
	uint64_t bytes;              /* that have come */
	uint64_t spoke_ns;
};

/* web_client_open looks at `waveform` and at the spectrum of its output `port`, of the dashboard at
 * 127.0.0.1 and that TCP port: 0; -errno; -EPROTO: it is no WebSocket. web_client_close takes a
 * client that is zeroed or was not opened. */
int web_client_open(
    struct web_client *client, uint16_t tcp_port, const char *waveform, const char *port);
void web_client_close(struct web_client *client);
/* web_client_read counts what has come, without waiting, and says now and then that somebody looks.
 * False: a stream has ended. */
bool web_client_read(struct web_client *client);

#endif
