/* SPDX-License-Identifier: BSD-3-Clause
 * utran_crc_check - check and drop the CRC of a transport block, 3GPP TS 25.212 section 4.2.1. */
#include <aloe/component.h>

#include "core/kernels/utran_crc.h"

struct crc_check {
	int32_t size;
	uint32_t block; /* without parity */
	struct utran_crc crc;
	uint64_t blocks;
	uint64_t block_errors;
	uint64_t short_blocks;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT, "one transport block and its parity"),
    ALOE_OUT("out", ALOE_BIT, "the block if it is good; ABSENT if it is not"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct crc_check, size, 16, 8, 24, "bit", 0, "parity bits: 8, 12, 16 or 24"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct crc_check, blocks, "block", "blocks checked"),
    ALOE_VAR_U64(struct crc_check, block_errors, "block", "blocks whose parity was wrong"),
    ALOE_VAR_U64(struct crc_check, short_blocks, "block", "messages that were not one whole block"),
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
	const uint32_t size = (uint32_t)((const struct crc_check *)self)->size;

	if (setup->in[0].max < size)
		return aloe_fail(setup, "input block of %u bits is shorter than its CRC of %u", setup->in[0].max, size);
	setup->out[0].max = setup->in[0].max - size;
	return 0;
}

static int check_init(void *self, struct aloe_setup *setup)
{
	struct crc_check *s = self;

	s->block = setup->in[0].max - (uint32_t)s->size;
	return utran_crc_init(&s->crc, (uint32_t)s->size);
}

static int check_work(void *self, struct aloe_slot *slot)
{
	struct crc_check *s = self;
	const uint8_t *in = aloe_in_bit(slot, 0);

	if (!aloe_pass_block(slot, 0, 0, s->block + s->crc.size, s->block, &s->short_blocks))
		return 0;
	s->blocks++;
	if (utran_crc_check(&s->crc, in, s->block)) {
		memcpy(aloe_out_bit(slot, 0), in, s->block);
	} else {
		s->block_errors++;
		slot->out[0].len = 0;
		slot->out[0].state = ALOE_ABSENT;
	}
	return 0;
}

ALOE_COMPONENT(utran_crc_check) = {
    .summary = "check and drop the CRC of a UTRAN transport block",
    .doc = "A block with wrong parity is counted and becomes ABSENT.",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct crc_check),
    .kmac = 2,
    .check = check_check,
    .shape = check_shape,
    .init = check_init,
    .work = check_work,
};
