/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The blocks behind endpoint 0 and their registers: client zero, which says what there is, then for
 * each of two radios a DUC, a DDC and the radio itself (in the order of layout.h), with as much
 * of its converters behind SPI as an initialising UHD asks for. */
#include "tools/x310sim/device.h"

/* Control ports: 1 is the endpoint that takes accesses. */
enum { PORT_ZERO = 0, PORT_BLOCKS = 2 };

/* ---- client zero ------------------------------------------------------------------------ */

enum {
	ZERO_SLOT = 0x40,
	ZERO_EDGES = 0x10000,
	DEVICE_TYPE = 0xa300,
	MTU_LOG2 = 10,
	NO_CLOCK = 0x3f
};

struct sim_block {
	uint32_t noc_id;
	uint8_t inputs, outputs, fifo_log2;
};

static const struct sim_block blocks[LAYOUT_KINDS] = {
    [LAYOUT_DUC] = {0xd0c00000, 1, 1, 6},
    [LAYOUT_DDC] = {0xddc00000, 2, 2, 6},
    [LAYOUT_RADIO] = {0x12ad1000, 2, 2, 9},
};

/* Slots: 0 client zero, then the endpoints by their instance, then the blocks. */
static uint32_t slot_of(const struct sim_layout *layout, enum layout_kind kind, unsigned which)
{
	return 1 + layout->n_seps + layout_block_of(layout, kind, which);
}

static uint32_t slot_of_sep(const struct sim_layout *layout, unsigned channel, bool receives)
{
	return 1u + layout->seps[layout_sep_of(layout, channel, receives)].instance;
}

static uint32_t edge_word(uint32_t from, uint32_t from_port, uint32_t to, uint32_t to_port)
{
	return from << 22 | from_port << 16 | to << 6 | to_port;
}

enum { EDGES_PER_RADIO = LAYOUT_EDGES / LAYOUT_RADIOS };

static uint32_t read_edge(const struct sim_layout *layout, uint32_t n)
{
	const unsigned which = n < LAYOUT_EDGES ? layout->edges[n] : 0,
	               radio = which / EDGES_PER_RADIO, first = layout->ddc_port[radio];
	const uint32_t duc = slot_of(layout, LAYOUT_DUC, layout->duc[radio]),
	               ddc = slot_of(layout, LAYOUT_DDC, layout->ddc[radio]),
	               core = slot_of(layout, LAYOUT_RADIO, radio);
	const uint32_t edges[EDGES_PER_RADIO] = {
	    edge_word(slot_of_sep(layout, 2 * radio, false), 0, duc, 0),
	    edge_word(duc, 0, core, 0),
	    edge_word(core, 0, ddc, first),
	    edge_word(ddc, first, slot_of_sep(layout, 2 * radio, true), 0),
	    edge_word(core, 1, ddc, 1 - first),
	    edge_word(ddc, 1 - first, slot_of_sep(layout, 2 * radio + 1, true), 0),
	};

	return n < LAYOUT_EDGES ? edges[which % EDGES_PER_RADIO] : 0;
}

static uint32_t read_zero(const struct device *device, uint32_t address)
{
	const struct sim_layout *layout = &device->layout;
	const uint32_t slot = address / ZERO_SLOT, first = 1 + layout->n_seps;
	const struct sim_block *block =
	    &blocks[layout->blocks[(slot - first) % LAYOUT_BLOCKS].kind];

	if (address >= ZERO_EDGES)
		return address == ZERO_EDGES ? LAYOUT_EDGES
		                             : read_edge(layout, (address - ZERO_EDGES) / 4 - 1);
	switch (address) {
	case 0x00:
		return 0x12c6u << 16 | device->options.fpga->protocol;
	case 0x04:
		return 1u << 31 | 1u << 30 | LAYOUT_TRANSPORTS << 20 | LAYOUT_BLOCKS << 10 |
		    layout->n_seps;
	case 0x08:
		return LAYOUT_EDGES;
	case 0x0c:
		return (uint32_t)DEVICE_TYPE << 16 | device->id;
	case 0x10:
		return 1; /* endpoints that take control */
	}
	if (slot < first || slot >= first + LAYOUT_BLOCKS)
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

/* Write registers of a block's slot: flush timeout, then bit 0 flush, 1 CTRL reset, 2 CHDR reset,
 * at the rising edge (UHD 4.3, client_zero.cpp). The radio core, and with it the message that waits
 * for an acknowledgement, is reset by the latter alone (noc_shell_radio.v). */
enum { ZERO_CONTROL = 4, FLUSH = 1, RESET_CHDR = 4 };

static void write_zero(struct device *device, uint32_t address, uint32_t value)
{
	const struct sim_layout *layout = &device->layout;
	const uint32_t block = address / ZERO_SLOT - 1 - layout->n_seps;
	uint32_t before;

	if (block >= LAYOUT_BLOCKS || address % ZERO_SLOT != ZERO_CONTROL)
		return;
	before = device->block_controls[block];
	device->block_controls[block] = value;
	for (unsigned port = 0; port < 2; port++) {
		const int channel = layout_channel(layout, block, port);
		struct sim_endpoint *endpoint = &device->endpoints[channel < 0 ? 0 : channel];

		if (channel >= 0 && layout->blocks[block].kind == LAYOUT_DUC)
			endpoint->drops = value & FLUSH;
		if (channel >= 0 && layout->blocks[block].kind == LAYOUT_RADIO &&
		    (value & ~before & RESET_CHDR))
			sim_radio_reset(&endpoint->radio);
	}
}

/* ---- a radio's converters, behind SPI ---- */

enum {
	SPI_CONTROL = 0x80000 + 8 * 169,
	SPI_DATA = 0x80000 + 8 * 170,
	READ_BACK = 0x80088,
	MISC_IN = 0x80084
};

enum { SLAVE_ADC = 0x40, SLAVE_DAC = 0x80 };

/* The converters' 14 bits of a test pattern: 1 zeros, 2 ones, 3 checkerboard, 5 the one in
 * registers 0x51 and 0x52. */
static uint32_t pattern_word(const struct sim_converters *c, uint8_t which)
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
	return (pattern_word(c, c->adc[0x62]) << 18 | pattern_word(c, c->adc[0x75]) << 2) ^
	    0xfffc0000u;
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
static void spi_write(struct sim_converters *c, uint32_t data)
{
	const uint32_t slave = c->spi_control & 0xffffff;
	const uint16_t word = (uint16_t)(data >> 16);

	c->spi_back = 0;
	if (slave == SLAVE_ADC)
		c->adc[word >> 8] = (uint8_t)word;
	else if (slave == SLAVE_DAC && (word & 0x8000))
		c->spi_back = dac_read(word >> 8 & 0x7f);
}

/* ---- a radio's pins ---- */

enum {
	PERIPHERAL = 0x80000,
	PERIPHERAL_STEP = 8,
	FRONT_PANEL = 184, /* first register of the bank; x300_radio_control.cpp, UHD 4.3 */
	DAUGHTERBOARD = 192,
	FRONT_PANEL_PINS = PERIPHERAL + PERIPHERAL_STEP * 20,
	DAUGHTERBOARD_PINS = PERIPHERAL + PERIPHERAL_STEP * 19
};

enum { GPIO_IDLE, GPIO_RX, GPIO_TX, GPIO_BOTH, GPIO_DDR, GPIO_DISABLE };

static const uint32_t banks[SIM_GPIO_BANKS] = {DAUGHTERBOARD, FRONT_PANEL};

/* A register of a bank; NULL: it is none. */
static uint32_t *gpio_register(struct sim_converters *c, uint32_t address)
{
	const uint32_t n = (address - PERIPHERAL) / PERIPHERAL_STEP;

	if (address < PERIPHERAL || address % PERIPHERAL_STEP != 0)
		return NULL;
	for (int bank = 0; bank < SIM_GPIO_BANKS; bank++)
		if (n >= banks[bank] && n < banks[bank] + SIM_GPIO_REGISTERS)
			return &c->gpio[bank][n - banks[bank]];
	return NULL;
}

/* Inputs from the daughterboard: its oscillators have locked, once it is out of reset
 * (host/lib/usrp/dboard/db_ubx.cpp, UHD 4.3: CPLD_RST_N, RX_LO_LOCKED, TX_LO_LOCKED). */
enum { BOARD_RUNS = 1 << 19, BOARD_LOCKED = 3 };

static uint32_t gpio_inputs(const struct device *device, int bank, uint32_t out)
{
	const struct device_options *options = &device->options;

	return bank == 0 && options->daughterboard && !options->unlocked && (out & BOARD_RUNS)
	    ? BOARD_LOCKED
	    : 0;
}

/* What the pins of a bank show; nothing is connected to the front panel. */
static uint32_t gpio_pins(struct device *device, unsigned radio, int bank)
{
	const uint32_t *gpio = device->converters[radio].gpio[bank];
	bool rx = false, tx = false;
	uint32_t out;

	for (unsigned i = 0; i < 2; i++) {
		const struct sim_radio *channel = &device->endpoints[2 * radio + i].radio;

		rx |= channel->rx.running;
		tx |= channel->tx.phase == SIM_TX_BURST;
	}
	out = (gpio[rx + 2 * tx] & ~gpio[GPIO_DISABLE]) | (gpio[GPIO_IDLE] & gpio[GPIO_DISABLE]);
	return (out & gpio[GPIO_DDR]) | (gpio_inputs(device, bank, out) & ~gpio[GPIO_DDR]);
}

/* ---- radio, DDC, DUC ------------------------------------------------------------------------ */

enum { RATE_CHANNEL = 0x800, DDC_RATE = 0x400, DUC_RATE = 0x408 };

/* The channel that a radio's register belongs to, NULL: it is the radio's own. */
static struct sim_endpoint *radio_channel(struct device *device, unsigned radio, uint32_t address)
{
	const uint32_t step = device->map->step, channel = (address - RADIO_CHANNELS) / step;

	return address >= RADIO_CHANNELS && channel < 2 ? &device->endpoints[2 * radio + channel]
	                                                : NULL;
}

static uint32_t read_radio(struct device *device, unsigned radio, uint32_t address)
{
	const struct radio_registers *map = device->map;
	const struct sim_endpoint *channel = radio_channel(device, radio, address);

	if (channel != NULL && address % map->step == map->rx_data)
		return adc_now(&device->converters[radio]);
	if (channel != NULL)
		return sim_radio_read(&channel->radio, address % map->step);
	switch (address) {
	case RADIO_COMPAT:
		return device->options.fpga->radio_compat;
	case RADIO_TIME_LOW:
		return (uint32_t)device->tick;
	case RADIO_TIME_HIGH:
		return (uint32_t)(device->tick >> 32);
	case READ_BACK:
		return device->converters[radio].spi_back;
	case MISC_IN:
		return 0xf;
	case DAUGHTERBOARD_PINS:
		return gpio_pins(device, radio, 0);
	case FRONT_PANEL_PINS:
		return gpio_pins(device, radio, 1);
	default:
		return 0;
	}
}

static void write_radio(struct device *device, unsigned radio, uint32_t address, uint32_t value)
{
	struct sim_endpoint *channel = radio_channel(device, radio, address);
	uint32_t *gpio = gpio_register(&device->converters[radio], address);

	if (gpio != NULL)
		*gpio = value;
	else if (channel != NULL)
		sim_radio_write(&channel->radio, address % device->map->step, value);
	else if (address == SPI_CONTROL)
		device->converters[radio].spi_control = value;
	else if (address == SPI_DATA)
		spi_write(&device->converters[radio], value);
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

static void write_rate(struct device *device, unsigned block, uint32_t address, uint32_t value)
{
	const uint32_t rate = device->layout.blocks[block].kind == LAYOUT_DDC ? DDC_RATE : DUC_RATE;
	const int channel = layout_channel(&device->layout, block, address / RATE_CHANNEL);

	if (channel >= 0 && address % RATE_CHANNEL == rate && value >= 1 && value <= 2040)
		device->endpoints[channel].radio.divide = value;
}

/* ---- by port ------------------------------------------------------------------------ */

int sim_block_radio(const struct device *device, uint16_t port)
{
	const unsigned n = port - PORT_BLOCKS;

	return n < LAYOUT_BLOCKS && device->layout.blocks[n].kind == LAYOUT_RADIO
	    ? device->layout.blocks[n].which
	    : -1;
}

bool sim_block_read(struct device *device, uint16_t port, uint32_t address, uint32_t *ret_value)
{
	const int radio = sim_block_radio(device, port);

	if (port == PORT_ZERO)
		*ret_value = read_zero(device, address);
	else if (port - PORT_BLOCKS >= LAYOUT_BLOCKS || port < PORT_BLOCKS)
		return false;
	else if (radio >= 0)
		*ret_value = read_radio(device, (unsigned)radio, address);
	else
		*ret_value = read_rate(address);
	return true;
}

bool sim_block_write(struct device *device, uint16_t port, uint32_t address, uint32_t value)
{
	const int radio = sim_block_radio(device, port);

	if (port == PORT_ZERO) {
		write_zero(device, address, value);
		return true;
	}
	if (port - PORT_BLOCKS >= LAYOUT_BLOCKS || port < PORT_BLOCKS)
		return false;
	if (radio >= 0)
		write_radio(device, (unsigned)radio, address, value);
	else
		write_rate(device, port - PORT_BLOCKS, address, value);
	return true;
}
