/* SPDX-License-Identifier: BSD-3-Clause
 * utran_crc_check - check and drop the CRC of each transport block of a TTI, undoing utran_crc.
 *
 * The optional output `errors` is one bit a block, 1 where the parity was wrong. With bad = "drop"
 * the TTI is ABSENT if any of its blocks is bad; with "keep" all blocks go out as they are, for a
 * reader that looks at `errors`. */
#include <aloe/component.h>

#include "core/kernels/utran_crc.h"

struct crc_check {
	int32_t size;
	int32_t tti_blocks;
	int32_t bad;
	uint32_t block; /* bits of one, without parity */
	bool tells;     /* `errors` is connected */
	struct utran_crc crc;
	uint64_t blocks;
	uint64_t block_errors;
	uint64_t short_blocks;
};

enum { BLOCKS, ERRORS };
enum bad { BAD_DROP, BAD_KEEP };
static const char *const bads[] = {[BAD_DROP] = "drop", [BAD_KEEP] = "keep", NULL};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT, "the transport blocks of one TTI, each with its parity"),
    ALOE_OUT("out", ALOE_BIT, "the blocks; ABSENT if a block is bad, unless bad = keep"),
    ALOE_OUT_OPTIONAL("errors", ALOE_BIT, "one bit for each block, 1 if the block is bad"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct crc_check, size, 16, 8, 24, "bit", 0, "parity bits: 8, 12, 16 or 24"),
    ALOE_PARAM_INT(struct crc_check, tti_blocks, 1, 1, 256, "block", 0,
        "transport blocks in a TTI, of one size"),
    ALOE_PARAM_ENUM(struct crc_check, bad, bads, "drop", 0, "drop or keep a TTI with a bad block"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct crc_check, blocks, "block", "blocks checked"),
    ALOE_VAR_U64(struct crc_check, block_errors, "block", "blocks whose parity was wrong"),
    ALOE_VAR_U64(
        struct crc_check, short_blocks, "block", "messages that were not all blocks of a TTI"),
};

static int check_check(void *self, struct aloe_setup *setup)
{
	struct utran_crc crc;
	const int32_t size = ((const struct crc_check *)self)->size;

	if (utran_crc_init(&crc, (uint32_t)size) < 0)
		return aloe_fail(setup, "size %d is not 8, 12, 16 or 24", size);
	return 0;
}

static int check_shape(void *self, struct aloe_setup *setup)
{
	const struct crc_check *s = self;
	const uint32_t blocks = (uint32_t)s->tti_blocks, block = setup->in[0].max / blocks,
	               size = (uint32_t)s->size;

	if (setup->in[0].max % blocks)
		return aloe_fail(setup, "input of %u bits is not %u blocks of one size",
		    setup->in[0].max, blocks);
	if (block < size)
		return aloe_fail(
		    setup, "input block of %u bits is shorter than its CRC of %u", block, size);
	setup->out[BLOCKS].max = blocks * (block - size);
	setup->out[ERRORS].max = setup->out[ERRORS].type ? blocks : 0;
	return 0;
}

static int check_init(void *self, struct aloe_setup *setup)
{
	struct crc_check *s = self;

	s->block = (setup->in[0].max / (uint32_t)s->tti_blocks) - (uint32_t)s->size;
	s->tells = setup->out[ERRORS].type != 0;
	utran_crc_init(&s->crc, (uint32_t)s->size);
	utran_crc_use(&s->crc, (enum simd_level)setup->simd);
	return 0;
}

/* check_blocks copies `block` bits of each block; how many blocks are bad. */
static uint32_t check_blocks(
    const struct crc_check *s, uint32_t block, const uint8_t *in, uint8_t *out, uint8_t *errors)
{
	uint32_t bad = 0;

	for (int32_t i = 0; i < s->tti_blocks; i++) {
		const bool good = utran_crc_check(&s->crc, in, block);
		memcpy(out, in, block);
		if (s->tells)
			errors[i] = !good;
		bad += !good;
		in += block + s->crc.size;
		out += block;
	}
	return bad;
}

static int check_work(void *self, struct aloe_slot *slot)
{
	struct crc_check *s = self;
	const uint32_t blocks = (uint32_t)s->tti_blocks, size = s->crc.size;
	/* parity alone: of no bits */
	const uint32_t block = aloe_in_len(slot, 0) == blocks * size ? 0 : s->block;
	uint32_t bad;

	if (aloe_pass_block(
	        slot, 0, BLOCKS, blocks * (block + size), blocks * block, &s->short_blocks)) {
		bad = check_blocks(s, block, aloe_in_bit(slot, 0), aloe_out_bit(slot, BLOCKS),
		    aloe_out_bit(slot, ERRORS));
		s->blocks += blocks;
		s->block_errors += bad;
		if (s->tells)
			aloe_put(slot, ERRORS, blocks);
		if (bad && s->bad == BAD_DROP) {
			slot->out[BLOCKS].len = 0;
			slot->out[BLOCKS].state = ALOE_ABSENT;
		}
	} else if (s->tells) {
		slot->out[ERRORS].state = slot->out[BLOCKS].state;
	}
	return 0;
}

static void check_warm(const void *self, struct aloe_warm *warm)
{
	const struct crc_check *s = self;

	aloe_warm_code(warm, (uintptr_t)s->crc.state, 512);
	aloe_warm(warm, &s->crc, sizeof(s->crc));
}

ALOE_COMPONENT(utran_crc_check) = {
    .summary = "check and drop the CRC of UTRAN transport blocks",
    .doc =
        "A block with wrong parity is counted; a TTI with such a block becomes ABSENT unless bad "
        "= \"keep\".",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct crc_check),
    .kmac = 1,
    .mix = "bits 1, copy 1",
    .check = check_check,
    .shape = check_shape,
    .init = check_init,
    .work = check_work,
    .stateless = 1,
    .warm = check_warm,
};
