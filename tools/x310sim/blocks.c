/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The blocks behind endpoint 0 and their registers: client zero, which says what there is, then for each of two radios a
 * DUC, a DDC and the radio itself, with as much of its converters behind SPI as an initialising UHD asks for. */
#include "tools/x310sim/device.h"

/* Control ports of the stock image: 1 is the endpoint. */
enum { PORT_ZERO = 0, PORT_BLOCKS = 2, BLOCKS = 6, BLOCKS_PER_RADIO = 3 };

enum block { BLOCK_DUC, BLOCK_DDC, BLOCK_RADIO };

/* ---- client zero ------------------------------------------------------------------------------------------------------ */

enum {
	ZERO_SLOT = 0x40,
	ZERO_EDGES = 0x10000,
	TRANSPORTS = 3,
	DEVICE_TYPE = 0xa300,
	MTU_LOG2 = 10,
	NO_CLOCK = 0x3f
};

struct sim_block {
	uint32_t noc_id;
	uint8_t inputs, outputs, fifo_log2;
};

static const struct sim_block blocks[BLOCKS_PER_RADIO] = {
    [BLOCK_DUC] = {0xd0c00000, 1, 1, 6},
    [BLOCK_DDC] = {0xddc00000, 2, 2, 6},
    [BLOCK_RADIO] = {0x12ad1000, 2, 2, 9},
};

/* Slots: 0 client zero, then the endpoints, then the blocks. */
static uint32_t slot_of(unsigned radio, enum block block)
{
	return 1 + DEVICE_ENDPOINTS + radio * BLOCKS_PER_RADIO + block;
}

static uint32_t edge(uint32_t from, uint32_t from_port, uint32_t to, uint32_t to_port)
{
	return from << 22 | from_port << 16 | to << 6 | to_port;
}

enum { EDGES_PER_RADIO = 6 };

static uint32_t read_edge(uint32_t n)
{
	const unsigned radio = n / EDGES_PER_RADIO;
	const uint32_t duc = slot_of(radio, BLOCK_DUC), ddc = slot_of(radio, BLOCK_DDC);
	const uint32_t core = slot_of(radio, BLOCK_RADIO), endpoint = 1 + 2 * radio;
	const uint32_t edges[EDGES_PER_RADIO] = {
	    edge(endpoint, 0, duc, 0),
	    edge(duc, 0, core, 0),
	    edge(core, 0, ddc, 0),
	    edge(ddc, 0, endpoint, 0),
	    edge(core, 1, ddc, 1),
	    edge(ddc, 1, endpoint + 1, 0),
	};

	return radio < 2 ? edges[n % EDGES_PER_RADIO] : 0;
}

static uint32_t read_zero(const struct device *device, uint32_t address)
{
	const uint32_t slot = address / ZERO_SLOT, first = slot_of(0, BLOCK_DUC);
	const struct sim_block *block = &blocks[(slot - first) % BLOCKS_PER_RADIO];

	if (address >= ZERO_EDGES)
		return address == ZERO_EDGES ? 2 * EDGES_PER_RADIO
		                             : read_edge((address - ZERO_EDGES) / 4 - 1);
	switch (address) {
	case 0x00:
		return 0x12c6u << 16 | device->options.version;
	case 0x04:
		return 1u << 31 | 1u << 30 | TRANSPORTS << 20 | BLOCKS << 10 | DEVICE_ENDPOINTS;
	case 0x08:
		return 2 * EDGES_PER_RADIO;
	case 0x0c:
		return (uint32_t)DEVICE_TYPE << 16 | device->id;
	case 0x10:
		return 1; /* endpoints that take control */
	}
	if (slot < first || slot >= first + BLOCKS)
		return 0;
	switch (address % ZERO_SLOT) {
	case 0:
		return 1 | (uint32_t)block->inputs << 6 | (uint32_t)block->outputs << 12 |
		    (uint32_t)block->fifo_log2 << 18 | 4u << 24;
	case 4:
		return block->noc_id;
	case 8: /* flush done */
		return 1u << 1 | MTU_LOG2 << 2 | NO_CLOCK << 8 | NO_CLOCK << 14;
	default:
		return 0;
	}
}

/* ---- a radio's converters, behind SPI ---------------------------------------------------------------------------------- */

enum {
	SPI_CONTROL = 0x80000 + 8 * 169,
	SPI_DATA = 0x80000 + 8 * 170,
	READ_BACK = 0x80088,
	MISC_IN = 0x80084
};

enum { SLAVE_ADC = 0x40, SLAVE_DAC = 0x80 };

/* The converters' 14 bits of a test pattern: 1 zeros, 2 ones, 3 checkerboard, 5 the one in registers 0x51 and 0x52. */
static uint32_t pattern(const struct sim_converters *c, uint8_t which)
{
	switch (which & 7) {
	case 2:
		return 0x3fff;
	case 3:
		return 0x2aaa;
	case 5:
		return ((uint32_t)c->adc[0x52] << 8 | c->adc[0x51]) & 0x3fff;
	default:
		return 0;
	}
}

/* The pattern of both channels, as RX_DATA shows it. */
static uint32_t adc_now(const struct sim_converters *c)
{
	return (pattern(c, c->adc[0x62]) << 18 | pattern(c, c->adc[0x75]) << 2) ^ 0xfffc0000u;
}

static uint8_t dac_read(uint8_t address)
{
	switch (address) {
	case 0x0e:
		return 0x80;
	case 0x06:
		return 0x50;
	case 0x12:
		return 0x40;
	case 0x19:
		return 0x0f;
	default:
		return 0;
	}
}

/* Words are left-aligned: 16 bits of address and data, the DAC's with a read flag on top. */
static void spi(struct sim_converters *c, uint32_t data)
{
	const uint32_t slave = c->spi_control & 0xffffff;
	const uint16_t word = (uint16_t)(data >> 16);

	c->spi_back = 0;
	if (slave == SLAVE_ADC)
		c->adc[word >> 8] = (uint8_t)word;
	else if (slave == SLAVE_DAC && (word & 0x8000))
		c->spi_back = dac_read(word >> 8 & 0x7f);
}

/* ---- radio, DDC, DUC ---------------------------------------------------------------------------------------------------- */

enum {
	RADIO_CHANNELS = 0x1000,
	RADIO_CHANNEL = 0x80,
	RX_DATA = 0x3c,
	RATE_CHANNEL = 0x800,
	DDC_RATE = 0x400,
	DUC_RATE = 0x408
};

/* The channel that a radio's register belongs to, NULL: it is the radio's own. */
static struct sim_endpoint *radio_channel(struct device *device, unsigned radio, uint32_t address)
{
	const uint32_t channel = (address - RADIO_CHANNELS) / RADIO_CHANNEL;

	return address >= RADIO_CHANNELS && channel < 2 ? &device->endpoints[2 * radio + channel]
	                                                : NULL;
}

static uint32_t read_radio(struct device *device, unsigned radio, uint32_t address)
{
	const struct sim_endpoint *channel = radio_channel(device, radio, address);

	if (channel != NULL && address % RADIO_CHANNEL == RX_DATA)
		return adc_now(&device->converters[radio]);
	if (channel != NULL)
		return sim_radio_read(&channel->radio, address % RADIO_CHANNEL);
	switch (address) {
	case 0x0:
		return 1; /* register map v0 */
	case 0x4:
		return (uint32_t)device->tick;
	case 0x8:
		return (uint32_t)(device->tick >> 32);
	case READ_BACK:
		return device->converters[radio].spi_back;
	case MISC_IN:
		return 0xf;
	default:
		return 0;
	}
}

static void write_radio(struct device *device, unsigned radio, uint32_t address, uint32_t value)
{
	struct sim_endpoint *channel = radio_channel(device, radio, address);

	if (channel != NULL)
		sim_radio_write(&channel->radio, address % RADIO_CHANNEL, value);
	else if (address == SPI_CONTROL)
		device->converters[radio].spi_control = value;
	else if (address == SPI_DATA)
		spi(&device->converters[radio], value);
}

static uint32_t read_rate(uint32_t address)
{
	switch (address % RATE_CHANNEL) {
	case 0x0:
		return 1;
	case 0x8:
		return 3; /* half-bands */
	case 0x10:
		return 255; /* largest CIC rate */
	default:
		return 0;
	}
}

static void write_rate(
    struct device *device, unsigned radio, uint32_t address, uint32_t value, uint32_t rate)
{
	const uint32_t channel = address / RATE_CHANNEL;

	if (channel < 2 && address % RATE_CHANNEL == rate && value >= 1 && value <= 2040)
		device->endpoints[2 * radio + channel].radio.divide = value;
}

/* ---- by port ---------------------------------------------------------------------------------------------------------- */

bool sim_block_read(struct device *device, uint16_t port, uint32_t address, uint32_t *ret_value)
{
	const unsigned n = port - PORT_BLOCKS, radio = n / BLOCKS_PER_RADIO;

	if (port == PORT_ZERO)
		*ret_value = read_zero(device, address);
	else if (n >= BLOCKS)
		return false;
	else if (n % BLOCKS_PER_RADIO == BLOCK_RADIO)
		*ret_value = read_radio(device, radio, address);
	else
		*ret_value = read_rate(address);
	return true;
}

bool sim_block_write(struct device *device, uint16_t port, uint32_t address, uint32_t value)
{
	const unsigned n = port - PORT_BLOCKS, radio = n / BLOCKS_PER_RADIO;

	if (port == PORT_ZERO)
		return true; /* flush and reset: there is nothing to wait for */
	if (n >= BLOCKS)
		return false;
	if (n % BLOCKS_PER_RADIO == BLOCK_RADIO)
		write_radio(device, radio, address, value);
	else
		write_rate(device, radio, address, value,
		    n % BLOCKS_PER_RADIO == BLOCK_DDC ? DDC_RATE : DUC_RATE);
	return true;
}

unsigned sim_block_radio(uint16_t port)
{
	return port >= PORT_BLOCKS + BLOCKS_PER_RADIO;
}
