/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/http/guard.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

static bool is_port(const char *text)
{
	const size_t digits = strspn(text, "0123456789");

	return digits > 0 && digits <= 5 && text[digits] == 0;
}

bool http_host_local(const char *host)
{
	const bool v6 = host && host[0] == '[';
	char name[64];
	struct in_addr address;
	size_t len;

	if (!host)
		return true;
	len = strcspn(host, v6 ? "]" : ":") + v6;
	if (len >= sizeof(name) || len > strlen(host))
		return false;
	if (host[len] != 0 && (host[len] != ':' || !is_port(host + len + 1)))
		return false;
	memcpy(name, host, len);
	name[len] = 0;
	if (inet_pton(AF_INET, name, &address) == 1)
		return ntohl(address.s_addr) >> 24 == 127;
	return strcasecmp(name, "localhost") == 0 || strcmp(name, "[::1]") == 0;
}

bool http_origin_own(const char *origin, const char *host)
{
	static const char scheme[] = "http://";

	if (!origin)
		return true;
	return host && strncasecmp(origin, scheme, sizeof(scheme) - 1) == 0 &&
	    strcasecmp(origin + sizeof(scheme) - 1, host) == 0;
}

bool http_token_same(const char *token, const char *given)
{
	const size_t len = token ? strlen(token) : 0;
	unsigned char differs = 0;

	if (!given || len == 0 || strlen(given) != len)
		return false;
	for (size_t i = 0; i < len; i++)
		differs |= (unsigned char)(token[i] ^ given[i]);
	return differs == 0;
}
