/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Daughterboards of the simulated device: their EEPROMs, as UHD's I2C master reads them; pins that
 * are outputs show what is put out, and those that are inputs the lock of the oscillators. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tools/x310sim/board.h"
#include "tools/x310sim/device.h"

enum { DATA = 0x0c, COMMAND = 0x10, START = 0x80, STOP = 0x40, READ = 0x20, WRITE = 0x10 };
enum { RADIO_0 = 4, RADIO_1 = 7, EEPROM = 32 };

static bool address(struct board *board, uint8_t chip, bool read)
{
	board_poke(board, DATA, (uint32_t)(chip << 1 | read));
	board_poke(board, COMMAND, WRITE | START);
	return (board_peek(board, COMMAND) & 0x80) == 0;
}

static bool read_eeprom(struct board *board, uint8_t chip, uint8_t *ret)
{
	if (!address(board, chip, false))
		return false;
	board_poke(board, DATA, 0);
	board_poke(board, COMMAND, WRITE | STOP);
	if (!address(board, chip, true))
		return false;
	for (int i = 0; i < EEPROM; i++) {
		board_poke(board, COMMAND, READ | (i == EEPROM - 1 ? STOP : 0));
		ret[i] = (uint8_t)board_peek(board, DATA);
	}
	return true;
}

static void eeproms_tell_who_they_are(void **state)
{
	struct board board = {.fitted = true};
	uint8_t bytes[EEPROM];

	(void)state;
	for (uint8_t chip = 0x54; chip <= 0x57; chip++) {
		uint8_t sum = 0;

		assert_true(read_eeprom(&board, chip, bytes));
		for (int i = 0; i < EEPROM; i++)
			sum = (uint8_t)(sum + bytes[i]);
		assert_int_equal(sum, 0);
		assert_int_equal(bytes[0], 0xdb);
		assert_int_equal(bytes[1], chip & 1 ? 0x7e : 0x7d); /* UBX-160 v2 Rx, Tx */
		assert_int_equal(bytes[15], chip < 0x56 ? '1' : '2');
	}
	assert_false(read_eeprom(&board, 0x50, bytes));
	board = (struct board){.fitted = false};
	assert_false(read_eeprom(&board, 0x54, bytes));
}

static uint32_t pin_register(int n)
{
	return 0x80000 + 8 * (uint32_t)n;
}

static uint32_t pins(struct device *device, uint16_t port, int n)
{
	uint32_t value = ~0u;

	assert_true(sim_block_read(device, port, pin_register(n), &value));
	return value;
}

static void put(struct device *device, uint16_t port, int n, uint32_t value)
{
	assert_true(sim_block_write(device, port, pin_register(n), value));
}

static void open_device(struct device *device, bool board, bool unlocked)
{
	const struct device_options options = {.fpga = &x310_fpgas[0],
	    .capacity = DEVICE_CAPACITY,
	    .divide = 2,
	    .daughterboard = board,
	    .unlocked = unlocked};
	const struct device_io io = {.self = NULL};

	device_init(device, &options, &io);
}

static void pins_show_what_is_put_out(void **state)
{
	static struct device device;

	(void)state;
	open_device(&device, false, false);
	for (int i = 0; i < 4; i++) /* idle, Rx, Tx, both */
		put(&device, RADIO_0, 184 + i, 1u << i | 0x100);
	put(&device, RADIO_0, 188, 0x0f); /* outputs */
	assert_int_equal(pins(&device, RADIO_0, 20), 1);
	device.endpoints[1].radio.rx.running = true;
	assert_int_equal(pins(&device, RADIO_0, 20), 2);
	device.endpoints[0].radio.tx.phase = SIM_TX_BURST;
	assert_int_equal(pins(&device, RADIO_0, 20), 8);
	device.endpoints[1].radio.rx.running = false;
	assert_int_equal(pins(&device, RADIO_0, 20), 4);
	put(&device, RADIO_0, 189, 5); /* pins 0 and 2 stay as while idle */
	assert_int_equal(pins(&device, RADIO_0, 20), 1);
	assert_int_equal(pins(&device, RADIO_1, 20), 0);
	device_fini(&device);
}

static void oscillators_lock(void **state)
{
	static struct device device;

	(void)state;
	for (int which = 0; which < 3; which++) {
		open_device(&device, which > 0, which == 2);
		put(&device, RADIO_1, 196, 0xffff0000u);
		assert_int_equal(pins(&device, RADIO_1, 19) & 3, 0); /* in reset */
		put(&device, RADIO_1, 192, 1u << 19);
		assert_int_equal(pins(&device, RADIO_1, 19) & 3, which == 1 ? 3 : 0);
		device_fini(&device);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(eeproms_tell_who_they_are),
	    cmocka_unit_test(pins_show_what_is_put_out),
	    cmocka_unit_test(oscillators_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
