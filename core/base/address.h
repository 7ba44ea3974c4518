/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/address.h - where a program can be reached: an IP address in numbers and a port.
 *
 *	10.0.0.1:7000    [fd00::1]:7000
 *
 * No host names: what a name leads to is not known before somebody has been asked.
 */
#ifndef ALOE_BASE_ADDRESS_H
#define ALOE_BASE_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct address {
	uint8_t ip[16]; /* IPv6, or IPv4 mapped to it (RFC 4291, 2.5.5.2): to be compared */
	uint16_t port;  /* 0: any that is free */
	bool v6;        /* written as IPv6 */
	bool loopback;  /* 127.0.0.0/8 or ::1: no other machine can reach it */
	bool any;       /* 0.0.0.0 or ::, all addresses of the machine */
};

#define ADDRESS_FORM "IP:PORT is needed, such as 10.0.0.1:7000 or [fd00::1]:7000"

/* address_parse: 0 or -EINVAL. */
int address_parse(const char *text, struct address *ret);
/* address_local reads where only this machine can reach a program over HTTP, "PORT" (of 127.0.0.1)
 * or "IP:PORT", and writes it as IP:PORT. -EINVAL with the reason in ret_why for anything else, and
 * for [::1]: Debian builds civetweb without IPv6. */
enum { ADDRESS_TEXT = 64 };
int address_local(const char *text, char ret_text[ADDRESS_TEXT], char *ret_why, size_t size);
bool address_same(const struct address *a, const struct address *b); /* IP and port */

#endif
