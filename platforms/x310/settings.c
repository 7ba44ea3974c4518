/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "platforms/x310/driver.h"
#include "platforms/x310/fpga.h"

enum { CHANNEL_MAX = 3 };

static const char *const transports[] = {"udp", "dpdk", NULL};
const char *const x310_sources[] = {"internal", "external", "gpsdo", NULL};

/* as in x310_fpgas */
static const char *const fpgas[X310_FPGAS + 1] = {"4.3", "4.10", "4.11", NULL};

#define AT(field) offsetof(struct x310_settings, field)
#define SETTING(name, field, what, most, unit)                                                     \
	{                                                                                          \
		name, RADIO_REALS, AT(field),                                                      \
		    what " that was set when the device was initialised: a number, or a list",     \
		    -(most), most, unit, .value = NAN, .otherwise = "unknown"                      \
	}

#define LAYOUT(name, field, what, most)                                                            \
	{                                                                                          \
		name, RADIO_INTS, AT(field),                                                       \
		    what ": a number, or a list; another port is refused", 0, most, "",            \
		    .value = NAN, .otherwise = "any"                                               \
	}

const struct radio_key x310_keys[X310_KEYS] = {
    {"transport", RADIO_CHOICE, AT(transport),
        "\"udp\": a socket of the kernel; \"dpdk\": a port that the kernel does not see",
        .words = transports, .needed = "transport = \"udp\" or \"dpdk\""},
    {"address", RADIO_TEXT, AT(address_text), "address of the device",
        .needed = "address = \"A.B.C.D\" of the device"},
    {"own_address", RADIO_TEXT, AT(own_address_text),
        "address of this machine; needed with dpdk, where no kernel assigns one",
        .otherwise = "any"},
    {"port", RADIO_TEXT, AT(port),
        "dpdk: a virtual device with its arguments (\"net_memif0,...\"), or a PCI address",
        .otherwise = "none"},
    {"eal", RADIO_TEXT, AT(eal),
        "dpdk: options for its environment, placed before those that aloe gives"},
    {"fpga", RADIO_CHOICE, AT(fpga),
        "release of UHD whose FPGA image the device has (\"4.3\" stands for 4.0 to 4.9); radios "
        "with another image are refused",
        .words = fpgas, .value = -1, .otherwise = "any that is known"},
    {"sfp", RADIO_INT, AT(sfp),
        "number of the network port by which the device is reached; another port is refused", 0, 1,
        "", .value = -1, .otherwise = "any"},
    {"endpoint", RADIO_INT, AT(control_endpoint),
        "number of the endpoint that takes register accesses; another number is refused", 1, 65535,
        "", .value = -1, .otherwise = "any"},
    LAYOUT("block", block, "control port of the channel's radio", 1023),
    LAYOUT("rx_port", rx_port, "crossbar port from which the channel's samples come", 255),
    LAYOUT("tx_port", tx_port,
        "crossbar port to which the channel's samples go, 0 if it cannot transmit", 255),
    {"channel", RADIO_INTS, AT(channel),
        "channel of the device: twice the number of the daughterboard plus the number of its "
        "channel; a list: [0, 2]",
        0, CHANNEL_MAX, "", .otherwise = "0"},
    {"spp", RADIO_INT, AT(spp), "samples in a packet, in both directions", X310_SPP_MIN,
        X310_SPP_MAX, "samples",
        .otherwise = "the whole slot if it fits into a packet, else its largest divisor that fits"},
    {"clock_rate", RADIO_REAL, AT(clock_rate),
        "ticks a second; the sample rate must divide this number", 1e6, 1e9, "Hz", .value = 200e6},
    {"tx_advance", RADIO_INT, AT(tx_advance),
        "samples from the start of a slot to the transmission of what the slot produced", 0, 1e9,
        "samples", .value = -1, .otherwise = "none: sent at once, untimed"},
    {"patience_ms", RADIO_REAL, AT(patience_ms),
        "time without packets after which the slots go on at the nominal rate", 0.01, 1e5, "ms",
        .value = 1},
    {"multicast", RADIO_TEXT, AT(multicast),
        "\"GROUP:PORT\" to which the device sends its samples, instead of to the node that asked "
        "for them",
        .otherwise = "none"},
    {"listen", RADIO_BOOL, AT(listen),
        "true: receive from the group of `multicast` and send nothing to the device, because "
        "another node controls the device"},
    {"flow_control", RADIO_BOOL, AT(flow_control),
        "true: the device sends only what there is room for, and overruns if this machine stalls; "
        "false: samples that find no room are lost"},
    {"initialised", RADIO_BOOL, AT(initialised),
        "true: x310-init holds the device; its rate and its first endpoint stay as they are"},
    {"rate", RADIO_REAL, AT(rate),
        "samples a second with which the device was initialised; the waveform must have the same "
        "rate",
        1e3, 1e9, "samples/s", .otherwise = "not checked"},
    {"clock_source", RADIO_CHOICE, AT(clock_source),
        "source of the 10 MHz that was set when the device was initialised", .words = x310_sources,
        .value = -1, .otherwise = "unknown"},
    {"time_source", RADIO_CHOICE, AT(time_source),
        "source of the pulse per second that was set when the device was initialised",
        .words = x310_sources, .value = -1, .otherwise = "unknown"},
    SETTING("rx_frequency", rx_frequency, "frequency of reception", 1e12, "Hz"),
    SETTING("rx_gain", rx_gain, "gain of reception", 1e3, "dB"),
    SETTING("tx_frequency", tx_frequency, "frequency of transmission", 1e12, "Hz"),
    SETTING("tx_gain", tx_gain, "gain of transmission", 1e3, "dB"),
};

const char x310_manual[] =
    "What a slot produced is buffered by the device until tx_advance samples after the start of "
    "the slot. The device (stock images) has 524287 bytes for this purpose and reports free room "
    "in eighths, so tx_advance may be about 112000 samples; a larger value is refused when the "
    "radio is opened, with the exact limit. tx_advance must be more than one slot, the way to the "
    "device and back, and the time that this machine needs for its work.\n\n"
    "Also refused when the radio is opened: packets that the MTU of this machine's network "
    "interface or the network port of the device does not pass (nothing is sent in fragments); a "
    "channel that x310-init has not set up, with initialised = true; two devices whose times "
    "differ by more than a slot.\n\n"
    "With --clock virtual the slots wait for the samples and no slot is late. Use it with a device "
    "that waits as well, as x310sim --clock virtual does; a real device does not wait, and samples "
    "that find no room are lost.\n\n"
    "With multicast, several nodes receive the same slots: one node has the device, starts it and "
    "stops it; any number of nodes listen, with the same channels in the same order. Slots begin "
    "at whole multiples of their length in the ticks of the device, so they are the same on all "
    "nodes. The interface with own_address joins the group; without own_address the kernel's "
    "routes choose the interface. Over dpdk nothing reports the membership, so a switch that "
    "snoops on IGMP must be configured.";

static void check_address(
    const struct radio_check *check, const char *key, const char *text, uint32_t *ret)
{
	struct in_addr address;

	if (radio_line(check, key) == 0)
		return;
	if (inet_pton(AF_INET, text, &address) == 1)
		*ret = ntohl(address.s_addr);
	else
		diag_error(check->diag, check->file, radio_line(check, key),
		    "%s = \"%.60s\" is not an address; an IPv4 address like \"192.168.40.2\" is "
		    "needed",
		    key, text);
}

static void check_group(const struct radio_check *check, struct x310_settings *settings)
{
	const char *text = settings->multicast, *colon = strchr(text, ':');
	char ip[INET_ADDRSTRLEN] = "", end;
	struct in_addr address;
	unsigned port = 0;

	if (radio_line(check, "multicast") == 0)
		return;
	if (colon != NULL && colon - text < INET_ADDRSTRLEN)
		memcpy(ip, text, (size_t)(colon - text));
	if (inet_pton(AF_INET, ip, &address) == 1 && IN_MULTICAST(ntohl(address.s_addr)) &&
	    sscanf(colon, ":%5u%c", &port, &end) == 1 && port > 0 && port <= UINT16_MAX) {
		settings->group = ntohl(address.s_addr);
		settings->group_port = (uint16_t)port;
		return;
	}
	diag_error(check->diag, check->file, radio_line(check, "multicast"),
	    "multicast = \"%.60s\" is not a group; a group in 224.0.0.0/4 and a port like "
	    "\"239.255.10.1:49153\" are needed",
	    text);
}

/* One number stands for all channels; a list has one for each. */
static void check_each(const struct radio_check *check, const char *key, uint32_t channels,
    struct radio_numbers *numbers)
{
	if (numbers->n == 0)
		*numbers = (struct radio_numbers){.item = {NAN, NAN}};
	else if (!numbers->is_list)
		numbers->item[1] = numbers->item[0];
	else if (numbers->n <= X310_CHANNELS_MAX && numbers->n != channels)
		diag_error(check->diag, check->file, radio_line(check, key),
		    "%s has %u item%s, but the radio has %u channel%s", key, numbers->n,
		    plural(numbers->n), channels, plural(channels));
}

static void check_channels(const struct radio_check *check, struct x310_settings *settings)
{
	struct radio_numbers *channel = &settings->channel;

	if (channel->n == 2 && channel->item[0] == channel->item[1])
		diag_error(check->diag, check->file, radio_line(check, "channel"),
		    "channel %.0f is there twice", channel->item[0]);
	if (channel->n == 0 || channel->n > X310_CHANNELS_MAX)
		*channel = (struct radio_numbers){.n = 1};
	check_each(check, "rx_frequency", channel->n, &settings->rx_frequency);
	check_each(check, "rx_gain", channel->n, &settings->rx_gain);
	check_each(check, "tx_frequency", channel->n, &settings->tx_frequency);
	check_each(check, "tx_gain", channel->n, &settings->tx_gain);
	check_each(check, "block", channel->n, &settings->block);
	check_each(check, "rx_port", channel->n, &settings->rx_port);
	check_each(check, "tx_port", channel->n, &settings->tx_port);
}

static void check_use(const struct radio_check *check, const struct x310_settings *settings)
{
	const double rate = check->use->rate_hz,
	             divide = rate > 0 ? settings->clock_rate / rate : 1;

	if (divide < 1 || divide != (double)(uint32_t)divide)
		diag_error(check->diag, check->file, check->line,
		    "a radio of clock_rate %.10g cannot have the rate %.10g of %s; the rate must "
		    "divide clock_rate",
		    settings->clock_rate, rate, check->use->waveform);
	else if (settings->rate > 0 && settings->rate != rate)
		diag_error(check->diag, check->file, check->line,
		    "the radio was initialised with the rate %.10g, but %s has %.10g; both rates "
		    "must be the same",
		    settings->rate, check->use->waveform, rate);
}

void x310_check(void *self, const struct radio_check *check)
{
	struct x310_settings *settings = self;
	const struct x310_settings *first = check->first;

	check_address(check, "address", settings->address_text, &settings->address);
	check_address(check, "own_address", settings->own_address_text, &settings->own_address);
	check_group(check, settings);
	if (settings->listen && radio_line(check, "multicast") == 0)
		radio_missing(check, "multicast", "listen = true: multicast = \"GROUP:PORT\"");
	check_channels(check, settings);
	if (settings->transport == X310_DPDK && !settings->port[0])
		radio_missing(check, "port",
		    "transport = \"dpdk\": port = \"net_memif0,...\" or a PCI address");
	if (settings->transport == X310_DPDK && radio_line(check, "own_address") == 0)
		radio_missing(check, "own_address",
		    "transport = \"dpdk\": own_address = \"A.B.C.D\", an address for the port");
	/* Who listens to one device has no other, for what is sent is sent by all. */
	if (first != NULL && first->listen != settings->listen)
		diag_error(check->diag, check->file, check->line,
		    "radio: listen must be the same for all radios");
	if (check->use != NULL)
		check_use(check, settings);
}

uint32_t x310_packet_samples(const struct x310_settings *settings, uint32_t slot_samples)
{
	uint32_t parts = (slot_samples + X310_SPP_MAX - 1) / X310_SPP_MAX;

	if (settings->spp > 0)
		return (uint32_t)settings->spp;
	while (slot_samples % parts && slot_samples / parts > X310_SPP_MIN)
		parts++;
	return slot_samples % parts ? X310_SPP_MAX : slot_samples / parts;
}
