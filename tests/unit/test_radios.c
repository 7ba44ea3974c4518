/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/waveform/radio_file and platforms/x310/settings: the group `radio` of a platform file;
 * everything that is wrong is said, with its line. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/diag.h"
#include "core/waveform/radio_file.h"
#include "platforms/x310/driver.h"
#include "platforms/x310/fpga.h"

static struct wf_radios *parsed(const char *text)
{
	struct wf_radios *radios = NULL;
	struct diag diag;

	diag_init(&diag);
	if (wf_radios_parse("p.conf", text, NULL, NULL, &diag, &radios) != 0)
		diag_print(&diag, stderr);
	assert_int_equal(diag.errors, 0);
	diag_fini(&diag);
	return radios;
}

static void refused(const char *text, const char *want)
{
	struct wf_radios *radios = NULL;
	char *said = NULL;
	struct diag diag;
	size_t len;
	FILE *out;

	diag_init(&diag);
	assert_int_equal(wf_radios_parse("p.conf", text, NULL, NULL, &diag, &radios), -22);
	assert_null(radios);
	out = open_memstream(&said, &len);
	diag_print(&diag, out);
	fclose(out);
	assert_string_equal(said, want);
	free(said);
	diag_fini(&diag);
}

static void test_none(void **state)
{
	(void)state;
	assert_null(parsed("name = \"x\";\n"));
}

static void test_defaults(void **state)
{
	struct wf_radios *radios = parsed(
	    "radio: { type = \"x310\"; transport = \"udp\"; address = \"192.168.40.2\"; };\n");
	const struct x310_settings *radio = radios->settings[0];

	(void)state;
	assert_int_equal(radios->n, 1);
	assert_string_equal(radios->file, "p.conf");
	assert_int_equal(radio->transport, X310_UDP);
	assert_int_equal(radio->address, 0xc0a82802);
	assert_int_equal(radio->own_address, 0);
	assert_true(radio->sfp == -1 && radio->fpga == -1 && radio->spp == 0 &&
	    radio->channel.n == 1 && radio->channel.item[0] == 0);
	assert_true(radio->clock_rate == 200e6 && radio->rate == 0 && radio->tx_advance < 0);
	assert_true(radio->patience_ms == 1 && !radio->flow_control && !radio->initialised);
	assert_true(isnan(radio->rx_gain.item[0]) && isnan(radio->tx_frequency.item[1]));
	assert_int_equal(radio->clock_source, -1);
	wf_radios_free(radios);
}

static void test_all_keys(void **state)
{
	struct wf_radios *radios = parsed(
	    "radio = ( { type = \"x310\"; transport = \"dpdk\"; address = \"10.0.0.2\"; "
	    "own_address = \"10.0.0.1\";\n"
	    "port = \"net_memif0,id=1\"; eal = \"-l 1\"; sfp = 0; channel = [0, 2]; spp = 512; "
	    "clock_rate = 184.32e6;\n"
	    "tx_advance = 2560; patience_ms = 2.5; flow_control = true; initialised = true; rate = "
	    "61.44e6;\n"
	    "clock_source = \"external\"; time_source = \"gpsdo\"; rx_frequency = [1e9, 2e9]; "
	    "rx_gain = 3.0;\n"
	    "tx_frequency = 2.4e9; tx_gain = [-1.0, 4.0]; fpga = \"4.11\"; endpoint = 4; "
	    "block = [4, 7]; rx_port = [3, 5]; tx_port = 3; },\n"
	    "{ type = \"x310\"; transport = \"dpdk\"; address = \"10.0.0.3\"; own_address = "
	    "\"10.0.0.1\";\n"
	    "port = \"0000:01:00.0\"; channel = 2; multicast = \"239.255.10.1:50123\"; } );\n");
	const struct x310_settings *radio = radios->settings[0], *second = radios->settings[1];

	(void)state;
	assert_int_equal(radios->n, 2);
	assert_int_equal(radio->transport, X310_DPDK);
	assert_int_equal(radio->own_address, 0x0a000001);
	assert_string_equal(radio->port, "net_memif0,id=1");
	assert_string_equal(radio->eal, "-l 1");
	assert_true(radio->sfp == 0 && radio->spp == 512 && radio->channel.n == 2);
	assert_true(radio->channel.item[0] == 0 && radio->channel.item[1] == 2);
	assert_true(
	    radio->clock_rate == 184.32e6 && radio->rate == 61.44e6 && radio->tx_advance == 2560);
	assert_true(radio->patience_ms == 2.5 && radio->flow_control && radio->initialised);
	assert_string_equal(x310_sources[radio->clock_source], "external");
	assert_string_equal(x310_sources[radio->time_source], "gpsdo");
	assert_true(radio->rx_frequency.item[0] == 1e9 && radio->rx_frequency.item[1] == 2e9);
	assert_true(radio->rx_gain.item[0] == 3 && radio->rx_gain.item[1] == 3);
	assert_true(radio->tx_frequency.item[1] == 2.4e9 && radio->tx_gain.item[0] == -1);
	assert_ptr_equal(&x310_fpgas[radio->fpga], x310_fpga_find(0x0200, 0x00010000));
	assert_true(radio->control_endpoint == 4 && second->control_endpoint == -1);
	assert_true(radio->block.item[1] == 7 && isnan(second->block.item[0]));
	assert_true(radio->rx_port.item[1] == 5 && radio->tx_port.item[1] == 3);
	assert_true(second->sfp == -1 && second->channel.item[0] == 2);
	assert_true(
	    radio->group == 0 && second->group == 0xefff0a01 && second->group_port == 50123);
	assert_false(second->listen);
	wf_radios_free(radios);
}

static void test_wrong(void **state)
{
	(void)state;
	refused("radio: {};\n",
	    "p.conf:1: radio: type is missing; type = \"file\" or \"soapy\" or \"x310\" is "
	    "needed\n");
	refused("radio: { sfp = 1; };\n",
	    "p.conf:1: radio: type is missing; type = \"file\" or \"soapy\" or \"x310\" is needed\n"
	    "p.conf:1: radio: transport is missing; transport = \"udp\" or \"dpdk\" is needed\n"
	    "p.conf:1: radio: address is missing; address = \"A.B.C.D\" of the device is needed\n");
	refused("radio: { type = \"b200\"; transport = \"udp\"; address = \"10.0.0\";\nspp = 2000; "
	        "sfp = 2;\n"
	        "channel = [0, 0]; rx_gain = [1.0, 2.0, 3.0];\nspq = 1; };\n",
	    "p.conf:1: type = \"b200\" is unknown; allowed: file, soapy, x310\n"
	    "p.conf:1: address = \"10.0.0\" is not an address; an IPv4 address like "
	    "\"192.168.40.2\" is needed\n"
	    "p.conf:2: sfp = 2 is outside [0, 1]\n"
	    "p.conf:2: spp = 2000 is outside [16, 1996] samples\n"
	    "p.conf:3: rx_gain has 3 items; 1 .. 2 are allowed\n"
	    "p.conf:3: channel 0 is there twice\n"
	    "p.conf:4: unknown key \"spq\" of a radio, did you mean \"spp\"?\n");
	refused("radio: { type = \"x310\"; transport = \"dpdk\"; address = \"10.0.0.2\"; };\n",
	    "p.conf:1: radio: port is missing; transport = \"dpdk\": port = \"net_memif0,...\" or "
	    "a PCI address is needed\n"
	    "p.conf:1: radio: own_address is missing; transport = \"dpdk\": own_address = "
	    "\"A.B.C.D\", an address for the port is needed\n");
	refused("radio = ( { type = \"x310\"; transport = \"udp\"; address = \"10.0.0.2\";\n"
	        "multicast = \"10.0.0.1:5\"; listen = true; },\n"
	        "{ type = \"x310\"; transport = \"udp\"; address = \"10.0.0.3\";\n"
	        "multicast = \"239.0.0.1:70000\"; } );\n",
	    "p.conf:2: multicast = \"10.0.0.1:5\" is not a group; a group in 224.0.0.0/4 and a "
	    "port like "
	    "\"239.255.10.1:49153\" are needed\n"
	    "p.conf:3: radio: listen must be the same for all radios\n"
	    "p.conf:4: multicast = \"239.0.0.1:70000\" is not a group; a group in 224.0.0.0/4 and "
	    "a port like "
	    "\"239.255.10.1:49153\" are needed\n");
	refused("radio: { type = \"x310\"; transport = \"udp\"; address = \"10.0.0.2\"; listen = "
	        "true; };\n",
	    "p.conf:1: radio: multicast is missing; listen = true: multicast = \"GROUP:PORT\" is "
	    "needed\n");
	refused("radio = ( { type = \"x310\"; transport = \"udp\"; address = \"10.0.0.2\"; },\n"
	        "{ type = \"file\"; path = \"/dev/null\"; format = \"ci16_le\"; rate = 1e6; } );\n",
	    "p.conf:2: radio: all radios must have the same type\n"
	    "p.conf:2: path = \"/dev/null\" is not a regular file; a recording is needed\n");
	refused("radio = 5;\n",
	    "p.conf:1: radio is neither a group nor a list of at most 2 groups; radio: { type = "
	    "\"x310\"; ... }; or radio = ( { ... }, { ... } ); is needed\n");
	refused("radio = ( 1 );\n", "p.conf:1: a radio is { type = \"x310\"; ... }\n");
}

static void test_spp(void **state)
{
	const struct x310_settings any = {0}, said = {.spp = 100};

	(void)state;
	assert_int_equal(x310_packet_samples(&any, 256), 256);
	assert_int_equal(x310_packet_samples(&any, 1996), 1996);
	assert_int_equal(x310_packet_samples(&any, 2048), 1024);
	assert_int_equal(
	    x310_packet_samples(&any, 10000), 1250); /* the largest part of it that fits */
	assert_int_equal(
	    x310_packet_samples(&any, 1999), 1996); /* a prime: packets lie across slots */
	assert_int_equal(x310_packet_samples(&said, 256), 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_none),
	    cmocka_unit_test(test_defaults),
	    cmocka_unit_test(test_all_keys),
	    cmocka_unit_test(test_wrong),
	    cmocka_unit_test(test_spp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
