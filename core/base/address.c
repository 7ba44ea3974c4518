/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/base/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAPPED = 12 }; /* bytes before an IPv4 address */

static int port_parse(const char *text, uint16_t *ret)
{
	char *end;
	const unsigned long port = strtoul(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end || end - text > 5 || port > UINT16_MAX)
		return -EINVAL;
	*ret = (uint16_t)port;
	return 0;
}

static bool is_mapped(const uint8_t *ip)
{
	static const uint8_t mapped[MAPPED] = {[10] = 0xff, [11] = 0xff};

	return memcmp(ip, mapped, MAPPED) == 0;
}

static void kind_set(struct address *address)
{
	static const uint8_t any[16] = {0}, loopback[16] = {[15] = 1};
	const uint8_t *ip = address->ip;

	if (is_mapped(ip)) {
		address->loopback = ip[MAPPED] == 127;
		address->any = memcmp(ip + MAPPED, any, 4) == 0;
	} else {
		address->loopback = memcmp(ip, loopback, sizeof(loopback)) == 0;
		address->any = memcmp(ip, any, sizeof(any)) == 0;
	}
}

int address_parse(const char *text, struct address *ret)
{
	const bool v6 = text[0] == '[';
	const char *colon = v6 ? strstr(text, "]:") : strchr(text, ':');
	struct address address = {.v6 = v6};
	char ip[INET6_ADDRSTRLEN];
	size_t len;

	if (!colon)
		return -EINVAL;
	text += v6;
	len = (size_t)(colon - text);
	if (len >= sizeof(ip) || port_parse(colon + 1 + v6, &address.port) < 0)
		return -EINVAL;
	memcpy(ip, text, len);
	ip[len] = 0;
	address.ip[10] = address.ip[11] = 0xff;
	if (inet_pton(v6 ? AF_INET6 : AF_INET, ip, address.ip + (v6 ? 0 : MAPPED)) != 1)
		return -EINVAL;
	kind_set(&address);
	*ret = address;
	return 0;
}

int address_local(const char *text, char ret_text[ADDRESS_TEXT], char *ret_why, size_t size)
{
	char whole[ADDRESS_TEXT];
	struct address address;
	const int len =
	    snprintf(whole, sizeof(whole), "%s%s", strchr(text, ':') ? "" : "127.0.0.1:", text);

	if (len >= ADDRESS_TEXT || address_parse(whole, &address) < 0 || address.port == 0) {
		snprintf(ret_why, size,
		    "%.60s is no address; a port 1 .. 65535 is needed, or 127.0.0.1:PORT", text);
		return -EINVAL;
	}
	if (!address.loopback) {
		snprintf(ret_why, size,
		    "other machines could reach %s, and whoever can may read all; 127.0.0.1 is "
		    "needed",
		    whole);
		return -EINVAL;
	}
	if (address.v6) {
		snprintf(ret_why, size,
		    "%s is IPv6, which the HTTP server of this program does not have; 127.0.0.1 "
		    "is needed",
		    whole);
		return -EINVAL;
	}
	memcpy(ret_text, whole, (size_t)len + 1);
	return 0;
}

bool address_same(const struct address *a, const struct address *b)
{
	return a->port == b->port && memcmp(a->ip, b->ip, sizeof(a->ip)) == 0;
}
