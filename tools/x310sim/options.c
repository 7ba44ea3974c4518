/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/options.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/diag.h"
#include "core/registry/registry.h"
#include "platforms/udp/udp.h"

enum {
	TAPS_MAX = SOUND_LENGTH_MAX,
	EVERY_MAX = 1 << 20,
	PPM_MAX = 1000,
	FRAME_1G = 1472 /* bytes of CHDR that a port with 1 Gbit/s passes */
};

/* ---- addresses and ports ---- */

/* IP, or IP:PORT where a port may be given. */
static int parse_ip(
    const struct cli_args *args, const char *name, const char *text, struct transport_address *ret)
{
	char ip_text[INET_ADDRSTRLEN];
	const size_t len = strcspn(text, ":");
	struct in_addr ip;
	char *end;

	snprintf(ip_text, sizeof(ip_text), "%.*s", (int)len, text);
	if (len >= sizeof(ip_text) || inet_pton(AF_INET, ip_text, &ip) != 1)
		return cli_fail(args, "--%s %s is not an IPv4 address", name, text);
	ret->ip = ntohl(ip.s_addr);
	if (text[len] == 0)
		return CLI_OK;
	errno = 0;
	ret->port = (uint16_t)strtoul(text + len + 1, &end, 10);
	if (*end != 0 || end == text + len + 1 || errno ||
	    strtoul(text + len + 1, NULL, 10) > UINT16_MAX || !ret->port)
		return cli_fail(args, "--%s %s: a port 1 .. 65535 is needed", name, text);
	return CLI_OK;
}

/* The first value is for the first device; where one is missing it is the next address. */
static int read_addresses(const struct cli_args *args, struct options *options)
{
	struct transport_address sfp0 = {.ip = 0x7f000001}, sfp1 = {.ip = 0xc0a82801}, second = {0};

	for (unsigned i = 0; i < options->server.n_units; i++) {
		const char *address = cli_nth(args, "address", i),
		           *port = cli_nth(args, "port-address", i),
		           *kernel = cli_nth(args, "sfp1", i);
		struct unit_options *unit = &options->server.units[i];

		sfp0.ip++;
		sfp1.ip++;
		if ((address && parse_ip(args, "address", address, &sfp0) != CLI_OK) ||
		    (port && parse_ip(args, "port-address", port, &sfp1) != CLI_OK) ||
		    (kernel && parse_ip(args, "sfp1", kernel, &second) != CLI_OK))
			return CLI_USAGE;
		unit->ip = sfp0.ip;
		unit->sfp1_options.own.ip = kernel ? second.ip : sfp1.ip;
		unit->sfp1 = kernel ? &transport_udp : NULL;
	}
	if (sfp0.port || sfp1.port || second.port)
		return cli_fail(args,
		    "--address, --sfp1 and --port-address take no port, because a device always "
		    "has port %d",
		    CHDR_PORT);
	if (cli_has(args, "sfp1") && cli_has(args, "port"))
		return cli_fail(args, "--sfp1 and --port exclude each other: both are SFP1");
	return CLI_OK;
}

static int read_group(const struct cli_args *args, struct transport_address *ret)
{
	const char *text = cli_get(args, "rx-multicast");

	if (text == NULL)
		return CLI_OK;
	ret->port = CHDR_PORT;
	if (parse_ip(args, "rx-multicast", text, ret) != CLI_OK)
		return CLI_USAGE;
	if (ret->ip >> 28 != 0xe)
		return cli_fail(args, "--rx-multicast %s is not in 224.0.0.0/4", text);
	return CLI_OK;
}

/* SFP1 is there with --port; what moves packets through it is a library of its own. */
static int read_ports(const struct cli_args *args, struct options *options)
{
	const void *symbol;
	uint64_t bytes = 0;
	struct diag diag;

	if (cli_whole(args, "port-bytes", 512, CHDR_PACKET_MAX, &bytes) < 0)
		return CLI_USAGE;
	if (cli_get(args, "port") == NULL)
		return CLI_OK;
	diag_init(&diag);
	symbol = library_find("dpdk", "transport_dpdk", &diag);
	diag_print(&diag, stderr);
	if (symbol == NULL)
		fprintf(stderr,
		    "x310sim: --port needs DPDK, and this x310sim was built without DPDK: install "
		    "libdpdk-dev and build x310sim again\n");
	diag_fini(&diag);
	for (unsigned i = 0; i < options->server.n_units; i++) {
		struct unit_options *unit = &options->server.units[i];

		unit->sfp1_options.port = options->ports[i] = cli_nth(args, "port", i);
		unit->sfp1_options.eal = cli_get(args, "eal");
		unit->sfp1_options.ports = options->ports;
		unit->sfp1_options.packet_bytes = (uint32_t)bytes;
		unit->sfp1 = unit->sfp1_options.port ? symbol : unit->sfp1;
	}
	return symbol == NULL ? CLI_FAILED : CLI_OK;
}

/* ---- the device ------------------------------------------------------------------------ */

static int read_faults(const struct cli_args *args, const char *name, struct fault_options *ret)
{
	char why[FAULT_WHY] = "";
	const char *text;

	fault_options_init(ret);
	for (size_t i = 0; (text = cli_nth(args, name, i)) != NULL; i++)
		if (fault_parse(text, ret, why) < 0)
			return cli_fail(args, "--%s %s", name, why);
	return CLI_OK;
}

static int read_drift(const struct cli_args *args, unsigned unit, int64_t *ret_ppb)
{
	const char *text = cli_nth(args, "drift-ppm", unit);
	double ppm;
	char *end;

	if (text == NULL)
		return CLI_OK;
	ppm = strtod(text, &end);
	if (end == text || *end != 0 || !(fabs(ppm) <= PPM_MAX))
		return cli_fail(
		    args, "--drift-ppm %s is outside [-%d, %d]", text, PPM_MAX, PPM_MAX);
	*ret_ppb = llrint(ppm * 1000);
	return CLI_OK;
}

/* One that no host knows, to see what hosts say. */
static const struct x310_fpga next_fpga = {
    "next", "", 0x0200, 0x00020000, 0x00270003, 0x00060001, 524288, CHDR_V2, NULL};

static const struct x310_fpga *read_fpga(const struct cli_args *args)
{
	const char *name = cli_get(args, "fpga");

	if (name && strcmp(name, next_fpga.name) == 0)
		return &next_fpga;
	for (int i = 1; name && i < X310_FPGAS; i++)
		if (strcmp(name, x310_fpgas[i].name) == 0)
			return &x310_fpgas[i];
	return &x310_fpgas[0];
}

static int read_units(const struct cli_args *args, struct options *options)
{
	static const char *const many[] = {"address", "sfp1", "port", "port-address", "drift-ppm"};
	const char *missing = cli_get(args, "missing-tx"), *image = cli_get(args, "image"),
	           *board = cli_get(args, "daughterboard");
	const struct x310_fpga *fpga = read_fpga(args);
	uint64_t n = 1, seed = 0, frame = CHDR_PACKET_MAX;

	if (cli_whole(args, "frame-bytes", 512, CHDR_PACKET_MAX, &frame) < 0)
		return CLI_USAGE;
	if (cli_whole(args, "devices", 1, SERVER_UNITS, &n) < 0 ||
	    cli_whole(args, "layout-seed", 0, UINT32_MAX, &seed) < 0)
		return CLI_USAGE;
	options->server.n_units = (unsigned)n;
	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++)
		if (cli_nth(args, many[i], n) != NULL)
			return cli_fail(args, "--%s is given for more devices than --devices %u",
			    many[i], (unsigned)n);
	for (unsigned i = 0; i < n; i++) {
		struct unit_options *unit = &options->server.units[i];

		unit->number = i;
		unit->device = (struct device_options){.fpga = fpga,
		    .layout_seed = seed,
		    .stop_supported = cli_has(args, "stop-on-error") || fpga != &x310_fpgas[0],
		    .daughterboard = board != NULL,
		    .unlocked = board != NULL && strcmp(board, "ubx-unlocked") == 0,
		    .zeros = missing && strcmp(missing, "zeros") == 0,
		    .capacity = fpga->capacity,
		    .divide = 2};
		unit->is_hg = image && strcmp(image, "HG") == 0;
		unit->frame_bytes[0] = unit->is_hg && frame > FRAME_1G ? FRAME_1G : (uint32_t)frame;
		unit->frame_bytes[1] = (uint32_t)frame;
		if (cli_whole(args, "wedge-tx", 1, UINT64_MAX / 2, &unit->device.wedge) < 0)
			return CLI_USAGE;
		if (read_faults(args, "fault-tx", &unit->faults[UNIT_TX]) != CLI_OK ||
		    read_faults(args, "fault-rx", &unit->faults[UNIT_RX]) != CLI_OK ||
		    read_drift(args, i, &unit->drift_ppb) != CLI_OK ||
		    read_group(args, &unit->group) != CLI_OK)
			return CLI_USAGE;
	}
	return read_addresses(args, options);
}

/* ---- the antennas ------------------------------------------------------------------------ */

static int read_sound(const struct cli_args *args, struct options *options)
{
	const char *source = cli_get(args, "source");
	struct analog_options *analog = &options->server.analog;
	uint64_t length = 4096, every = 1, keep = 256;

	if (cli_whole(args, "sound", SOUND_LENGTH_MIN, SOUND_LENGTH_MAX, &length) < 0 ||
	    cli_whole(args, "sound-every", 1, EVERY_MAX, &every) < 0 ||
	    cli_whole(args, "sound-keep", 1, SOUND_KEPT_MAX, &keep) < 0)
		return CLI_USAGE;
	if (length & (length - 1))
		return cli_fail(args, "--sound %u is not a power of two", (unsigned)length);
	if (cli_has(args, "sound") && source != NULL && strcmp(source, "sound") != 0)
		return cli_fail(args, "--sound and --source %s exclude each other", source);
	analog->source = cli_has(args, "sound") ? "sound" : source ? source : "tone";
	analog->record = cli_get(args, "record");
	analog->sound = (struct sound_options){(uint32_t)length, (uint32_t)every, (uint32_t)keep};
	return CLI_OK;
}

static int read_channels(const struct cli_args *args, struct expect_options *expect)
{
	const char *text = cli_get(args, "expect-channels");

	expect->n_channels = 0;
	for (text = text ? text : "0"; *text; text += *text == ',') {
		if (*text < '0' || *text >= '0' + SOUND_CHANNELS ||
		    (text[1] != 0 && text[1] != ',') || expect->n_channels == SOUND_CHANNELS)
			return cli_fail(args,
			    "--expect-channels %s: a list of channels 0 .. %d is needed, such as "
			    "0,2 (the channels of the second device begin at %d)",
			    text, SOUND_CHANNELS - 1, DEVICE_ENDPOINTS);
		expect->channels[expect->n_channels++] = (unsigned)(*text++ - '0');
	}
	return CLI_OK;
}

static int read_expect(const struct cli_args *args, struct options *options)
{
	struct expect_options *expect = &options->expect;
	uint64_t taps = 0;

	*expect = (struct expect_options){.path = cli_get(args, "expect"), .limit_db = -50};
	options->response = cli_get(args, "response");
	if (cli_whole(args, "expect-taps", 1, TAPS_MAX, &taps) < 0 ||
	    cli_real(args, "expect-db", -200, 0, &expect->limit_db) < 0)
		return CLI_USAGE;
	expect->taps = (uint32_t)taps;
	return read_channels(args, expect);
}

/* ---- what does nothing alone ---- */

static int check_alone(const struct cli_args *args, const struct options *options)
{
	const bool sounds = strcmp(options->server.analog.source, "sound") == 0;
	const struct {
		const char *name, *needs;
		bool has;
	} rules[] = {
	    {"expect", "--sound", sounds},
	    {"response", "--sound", sounds},
	    {"sound-every", "--sound", sounds},
	    {"sound-keep", "--sound", sounds},
	    {"expect-taps", "--expect", cli_has(args, "expect")},
	    {"expect-channels", "--expect", cli_has(args, "expect")},
	    {"expect-db", "--expect", cli_has(args, "expect")},
	    {"lead", "--clock virtual", options->server.pace.is_virtual},
	    {"port-address", "--port", cli_has(args, "port")},
	    {"port-bytes", "--port", cli_has(args, "port")},
	    {"eal", "--port", cli_has(args, "port")},
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (cli_has(args, rules[i].name) && !rules[i].has)
			return cli_fail(args, "--%s needs %s", rules[i].name, rules[i].needs);
	return CLI_OK;
}

/* ---- all of it ------------------------------------------------------------------------ */

int options_read(const struct cli_args *args, struct options *ret)
{
	const char *clock = cli_get(args, "clock");
	struct pace_options *pace = &ret->server.pace;

	*ret = (struct options){.json = cli_has(args, "json")};
	*pace = (struct pace_options){
	    .is_virtual = clock && strcmp(clock, "virtual") == 0, .lead = 2048};
	if (cli_real(args, "seconds", 0.001, 1e9, &ret->seconds) < 0 ||
	    cli_whole(args, "lead", 1, 1 << 30, &pace->lead) < 0 ||
	    read_units(args, ret) != CLI_OK || read_sound(args, ret) != CLI_OK ||
	    read_expect(args, ret) != CLI_OK || check_alone(args, ret) != CLI_OK)
		return CLI_USAGE;
	return read_ports(args, ret);
}

const struct cli_option options_list[] = {
    {"address", 'a', "IP", NULL, true,
        "address of this machine for the device; default 127.0.0.2; a second --address is for the "
        "second device; default: the next address"},
    {"sfp1", 0, "IP", NULL, true,
        "address of this machine for SFP1 of the device; a second --sfp1 is for the second device; "
        "default: SFP1 is not connected"},
    {"image", 'i', "IMAGE", "HG XG", false,
        "kind of the FPGA image: HG (SFP0 has 1 Gbit/s, SFP1 10 Gbit/s) or XG (both have 10 "
        "Gbit/s); default XG"},
    {"frame-bytes", 0, "N", NULL, false,
        "size of the largest datagram that the network ports and what lies before them pass, 512 "
        ".. 8192; default 8192, and 1472 for SFP0 of HG, which has 1 Gbit/s"},
    {"fpga", 0, "UHD", "4.3 4.10 4.11 next", false,
        "release of UHD whose FPGA image is simulated: 4.3 (as of 4.0 to 4.9), 4.10 (other radio "
        "registers), 4.11 (other control packets as well), or next (one that no host knows); "
        "default 4.3"},
    {"layout-seed", 0, "N", NULL, false,
        "wire the FPGA image differently for each N: ports, endpoints, order and connections of "
        "the blocks; default 0: the stock image"},
    {"devices", 'n', "N", NULL, false,
        "number of devices, 1 or 2, which share the clock and the pulse per second; default 1"},
    {"source", 's', "WHAT", "@file", false,
        "samples that the receivers receive: tone, zeros, loop, ticks (for measuring the latency), "
        "sound, or a file of complex int16"},
    {"record", 'r', "FILE", "@file", false,
        "write the samples that channel 0 transmits to a file, "
        "as complex int16"},
    {"sound", 0, "N", NULL, false,
        "measure the response between receiver and transmitter with a sequence of period N, a "
        "power of two 256 .. 131072; default 4096"},
    {"sound-every", 0, "N", NULL, false, "keep one of every N transmitted periods; default 1"},
    {"sound-keep", 0, "N", NULL, false, "keep at most N periods of each channel; default 256"},
    {"expect", 'e', "FILE", "@file", false,
        "compare with the responses in this file: complex taps as 32-bit floats, path after path, "
        "set after set"},
    {"expect-taps", 0, "N", NULL, false,
        "number of taps of a path in the file of --expect; "
        "default: the file is one set"},
    {"expect-channels", 0, "LIST", NULL, false,
        "channels whose paths are in the file of --expect, from each to each; default 0"},
    {"expect-db", 0, "DB", NULL, false,
        "largest error at which a response counts as found; default -50"},
    {"response", 0, "FILE", "@file", false,
        "write the last measured response to a file: N complex taps, beginning at delay 0"},
    {"clock", 'c', "CLOCK", "real virtual", false,
        "clock of the device: real (the clock of this machine) or virtual (a stream runs as fast "
        "as the host answers, without overrun and underrun)"},
    {"lead", 0, "N", NULL, false,
        "with --clock virtual: number of samples that the device sends before the host has to "
        "answer; default 2048"},
    {"drift-ppm", 0, "PPM", NULL, true,
        "frequency error of the sample clock; a second --drift-ppm is for the second device"},
    {"fault-tx", 0, "FAULTS", NULL, true,
        "faults on packets from the host, such as loss=0.01,seed=3 or reorder=@7,delay=@9/100:50 "
        "(section FAULTS of `man x310sim`)"},
    {"fault-rx", 0, "FAULTS", NULL, true, "faults on packets to the host, as for --fault-tx"},
    {"rx-multicast", 0, "GROUP[:PORT]", NULL, false,
        "send samples to this multicast group from the first port, so that several hosts receive "
        "the samples"},
    {"missing-tx", 0, "WHAT", "skip zeros", false,
        "reaction to a Tx packet that is missing in a burst: skip (continue with the next packet, "
        "as every FPGA does) or zeros (play zeros instead)"},
    {"wedge-tx", 0, "N", NULL, false,
        "after N packets of samples the stream endpoint takes and answers nothing, until the "
        "host resets the endpoint; once"},
    {"stop-on-error", 0, NULL, NULL, false,
        "simulate an FPGA of UHD 4.9 or later, which can stop on sequence errors"},
    {"daughterboard", 0, "BOARD", "ubx ubx-unlocked", false,
        "daughterboard of each radio: ubx (a UBX-160: 10 MHz to 6 GHz, 0 to 31.5 dB) or "
        "ubx-unlocked (its oscillators never lock); default: none that UHD knows"},
    {"port", 'p', "PORT", NULL, true,
        "DPDK port for a second network port of the device, such as net_memif0,...; a second "
        "--port is for the second device"},
    {"port-address", 0, "IP", NULL, true,
        "address of the device on the DPDK port; default 192.168.40.2, and the next address for "
        "the second device"},
    {"port-bytes", 0, "N", NULL, false,
        "size of the largest CHDR packet on the DPDK port, 512 .. 8192; default: the limit of the "
        "port"},
    {"eal", 0, "OPTIONS", NULL, false,
        "options for the DPDK environment, placed before the "
        "options of x310sim"},
    {"seconds", 't', "S", NULL, false, "end after S seconds; default: at SIGINT or SIGTERM"},
    {"json", 'j', NULL, NULL, false, "print the counts at the end as one JSON object"},
};

const size_t options_n = sizeof(options_list) / sizeof(options_list[0]);
