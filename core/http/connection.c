/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The descriptor of a connection, which civetweb does not tell. */
#include <arpa/inet.h>
#include <dirent.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "core/http/inside.h"

static bool is_between(int fd, const struct mg_request_info *info)
{
	struct sockaddr_in own = {0}, peer = {0};
	socklen_t own_len = sizeof(own), peer_len = sizeof(peer);
	char text[INET_ADDRSTRLEN];

	return getsockname(fd, (struct sockaddr *)&own, &own_len) == 0 &&
	    getpeername(fd, (struct sockaddr *)&peer, &peer_len) == 0 &&
	    own.sin_family == AF_INET && peer.sin_family == AF_INET &&
	    ntohs(own.sin_port) == info->server_port && ntohs(peer.sin_port) == info->remote_port &&
	    inet_ntop(AF_INET, &peer.sin_addr, text, sizeof(text)) &&
	    strcmp(text, info->remote_addr) == 0;
}

int http_connection_fd(const struct mg_connection *connection)
{
	const struct mg_request_info *info = mg_get_request_info(connection);
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;
	int found = -1;

	while (dir && found < 0 && (entry = readdir(dir)) != NULL) {
		const int fd = (int)strtol(entry->d_name, NULL, 10);

		if (entry->d_name[0] != '.' && is_between(fd, info))
			found = fd;
	}
	if (dir)
		closedir(dir);
	return found;
}

void http_connection_small(int fd)
{
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &(int){HTTP_SEND_BYTES}, sizeof(int));
}

bool http_connection_stands(int fd)
{
	struct pollfd look = {.fd = fd, .events = POLLRDHUP};

	return fd >= 0 && poll(&look, 1, 0) == 0;
}
