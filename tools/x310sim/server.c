/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "platforms/udp/udp.h"

enum { FIRMWARE, MTU, IDLE_NS = 1000000, BURST = 64, BUFFERS = 1024, BUFFER_BYTES = CHDR_PACKET_MAX + 1024 };

static const uint16_t ports[SERVER_SOCKETS] = {FIRMWARE_PORT, MTU_PORT};

/* ---- time --------------------------------------------------------------------------------------------------------------- */

static uint64_t ticks_now(const struct server *server)
{
	return (clock_ns() - server->begin_ns) / DEVICE_TICK_NS;
}

static void set_time(struct server *server)
{
	server->firmware.set_time = false;
	server->begin_ns = clock_ns() - server->firmware.event_ticks * DEVICE_TICK_NS;
	device_set_time(&server->device, server->firmware.event_ticks);
}

/* ---- what the device asks of us ----------------------------------------------------------------------------------------- */

/* Where a packet came from, as the device remembers it: door 16 | address 32 | port 16. */
static uint64_t to_number(unsigned door, struct door_address peer)
{
	return (uint64_t)door << 48 | (uint64_t)peer.ip << 16 | peer.port;
}

static void flush(struct server *server, unsigned door)
{
	struct server_out *out = &server->out[door];
	const unsigned sent = out->n ? door_send(server->doors[door], out->packets, out->n) : 0;

	out->n -= sent;
	memmove(out->packets, out->packets + sent, out->n * sizeof(out->packets[0]));
}

static void server_send(void *self, uint64_t address, const uint8_t *bytes, size_t size)
{
	struct server *server = self;
	const unsigned door = (unsigned)(address >> 48);
	struct server_out *out = &server->out[door];
	struct packet *packet;

	if (out->n == DOOR_BURST)
		flush(server, door);
	packet = &out->packets[out->n];
	if (out->n == DOOR_BURST || door_get(server->doors[door], packet, 1) == 0) {
		server->wire_full++;
		return;
	}
	memcpy(packet->bytes, bytes, size);
	packet->size = (uint32_t)size;
	packet->peer = (struct door_address){(uint32_t)(address >> 16), (uint16_t)address};
	out->n++;
}

static uint32_t divide(const struct server *server, unsigned channel)
{
	return server->device.endpoints[channel].radio.divide;
}

static void server_transmit(void *self, unsigned channel, uint64_t tick, const uint8_t *iq, uint32_t n)
{
	struct server *server = self;

	analog_transmit(&server->analog, channel, tick, divide(server, channel), iq, n);
}

static void server_receive(void *self, unsigned channel, uint64_t tick, uint8_t *ret_iq, uint32_t n)
{
	struct server *server = self;

	analog_receive(&server->analog, channel, tick, divide(server, channel), ret_iq, n);
}

/* ---- what comes ------------------------------------------------------------------------------------------------------- */

/* False: nothing came. */
static bool take_burst(struct server *server, unsigned door)
{
	struct packet packets[DOOR_BURST];
	const unsigned n = server->doors[door] ? door_receive(server->doors[door], packets, DOOR_BURST) : 0;

	for (unsigned i = 0; i < n; i++) {
		device_run(&server->device, ticks_now(server));
		device_take(&server->device, to_number(door, packets[i].peer), packets[i].bytes, packets[i].size);
	}
	if (n)
		door_put(server->doors[door], packets, n);
	return n > 0;
}

/* One datagram of the processor's ports. */
static void answer(struct server *server, int which, const struct sockaddr_in *from, const uint8_t *bytes, size_t size)
{
	uint8_t reply[CHDR_PACKET_MAX] = {0};
	size_t n;

	if (which == FIRMWARE)
		n = firmware_take(&server->firmware, clock_ns(), ticks_now(server), bytes, size, reply);
	else
		n = mtu_take(bytes, size, reply, sizeof(reply));
	if (n && sendto(server->sockets[which], reply, n, 0, (const struct sockaddr *)from, sizeof(*from)) < 0)
		server->reply_failed++;
	if (server->firmware.set_time)
		set_time(server);
}

static void take_datagrams(struct server *server, int which)
{
	uint8_t bytes[BUFFER_BYTES];

	for (int i = 0; i < BURST; i++) {
		struct sockaddr_in from = {0};
		socklen_t len = sizeof(from);
		const ssize_t size = recvfrom(server->sockets[which], bytes, sizeof(bytes), MSG_DONTWAIT,
					      (struct sockaddr *)&from, &len);
		if (size < 0)
			return;
		answer(server, which, &from, bytes, (size_t)size);
	}
}

/* ---- the loop ------------------------------------------------------------------------------------------------------------ */

static uint64_t sleep_ns(const struct server *server)
{
	const uint64_t next = device_next(&server->device), now = ticks_now(server);

	if (next <= now)
		return 0;
	if (next - now >= IDLE_NS / DEVICE_TICK_NS)
		return IDLE_NS;
	return (next - now) * DEVICE_TICK_NS;
}

/* Everything that is due now. False: nothing came. */
static bool turn(struct server *server)
{
	const uint64_t behind = ticks_now(server) - server->device.tick;
	bool came = false;

	server->behind_max = behind > server->behind_max ? behind : server->behind_max;
	device_run(&server->device, ticks_now(server));
	for (unsigned door = 0; door < SERVER_DOORS; door++)
		came |= take_burst(server, door);
	for (unsigned door = 0; door < SERVER_DOORS; door++)
		flush(server, door);
	return came;
}

/* Waits for something to come or to be due; a port that tells nothing is looked at without a pause. */
void server_run(struct server *server, uint64_t until_ns)
{
	const bool silent = server->doors[1] != NULL && door_fd(server->doors[1]) < 0;
	struct pollfd fds[] = {
	    {.fd = server->signals, .events = POLLIN},
	    {.fd = server->sockets[FIRMWARE], .events = POLLIN},
	    {.fd = server->sockets[MTU], .events = POLLIN},
	    {.fd = door_fd(server->doors[0]), .events = POLLIN},
	    {.fd = server->doors[1] ? door_fd(server->doors[1]) : -1, .events = POLLIN},
	};
	uint64_t look_ns = 0, now_ns;
	bool busy = false;

	while ((now_ns = clock_ns()) < until_ns && !(fds[0].revents & POLLIN)) {
		if (!busy || now_ns >= look_ns) {
			const struct timespec wait = {0, busy ? 0 : (long)sleep_ns(server)};

			ppoll(fds, sizeof(fds) / sizeof(fds[0]), &wait, NULL);
			look_ns = now_ns + IDLE_NS;
			for (int i = 0; i < SERVER_SOCKETS; i++)
				if (fds[1 + i].revents & POLLIN)
					take_datagrams(server, i);
		}
		busy = turn(server) || silent;
	}
	for (unsigned door = 0; door < SERVER_DOORS; door++)
		if (server->doors[door])
			door_count(server->doors[door]);
}

/* ---- open and close ---------------------------------------------------------------------------------------------------- */

static int bind_port(uint32_t ip, uint16_t port)
{
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(ip), .sin_port = htons(port)};

	if (fd < 0)
		return -errno;
	if (bind(fd, (const struct sockaddr *)&own, sizeof(own)) < 0) {
		const int error = errno;
		close(fd);
		return -error;
	}
	return fd;
}

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

static int open_doors(struct server *server, const struct server_options *options, char *ret_why)
{
	struct door_options sfp0 = {.own = {options->ip, CHDR_PORT}, .packets = BUFFERS, .packet_bytes = BUFFER_BYTES};
	struct door_options sfp1 = options->sfp1_options;
	int rc = door_open(&door_udp, &sfp0, ret_why, &server->doors[0]);

	if (rc < 0 || options->sfp1 == NULL)
		return rc;
	sfp1.own.port = CHDR_PORT;
	sfp1.packets = BUFFERS;
	sfp1.packet_bytes = sfp1.packet_bytes ? sfp1.packet_bytes : BUFFER_BYTES;
	return door_open(options->sfp1, &sfp1, ret_why, &server->doors[1]);
}

int server_open(struct server *server, const struct server_options *options, char *ret_why)
{
	const struct device_io io = {server_send, server_transmit, server_receive, server};
	int rc;

	firmware_init(&server->firmware, options->ip, "x310sim", "SIM0001");
	device_init(&server->device, &options->device, &io);
	for (int i = 0; i < SERVER_SOCKETS; i++)
		server->sockets[i] = -1;
	server->signals = watch_signals();
	if (server->signals < 0) {
		snprintf(ret_why, DOOR_WHY, "signals cannot be watched: %s", strerror(-server->signals));
		return server->signals;
	}
	for (int i = 0; i < SERVER_SOCKETS; i++) {
		server->sockets[i] = bind_port(options->ip, ports[i]);
		if (server->sockets[i] >= 0)
			continue;
		snprintf(ret_why, DOOR_WHY, "UDP port %u: %s", ports[i], strerror(-server->sockets[i]));
		return server->sockets[i];
	}
	rc = open_doors(server, options, ret_why);
	server->begin_ns = clock_ns();
	return rc;
}

void server_close(struct server *server)
{
	for (int i = 0; i < SERVER_SOCKETS; i++)
		if (server->sockets[i] >= 0)
			close(server->sockets[i]);
	for (unsigned i = 0; i < SERVER_DOORS; i++)
		door_close(server->doors[i]);
	if (server->signals >= 0)
		close(server->signals);
	device_fini(&server->device);
}
