/* SPDX-License-Identifier: BSD-3-Clause
 *
 * x310-init - makes a device ready by UHD, says what ALOE needs to stream with it, and keeps it
 * claimed until it is told to end. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/cli/cli.h"
#include "tools/x310-init/initialise.h"
#include "tools/x310-init/look.h"

enum {
	OWN_ENDPOINT = 0x100, /* the first of three of each channel: UHD counts up from 1 */
	OWN_STEP = 0x10,
	SAMPLES = 256,
	WRONG_FPGA = 2 /* exit status */
};

struct wish {                /* of one device */
	const char *name;    /* as it was given */
	const char *address; /* for the samples */
	const char *port;    /* of DPDK; NULL: a socket */
	const char *own_address;
	uint32_t uhd_ip, ip, own_ip; /* of these addresses; own_ip 0: any */
};

struct wishes {
	struct initialise_options options;
	struct wish devices[INITIALISE_BOARDS];
	unsigned n;
	char args[256];
};

/* UHD's graph, and what the devices say. */
struct made {
	struct initialised uhd;
	struct x310_look looks[INITIALISE_BOARDS];
};

/* One device of it: its channels lie beside each other. */
struct ready_part {
	const struct made *made;
	const struct wish *wish;
	const struct x310_layout *layout;
	unsigned first, n; /* channels */
};

static struct ready_part part_of(
    const struct wishes *wishes, const struct made *made, unsigned board)
{
	const unsigned n = made->uhd.n_channels / wishes->n;

	return (struct ready_part){
	    made, &wishes->devices[board], &made->looks[board].survey.layout, board * n, n};
}

/* ---- what is printed ------------------------------------------------------------------------ */

static unsigned number_of(const struct initialise_channel *channel)
{
	return SURVEY_CHANNELS * channel->radio + channel->channel;
}

static unsigned port_of(const struct made *made, unsigned nth, bool receives)
{
	const struct initialise_channel *channel = &made->uhd.channels[nth];
	const struct x310_path *path = x310_layout_path(
	    &made->looks[channel->board].survey.layout, number_of(channel), receives);

	return path != NULL ? path->endpoint_port : 0;
}

enum whole { NUMBER, BLOCK, RX_PORT, TX_PORT };

static unsigned whole_of(const struct made *made, unsigned nth, enum whole which)
{
	const struct initialise_channel *channel = &made->uhd.channels[nth];

	if (which == NUMBER)
		return number_of(channel);
	if (which == BLOCK)
		return channel->block;
	return port_of(made, nth, which == RX_PORT);
}

static void print_whole(const struct ready_part *part, const char *key, enum whole which)
{
	printf("\t%s = %s", key, part->n > 1 ? "[" : "");
	for (unsigned i = 0; i < part->n; i++)
		printf("%s%u", i ? ", " : "", whole_of(part->made, part->first + i, which));
	printf("%s;\n", part->n > 1 ? "]" : "");
}

/* One number, or a list with one for each channel. */
static void print_each(const struct ready_part *part, const char *key, size_t offset)
{
	printf("\t%s = %s", key, part->n > 1 ? "[" : "");
	for (unsigned i = 0; i < part->n; i++) {
		double value;

		memcpy(&value, (const char *)&part->made->uhd.channels[part->first + i] + offset,
		    sizeof(value));
		printf("%s%.1f", i ? ", " : "", value);
	}
	printf("%s;\n", part->n > 1 ? "]" : "");
}

/* As core/waveform/radio_file.h reads it. By DPDK ALOE comes by another port than we do. */
static void print_layout(const struct ready_part *part)
{
	printf("\tfpga = \"%s\";\n", part->layout->fpga->name);
	if (part->wish->port == NULL)
		printf("\tsfp = %u;\n", part->layout->own_port);
	printf("\tendpoint = %u;\n", part->layout->control_endpoint);
	print_whole(part, "channel", NUMBER);
	print_whole(part, "block", BLOCK);
	print_whole(part, "rx_port", RX_PORT);
	print_whole(part, "tx_port", TX_PORT);
}

static void print_group(const struct ready_part *part, uint32_t samples)
{
	const struct initialised *done = &part->made->uhd;
	const struct wish *wish = part->wish;

	printf("{\n\ttype = \"x310\";\n\ttransport = \"%s\";\n\taddress = \"%s\";\n",
	    wish->port ? "dpdk" : "udp", wish->address);
	if (wish->port)
		printf("\tport = \"%s\";\n", wish->port);
	if (wish->own_address)
		printf("\town_address = \"%s\";\n", wish->own_address);
	print_layout(part);
	printf("\tinitialised = true;\n\tclock_rate = %.1f;\n\trate = %.1f;\n\tspp = %" PRIu32
	       ";\n",
	    done->tick_rate_hz, done->rate_hz, samples);
	printf("\tclock_source = \"%s\";\n\ttime_source = \"%s\";\n", done->clock_source,
	    done->time_source);
	print_each(part, "rx_frequency", offsetof(struct initialise_channel, rx_hz));
	print_each(part, "rx_gain", offsetof(struct initialise_channel, rx_gain_db));
	print_each(part, "tx_frequency", offsetof(struct initialise_channel, tx_hz));
	print_each(part, "tx_gain", offsetof(struct initialise_channel, tx_gain_db));
	printf("}");
}

static void print_text(const struct wishes *wishes, const struct made *made)
{
	printf("# %s, initialised by UHD %s; x310-init holds the device while x310-init runs.\n"
	       "%s",
	    made->uhd.device, initialise_uhd(), wishes->n > 1 ? "radio = (\n" : "radio: ");
	for (unsigned i = 0; i < wishes->n; i++) {
		const struct ready_part part = part_of(wishes, made, i);

		print_group(&part, wishes->options.samples);
		printf(i + 1 < wishes->n ? ",\n" : wishes->n > 1 ? " );\n" : ";\n");
	}
}

static void print_channel_json(const struct made *made, unsigned nth)
{
	const struct initialise_channel *c = &made->uhd.channels[nth];

	printf("{\"name\": \"%s\", \"number\": %u, \"block\": %u, \"rx_port\": %u, "
	       "\"tx_port\": %u, \"transmits\": %s, \"own_endpoint\": %u, "
	       "\"ticks_per_sample\": %" PRIu32
	       ", \"rx_hz\": %.9g, \"tx_hz\": %.9g, \"rx_gain_db\": %.6g, \"tx_gain_db\": %.6g, "
	       "\"rx_antenna\": \"%s\", \"tx_antenna\": \"%s\"}",
	    c->name, number_of(c), c->block, port_of(made, nth, true), port_of(made, nth, false),
	    port_of(made, nth, false) ? "true" : "false", OWN_ENDPOINT + OWN_STEP * nth,
	    c->ticks_per_sample, c->rx_hz, c->tx_hz, c->rx_gain_db, c->tx_gain_db, c->rx_antenna,
	    c->tx_antenna);
}

static void print_device_json(const struct ready_part *part, uint32_t samples)
{
	const struct initialised *done = &part->made->uhd;

	printf("\"device\": \"%s\", \"address\": \"%s\", \"port\": 49153, "
	       "\"fpga\": \"%s\", \"control_endpoint\": %u, \"control_port\": %u, ",
	    done->device, part->wish->address, part->layout->fpga->name,
	    part->layout->control_endpoint, part->layout->control_port);
	if (part->wish->port == NULL)
		printf("\"sfp\": %u, ", part->layout->own_port);
	printf("\"tick_rate_hz\": %.9g, \"rate_hz\": %.9g, \"samples\": %" PRIu32
	       ", \"clock_source\": \"%s\", \"time_source\": \"%s\", \"channels\": [",
	    done->tick_rate_hz, done->rate_hz, samples, done->clock_source, done->time_source);
	for (unsigned i = 0; i < part->n; i++) {
		printf(i ? ", " : "");
		print_channel_json(part->made, part->first + i);
	}
	printf("]");
}

/* Two devices are a list in it. */
static void print_json(const struct wishes *wishes, const struct made *made)
{
	printf("{\"schema\": 2, ");
	if (wishes->n > 1)
		printf("\"apart_us\": %.3f, \"devices\": [", made->uhd.apart_s * 1e6);
	for (unsigned i = 0; i < wishes->n; i++) {
		const struct ready_part part = part_of(wishes, made, i);

		printf(i ? ", {" : wishes->n > 1 ? "{" : "");
		print_device_json(&part, wishes->options.samples);
		printf(wishes->n > 1 ? "}" : "");
	}
	printf("%s}\n", wishes->n > 1 ? "]" : "");
}

/* What UHD made of a wish, where that is something else. */
static void print_coerced(const struct wishes *wishes, const struct initialise_channel *channel,
    const char *what, const char *unit, double asked, double got)
{
	const double rounding = 0.01;

	if (isnan(asked) || fabs(got - asked) < rounding)
		return;
	fprintf(stderr, "x310-init: %s, channel %s: %s %.10g %s asked, %.10g %s got\n",
	    wishes->devices[channel->board].name, channel->name, what, asked, unit, got, unit);
}

static void print_all_coerced(const struct wishes *wishes, const struct made *made)
{
	const struct initialise_options *asked = &wishes->options;

	for (unsigned i = 0; i < made->uhd.n_channels; i++) {
		const struct initialise_channel *c = &made->uhd.channels[i];

		print_coerced(wishes, c, "receive frequency", "Hz", asked->rx_hz, c->rx_hz);
		print_coerced(wishes, c, "transmit frequency", "Hz", asked->tx_hz, c->tx_hz);
		print_coerced(wishes, c, "receive gain", "dB", asked->rx_gain_db, c->rx_gain_db);
		print_coerced(wishes, c, "transmit gain", "dB", asked->tx_gain_db, c->tx_gain_db);
		print_coerced(
		    wishes, c, "receive bandwidth", "Hz", asked->bandwidth_hz, c->rx_bandwidth_hz);
		print_coerced(
		    wishes, c, "transmit bandwidth", "Hz", asked->bandwidth_hz, c->tx_bandwidth_hz);
	}
}

static void print_times(const struct wishes *wishes, const struct made *made)
{
	const bool in_turn = strcmp(made->uhd.time_source, "internal") == 0;

	if (wishes->n > 1)
		fprintf(stderr, "x310-init: the times of %s and %s differ by %.1f us%s\n",
		    wishes->devices[0].name, wishes->devices[1].name, made->uhd.apart_s * 1e6,
		    in_turn ? " and go apart, because each device has a pulse of its own "
		              "(--time-source internal)"
		            : "");
}

/* ---- options ------------------------------------------------------------------------ */

static int analog_get(const struct cli_args *args, struct initialise_options *options)
{
	double hz = NAN, gain_db = NAN;

	options->bandwidth_hz = NAN;
	if (cli_real(args, "freq", 0, 1e11, &hz) < 0 ||
	    cli_real(args, "gain", -200, 200, &gain_db) < 0 ||
	    cli_real(args, "bandwidth", 0, 1e9, &options->bandwidth_hz) < 0)
		return CLI_USAGE;
	options->rx_hz = options->tx_hz = hz;
	options->rx_gain_db = options->tx_gain_db = gain_db;
	if (cli_real(args, "rx-freq", 0, 1e11, &options->rx_hz) < 0 ||
	    cli_real(args, "tx-freq", 0, 1e11, &options->tx_hz) < 0 ||
	    cli_real(args, "rx-gain", -200, 200, &options->rx_gain_db) < 0 ||
	    cli_real(args, "tx-gain", -200, 200, &options->tx_gain_db) < 0)
		return CLI_USAGE;
	options->rx_antenna = cli_get(args, "rx-antenna");
	options->tx_antenna = cli_get(args, "tx-antenna");
	options->clock_source = cli_get(args, "clock-source");
	options->time_source = cli_get(args, "time-source");
	options->subdev = cli_get(args, "subdev");
	return CLI_OK;
}

static int get_ip(const struct cli_args *args, const char *text, uint32_t *ret)
{
	struct in_addr address;

	if (text == NULL)
		return CLI_OK;
	if (inet_pton(AF_INET, text, &address) != 1)
		return cli_fail(args,
		    "%s is not an address; an IPv4 address like 192.168.40.2 is needed", text);
	*ret = ntohl(address.s_addr);
	return CLI_OK;
}

/* The nth value of an option is for the nth device. */
static int get_wish(const struct cli_args *args, unsigned nth, struct wish *ret)
{
	const char *streams = cli_nth(args, "stream-address", nth);

	*ret = (struct wish){.name = args->args[nth],
	    .address = streams ? streams : args->args[nth],
	    .port = cli_nth(args, "port", nth),
	    .own_address = cli_nth(args, "own-address", nth)};
	if (get_ip(args, ret->name, &ret->uhd_ip) != CLI_OK ||
	    get_ip(args, ret->address, &ret->ip) != CLI_OK ||
	    get_ip(args, ret->own_address, &ret->own_ip) != CLI_OK)
		return CLI_USAGE;
	if (ret->port && (!ret->own_address || !streams))
		return cli_fail(args,
		    "--port needs --own-address IP, because the kernel gives a DPDK port no "
		    "address, and --stream-address IP, because UHD uses the other port of the "
		    "device");
	return CLI_OK;
}

/* Two devices are one to UHD. */
static int get_args(const struct cli_args *args, struct wishes *ret)
{
	const char *more = cli_get(args, "args");
	const size_t size = sizeof(ret->args);
	size_t used = (size_t)snprintf(ret->args, size, "type=x300");

	for (unsigned i = 0; i < ret->n && used < size; i++)
		used += (size_t)snprintf(ret->args + used, size - used, ",addr%s=%s",
		    ret->n == 1 ? ""
		        : i     ? "1"
		                : "0",
		    ret->devices[i].name);
	if (used < size)
		used += (size_t)snprintf(
		    ret->args + used, size - used, "%s%s", more ? "," : "", more ? more : "");
	ret->options.args = ret->args;
	return used < size ? CLI_OK
	                   : cli_fail(args, "--args may have at most %zu characters", size - 64);
}

static int get_wishes(const struct cli_args *args, struct wishes *ret)
{
	static const char *const many[] = {"stream-address", "port", "own-address"};
	uint64_t samples = SAMPLES;

	*ret = (struct wishes){.n = (unsigned)args->n_args};
	for (unsigned i = 0; i < ret->n; i++)
		if (get_wish(args, i, &ret->devices[i]) != CLI_OK)
			return CLI_USAGE;
	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++)
		if (cli_nth(args, many[i], ret->n) != NULL)
			return cli_fail(args, "--%s is given for more devices than there are: %u",
			    many[i], ret->n);
	ret->options.rate_hz = 100e6;
	if (cli_real(args, "rate", 1e3, 200e6, &ret->options.rate_hz) < 0 ||
	    cli_whole(args, "spp", 1, 1996, &samples) < 0 ||
	    analog_get(args, &ret->options) != CLI_OK)
		return CLI_USAGE;
	ret->options.samples = (uint32_t)samples;
	return get_args(args, ret);
}

/* ---- the program ------------------------------------------------------------------------ */

static void wait_for_end(const sigset_t *ends, double seconds)
{
	const struct timespec wait = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};

	if (seconds > 0)
		(void)sigtimedwait(ends, NULL, &wait);
	else
		(void)sigwaitinfo(ends, NULL);
}

static int device_say(const char *of, const char *why, int status)
{
	fprintf(stderr, "x310-init: %s: %s\n", of, why);
	return status;
}

/* Where UHD's graph and the device do not say the same, neither is believed. */
static bool is_agreed(const struct made *made, unsigned board, char *ret_why, size_t size)
{
	const struct survey *survey = &made->looks[board].survey;

	if (!made->looks[board].found) {
		snprintf(ret_why, size, "the device does not say what it consists of: %s",
		    survey->why[0] ? survey->why : "no answer");
		return false;
	}
	for (unsigned i = 0; i < made->uhd.n_channels; i++) {
		const struct initialise_channel *c = &made->uhd.channels[i];
		const unsigned rx = port_of(made, i, true), tx = port_of(made, i, false);
		const struct x310_radio_layout *radio = &survey->layout.radios[c->radio];

		if (c->board != board ||
		    (c->radio < survey->layout.n_radios && radio->port == c->block &&
		        (rx ? survey->endpoints[rx].instance : -1) == c->rx_endpoint &&
		        (tx ? survey->endpoints[tx].instance : -1) == c->tx_endpoint))
			continue;
		snprintf(ret_why, size,
		    "UHD's graph and the device do not agree on where channel %s lies", c->name);
		return false;
	}
	return true;
}

/* The address by which UHD has the device, where ALOE comes by another port. */
static uint32_t look_ip(const struct wish *wish)
{
	return wish->port ? wish->uhd_ip : wish->ip;
}

static uint32_t look_own(const struct wish *wish)
{
	return wish->port ? 0 : wish->own_ip;
}

/* CLI_OK, or what to exit with after it has said why. */
static int device_look(const struct wish *wish, struct x310_look *ret)
{
	char why[INITIALISE_WHY] = "";

	if (look_at(look_ip(wish), look_own(wish), ret, why) != 0)
		return device_say(wish->name, why, CLI_FAILED);
	if (look_refuses(
	        ret, wish->port ? wish->name : wish->address, initialise_uhd(), why, sizeof(why)))
		return device_say(wish->name, why, WRONG_FPGA);
	return CLI_OK;
}

static int look_at_all(const struct wishes *wishes, struct made *made)
{
	int status = CLI_OK;

	for (unsigned i = 0; i < wishes->n && status == CLI_OK; i++)
		status = device_look(&wishes->devices[i], &made->looks[i]);
	return status;
}

/* What UHD has made ready is what the device says, and its endpoints get their numbers. */
static int device_agree(const struct wishes *wishes, const struct made *made, unsigned board)
{
	const struct wish *wish = &wishes->devices[board];
	char why[INITIALISE_WHY] = "";
	uint64_t ports = 0;

	if (!is_agreed(made, board, why, sizeof(why)))
		return device_say(wish->name, why, CLI_FAILED);
	for (unsigned i = 0; i < made->uhd.n_channels; i++)
		if (made->uhd.channels[i].board == board)
			ports |= 1ull << port_of(made, i, true) | 1ull << port_of(made, i, false);
	if (!look_number(look_ip(wish), look_own(wish), &made->looks[board], ports))
		return device_say(
		    wish->name, "the stream endpoints of the device take no numbers", CLI_FAILED);
	return CLI_OK;
}

/* The FPGA images are looked at before UHD is, and once more by what UHD has enabled, where UHD
 * cannot have the device. */
static int devices_make(const struct wishes *wishes, struct made *ret)
{
	char why[INITIALISE_WHY] = "";
	int status = look_at_all(wishes, ret);
	bool done;

	if (status != CLI_OK)
		return status;
	done = initialise(&wishes->options, why, &ret->uhd);
	status = look_at_all(wishes, ret);
	if (status == CLI_OK && !done)
		return device_say(wishes->devices[0].name, why, CLI_FAILED);
	for (unsigned i = 0; i < wishes->n && status == CLI_OK; i++)
		status = device_agree(wishes, ret, i);
	if (done && status != CLI_OK)
		initialise_end(&ret->uhd);
	return status;
}

static int x310_init(const struct cli_args *args)
{
	static struct made made;
	struct wishes wishes;
	double seconds = 0;
	sigset_t ends;
	int status;

	if (get_wishes(args, &wishes) != CLI_OK ||
	    cli_real(args, "seconds", 0.001, 1e9, &seconds) < 0)
		return CLI_USAGE;
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL); /* for UHD's threads as well */
	setenv("UHD_LOG_CONSOLE_LEVEL", "fatal", 0);
	status = devices_make(&wishes, &made);
	if (status != CLI_OK)
		return status;
	print_all_coerced(&wishes, &made);
	print_times(&wishes, &made);
	(cli_has(args, "json") ? print_json : print_text)(&wishes, &made);
	fflush(stdout);
	fprintf(stderr,
	    "x310-init: %s ready; SIGINT or SIGTERM ends x310-init and "
	    "releases the device\n",
	    wishes.n > 1 ? "both devices are" : "the device is");
	wait_for_end(&ends, seconds);
	initialise_end(&made.uhd);
	return CLI_OK;
}

static const struct cli_option options[] = {
    {"rate", 'r', "HZ", NULL, false, "samples per second in both directions; default 100e6"},
    {"spp", 0, "N", NULL, false, "samples per packet, 1 .. 1996; default 256"},
    {"freq", 'f', "HZ", NULL, false, "frequency of both directions; default: unchanged"},
    {"rx-freq", 0, "HZ", NULL, false, "frequency of the receiver"},
    {"tx-freq", 0, "HZ", NULL, false, "frequency of the transmitter"},
    {"gain", 'g', "DB", NULL, false, "gain of both directions; default: unchanged"},
    {"rx-gain", 0, "DB", NULL, false, "gain of the receiver"},
    {"tx-gain", 0, "DB", NULL, false, "gain of the transmitter"},
    {"bandwidth", 'b', "HZ", NULL, false,
        "bandwidth of the analog filters of both directions; default: unchanged"},
    {"rx-antenna", 0, "NAME", NULL, false,
        "receive antenna, with the name that the daughterboard "
        "uses: TX/RX, RX2, ..."},
    {"tx-antenna", 0, "NAME", NULL, false,
        "transmit antenna, with the name that the daughterboard "
        "uses: TX/RX, ..."},
    {"clock-source", 'c', "NAME", NULL, false, "source of the clock: internal, external, gpsdo"},
    {"time-source", 't', "NAME", NULL, false, "source of the time: internal, external, gpsdo"},
    {"subdev", 's', "SPEC", NULL, false,
        "channels of both directions, such as \"A:0\" or \"A:0 B:0\"; default: the first channel "
        "of A"},
    {"args", 'a', "ARGS", NULL, false,
        "further device arguments of UHD, such as master_clock_rate=184.32e6"},
    {"stream-address", 0, "IP", NULL, true,
        "address at which ALOE reaches the device; default IP, else the address of the other SFP; "
        "a second --stream-address is for the second device"},
    {"port", 'p', "PORT", NULL, true,
        "DPDK port that ALOE uses, net_memif0,... or a PCI address; a second --port is for the "
        "second device"},
    {"own-address", 0, "IP", NULL, true,
        "IP address of the DPDK port, or of the network interface that ALOE uses; a second "
        "--own-address is for the second device"},
    {"json", 'j', NULL, NULL, false, "print the settings as one JSON object"},
    {"seconds", 0, "S", NULL, false, "end after S seconds; default: at SIGINT or SIGTERM"},
};

static const char doc[] =
    "UHD sets clocks, converters, daughterboards, rates and samples per packet, but opens no "
    "stream. ALOE opens the streams from a socket or a port of its own, with endpoint numbers of "
    "its own (256 and above). When the device is ready, x310-init prints the group `radio:` of a "
    "radio file on standard output. Then x310-init keeps running, because UHD's claim on the "
    "device lapses 2 s after the last renewal.\n"
    "\n"
    "As soon as ALOE configures the streams, the device sends asynchronous messages (underrun, "
    "late, overrun) to ALOE, and ALOE answers these messages. Raw samples are not scaled: DDC and "
    "DUC have gains that UHD's own streamer would compensate.\n"
    "\n"
    "Before that x310-init asks the device which FPGA image it has: UHD only initialises the "
    "images of its own releases (4.0 to 4.9, 4.10, 4.11). The radio file says which image "
    "was found, by which SFP the device is reached, and where the channels lie in the image; "
    "ALOE asks the device again, and refuses a device that says otherwise.\n"
    "\n"
    "Where UHD takes another frequency, gain or bandwidth than the one asked for, x310-init "
    "prints both. A channel that x310-init has not set up has a stream endpoint without a number, "
    "and ALOE refuses this channel.\n"
    "\n"
    "Two devices become one radio: both are set to one time, at the next pulse per second of "
    "--time-source external or gpsdo, or one after the other with internal, where the times then "
    "go apart. x310-init compares the times of both and fails if they differ by more than 100 us "
    "(internal: 1 ms). The radio file has a group for each device, and ALOE refuses to start when "
    "the times differ by more than a slot. --subdev holds for each device.\n"
    "\n"
    "UHD cannot use a network port that DPDK has taken. In this case UHD uses one SFP and ALOE the "
    "other SFP (--stream-address, --port).";

static const struct cli_command commands[] = {
    {NULL, "IP [IP]", 1, INITIALISE_BOARDS, NULL,
        "Initialises the device at IP, or two devices as one, and holds the device until SIGINT or "
        "SIGTERM.",
        doc, CLI_LIST(options), x310_init},
};

static const struct cli_section sections[] = {
    {"EXAMPLES",
        "  x310-init 192.168.40.2 --rate 100e6 --freq 2.4e9 --gain 10 > radio.conf\n"
        "  aloe run x310-passthrough.conf --radio radio.conf\n"
        "  x310-init 192.168.10.2 --stream-address 192.168.40.2 --port 0000:81:00.0 --own-address "
        "192.168.40.1\n"
        "  x310-init 192.168.40.2 192.168.41.2 --clock-source external --time-source external > "
        "radio.conf\n"
        "  x310sim --address 127.0.0.2 & x310-init 127.0.0.2 --rate 1e6"},
    {"EXIT STATUS",
        "  0    ended by SIGINT, SIGTERM or --seconds\n"
        "  1    the device does not answer, or does not support the settings\n"
        "  2    wrong use: the command line, or an FPGA image that the installed UHD or ALOE "
        "does not\n       know"},
};

static const struct cli_program program = {
    .name = "x310-init",
    .section = 1,
    .summary = "initialise a USRP X310 with UHD, so that ALOE can stream",
    .doc = "Built where libuhd-dev is installed.",
    .commands = CLI_LIST(commands),
    .sections = CLI_LIST(sections),
};

int main(int argc, char **argv)
{
	return cli_main(&program, argc, argv);
}
