/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One channel of the radio: what it plays and when, what it records, and what it says of itself
 * (radio_tx_core, radio_rx_core). */
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "tools/x310sim/device.h"

enum { SPP_MAX = 2044, IQ_BYTES = 4 };

enum { TX_UNDERRUN = 1, TX_LATE = 2, TX_BURST_END = 3, RX_LATE = 1, RX_OVERRUN = 2 };

void sim_radio_init(struct sim_radio *radio, const struct radio_registers *map, uint32_t divide)
{
	*radio = (struct sim_radio){.spp = SPP_MAX, .divide = divide ? divide : 1, .map = map};
	radio->registers[map->rx_has_time / 4] = 1;
}

void sim_radio_fini(struct sim_radio *radio)
{
	free(radio->tx.packet);
	radio->tx.packet = NULL;
}

void sim_radio_reset(struct sim_radio *radio)
{
	sim_radio_fini(radio);
	radio->tx.playing = false;
	radio->tx.phase = SIM_TX_IDLE;
	radio->rx.n_commands = 0;
	radio->rx.running = radio->rx.blocked = false;
	radio->n_messages = 0;
	radio->awaits_ack = false;
	radio->ctrl_seq = 0;
	radio->spp = SPP_MAX;
	memset(radio->registers, 0, sizeof(radio->registers));
	radio->registers[radio->map->rx_has_time / 4] = 1;
}

/* ---- messages ------------------------------------------------------------------------ */

/* Port, remote port, remote endpoint and address, of the message at the head. */
static const uint32_t *error_registers(const struct sim_radio *radio)
{
	const struct radio_registers *map = radio->map;

	return &radio->registers[(radio->messages[0].address ? map->rx_error : map->tx_error) / 4];
}

uint32_t sim_radio_told(const struct sim_radio *radio)
{
	return error_registers(radio)[3] & 0xfffff; /* 20 bits are sent */
}

static void send_message(struct device *device, struct sim_endpoint *endpoint)
{
	struct sim_radio *radio = &endpoint->radio;
	const struct sim_message *message = &radio->messages[0];
	const uint32_t *to = error_registers(radio);
	const struct chdr_ctrl ctrl = {
	    .dst_port = (uint16_t)to[1],
	    .src_port = (uint16_t)to[1],
	    .src = device_control(device),
	    .seq = radio->ctrl_seq++ & 63,
	    .n_data = 1,
	    .has_time = true,
	    .op = CHDR_CTRL_WRITE,
	    .byte_enable = 15,
	    .address = to[3],
	    .time = message->tick,
	    .data = {message->code},
	};
	uint8_t bytes[CHDR_CTRL_BYTES_MAX];

	radio->awaits_ack = true;
	device_send(device, bytes,
	    chdr_ctrl_write(
	        bytes, (uint16_t)to[2], device->ctrl_seq++, device->options.fpga->ctrl, &ctrl));
}

/* `rx` in the address tells the two kinds apart until it is acknowledged. */
static void message_say(
    struct device *device, struct sim_endpoint *endpoint, bool rx, uint32_t code, uint64_t tick)
{
	struct sim_radio *radio = &endpoint->radio;

	if (!rx && radio->n_messages >= DEVICE_MESSAGES) {
		radio->lost_messages++;
		return;
	}
	radio->messages[radio->n_messages++] = (struct sim_message){rx, code, tick};
	if (!radio->awaits_ack)
		send_message(device, endpoint);
}

void sim_radio_acked(struct device *device, struct sim_endpoint *endpoint)
{
	struct sim_radio *radio = &endpoint->radio;

	if (!radio->awaits_ack)
		return;
	radio->awaits_ack = false;
	if (radio->messages[0].address)
		radio->rx.blocked = false;
	radio->n_messages--;
	memmove(
	    radio->messages, radio->messages + 1, radio->n_messages * sizeof(radio->messages[0]));
	if (radio->n_messages)
		send_message(device, endpoint);
}

/* ---- Tx ------------------------------------------------------------------------ */

/* Up to a tick; of more than a second, which only a wrong timestamp asks for, the first second. */
static void play_zeros(struct device *device, struct sim_endpoint *endpoint, uint64_t until)
{
	static const uint8_t zeros[SPP_MAX * IQ_BYTES];
	const uint64_t divide = endpoint->radio.divide, second = DEVICE_TICKS_PER_S / divide;
	struct sim_tx *tx = &endpoint->radio.tx;
	uint64_t tick = tx->tick, n = until > tick ? (until - tick) / divide : 0;

	tx->tick += n * divide;
	tx->zeros += n;
	for (n = n < second ? n : second; n > 0;) {
		const uint32_t part = n < SPP_MAX ? (uint32_t)n : SPP_MAX;

		device->io.transmit(
		    device->io.self, sim_channel(device, endpoint), tick, zeros, part);
		tick += part * divide;
		n -= part;
	}
}

static void packet_play(
    struct device *device, struct sim_endpoint *endpoint, const struct chdr_packet *packet)
{
	struct sim_radio *radio = &endpoint->radio;
	const uint32_t n = (uint32_t)(packet->payload_bytes / IQ_BYTES);

	if (radio->tx.phase == SIM_TX_IDLE)
		radio->tx.tick = device->tick;
	device->io.transmit(
	    device->io.self, sim_channel(device, endpoint), radio->tx.tick, packet->payload, n);
	radio->tx.tick += (uint64_t)n * radio->divide;
	radio->tx.samples += n;
	radio->tx.played++;
	radio->tx.playing = true;
	radio->tx.phase = SIM_TX_BURST;
}

static void packet_drop(struct sim_tx *tx)
{
	free(tx->packet);
	tx->packet = NULL;
	tx->playing = false;
}

static void end_burst(struct device *device, struct sim_endpoint *endpoint)
{
	struct sim_tx *tx = &endpoint->radio.tx;

	tx->phase = SIM_TX_IDLE;
	tx->bursts++;
	message_say(device, endpoint, false, TX_BURST_END, tx->tick);
}

static void packet_played(
    struct device *device, struct sim_endpoint *endpoint, const struct chdr_packet *packet)
{
	const bool end = packet->header.eob;

	packet_drop(&endpoint->radio.tx);
	if (end)
		end_burst(device, endpoint);
}

static void tx_underrun(struct device *device, struct sim_endpoint *endpoint)
{
	struct sim_tx *tx = &endpoint->radio.tx;

	tx->phase = SIM_TX_IDLE;
	tx->underruns++;
	message_say(device, endpoint, false, TX_UNDERRUN, tx->tick);
}

static void tx_late(struct device *device, struct sim_endpoint *endpoint, uint64_t tick)
{
	struct sim_tx *tx = &endpoint->radio.tx;

	tx->late++;
	message_say(device, endpoint, false, TX_LATE, tick);
	packet_drop(tx);
}

/* The device that fills gaps: a packet within a burst has its place by its timestamp or, without
 * one, by its sequence. */
static uint64_t place_of(const struct sim_radio *radio, const struct chdr_packet *packet)
{
	const uint64_t n = packet->payload_bytes / IQ_BYTES;

	if (packet->header.type == CHDR_DATA_TS)
		return packet->timestamp;
	return radio->tx.tick + radio->tx.packet->missing * n * radio->divide;
}

/* It is played there; what is missing before it is zeros. Where its place has gone by it is late,
 * and zeros as well. */
static bool play_in_place(struct device *device, struct sim_endpoint *endpoint,
    const struct chdr_packet *packet, uint64_t tick)
{
	const uint64_t n = packet->payload_bytes / IQ_BYTES, divide = endpoint->radio.divide;
	const uint64_t place = place_of(&endpoint->radio, packet);
	struct sim_tx *tx = &endpoint->radio.tx;
	const uint64_t earliest = tx->tick + (tick - tx->tick + divide - 1) / divide * divide;
	const bool end = packet->header.eob;

	if (place > tick && place >= earliest)
		return false;
	if (place >= earliest) {
		play_zeros(device, endpoint, place);
		packet_play(device, endpoint, packet);
		return true;
	}
	play_zeros(device, endpoint, place + n * divide);
	tx_late(device, endpoint, tick);
	if (end)
		end_burst(device, endpoint);
	return true;
}

/* One thing that is due at `tick`; false: nothing is. */
static bool tx_step(struct device *device, struct sim_endpoint *endpoint, uint64_t tick)
{
	struct sim_tx *tx = &endpoint->radio.tx;
	struct chdr_packet packet;
	bool timed;

	if (tx->phase == SIM_TX_BURST && tick < tx->tick)
		return false;
	if (tx->packet == NULL)
		tx->packet = sim_input_next(device, endpoint, tick);
	if (tx->packet == NULL) {
		if (tx->phase == SIM_TX_IDLE || device->options.zeros)
			return false;
		tx_underrun(device, endpoint);
		return true;
	}
	/* was parsed before it was queued */
	chdr_parse(tx->packet->bytes, tx->packet->size, &packet);
	timed = tx->phase == SIM_TX_IDLE && packet.header.type == CHDR_DATA_TS;
	if (tx->playing) {
		packet_played(device, endpoint, &packet);
	} else if (tx->phase == SIM_TX_BURST && device->options.zeros) {
		return play_in_place(device, endpoint, &packet, tick);
	} else if (timed && packet.timestamp > tick) {
		return false;
	} else if (timed && packet.timestamp < tick) {
		tx_late(device, endpoint, tick);
	} else {
		packet_play(device, endpoint, &packet);
	}
	return true;
}

static uint64_t tx_next(const struct device *device, const struct sim_radio *radio)
{
	const struct sim_tx *tx = &radio->tx;
	struct chdr_packet packet;

	if (tx->phase == SIM_TX_BURST &&
	    (tx->packet == NULL || tx->playing || !device->options.zeros))
		return tx->tick;
	if (tx->packet == NULL || chdr_parse(tx->packet->bytes, tx->packet->size, &packet) < 0)
		return UINT64_MAX;
	return tx->phase == SIM_TX_BURST ? place_of(radio, &packet) : packet.timestamp;
}

/* ---- Rx ------------------------------------------------------------------------ */

/* A packet of the samples from rx->tick on. */
static void packet_record(
    struct device *device, struct sim_endpoint *endpoint, uint32_t n, bool end)
{
	struct sim_radio *radio = &endpoint->radio;
	const bool timed = radio->registers[radio->map->rx_has_time / 4] & 1;
	const struct chdr_packet packet = {
	    .header = {.type = timed ? CHDR_DATA_TS : CHDR_DATA, .eob = end},
	    .timestamp = radio->rx.tick};
	uint8_t bytes[CHDR_PACKET_MAX];
	const size_t at = chdr_write(bytes, &packet, n * IQ_BYTES);

	device->io.receive(
	    device->io.self, sim_channel(device, endpoint), radio->rx.tick, bytes + at, n);
	if (!sim_output_data(device, endpoint, bytes, at + n * IQ_BYTES)) {
		radio->rx.overruns++;
		radio->rx.blocked = true;
		radio->rx.running = false;
		message_say(device, endpoint, true, RX_OVERRUN, radio->rx.tick);
		return;
	}
	radio->rx.tick += (uint64_t)n * radio->divide;
	radio->rx.samples += n;
	radio->rx.left -= radio->rx.finite ? n : 0;
	if (end)
		radio->rx.running = false;
}

static uint32_t rx_packet(const struct sim_radio *radio)
{
	return radio->rx.finite && radio->rx.left < radio->spp ? (uint32_t)radio->rx.left
	                                                       : radio->spp;
}

static void pop_command(struct sim_rx *rx)
{
	rx->n_commands--;
	memmove(rx->commands, rx->commands + 1, rx->n_commands * sizeof(rx->commands[0]));
}

/* The command at the head of the queue, if it is due. */
static bool rx_command(struct device *device, struct sim_endpoint *endpoint, uint64_t tick)
{
	struct sim_radio *radio = &endpoint->radio;
	struct sim_rx *rx = &radio->rx;
	const struct sim_command command = rx->commands[0];

	if (!rx->n_commands || rx->blocked || (command.timed && command.time > tick))
		return false;
	if (rx->running && command.mode != 0)
		return false;
	pop_command(rx);
	if (command.mode == 0) {
		const uint32_t n = rx->running ? (uint32_t)((tick - rx->tick) / radio->divide) : 0;
		if (n)
			packet_record(device, endpoint, n, true);
		rx->running = false;
	} else if (command.timed && command.time < tick) {
		rx->late++;
		rx->blocked = true;
		message_say(device, endpoint, true, RX_LATE, tick);
	} else {
		rx->running = true;
		rx->finite = command.mode == 1;
		rx->left = command.words / radio->divide;
		rx->tick = tick;
		rx->running = !rx->finite || rx->left;
	}
	return true;
}

static bool rx_step(struct device *device, struct sim_endpoint *endpoint, uint64_t tick)
{
	struct sim_radio *radio = &endpoint->radio;
	const uint32_t n = rx_packet(radio);

	if (radio->rx.running && radio->rx.tick + (uint64_t)n * radio->divide <= tick) {
		packet_record(device, endpoint, n, radio->rx.finite && n == radio->rx.left);
		return true;
	}
	return rx_command(device, endpoint, tick);
}

static uint64_t rx_next(const struct sim_radio *radio)
{
	const struct sim_rx *rx = &radio->rx;
	uint64_t next = UINT64_MAX;

	if (rx->running)
		next = rx->tick + (uint64_t)rx_packet(radio) * radio->divide;
	if (rx->n_commands && !rx->blocked && rx->commands[0].timed &&
	    !(rx->running && rx->commands[0].mode) && rx->commands[0].time < next)
		next = rx->commands[0].time;
	return next;
}

/* ---- both ------------------------------------------------------------------------ */

void sim_radio_run(struct device *device, struct sim_endpoint *endpoint, uint64_t tick)
{
	while (rx_step(device, endpoint, tick))
		;
	while (tx_step(device, endpoint, tick))
		;
}

uint64_t sim_radio_next(const struct device *device, const struct sim_endpoint *endpoint)
{
	const uint64_t tx = tx_next(device, &endpoint->radio), rx = rx_next(&endpoint->radio);
	const uint64_t next = tx < rx ? tx : rx;

	return next > device->tick ? next : UINT64_MAX; /* what was due has been done */
}

uint64_t sim_radio_starves(const struct sim_endpoint *endpoint)
{
	const struct sim_tx *tx = &endpoint->radio.tx;
	struct chdr_packet packet;

	if (tx->phase != SIM_TX_BURST || endpoint->input.queue.first != NULL ||
	    endpoint->input.phase != SIM_INPUT_IDLE)
		return UINT64_MAX;
	if (tx->packet != NULL &&
	    (!tx->playing || chdr_parse(tx->packet->bytes, tx->packet->size, &packet) < 0 ||
	        packet.header.eob))
		return UINT64_MAX;
	return tx->tick;
}

uint32_t sim_radio_read(const struct sim_radio *radio, uint32_t offset)
{
	if (offset == RADIO_WIDTH)
		return 32u << 16 | 1;
	if (offset == radio->map->rx_status)
		return DEVICE_COMMANDS - radio->rx.n_commands;
	return radio->registers[offset % SIM_REGISTERS / 4];
}

/* A stop goes before all that wait, and they are gone. */
static void push_command(struct sim_radio *radio, uint32_t value)
{
	const uint32_t *time = &radio->registers[radio->map->rx_time / 4],
	               *words = &radio->registers[radio->map->rx_words / 4];

	if ((value & 3) == 0)
		radio->rx.n_commands = 0;
	if (radio->rx.n_commands == DEVICE_COMMANDS)
		return;
	radio->rx.commands[radio->rx.n_commands++] = (struct sim_command){
	    .mode = value & 3,
	    .timed = value >> 31,
	    .time = time[0] | (uint64_t)time[1] << 32,
	    .words = words[0] | (uint64_t)words[1] << 32,
	};
}

void sim_radio_write(struct sim_radio *radio, uint32_t offset, uint32_t value)
{
	radio->registers[offset % SIM_REGISTERS / 4] = value;
	if (offset == radio->map->rx_cmd)
		push_command(radio, value);
	if (offset == radio->map->rx_spp && value >= 1 && value <= SPP_MAX)
		radio->spp = value;
}
