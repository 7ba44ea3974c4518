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

enum { TAPS_MAX = SOUND_LENGTH_MAX, EVERY_MAX = 1 << 20, PPM_MAX = 1000 };

/* ---- addresses and ports ------------------------------------------------------------------------------------------------- */

/* IP, or IP:PORT where a port may be given. */
static int parse_ip(
    const struct cli_args *args, const char *name, const char *text, struct door_address *ret)
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
		return cli_fail(args, "--%s %s: the port is 1 .. 65535", name, text);
	return CLI_OK;
}

/* The first value is for the first device; where one is missing it is the next address. */
static int read_addresses(const struct cli_args *args, struct options *options)
{
	struct door_address sfp0 = {.ip = 0x7f000001}, sfp1 = {.ip = 0xc0a82801};

	for (unsigned i = 0; i < options->server.n_units; i++) {
		const char *address = cli_nth(args, "address", i),
		           *port = cli_nth(args, "port-address", i);
		struct unit_options *unit = &options->server.units[i];

		sfp0.ip++;
		sfp1.ip++;
		if ((address && parse_ip(args, "address", address, &sfp0) != CLI_OK) ||
		    (port && parse_ip(args, "port-address", port, &sfp1) != CLI_OK))
			return CLI_USAGE;
		unit->ip = sfp0.ip;
		unit->sfp1_options.own.ip = sfp1.ip;
	}
	if (sfp0.port || sfp1.port)
		return cli_fail(
		    args, "--address and --port-address take no port: a device's is %d", CHDR_PORT);
	return CLI_OK;
}

static int read_group(const struct cli_args *args, struct door_address *ret)
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
	const void *symbol = NULL;
	char path[PATH_MAX];
	uint64_t bytes = 0;
	struct diag diag;
	int rc;

	if (cli_whole(args, "port-bytes", 512, CHDR_PACKET_MAX, &bytes) < 0)
		return CLI_USAGE;
	if (cli_get(args, "port") == NULL)
		return CLI_OK;
	diag_init(&diag);
	rc = library_path("dpdk", path, sizeof(path));
	if (rc == 0)
		rc = library_open(path, "door_dpdk", &diag, &symbol);
	diag_print(&diag, stderr);
	if (rc < 0)
		fprintf(stderr,
		    "x310sim: --port needs DPDK; that library is built where libdpdk-dev is installed\n");
	diag_fini(&diag);
	for (unsigned i = 0; i < options->server.n_units; i++) {
		struct unit_options *unit = &options->server.units[i];

		unit->sfp1_options.port = cli_nth(args, "port", i);
		unit->sfp1_options.eal = cli_get(args, "eal");
		unit->sfp1_options.ports = options->server.n_units;
		unit->sfp1_options.packet_bytes = (uint32_t)bytes;
		unit->sfp1 = unit->sfp1_options.port ? symbol : NULL;
	}
	return rc < 0 ? CLI_FAILED : CLI_OK;
}

/* ---- the device ------------------------------------------------------------------------------------------------------------ */

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

static int read_units(const struct cli_args *args, struct options *options)
{
	static const char *const many[] = {"address", "port", "port-address", "drift-ppm"};
	const char *missing = cli_get(args, "missing-tx");
	uint64_t n = 1;

	if (cli_whole(args, "devices", 1, SERVER_UNITS, &n) < 0)
		return CLI_USAGE;
	options->server.n_units = (unsigned)n;
	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++)
		if (cli_nth(args, many[i], n) != NULL)
			return cli_fail(args,
			    "--%s is given more often than there are devices (--devices %u)",
			    many[i], (unsigned)n);
	for (unsigned i = 0; i < n; i++) {
		struct unit_options *unit = &options->server.units[i];

		unit->number = i;
		unit->device = (struct device_options){.version = 0x0100,
		    .stop_supported = cli_has(args, "stop-on-error"),
		    .zeros = missing && strcmp(missing, "zeros") == 0,
		    .capacity = DEVICE_CAPACITY,
		    .divide = 2};
		if (read_faults(args, "fault-tx", &unit->faults[UNIT_TX]) != CLI_OK ||
		    read_faults(args, "fault-rx", &unit->faults[UNIT_RX]) != CLI_OK ||
		    read_drift(args, i, &unit->drift_ppb) != CLI_OK ||
		    read_group(args, &unit->group) != CLI_OK)
			return CLI_USAGE;
	}
	return read_addresses(args, options);
}

/* ---- the antennas ---------------------------------------------------------------------------------------------------------- */

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
		return cli_fail(args, "--sound is a source, and --source %s another one", source);
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
			    "--expect-channels %s is not a list of channels 0 .. %d, as 0,2 (the "
			    "second device's begin at %d)",
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

/* ---- what does nothing alone ----------------------------------------------------------------------------------------------- */

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

/* ---- all of it -------------------------------------------------------------------------------------------------------------- */

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
        "address of this machine to be the device on; default 127.0.0.2. Of a second "
        "device: the next one, or what is given next"},
    {"devices", 'n', "N", NULL, false,
        "1 or 2 devices on one clock, with one pulse per second; default 1"},
    {"source", 's', "WHAT", "@file", false,
        "what the receivers hear: tone, zeros, loop, ticks (tells how old it is when it is played), sound, or a file of "
        "complex int16"},
    {"record", 'r', "FILE", "@file", false, "write what channel 0 transmits, complex int16"},
    {"sound", 0, "N", NULL, false,
        "source sound: sound what lies between, by a sequence of period N, a power of two, 256 .. 131072; default 4096"},
    {"sound-every", 0, "N", NULL, false, "keep one period of every N that are played; default 1"},
    {"sound-keep", 0, "N", NULL, false, "keep at most so many of each channel; default 256"},
    {"expect", 'e', "FILE", "@file", false,
        "compare with these responses: complex taps as 32-bit floats, path after path, set after set"},
    {"expect-taps", 0, "N", NULL, false, "taps of a path; default: the file is one set"},
    {"expect-channels", 0, "LIST", NULL, false,
        "channels whose paths those are, each to each; default 0"},
    {"expect-db", 0, "DB", NULL, false,
        "error up to which a response counts as found; default -50"},
    {"response", 0, "FILE", "@file", false,
        "write the response measured last: N complex taps, no delay first"},
    {"clock", 'c', "CLOCK", "real virtual", false,
        "real: this machine's. virtual: while it streams, as fast as the host answers, with no overrun and no underrun"},
    {"lead", 0, "N", NULL, false,
        "virtual: samples that a host that answers is ahead in hearing; default 2048"},
    {"drift-ppm", 0, "PPM", NULL, true,
        "how much faster its sample clock goes; of the second device: what is given next"},
    {"fault-tx", 0, "FAULTS", NULL, true,
        "what becomes of packets from the host: loss=0.01,seed=3 or reorder=@7,delay=@9/100:50,...: FAULTS in x310sim(1)"},
    {"fault-rx", 0, "FAULTS", NULL, true, "what becomes of packets to the host"},
    {"rx-multicast", 0, "GROUP[:PORT]", NULL, false,
        "send samples to this multicast group, by the first port, so that several hosts hear them"},
    {"missing-tx", 0, "WHAT", "skip zeros", false,
        "a Tx packet that is missing in a burst: skip it, as every FPGA does, or play zeros in its place"},
    {"stop-on-error", 0, NULL, NULL, false,
        "be an FPGA of UHD 4.9 or later, which can stop on sequence errors"},
    {"port", 'p', "PORT", NULL, true,
        "a second network port that the kernel does not see, by DPDK: net_memif0,...; of the second device: the next one"},
    {"port-address", 0, "IP", NULL, true,
        "the device's address there; default 192.168.40.2, and the next one"},
    {"port-bytes", 0, "N", NULL, false,
        "largest CHDR packet there, 512 .. 8192; default: what the port can"},
    {"eal", 0, "OPTIONS", NULL, false, "options for DPDK's environment, before its own"},
    {"seconds", 't', "S", NULL, false, "end after so long; default: at SIGINT or SIGTERM"},
    {"json", 'j', NULL, NULL, false, "the counts at the end as one JSON object"},
};

const size_t options_n = sizeof(options_list) / sizeof(options_list[0]);
