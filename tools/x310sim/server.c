/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/clock.h"

enum { FIRMWARE, CHDR, MTU, IDLE_NS = 1000000, SOCKET_BYTES = 8 << 20, BURST = 64 };

static const uint16_t ports[SERVER_SOCKETS] = {FIRMWARE_PORT, CHDR_PORT, MTU_PORT};

static struct sockaddr_in to_sockaddr(uint64_t address)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
				    .sin_addr.s_addr = htonl((uint32_t)(address >> 16)),
				    .sin_port = htons((uint16_t)address)};
}

static uint64_t ticks_now(const struct server *server)
{
	return (clock_ns() - server->begin_ns) / (1000000000 / DEVICE_TICKS_PER_S);
}

/* ---- what the device asks of us ----------------------------------------------------------------------------------------- */

static void server_send(void *self, uint64_t address, const uint8_t *bytes, size_t size)
{
	struct server *server = self;
	const struct sockaddr_in to = to_sockaddr(address);

	if (sendto(server->sockets[CHDR], bytes, size, 0, (const struct sockaddr *)&to, sizeof(to)) < 0)
		server->send_failed++;
	else
		server->packets_out++;
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

static void take(struct server *server, int which, const struct sockaddr_in *from, const uint8_t *bytes, size_t size)
{
	const uint64_t address = (uint64_t)ntohl(from->sin_addr.s_addr) << 16 | ntohs(from->sin_port);
	uint8_t reply[CHDR_PACKET_MAX] = {0};
	size_t n = 0;

	if (which == CHDR) {
		server->packets_in++;
		device_run(&server->device, ticks_now(server));
		device_take(&server->device, address, bytes, size);
		return;
	}
	if (which == FIRMWARE)
		n = firmware_take(&server->firmware, clock_ns(), ticks_now(server), bytes, size, reply);
	else
		n = mtu_take(bytes, size, reply, sizeof(reply));
	if (n && sendto(server->sockets[which], reply, n, 0, (const struct sockaddr *)from, sizeof(*from)) < 0)
		server->send_failed++;
	if (server->firmware.set_time) {
		server->firmware.set_time = false;
		server->begin_ns = clock_ns() - server->firmware.event_ticks * (1000000000 / DEVICE_TICKS_PER_S);
		device_set_time(&server->device, server->firmware.event_ticks);
	}
}

static void drain(struct server *server, int which)
{
	uint8_t bytes[CHDR_PACKET_MAX + 1024];

	for (int i = 0; i < BURST; i++) {
		struct sockaddr_in from = {0};
		socklen_t len = sizeof(from);
		const ssize_t size = recvfrom(server->sockets[which], bytes, sizeof(bytes), MSG_DONTWAIT,
					      (struct sockaddr *)&from, &len);
		if (size < 0)
			return;
		take(server, which, &from, bytes, (size_t)size);
	}
}

/* ---- the loop ------------------------------------------------------------------------------------------------------------ */

static uint64_t sleep_ns(const struct server *server)
{
	const uint64_t next = device_next(&server->device), now = ticks_now(server);

	if (next == UINT64_MAX)
		return IDLE_NS;
	if (next <= now)
		return 0;
	return (next - now) * 5 < IDLE_NS ? (next - now) * 5 : IDLE_NS;
}

void server_run(struct server *server, uint64_t until_ns)
{
	struct pollfd fds[SERVER_SOCKETS + 1];

	for (int i = 0; i < SERVER_SOCKETS; i++)
		fds[i] = (struct pollfd){.fd = server->sockets[i], .events = POLLIN};
	fds[SERVER_SOCKETS] = (struct pollfd){.fd = server->signals, .events = POLLIN};
	while (clock_ns() < until_ns && !(fds[SERVER_SOCKETS].revents & POLLIN)) {
		const struct timespec wait = {0, (long)sleep_ns(server)};
		uint64_t behind;

		ppoll(fds, SERVER_SOCKETS + 1, &wait, NULL);
		behind = ticks_now(server) - server->device.tick;
		server->behind_max = behind > server->behind_max ? behind : server->behind_max;
		device_run(&server->device, ticks_now(server));
		for (int i = 0; i < SERVER_SOCKETS; i++)
			if (fds[i].revents & POLLIN)
				drain(server, i);
	}
}

/* ---- open and close ---------------------------------------------------------------------------------------------------- */

static int bind_port(uint32_t ip, uint16_t port)
{
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), bytes = SOCKET_BYTES;
	const struct sockaddr_in own = to_sockaddr((uint64_t)ip << 16 | port);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
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

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

int server_open(struct server *server, uint32_t ip, const struct device_options *options)
{
	const struct device_io io = {server_send, server_transmit, server_receive, server};
	int rc = 0;

	firmware_init(&server->firmware, ip, "x310sim", "SIM0001");
	device_init(&server->device, options, &io);
	server->begin_ns = clock_ns();
	server->signals = watch_signals();
	for (int i = 0; i < SERVER_SOCKETS; i++)
		server->sockets[i] = -1;
	for (int i = 0; i < SERVER_SOCKETS && rc >= 0; i++)
		rc = server->sockets[i] = bind_port(ip, ports[i]);
	return rc < 0 ? rc : 0;
}

void server_close(struct server *server)
{
	for (int i = 0; i < SERVER_SOCKETS; i++)
		if (server->sockets[i] >= 0)
			close(server->sockets[i]);
	if (server->signals >= 0)
		close(server->signals);
	device_fini(&server->device);
}
