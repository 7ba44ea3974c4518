/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/bus/samples/socket.h - a socket of ZeroMQ for items: its context, its options, its address.
 * The room's own. */
#ifndef ALOE_BUS_SAMPLES_SOCKET_H
#define ALOE_BUS_SAMPLES_SOCKET_H

#include "core/bus/samples/samples.h"

struct samples_socket {
	void *ctx, *socket;
	void *monitor; /* tells of connections that begin and end; NULL: nobody asks */
	char *file;    /* of a bound ipc:// address; or NULL */
};

/* socket_open makes a socket of a ZeroMQ `type` as `use` says. 0, or -errno with the reason in
 * ret_why. socket_close takes one that is not open, too. */
int socket_open(const struct samples_use *use, int type, bool monitored, struct samples_socket *ret,
    char ret_why[SAMPLES_WHY]);
void socket_close(struct samples_socket *socket);
/* socket_changed tells whether a connection has begun or ended since it was asked last. What was
 * sent while one was about to end is lost, so the end alone is not enough to know. */
bool socket_changed(struct samples_socket *socket);

#endif
