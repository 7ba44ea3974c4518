/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/server.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/base/clock.h"

enum {
	IDLE_NS = 1000000,
	SILENT_NS = 100000,
	FDS_PER_UNIT = UNIT_SOCKETS + UNIT_TRANSPORTS,
	FDS = 1 + SERVER_UNITS * FDS_PER_UNIT
};

static uint64_t time_now(void *self)
{
	return pace_now(self);
}

/* ---- the loop ------------------------------------------------------------------------ */

static uint64_t sleep_ns(struct server *server)
{
	const uint64_t ref = pace_now(&server->pace);
	uint64_t next = UINT64_MAX;

	for (unsigned i = 0; i < server->n_units; i++) {
		const uint64_t own = unit_next(&server->units[i]);
		next = own < next ? own : next;
	}
	if (server->pace.since_ns == 0 && next <= ref)
		return 0;
	if (server->pace.since_ns || next - ref >= IDLE_NS / DEVICE_TICK_NS)
		return IDLE_NS;
	return (next - ref) * DEVICE_TICK_NS;
}

/* Everything that is due now. False: nothing came, and nothing is to be expected at once. */
static bool server_turn(struct server *server)
{
	const uint64_t now_ns = clock_ns();
	bool busy = pace_turn(&server->pace, server->units, server->n_units, now_ns);

	for (unsigned i = 0; i < server->n_units; i++) {
		struct unit *unit = &server->units[i];

		unit->behind_max = server->pace.behind_max;
		unit_run(unit, pace_now(&server->pace));
		busy |= unit_take(unit, time_now, &server->pace);
		if (unit->device.tick >= unit->steady.until)
			steady_look(&unit->steady, &unit->device, now_ns);
	}
	for (unsigned i = 0; i < server->n_units; i++)
		unit_flush(&server->units[i]);
	return busy;
}

/* The descriptors of a unit: its sockets, then its transports. True: one of its transports tells
 * nothing. */
static bool watch_unit(const struct unit *unit, struct pollfd *ret_fds)
{
	bool silent = false;

	for (int i = 0; i < UNIT_SOCKETS; i++)
		ret_fds[i] = (struct pollfd){.fd = unit->sockets[i], .events = POLLIN};
	for (int i = 0; i < UNIT_TRANSPORTS; i++) {
		const int fd = unit->transports[i] ? transport_fd(unit->transports[i]) : -1;

		ret_fds[UNIT_SOCKETS + i] = (struct pollfd){.fd = fd, .events = POLLIN};
		silent |= unit->transports[i] != NULL && fd < 0;
	}
	return silent;
}

/* Beside a transport that is looked at all the time the others are looked at when the kernel says
 * so: asking each of them costs as much as a packet. */
static void look_at(struct unit *unit, const struct pollfd *fds, bool silent, uint64_t ref)
{
	for (unsigned which = 0; which < UNIT_SOCKETS; which++)
		if (fds[which].revents & POLLIN)
			unit_datagrams(unit, (int)which, ref);
	for (unsigned transport = 0; transport < UNIT_TRANSPORTS; transport++)
		unit->is_quiet[transport] = silent && fds[UNIT_SOCKETS + transport].fd >= 0 &&
		    !(fds[UNIT_SOCKETS + transport].revents & POLLIN);
}

static void sockets_look(struct server *server, struct pollfd *fds, bool busy, bool silent)
{
	const struct timespec wait = {0, busy ? 0 : (long)sleep_ns(server)};

	if (ppoll(fds, 1 + server->n_units * FDS_PER_UNIT, &wait, NULL) < 0)
		return;
	for (unsigned i = 0; i < server->n_units; i++)
		look_at(&server->units[i], fds + 1 + (size_t)i * FDS_PER_UNIT, silent,
		    pace_now(&server->pace));
}

/* Waits for something to come or to be due; a port that tells nothing is looked at without a
 * pause. */
void server_run(struct server *server, uint64_t until_ns)
{
	struct pollfd fds[FDS] = {{.fd = server->signals, .events = POLLIN}};
	uint64_t look_ns = 0, now_ns;
	bool busy = false, silent = false;

	for (unsigned i = 0; i < server->n_units; i++)
		silent |= watch_unit(&server->units[i], fds + 1 + (size_t)i * FDS_PER_UNIT);
	while ((now_ns = clock_ns()) < until_ns && !(fds[0].revents & POLLIN)) {
		if (!busy || now_ns >= look_ns) {
			sockets_look(server, fds, busy, silent);
			look_ns = now_ns + (silent ? SILENT_NS : IDLE_NS);
		}
		busy = server_turn(server) || silent;
	}
	for (unsigned i = 0; i < server->n_units; i++)
		for (unsigned transport = 0; transport < UNIT_TRANSPORTS; transport++)
			if (server->units[i].transports[transport])
				transport_count(server->units[i].transports[transport]);
}

/* ---- open and close ------------------------------------------------------------------------ */

static int watch_signals(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int server_open(struct server *server, const struct server_options *options, char *ret_why)
{
	int rc = analog_open(&server->analog, &options->analog);

	if (rc < 0) {
		const char *failed = server->analog.failed ? server->analog.failed : "antennas";

		server->signals = -1;
		snprintf(ret_why, TRANSPORT_WHY, "%s: %s", failed, strerror(-rc));
		return rc;
	}
	server->signals = watch_signals();
	if (server->signals < 0) {
		snprintf(ret_why, TRANSPORT_WHY, "signals cannot be watched: %s",
		    strerror(-server->signals));
		return server->signals;
	}
	for (unsigned i = 0; rc == 0 && i < options->n_units; i++) {
		rc = unit_open(&server->units[i], &options->units[i], &server->analog, ret_why);
		server->n_units++;
	}
	pace_init(&server->pace, &options->pace, clock_ns());
	return rc;
}

int server_close(struct server *server)
{
	for (unsigned i = 0; i < server->n_units; i++)
		unit_close(&server->units[i]);
	if (server->signals >= 0)
		close(server->signals);
	return analog_close(&server->analog);
}
