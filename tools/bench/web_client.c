/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/web_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/clock.h"

enum { HEAD = 1024, SPEAK_MS = 3000, ANSWER_S = 10 };

static int server_connect(uint16_t tcp_port)
{
	const struct sockaddr_in at = {.sin_family = AF_INET,
	    .sin_port = htons(tcp_port),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const struct timeval wait = {.tv_sec = ANSWER_S};
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 &&
	    (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) < 0 ||
	        connect(fd, (const struct sockaddr *)&at, sizeof(at)) < 0)) {
		const int rc = -errno;

		close(fd);
		return rc;
	}
	return fd < 0 ? -errno : fd;
}

/* Up to the end of the head, byte by byte: what follows are frames. */
static int head_read(int fd)
{
	char head[HEAD + 1] = "";
	size_t len = 0;

	while (len < HEAD && !strstr(head, "\r\n\r\n")) {
		const ssize_t got = recv(fd, head + len, 1, 0);

		if (got <= 0)
			return got < 0 ? -errno : -EPROTO;
		head[++len] = 0;
	}
	return strncmp(head, "HTTP/1.1 101 ", 13) == 0 ? 0 : -EPROTO;
}

static int stream_open(uint16_t tcp_port, const char *path)
{
	char ask[HEAD];
	const int len = snprintf(ask, sizeof(ask),
	    "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
	    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
	    path, tcp_port);
	const int fd = len < (int)sizeof(ask) ? server_connect(tcp_port) : -ENAMETOOLONG;
	int rc;

	if (fd < 0)
		return fd;
	rc = send(fd, ask, (size_t)len, MSG_NOSIGNAL) == len ? head_read(fd) : -EIO;
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

int web_client_open(
    struct web_client *client, uint16_t tcp_port, const char *waveform, const char *port)
{
	char path[HEAD];
	int rc = 0;

	*client = (struct web_client){.fds = {-1, -1}, .spoke_ns = clock_ns()};
	for (int i = 0; i < WEB_CLIENT_STREAMS && rc == 0; i++) {
		if (i == 0)
			snprintf(path, sizeof(path), "/api/events?waveform=%s", waveform);
		else
			snprintf(path, sizeof(path),
			    "/api/signal?waveform=%s&port=%s&view=spectrum&rate=10", waveform,
			    port);
		client->fds[i] = stream_open(tcp_port, path);
		rc = client->fds[i] < 0 ? client->fds[i] : 0;
	}
	if (rc < 0)
		web_client_close(client);
	return rc;
}

void web_client_close(struct web_client *client)
{
	for (int i = 0; i < WEB_CLIENT_STREAMS; i++)
		if (client->fds[i] > 0)
			close(client->fds[i]);
	*client = (struct web_client){.fds = {-1, -1}};
}

/* A PONG that nobody asked for is allowed, and says the same as an answer (5.5.3). */
static bool stream_speak(int fd)
{
	static const uint8_t pong[] = {0x8a, 0x80, 0, 0, 0, 0};

	return send(fd, pong, sizeof(pong), MSG_NOSIGNAL) == (ssize_t)sizeof(pong);
}

static bool stream_read(struct web_client *client, int fd)
{
	char bytes[8192];
	ssize_t got;

	while ((got = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
		client->bytes += (uint64_t)got;
	return got < 0 && (errno == EAGAIN || errno == EINTR);
}

bool web_client_read(struct web_client *client)
{
	const uint64_t now = clock_ns();
	const bool speaks = now - client->spoke_ns > SPEAK_MS * 1000000ull;
	bool stands = true;

	for (int i = 0; i < WEB_CLIENT_STREAMS; i++)
		stands &= client->fds[i] >= 0 && stream_read(client, client->fds[i]) &&
		    (!speaks || stream_speak(client->fds[i]));
	if (speaks)
		client->spoke_ns = now;
	return stands;
}
