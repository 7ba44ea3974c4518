/* SPDX-License-Identifier: BSD-3-Clause
 * tools/x310sim: a device whose host sends anything, in any order, over CHDR and to its processor.
 * What it sends is sound CHDR, and what it keeps is bounded.
 *
 * Input: records of a byte that says what to do, 2 bytes of length, and the packet. */
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "tools/x310sim/device.h"
#include "tools/x310sim/firmware.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static void sent(void *self, uint64_t address, const uint8_t *bytes, size_t size)
{
	struct chdr_packet packet;

	(void)self;
	insist(
	    address == 77 && chdr_parse(bytes, size, &packet) == 0 && packet.header.length == size);
}

static void transmit(void *self, unsigned channel, uint64_t tick, const uint8_t *iq, uint32_t n)
{
	volatile uint8_t sum = 0;

	(void)self, (void)tick;
	insist(channel < DEVICE_ENDPOINTS);
	for (uint32_t i = 0; i < 4 * n; i += 64)
		sum = (uint8_t)(sum + iq[i]);
}

static void receive(void *self, unsigned channel, uint64_t tick, uint8_t *ret_iq, uint32_t n)
{
	(void)self, (void)tick;
	insist(channel < DEVICE_ENDPOINTS && 4 * n <= CHDR_PACKET_MAX);
	memset(ret_iq, 1, 4 * (size_t)n);
}

static void to_processor(
    struct device *device, struct firmware *firmware, const uint8_t *bytes, size_t size)
{
	uint8_t reply[CHDR_PACKET_MAX];

	insist(firmware_take(firmware, 1, device->tick, bytes, size, reply) <= FIRMWARE_BYTES);
	insist(mtu_take(bytes, size, reply, sizeof(reply)) <= sizeof(reply));
	if (firmware->set_time)
		device_set_time(device, firmware->event_ticks % (1ull << 40));
	firmware->set_time = false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct device_options options = {.fpga = &x310_fpgas[size % X310_FPGAS],
	    .layout_seed = size % 5,
	    .capacity = 65536,
	    .divide = 2,
	    .stop_supported = size % 2,
	    .zeros = size & 4};
	const struct device_io io = {sent, transmit, receive, NULL};
	static struct firmware firmware;
	static struct device device;

	device_init(&device, &options, &io);
	firmware_init(&firmware,
	    &(struct firmware_options){.fpga = device.options.fpga,
	        .is_4_9 = size & 2,
	        .ip = 0x7f000002,
	        .name = "fuzz",
	        .serial = "1"});
	for (size_t at = 0; at + 3 <= size; at += 3) {
		const uint32_t length = get_le16(data + at + 1);
		const uint8_t what = data[at];

		device_run(&device, device.tick + (1u << (what & 15)));
		if (length > size - at - 3)
			continue;
		if (what & 128)
			to_processor(&device, &firmware, data + at + 3, length);
		else
			device_take(&device, 77, data + at + 3, length);
		at += length;
	}
	for (int i = 0; i < DEVICE_ENDPOINTS; i++)
		insist(device.endpoints[i].input.queue.bytes <= options.capacity);
	device_fini(&device);
	return 0;
}
