/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What of x310sim no stream touches: the device's processor against the vectors, its registers that
 * say what there is, and what lies behind its antennas. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/bytes.h"
#include "tests/common/x310_vectors.h"
#include "tools/x310sim/analog.h"
#include "tools/x310sim/counts.h"

enum { IP = 0x7f000002, CONTROL = 1, DEVICE = 2, PEEK = 9, POKE = 5 };

/* ---- the processor ------------------------------------------------------------------------ */

static struct firmware processor(void)
{
	struct firmware firmware;

	firmware_init(&firmware,
	    &(struct firmware_options){
	        &x310_fpgas[0], .ip = IP, .name = "x310sim", .serial = "SIM0001"});
	return firmware;
}

static void firmware_vectors(void **state)
{
	static const char *const names[][2] = {{"fw_peek_compat_req", "fw_peek_compat_reply"},
	    {"fw_poke_chdr_port_req", "fw_poke_chdr_port_reply"}};
	struct firmware firmware = processor();

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		uint8_t request[X310_VECTOR_MAX], want[X310_VECTOR_MAX], reply[FIRMWARE_BYTES];
		const size_t size = x310_vector(names[i][0], request);

		assert_int_equal(x310_vector(names[i][1], want), FIRMWARE_BYTES);
		assert_int_equal(
		    firmware_take(&firmware, 0, 0, request, size, reply), FIRMWARE_BYTES);
		assert_memory_equal(reply, want, FIRMWARE_BYTES);
		/* cut short */
		assert_int_equal(firmware_take(&firmware, 0, 0, request, size - 1, reply), 0);
	}
}

static void mtu_vectors(void **state)
{
	uint8_t request[X310_VECTOR_MAX], want[X310_VECTOR_MAX], reply[X310_VECTOR_MAX] = {0};
	const size_t size = x310_vector("mtu_echo_request_64", request);

	(void)state;
	assert_int_equal(x310_vector("mtu_echo_reply_64", want), 64);
	assert_int_equal(mtu_take(request, size, reply, sizeof(reply)), 64);
	assert_memory_equal(reply, want, 64);
	put_be32(request + 4, 8000); /* more than there is room for */
	assert_int_equal(mtu_take(request, size, reply, 100), 100);
	assert_int_equal(get_be32(reply + 4), size); /* what arrived here */
	put_be32(request + 4, 0);
	assert_int_equal(mtu_take(request, size, reply, sizeof(reply)), 8);
	assert_int_equal(mtu_take(request, 7, reply, sizeof(reply)), 0);
	/* a reply asks as well: both flags are set */
	assert_int_equal(mtu_take(want, size, reply, sizeof(reply)), 64);
	put_be32(request, 2);
	assert_int_equal(mtu_take(request, size, reply, sizeof(reply)), 0);
}

static uint32_t access_word(
    struct firmware *firmware, uint64_t now_ns, uint32_t flags, uint32_t address, uint32_t value)
{
	uint8_t request[FIRMWARE_BYTES], reply[FIRMWARE_BYTES];

	put_be32(request, flags);
	put_be32(request + 4, 7);
	put_be32(request + 8, address);
	put_be32(request + 12, value);
	assert_int_equal(
	    firmware_take(firmware, now_ns, 0x123456789aull, request, sizeof(request), reply),
	    FIRMWARE_BYTES);
	assert_int_equal(get_be32(reply + 4), 7);
	return get_be32(reply + 12);
}

/* A host claims the device for two seconds at a time; the addresses that it reads must have the one
 * in use. */
static void the_processor_knows_its_device(void **state)
{
	struct firmware firmware = processor();
	bool found = false;

	(void)state;
	assert_int_equal(access_word(&firmware, 0, PEEK, 0x6000, 0), 0x00060000);
	assert_int_equal(access_word(&firmware, 0, PEEK, 0xa190, 0), 0x3456789a); /* time */
	assert_int_equal(access_word(&firmware, 0, PEEK, 0xa1a0, 0), 0x12);
	assert_int_equal(access_word(&firmware, 0, PEEK, 0x6000 + 4 * 5, 0), 0);
	access_word(&firmware, 1000, POKE, 0x6000 + 4 * 7, 0xabcd);
	assert_int_equal(access_word(&firmware, 1999999999, PEEK, 0x6000 + 4 * 5, 0), 1);
	assert_int_equal(access_word(&firmware, 2000001000, PEEK, 0x6000 + 4 * 5, 0), 0);
	for (uint32_t n = 13; n < 13 + EEPROM_BYTES / 4; n++)
		found |= access_word(&firmware, 0, PEEK, 0x6000 + 4 * n, 0) == IP;
	assert_true(found);
	assert_int_equal(access_word(&firmware, 0, PEEK, 0xff10, 0), 0x80); /* I2C: nobody there */
	access_word(&firmware, 0, POKE, 0xa000 + 4 * 108, 77);
	access_word(&firmware, 0, POKE, 0xa000 + 4 * 112, 1);
	assert_false(firmware.set_time);
	access_word(&firmware, 0, POKE, 0xa000 + 4 * 116, 1);
	assert_true(firmware.set_time && !firmware.at_pulse);
	access_word(&firmware, 0, POKE, 0xa000 + 4 * 116, 2);
	assert_true(firmware.set_time && firmware.at_pulse);
	firmware.pulse_ticks = 5ull << 32 | 6;
	assert_int_equal(access_word(&firmware, 0, PEEK, 0xa000 + 4 * 120, 0), 6);
	assert_int_equal(access_word(&firmware, 0, PEEK, 0xa000 + 4 * 124, 0), 5);
	assert_int_equal(firmware_id(&firmware), 0);
	access_word(&firmware, 0, POKE, 0xa000 + 4 * 3, 9);
	assert_int_equal(firmware_id(&firmware), 9);
	assert_true(firmware.event_ticks == (1ull << 32 | 77));
	firmware_init(&firmware,
	    &(struct firmware_options){
	        &x310_fpgas[0], .is_4_9 = true, .ip = IP, .name = "x310sim", .serial = "SIM0001"});
	/* of UHD 4.9 */
	assert_int_equal(access_word(&firmware, 0, PEEK, 0xa000 + 4 * 6, 0), 0x00270003);
	assert_int_equal(access_word(&firmware, 0, PEEK, 0x6000, 0), 0x00060001);
}

/* HG: 1 Gbit/s on SFP0, XG: 10; SFP1 has 10 in both. The EEPROM tells UHD which address is whose:
 * 0 and 2 are of SFP0, 3 is of SFP1. */
static void images_and_their_ports(void **state)
{
	static const uint32_t info[X310_FPGAS] = {0x00400100, 0x00400100, 0x00400200};
	const uint32_t eeprom = 0x6000 + 4 * 13;

	(void)state;
	for (int i = 0; i < 2 * X310_FPGAS; i++) {
		const struct firmware_options options = {.fpga = &x310_fpgas[i / 2],
		    .is_hg = i % 2,
		    .ip = IP,
		    .sfp1_ip = IP + 1,
		    .name = "x310sim",
		    .serial = "SIM0001"};
		struct firmware firmware;

		firmware_init(&firmware, &options);
		assert_int_equal(access_word(&firmware, 0, PEEK, 0xa000 + 4 * 4, 0), i % 2 == 0);
		assert_int_equal(access_word(&firmware, 0, PEEK, 0xa000 + 4 * 5, 0), 1);
		assert_int_equal(access_word(&firmware, 0, PEEK, 0xa000 + 4 * 7, 0), info[i / 2]);
		assert_int_equal(
		    access_word(&firmware, 0, PEEK, eeprom + 44 + (i % 2 ? 0 : 8), 0), IP);
		assert_int_equal(access_word(&firmware, 0, PEEK, eeprom + 44 + 12, 0), IP + 1);
	}
}

/* ---- client zero ------------------------------------------------------------------------ */

struct host {
	struct device device;
	struct chdr_ctrl answer;
	unsigned answers;
};

static void take_answer(void *self, uint64_t address, const uint8_t *bytes, size_t size)
{
	struct host *host = self;
	struct chdr_packet packet;

	assert_int_equal(address, 77);
	assert_int_equal(chdr_parse(bytes, size, &packet), 0);
	if (packet.header.type == CHDR_CTRL) {
		assert_int_equal(chdr_ctrl_parse(&packet, CHDR_V1, &host->answer), 0);
		host->answers++;
	}
}

static void ask(
    struct host *host, enum chdr_ctrl_op op, uint16_t port, uint32_t address, uint32_t value)
{
	const struct chdr_ctrl ctrl = {.dst_port = port,
	    .src_port = port,
	    .src = CONTROL,
	    .seq = 5,
	    .n_data = 1,
	    .op = (uint8_t)op,
	    .byte_enable = 15,
	    .address = address,
	    .data = {value}};
	uint8_t bytes[CHDR_CTRL_BYTES_MAX];
	const unsigned before = host->answers;

	device_take(&host->device, 77, bytes, chdr_ctrl_write(bytes, DEVICE, 0, CHDR_V1, &ctrl));
	assert_int_equal(host->answers, before + 1);
	assert_true(host->answer.ack && host->answer.seq == 5 && host->answer.address == address);
	assert_true(host->answer.src_port == port && host->answer.dst_port == port);
}

static uint32_t read_register(struct host *host, uint16_t port, uint32_t address)
{
	ask(host, CHDR_CTRL_READ, port, address, 0);
	assert_int_equal(host->answer.status, CHDR_CTRL_OKAY);
	return host->answer.data[0];
}

static void host_init(struct host *host)
{
	const struct device_options options = {.capacity = DEVICE_CAPACITY, .divide = 2};
	const struct device_io io = {.send = take_answer, .self = host};
	const struct endpoint own = {CONTROL, 0, DEVICE, DEVICE_FIRST_PORT, true, 0x0100};
	uint8_t bytes[CHDR_MGMT_BYTES_MAX];
	struct request request;

	*host = (struct host){.answers = 0};
	device_init(&host->device, &options, &io);
	request_advertise(&request, &own);
	device_take(&host->device, 77, bytes, chdr_mgmt_write(bytes, 0, 0, &request.message));
	request_claim(&request, &own);
	device_take(&host->device, 77, bytes, chdr_mgmt_write(bytes, 0, 1, &request.message));
}

/* An edge says source slot and port, destination slot and port. Slots: 1 .. 4 endpoints, then DUC,
 * DDC, radio of each. */
static void has_edge(
    struct host *host, unsigned from, unsigned from_port, unsigned to, unsigned to_port)
{
	const uint32_t n = read_register(host, 0, 0x10000);
	unsigned found = 0;

	for (uint32_t i = 1; i <= n; i++)
		found += read_register(host, 0, 0x10000 + 4 * i) ==
		    (from << 22 | from_port << 16 | to << 6 | to_port);
	assert_int_equal(found, 1);
}

static void client_zero(void **state)
{
	static const uint32_t ids[] = {
	    0xd0c00000, 0xddc00000, 0x12ad1000, 0xd0c00000, 0xddc00000, 0x12ad1000};
	struct host host;

	(void)state;
	host_init(&host);
	assert_int_equal(read_register(&host, 0, 0x00), 0x12c60100);
	assert_int_equal(
	    read_register(&host, 0, 0x04), 1u << 31 | 1u << 30 | 3 << 20 | 6 << 10 | 4);
	assert_int_equal(read_register(&host, 0, 0x08), 12);
	assert_int_equal(read_register(&host, 0, 0x0c) >> 16, 0xa300);
	assert_int_equal(read_register(&host, 0, 0x10), 1);
	for (uint32_t i = 0; i < 6; i++) {
		const uint32_t slot = (5 + i) * 0x40, info = read_register(&host, 0, slot);

		assert_int_equal(info & 0x3f, 1);                        /* protocol */
		assert_int_equal(info >> 6 & 0x3f, i % 3 == 0 ? 1 : 2);  /* inputs */
		assert_int_equal(info >> 18 & 0x3f, i % 3 == 2 ? 9 : 6); /* its queue of requests */
		assert_int_equal(read_register(&host, 0, slot + 4), ids[i]);
		/* flushed; 1024 words */
		assert_int_equal(read_register(&host, 0, slot + 8) & 0xfe, 1 << 1 | 10 << 2);
	}
	assert_int_equal(read_register(&host, 0, 11 * 0x40 + 4), 0);
	has_edge(&host, 1, 0, 5, 0); /* endpoint, DUC, radio, DDC, endpoint */
	has_edge(&host, 5, 0, 7, 0);
	has_edge(&host, 7, 0, 6, 0);
	has_edge(&host, 6, 1, 2, 0);
	has_edge(&host, 10, 1, 9, 1);
	device_fini(&host.device);
}

static void blocks_and_their_ports(void **state)
{
	struct host host;

	(void)state;
	host_init(&host);
	assert_int_equal(read_register(&host, 4, 0x0), 1); /* radio: register map v0 */
	assert_int_equal(read_register(&host, 4, 0x1010), DEVICE_COMMANDS);
	assert_int_equal(read_register(&host, 3, 0x8), 3);
	ask(&host, CHDR_CTRL_WRITE, 3, 0x400, 200);
	assert_int_equal(host.device.endpoints[0].radio.divide, 200);
	ask(&host, CHDR_CTRL_WRITE, 6, 0xc00, 4);
	assert_int_equal(host.device.endpoints[3].radio.divide, 4);
	ask(&host, CHDR_CTRL_READ, 8, 0x0, 0); /* no block there */
	assert_int_equal(host.answer.status, CHDR_CTRL_CMDERR);
	ask(&host, CHDR_CTRL_POLL, 4, 0x0, 0);
	assert_int_equal(host.answer.status, CHDR_CTRL_CMDERR);
	device_fini(&host.device);
}

/* ---- behind the antennas ---- */

static void numbered(uint8_t *iq, uint32_t n, uint32_t first)
{
	for (uint32_t i = 0; i < n; i++)
		put_le32(iq + 4 * i, first + i);
}

static int open_analog(struct analog *analog, const char *source, const char *record)
{
	const struct analog_options options = {.source = source, .record = record};

	return analog_open(analog, &options);
}

/* The wire has no delay: a sample is heard at the tick at which it was played, once, by its own
 * channel. */
static void a_loop(void **state)
{
	uint8_t out[400], in[400], none[400] = {0};
	struct analog analog;

	(void)state;
	assert_int_equal(open_analog(&analog, "loop", NULL), 0);
	numbered(out, 100, 1);
	analog_transmit(&analog, 1, 2000, 2, out, 100);
	analog_receive(&analog, 0, 2000, 2, in, 100);
	assert_memory_equal(in, none, 400);
	analog_receive(&analog, 1, 1900, 2, in, 100); /* half of it lies in the silence before */
	assert_memory_equal(in, none, 200);
	assert_memory_equal(in + 200, out, 200);
	analog_receive(&analog, 1, 2100, 2, in, 100);
	assert_memory_equal(in, out + 200, 200);
	assert_memory_equal(in + 200, none, 200);
	analog_receive(&analog, 1, 2000, 2, in, 100);
	assert_memory_equal(in, none, 400);
	assert_int_equal(analog_close(&analog), 0);
}

/* Across the end of its memory. */
static void a_loop_goes_round(void **state)
{
	const uint64_t tick = 2ull * (ANALOG_RING - 50);
	uint8_t out[400], in[400];
	struct analog analog;

	(void)state;
	assert_int_equal(open_analog(&analog, "loop", NULL), 0);
	numbered(out, 100, 1);
	analog_transmit(&analog, 3, tick, 2, out, 100);
	analog_receive(&analog, 3, tick, 2, in, 100);
	assert_memory_equal(in, out, 400);
	assert_int_equal(analog_close(&analog), 0);
}

/* Whatever part of it is asked for. */
static void a_tone(void **state)
{
	uint8_t all[400], part[400];
	struct analog analog;

	(void)state;
	assert_int_equal(open_analog(&analog, "tone", NULL), 0);
	analog_receive(&analog, 0, 0, 2, all, 100);
	assert_true(get_le16(all) == 8192 && get_le16(all + 2) == 0 && get_le16(all + 16) == 0 &&
	    get_le16(all + 18) == 8192);
	assert_memory_equal(all, all + 64, 336);
	for (uint32_t from = 0; from < 40; from++) {
		analog_receive(&analog, 0, 2ull * from, 2, part, 37);
		assert_memory_equal(part, all + 4 * from, 4 * 37);
	}
	assert_int_equal(analog_close(&analog), 0);
}

static void files(void **state)
{
	char source[] = "/tmp/x310sim-source-XXXXXX", record[] = "/tmp/x310sim-record-XXXXXX";
	const int in = mkstemp(source), to = mkstemp(record);
	uint8_t samples[40], got[100], none[100] = {0};
	struct analog analog;

	(void)state;
	numbered(samples, 10, 1);
	assert_int_equal(write(in, samples, 40), 40);
	assert_int_equal(open_analog(&analog, source, record), 0);
	analog_receive(&analog, 0, 0, 2, got, 25); /* 10, 10 again, then no more */
	assert_memory_equal(got, samples, 40);
	assert_memory_equal(got + 40, samples, 40);
	assert_memory_equal(got + 80, none, 20);
	assert_int_equal(analog.read_short, 5);
	analog_transmit(&analog, 0, 0, 2, samples, 10);
	analog_transmit(&analog, 1, 0, 2, samples, 10);
	assert_int_equal(analog_close(&analog), 0);
	assert_int_equal(read(to, got, 100), 40);
	assert_memory_equal(got, samples, 40);
	close(in);
	close(to);
	unlink(source);
	unlink(record);
}

static void files_that_are_not_there(void **state)
{
	struct analog analog;

	(void)state;
	assert_int_equal(open_analog(&analog, "/proc/nowhere/source", NULL), -ENOENT);
	assert_string_equal(analog.failed, "/proc/nowhere/source");
	assert_int_equal(open_analog(&analog, "loop", "/proc/nowhere/record"), -ENOENT);
	assert_string_equal(analog.failed, "/proc/nowhere/record");
	assert_int_equal(
	    open_analog(&analog, "tests/vectors/x310/chdr.txt", "/proc/nowhere/record"), -ENOENT);
	assert_string_equal(analog.failed, "/proc/nowhere/record");
}

/* A stop ends what waits to start, as radio_rx_core does, and what comes behind it starts. */
static void a_stop_ends_what_waits(void **state)
{
	enum { STATUS = 0x10, COMMAND = 0x14, TIME_LOW = 0x20, CONTINUOUS_AT = (int)0x80000002 };
	struct device *device = calloc(1, sizeof(*device));
	struct sim_endpoint *endpoint;

	(void)state;
	assert_non_null(device);
	endpoint = &device->endpoints[0];
	sim_radio_init(&endpoint->radio, x310_fpgas[0].radio, 1);
	sim_radio_write(&endpoint->radio, TIME_LOW, 1000);
	sim_radio_write(&endpoint->radio, COMMAND, (uint32_t)CONTINUOUS_AT);
	/* its acknowledgement was lost */
	sim_radio_write(&endpoint->radio, COMMAND, (uint32_t)CONTINUOUS_AT);
	assert_int_equal(sim_radio_read(&endpoint->radio, STATUS), DEVICE_COMMANDS - 2);
	sim_radio_write(&endpoint->radio, COMMAND, 0);
	sim_radio_write(&endpoint->radio, TIME_LOW, 3000);
	sim_radio_write(&endpoint->radio, COMMAND, (uint32_t)CONTINUOUS_AT);
	sim_radio_run(device, endpoint, 1000);
	assert_int_equal(sim_radio_read(&endpoint->radio, STATUS), DEVICE_COMMANDS - 1);
	assert_false(endpoint->radio.rx.running);
	sim_radio_run(device, endpoint, 3000);
	assert_true(endpoint->radio.rx.running);
	assert_int_equal(endpoint->radio.rx.late, 0);
	sim_radio_fini(&endpoint->radio);
	free(device);
}

/* ---- what it shows ------------------------------------------------------------------------ */

/* Every count is set to a number of its own; each must be seen, in both forms. */
static void nothing_is_hidden(void **state)
{
	struct server *server = calloc(1, sizeof(*server));
	struct expect nothing = {.n = 0};
	struct counts counts;
	struct unit *unit;
	char *text[2];
	size_t size;

	(void)state;
	assert_non_null(server);
	server->n_units = 2;
	unit = &server->units[1];
	unit->wire_full = 90001;
	unit->reply_failed = 90002;
	server->analog.read_short = 90003;
	unit->device.malformed = 90004;
	unit->device.endpoints[3].input.rterr = 90005;
	unit->device.endpoints[3].input.discarded_bytes = 90006;
	unit->device.endpoints[0].radio.lost_messages = 90007;
	unit->device.endpoints[1].radio.tx.zeros = 90008;
	server->pace.excused = 90009;
	unit->cables[UNIT_TX].counts[FAULT_REORDER] = 90010;
	unit->cables[UNIT_RX].counts[FAULT_STALL] = 90011;
	server->analog.latency[5].unmarked = 90012;
	server->analog.latency[5].crossed = 90013;
	server->analog.latency[5].steps = 90014;
	server->analog.sound.channels[6].kept = 90015;
	server->analog.sound.channels[6].seams = 90016;
	assert_int_equal(counts_take(&counts, server, &nothing), 0);
	for (int form = 0; form < 2; form++) {
		FILE *out = open_memstream(&text[form], &size);

		assert_non_null(out);
		(form ? counts_json : counts_text)(&counts, out);
		fclose(out);
		for (unsigned i = 90001; i <= 90016; i++) {
			char number[8];

			snprintf(number, sizeof(number), "%u", i);
			assert_non_null(strstr(text[form], number));
		}
		free(text[form]);
	}
	free(server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(firmware_vectors),
	    cmocka_unit_test(mtu_vectors),
	    cmocka_unit_test(the_processor_knows_its_device),
	    cmocka_unit_test(images_and_their_ports),
	    cmocka_unit_test(client_zero),
	    cmocka_unit_test(blocks_and_their_ports),
	    cmocka_unit_test(a_loop),
	    cmocka_unit_test(a_loop_goes_round),
	    cmocka_unit_test(a_tone),
	    cmocka_unit_test(files),
	    cmocka_unit_test(files_that_are_not_there),
	    cmocka_unit_test(a_stop_ends_what_waits),
	    cmocka_unit_test(nothing_is_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
