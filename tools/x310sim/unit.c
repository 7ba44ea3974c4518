/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "platforms/udp/route.h"
#include "platforms/udp/udp.h"

enum { BURST = 64, BUFFERS = 1024, BUFFER_BYTES = CHDR_PACKET_MAX + 1024, PPB = 1000000000 };

static const uint16_t ports[UNIT_SOCKETS] = {
    FIRMWARE_PORT, MTU_PORT, FIRMWARE_PORT, MTU_PORT, FIRMWARE_PORT, FIRMWARE_PORT};

/* ---- time ------------------------------------------------------------------------ */

/* n x ppb / 10^9, for any n. */
static int64_t share_of(uint64_t n, int64_t ppb)
{
	return (int64_t)(n / PPB) * ppb + (int64_t)(n % PPB) * ppb / PPB;
}

uint64_t unit_ticks(const struct unit *unit, uint64_t ref)
{
	const uint64_t since = ref - unit->base_ref;

	return unit->base_tick + since + (uint64_t)share_of(since, unit->ppb);
}

/* The first reference at which it is that tick; what was before the time was set counts as then. */
static uint64_t ref_of(const struct unit *unit, uint64_t tick)
{
	const uint64_t whole = (uint64_t)(PPB + unit->ppb), since = tick - unit->base_tick;
	uint64_t ref = unit->base_ref + since / whole * PPB + since % whole * PPB / whole;

	if ((int64_t)since < 0)
		return unit->base_ref;
	while (unit_ticks(unit, ref) < tick)
		ref++;
	return ref;
}

static unsigned in_air(const struct unit *unit, unsigned channel)
{
	return unit->options.number * DEVICE_ENDPOINTS + channel;
}

static void set_time(struct unit *unit, uint64_t ref)
{
	const uint64_t before = unit_ticks(unit, ref), tick = unit->firmware.event_ticks;

	device_run(&unit->device, before);
	unit->base_ref = ref;
	unit->base_tick = tick;
	device_set_time(&unit->device, tick);
	steady_set_time(&unit->steady);
	for (int way = 0; way < UNIT_WAYS; way++)
		cable_set_time(&unit->cables[way], before, tick);
	memset(unit->answers, 0, sizeof(unit->answers));
}

/* From here on its ticks have another length. */
static void set_clock(struct unit *unit, uint64_t ref, double hz)
{
	const double drift = 1 + (double)unit->options.drift_ppb / PPB,
	             speed = hz / (double)DEVICE_TICKS_PER_S;
	const uint64_t before = unit_ticks(unit, ref);

	device_run(&unit->device, before);
	unit->base_ref = ref;
	unit->base_tick = before;
	unit->clock_hz = hz;
	unit->ppb = llrint((speed * drift - 1) * PPB);
	unit->device.tick_ns = DEVICE_TICK_NS / speed;
	steady_set_time(&unit->steady);
	for (unsigned c = 0; c < DEVICE_ENDPOINTS; c++)
		unit->analog->latency[in_air(unit, c)].tick_ns = unit->device.tick_ns;
}

static void run_to(struct unit *unit, uint64_t tick)
{
	for (;;) {
		const uint64_t tx = cable_next(&unit->cables[UNIT_TX]),
		               rx = cable_next(&unit->cables[UNIT_RX]);
		const uint64_t next = tx < rx ? tx : rx;

		if (next > tick)
			break;
		device_run(&unit->device, next);
		for (int way = 0; way < UNIT_WAYS; way++)
			cable_run(&unit->cables[way], next);
	}
	device_run(&unit->device, tick);
}

void unit_run(struct unit *unit, uint64_t ref)
{
	uint64_t tick;

	if (unit->pps_ref && ref >= unit->pps_ref) {
		run_to(unit, unit_ticks(unit, unit->pps_ref));
		set_time(unit, unit->pps_ref);
		unit->pps_ref = 0;
	}
	tick = unit_ticks(unit, ref);
	if (tick > unit->device.tick && tick - unit->device.tick > unit->behind_max)
		unit->behind_max = tick - unit->device.tick;
	run_to(unit, tick);
}

static uint64_t next_tick(const struct unit *unit)
{
	uint64_t next = device_next(&unit->device);

	for (int way = 0; way < UNIT_WAYS; way++) {
		const uint64_t fault = cable_next(&unit->cables[way]);
		next = fault < next ? fault : next;
	}
	return next;
}

uint64_t unit_next(const struct unit *unit)
{
	const uint64_t next = next_tick(unit), ref = next == UINT64_MAX ? next : ref_of(unit, next);

	return unit->pps_ref && unit->pps_ref < ref ? unit->pps_ref : ref;
}

/* ---- what the device asks of us ---- */

/* Where a packet came from, as the device remembers it: SFP 16 | address 32 | port 16. */
static uint64_t to_number(unsigned transport, struct transport_address peer)
{
	return (uint64_t)transport << DEVICE_SFP_BIT | (uint64_t)peer.ip << 16 | peer.port;
}

static void flush_transport(struct unit *unit, unsigned transport)
{
	struct unit_out *out = &unit->out[transport];
	const unsigned sent =
	    out->n ? transport_send(unit->transports[transport], out->packets, out->n) : 0;

	out->full = sent < out->n;
	out->n -= sent;
	memmove(out->packets, out->packets + sent, out->n * sizeof(out->packets[0]));
}

void unit_flush(struct unit *unit)
{
	for (unsigned transport = 0; transport < UNIT_TRANSPORTS; transport++)
		flush_transport(unit, transport);
}

static void to_transport(void *self, uint64_t address, const uint8_t *bytes, size_t size)
{
	struct unit *unit = self;
	const unsigned transport = sim_sfp(address);
	struct unit_out *out = &unit->out[transport];
	struct packet *packet;

	if (size > unit->options.frame_bytes[transport]) {
		unit->too_long++;
		return;
	}
	if (out->n == TRANSPORT_BURST && !out->full)
		flush_transport(unit, transport);
	packet = &out->packets[out->n];
	if (out->n == TRANSPORT_BURST ||
	    transport_get(unit->transports[transport], packet, 1) == 0) {
		unit->wire_full++;
		return;
	}
	memcpy(packet->bytes, bytes, size);
	packet->size = (uint32_t)size;
	packet->peer = (struct transport_address){(uint32_t)(address >> 16), (uint16_t)address};
	out->n++;
}

static bool has_samples(const uint8_t *bytes, size_t size)
{
	return size >= CHDR_HEADER && bytes[6] >> 5 >= CHDR_DATA;
}

static void unit_send(void *self, uint64_t address, const uint8_t *bytes, size_t size)
{
	struct unit *unit = self;
	const bool data = has_samples(bytes, size);

	if (data && unit->options.group.ip)
		address = to_number(0, unit->options.group);
	cable_take(&unit->cables[UNIT_RX], unit->device.tick, data, address, bytes, size);
}

static uint32_t divide_of(const struct unit *unit, unsigned channel)
{
	return unit->device.endpoints[channel].radio.divide;
}

static void unit_transmit(
    void *self, unsigned channel, uint64_t tick, const uint8_t *iq, uint32_t n)
{
	struct unit *unit = self;

	analog_transmit(unit->analog, in_air(unit, channel), tick, divide_of(unit, channel), iq, n);
}

static void unit_receive(void *self, unsigned channel, uint64_t tick, uint8_t *ret_iq, uint32_t n)
{
	struct unit *unit = self;

	analog_receive(
	    unit->analog, in_air(unit, channel), tick, divide_of(unit, channel), ret_iq, n);
}

/* ---- what comes ------------------------------------------------------------------------ */

static void to_device(void *self, uint64_t address, const uint8_t *bytes, size_t size)
{
	struct unit *unit = self;

	device_take(&unit->device, address, bytes, size);
}

/* A packet that follows its predecessor after a gap says that the host has nothing to send for the
 * gap. */
static void count_answer(struct unit *unit, const uint8_t *bytes, size_t size)
{
	struct chdr_packet packet;
	struct unit_answer *answer;
	struct sim_endpoint *endpoint;
	uint64_t n;

	if (chdr_parse(bytes, size, &packet) < 0)
		return;
	endpoint = device_endpoint(&unit->device, packet.header.dst, false);
	if (endpoint == NULL)
		return;
	answer = &unit->answers[sim_channel(&unit->device, endpoint)];
	n = packet.payload_bytes / 4;
	answer->excused = packet.header.eob; /* it answers no more */
	answer->samples += n;
	if (packet.header.type != CHDR_DATA_TS)
		return;
	if (answer->next && packet.timestamp > answer->next)
		answer->samples += (packet.timestamp - answer->next) / endpoint->radio.divide;
	answer->next = packet.timestamp + n * endpoint->radio.divide;
}

static void take_packet(struct unit *unit, unsigned transport, const struct packet *packet)
{
	const bool data = has_samples(packet->bytes, packet->size);

	if (packet->size > unit->options.frame_bytes[transport]) {
		unit->too_long++;
		return;
	}
	if (data)
		count_answer(unit, packet->bytes, packet->size);
	cable_take(&unit->cables[UNIT_TX], unit->device.tick, data,
	    to_number(transport, packet->peer), packet->bytes, packet->size);
}

static bool take_burst(
    struct unit *unit, unsigned transport, uint64_t (*now)(void *self), void *self)
{
	struct packet packets[TRANSPORT_BURST];
	const bool look = unit->transports[transport] && !unit->is_quiet[transport];
	const unsigned n =
	    look ? transport_receive(unit->transports[transport], packets, TRANSPORT_BURST) : 0;

	for (unsigned i = 0; i < n; i++) {
		run_to(unit, unit_ticks(unit, now(self)));
		take_packet(unit, transport, &packets[i]);
	}
	if (n)
		transport_put(unit->transports[transport], packets, n);
	return n > 0;
}

bool unit_take(struct unit *unit, uint64_t (*now)(void *self), void *self)
{
	bool came = false;

	for (unsigned transport = 0; transport < UNIT_TRANSPORTS; transport++)
		came |= take_burst(unit, transport, now, self);
	return came;
}

/* A host learns a device's address from that of the answer. */
static int reply_socket(int which)
{
	return which < UNIT_OWN_SOCKETS ? which : 2 * (which - UNIT_OWN_SOCKETS);
}

/* One datagram of the processor's ports. */
static void datagram_answer(struct unit *unit, int which, uint64_t ref,
    const struct sockaddr_in *from, const uint8_t *bytes, size_t size)
{
	const uint64_t pulse = ref / DEVICE_TICKS_PER_S * DEVICE_TICKS_PER_S;
	struct firmware *firmware = &unit->firmware;
	const uint32_t most = unit->options.frame_bytes[reply_socket(which) / 2];
	uint8_t reply[CHDR_PACKET_MAX] = {0};
	size_t n;

	if (size > most)
		return;
	firmware->pulse_ticks = unit_ticks(unit, pulse);
	if (ports[which] == FIRMWARE_PORT)
		n = firmware_take(firmware, clock_ns(), unit_ticks(unit, ref), bytes, size, reply);
	else
		n = mtu_take(bytes, size, reply, most);
	if (n &&
	    sendto(unit->sockets[reply_socket(which)], reply, n, 0, (const struct sockaddr *)from,
	        sizeof(*from)) < 0)
		unit->reply_failed++;
	unit->device.id = firmware_id(firmware) ? firmware_id(firmware) : unit->device.id;
	if (firmware->clock.hz > 0 && firmware->clock.hz != unit->clock_hz)
		set_clock(unit, ref, firmware->clock.hz);
	if (!firmware->set_time)
		return;
	firmware->set_time = false;
	if (firmware->at_pulse)
		unit->pps_ref = pulse + DEVICE_TICKS_PER_S;
	else
		set_time(unit, ref);
}

void unit_datagrams(struct unit *unit, int which, uint64_t ref)
{
	uint8_t bytes[BUFFER_BYTES];

	for (int i = 0; i < BURST; i++) {
		struct sockaddr_in from = {0};
		socklen_t len = sizeof(from);
		const ssize_t size = recvfrom(unit->sockets[which], bytes, sizeof(bytes),
		    MSG_DONTWAIT, (struct sockaddr *)&from, &len);
		if (size < 0)
			return;
		datagram_answer(unit, which, ref, &from, bytes, (size_t)size);
	}
}

/* ---- for a clock that waits ---- */

bool unit_streams(const struct unit *unit)
{
	for (int i = 0; i < DEVICE_ENDPOINTS; i++) {
		const struct sim_radio *radio = &unit->device.endpoints[i].radio;
		if (radio->rx.running || radio->tx.phase == SIM_TX_BURST)
			return true;
	}
	return false;
}

static bool endpoint_waits(
    const struct sim_endpoint *endpoint, struct unit_answer *answer, uint64_t lead)
{
	const struct sim_rx *rx = &endpoint->radio.rx;

	if (!endpoint->input.controlled || !rx->running || answer->samples > rx->samples) {
		answer->samples = rx->samples;
		answer->next = 0;
	}
	if (rx->running && endpoint->output.started && endpoint->output.waiting)
		return true;
	if (answer->excused) /* when it does answer, that it does not owe us more than others do */
		answer->samples = rx->samples < lead ? 0 : rx->samples - lead;
	return !answer->excused && rx->samples - answer->samples >= lead;
}

bool unit_unanswered(const struct unit *unit)
{
	for (int i = 0; i < DEVICE_ENDPOINTS; i++) {
		const struct sim_endpoint *endpoint = &unit->device.endpoints[i];

		if (unit->answers[i].excused && endpoint->input.controlled &&
		    endpoint->radio.rx.running)
			return true;
	}
	return false;
}

bool unit_waits(struct unit *unit, uint64_t lead)
{
	bool waits = false;

	for (int i = 0; i < DEVICE_ENDPOINTS; i++)
		waits |= endpoint_waits(&unit->device.endpoints[i], &unit->answers[i], lead);
	return waits;
}

void unit_excuse(struct unit *unit)
{
	for (int i = 0; i < DEVICE_ENDPOINTS; i++)
		unit->answers[i].excused = true;
}

uint64_t unit_starves(const struct unit *unit)
{
	uint64_t tick = UINT64_MAX;

	if (cable_next(&unit->cables[UNIT_TX]) != UINT64_MAX)
		return UINT64_MAX; /* the host has sent what the wire holds */
	for (int i = 0; i < DEVICE_ENDPOINTS; i++) {
		const uint64_t own = unit->answers[i].excused
		    ? UINT64_MAX
		    : sim_radio_starves(&unit->device.endpoints[i]);
		tick = own < tick ? own : tick;
	}
	return tick == UINT64_MAX ? tick : ref_of(unit, tick) - 1;
}

/* ---- open and close ------------------------------------------------------------------------ */

static int bind_port(uint32_t ip, uint16_t port, int share)
{
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const struct sockaddr_in own = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(ip), .sin_port = htons(port)};
	const int whole = IP_PMTUDISC_DO; /* the device does not send fragments */

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &whole, sizeof(whole)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &share, sizeof(share)) < 0 ||
	    bind(fd, (const struct sockaddr *)&own, sizeof(own)) < 0) {
		const int error = errno;
		close(fd);
		return -error;
	}
	return fd;
}

/* The address of an SFP; 0: the kernel does not have it. */
static uint32_t address_of(const struct unit_options *options, unsigned sfp)
{
	if (sfp == 0)
		return options->ip;
	return options->sfp1 == &transport_udp ? options->sfp1_options.own.ip : 0;
}

/* A host that knows no address asks all devices of a network. Several simulators hear it; where
 * none can, its host has to know the address. */
static void open_broadcast(struct unit *unit, unsigned sfp)
{
	struct udp_interface interface = {.broadcast = 0};
	int *fd = &unit->sockets[UNIT_OWN_SOCKETS + sfp];

	if (udp_interface_find(address_of(&unit->options, sfp), &interface) == 0 &&
	    interface.broadcast != 0)
		*fd = bind_port(interface.broadcast, FIRMWARE_PORT, 1);
}

/* The processor hears both SFPs where the kernel has both. */
static int open_sockets(struct unit *unit, const struct unit_options *options, char *ret_why)
{
	for (int i = 0; i < UNIT_OWN_SOCKETS; i++) {
		const uint32_t own = address_of(options, i < UNIT_OWN_SOCKETS / 2 ? 0 : 1);
		const struct in_addr ip = {htonl(own)};
		char text[INET_ADDRSTRLEN] = "";

		if (own == 0)
			break;
		unit->sockets[i] = bind_port(own, ports[i], 0);
		if (unit->sockets[i] >= 0)
			continue;
		inet_ntop(AF_INET, &ip, text, sizeof(text));
		snprintf(ret_why, TRANSPORT_WHY, "%s: UDP port %u: %s", text, ports[i],
		    strerror(-unit->sockets[i]));
		return unit->sockets[i];
	}
	for (unsigned sfp = 0; sfp < DEVICE_SFPS; sfp++)
		if (address_of(options, sfp) != 0)
			open_broadcast(unit, sfp);
	return 0;
}

static int open_transports(struct unit *unit, const struct unit_options *options, char *ret_why)
{
	struct transport_options sfp0 = {
	    .own = {options->ip, CHDR_PORT}, .packets = BUFFERS, .packet_bytes = BUFFER_BYTES};
	struct transport_options sfp1 = options->sfp1_options;
	int rc = transport_open(&transport_udp, &sfp0, ret_why, &unit->transports[0]);

	if (rc < 0 || options->sfp1 == NULL)
		return rc;
	sfp1.own.port = CHDR_PORT;
	sfp1.packets = BUFFERS;
	sfp1.packet_bytes = sfp1.packet_bytes ? sfp1.packet_bytes : BUFFER_BYTES;
	return transport_open(options->sfp1, &sfp1, ret_why, &unit->transports[1]);
}

int unit_open(
    struct unit *unit, const struct unit_options *options, struct analog *analog, char *ret_why)
{
	const struct device_io io = {unit_send, unit_transmit, unit_receive, unit};
	char serial[16];

	struct firmware_options firmware = {.ip = options->ip,
	    .sfp1_ip = address_of(options, 1),
	    .is_4_9 = options->device.stop_supported,
	    .is_hg = options->is_hg,
	    .name = "x310sim",
	    .serial = serial};
	int rc;

	*unit = (struct unit){.options = *options,
	    .analog = analog,
	    .sockets = {-1, -1, -1, -1, -1, -1},
	    .clock_hz = DEVICE_TICKS_PER_S,
	    .ppb = options->drift_ppb};
	snprintf(serial, sizeof(serial), "SIM%04u", options->number + 1);
	device_init(&unit->device, &options->device, &io);
	firmware.fpga = unit->device.options.fpga;
	firmware_init(&unit->firmware, &firmware);
	unit->firmware.board.fitted = options->device.daughterboard;
	cable_init(&unit->cables[UNIT_TX], &options->faults[UNIT_TX], to_device, unit);
	cable_init(&unit->cables[UNIT_RX], &options->faults[UNIT_RX], to_transport, unit);
	rc = open_sockets(unit, options, ret_why);
	return rc == 0 ? open_transports(unit, options, ret_why) : rc;
}

void unit_close(struct unit *unit)
{
	for (int i = 0; i < UNIT_SOCKETS; i++)
		if (unit->sockets[i] >= 0)
			close(unit->sockets[i]);
	for (unsigned i = 0; i < UNIT_TRANSPORTS; i++)
		transport_close(unit->transports[i]);
	for (int way = 0; way < UNIT_WAYS; way++)
		cable_fini(&unit->cables[way]);
	device_fini(&unit->device);
}
