/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/udp: nothing leaves in fragments, and the way out says what it takes whole. */
#include <setjmp.h>
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "platforms/udp/udp.h"
#include "platforms/x310/split.h"

enum { LOOPBACK = 0x7f000001, PACKETS = 128, BYTES = 2048 };

static struct transport *transport_new(void)
{
	const struct transport_options options = {
	    .own = {LOOPBACK, 0}, .packets = PACKETS, .packet_bytes = BYTES};
	char why[TRANSPORT_WHY] = "";
	struct transport *transport = NULL;

	assert_int_equal(transport_open(&transport_udp, &options, why, &transport), 0);
	return transport;
}

static int loopback_mtu(int fd)
{
	struct ifreq request = {.ifr_name = "lo"};

	assert_int_equal(ioctl(fd, SIOCGIFMTU, &request), 0);
	return request.ifr_mtu;
}

static void nothing_is_sent_in_fragments(void **state)
{
	struct transport *transport = transport_new();
	socklen_t size = sizeof(int);
	int how = -1;

	(void)state;
	assert_int_equal(
	    getsockopt(transport_fd(transport), IPPROTO_IP, IP_MTU_DISCOVER, &how, &size), 0);
	assert_int_equal(how, IP_PMTUDISC_DO);
	transport_close(transport);
}

static void the_way_out_says_what_it_takes(void **state)
{
	struct transport *transport = transport_new();
	const int set = loopback_mtu(transport_fd(transport)),
	          mtu = set < IP_MAXPACKET ? set : IP_MAXPACKET;
	struct split *split = split_new(transport);
	struct transport *end = split_end(split, 0, 1);

	(void)state;
	assert_int_equal(transport_most(transport, LOOPBACK + 1), mtu - TRANSPORT_HEADERS);
	assert_int_equal(transport_most(end, LOOPBACK + 1), mtu - TRANSPORT_HEADERS);
	transport_close(end);
}

/* From an address of the loopback nothing leads to another network. */
static void no_way_is_said(void **state)
{
	struct transport *transport = transport_new();

	(void)state;
	assert_true(transport_most(transport, 0xf0000001) < 0);
	transport_close(transport);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_is_sent_in_fragments),
	    cmocka_unit_test(the_way_out_says_what_it_takes),
	    cmocka_unit_test(no_way_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
