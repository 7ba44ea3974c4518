/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/layout.h"

void layout_stock(struct sim_layout *layout)
{
	*layout = (struct sim_layout){.n_seps = LAYOUT_CHANNELS, .duc = {0, 1}, .ddc = {0, 1}};
	for (unsigned i = 0; i < LAYOUT_CHANNELS; i++)
		layout->seps[i] = (struct layout_sep){(uint8_t)i, (int8_t)i, (int8_t)i};
	for (unsigned i = 0; i < LAYOUT_BLOCKS; i++)
		layout->blocks[i] =
		    (struct layout_block){(uint8_t)(i % LAYOUT_KINDS), (uint8_t)(i / LAYOUT_KINDS)};
	for (unsigned i = 0; i < LAYOUT_EDGES; i++)
		layout->edges[i] = (uint8_t)i;
}

/* splitmix64 (S. Vigna, public domain): a number below n */
static unsigned draw(uint64_t *state, unsigned n)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (unsigned)((z ^ z >> 31) >> 32) % n;
}

static void permute(uint64_t *state, uint8_t *items, unsigned n)
{
	for (unsigned i = n; i > 1; i--) {
		const unsigned other = draw(state, i);
		const uint8_t item = items[i - 1];

		items[i - 1] = items[other];
		items[other] = item;
	}
}

static void shuffle_seps(struct sim_layout *layout, uint64_t *state)
{
	uint8_t instances[LAYOUT_SEPS], out[LAYOUT_SEPS], in[LAYOUT_SEPS];

	layout->n_seps = LAYOUT_CHANNELS + draw(state, LAYOUT_SEPS - LAYOUT_CHANNELS + 1);
	for (unsigned i = 0; i < LAYOUT_SEPS; i++)
		instances[i] = out[i] = in[i] = (uint8_t)i;
	permute(state, instances, layout->n_seps);
	permute(state, out, layout->n_seps);
	permute(state, in, layout->n_seps);
	for (unsigned i = 0; i < layout->n_seps; i++)
		layout->seps[i] =
		    (struct layout_sep){instances[i], in[i] < LAYOUT_CHANNELS ? (int8_t)in[i] : -1,
		        out[i] < LAYOUT_CHANNELS ? (int8_t)out[i] : -1};
}

static void shuffle_blocks(struct sim_layout *layout, uint64_t *state)
{
	uint8_t kinds[LAYOUT_BLOCKS], n[LAYOUT_KINDS] = {0};

	for (unsigned i = 0; i < LAYOUT_BLOCKS; i++)
		kinds[i] = (uint8_t)(i % LAYOUT_KINDS);
	permute(state, kinds, LAYOUT_BLOCKS);
	for (unsigned i = 0; i < LAYOUT_BLOCKS; i++)
		layout->blocks[i] = (struct layout_block){kinds[i], n[kinds[i]]++};
}

void layout_shuffle(struct sim_layout *layout, uint64_t seed)
{
	uint64_t state = seed;

	layout_stock(layout);
	shuffle_seps(layout, &state);
	shuffle_blocks(layout, &state);
	permute(&state, layout->duc, LAYOUT_RADIOS);
	permute(&state, layout->ddc, LAYOUT_RADIOS);
	permute(&state, layout->edges, LAYOUT_EDGES);
	for (unsigned r = 0; r < LAYOUT_RADIOS; r++)
		layout->ddc_port[r] = (uint8_t)draw(&state, 2);
}

unsigned layout_sep_of(const struct sim_layout *layout, unsigned channel, int receives)
{
	unsigned i = 0;

	while (i + 1 < layout->n_seps &&
	    (receives ? layout->seps[i].out : layout->seps[i].in) != (int)channel)
		i++;
	return i;
}

unsigned layout_block_of(const struct sim_layout *layout, enum layout_kind kind, unsigned which)
{
	unsigned i = 0;

	while (i + 1 < LAYOUT_BLOCKS &&
	    (layout->blocks[i].kind != kind || layout->blocks[i].which != which))
		i++;
	return i;
}

int layout_channel(const struct sim_layout *layout, unsigned block, unsigned port)
{
	const struct layout_block *b = &layout->blocks[block];

	for (unsigned r = 0; r < LAYOUT_RADIOS && port < 2; r++) {
		if (b->kind == LAYOUT_DDC && layout->ddc[r] == b->which)
			return (int)(2 * r + (port ^ layout->ddc_port[r]));
		if ((b->kind == LAYOUT_DUC && layout->duc[r] == b->which) ||
		    (b->kind == LAYOUT_RADIO && r == b->which))
			return (int)(2 * r + port);
	}
	return -1;
}
