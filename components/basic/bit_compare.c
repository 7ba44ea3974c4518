/* SPDX-License-Identifier: BSD-3-Clause
 * bit_compare - bit and block errors between what was sent and what was received, message by
 * message.
 *
 * Both inputs belong to the same index (joins are aligned by construction), so there is nothing to
 * search for.
 * 	sent VALID, received VALID	a block; in error if any bit or the length differs
 *         sent VALID, received ABSENT     a block in error, also counted `absent`; its bits are not
 *                                         counted
 * 	both not VALID			warm-up or nothing by plan: not counted
 * 	anything else			counted `unmatched` */
#include <aloe/component.h>

#include "core/kernels/bits.h"

struct bit_compare {
	uint64_t blocks;
	uint64_t block_errors;
	uint64_t bits;
	uint64_t bit_errors;
	uint64_t absent;
	uint64_t length_errors;
	uint64_t unmatched;
	double bler;
	double ber;
	const struct bits_kernels *kernels;
};

enum { SENT, RECEIVED };

static const struct aloe_port ports[] = {
    ALOE_IN("sent", ALOE_BIT, "bits sent"),
    ALOE_IN("received", ALOE_BIT, "bits received"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct bit_compare, blocks, "", "blocks sent"),
    ALOE_VAR_U64(struct bit_compare, block_errors, "", "blocks that have an error or are absent"),
    ALOE_VAR_U64(struct bit_compare, bits, "", "bits compared"),
    ALOE_VAR_U64(struct bit_compare, bit_errors, "", "bits that differ"),
    ALOE_VAR_U64(struct bit_compare, absent, "", "blocks sent of which nothing was received"),
    ALOE_VAR_U64(struct bit_compare, length_errors, "", "blocks received with another length"),
    ALOE_VAR_U64(struct bit_compare, unmatched, "",
        "messages that are VALID on one input alone, apart from absent blocks"),
    ALOE_VAR_F64(struct bit_compare, bler, "", "block_errors / blocks"),
    ALOE_VAR_F64(struct bit_compare, ber, "", "bit_errors / bits"),
};

/* The lengths may differ: what both have is compared. */
static void compare_blocks(struct bit_compare *compare, const struct aloe_slot *slot)
{
	const uint32_t sent_len = aloe_in_len(slot, SENT),
	               received_len = aloe_in_len(slot, RECEIVED);
	const uint32_t n = sent_len < received_len ? sent_len : received_len;
	const uint32_t errors =
	    compare->kernels->differ(aloe_in_bit(slot, SENT), aloe_in_bit(slot, RECEIVED), n);

	compare->bits += n;
	compare->bit_errors += errors;
	compare->length_errors += sent_len != received_len;
	compare->block_errors += errors || sent_len != received_len;
}

static int bit_compare_init(void *self, struct aloe_setup *setup)
{
	((struct bit_compare *)self)->kernels = bits_kernels((enum simd_level)setup->simd);
	return 0;
}

static int bit_compare_work(void *self, struct aloe_slot *slot)
{
	struct bit_compare *compare = self;
	const bool sent = aloe_in_valid(slot, SENT), received = aloe_in_valid(slot, RECEIVED);
	const bool absent = sent && slot->in[RECEIVED].state == ALOE_ABSENT;

	if (sent && received)
		compare_blocks(compare, slot);
	else if (absent)
		compare->block_errors++;
	else if (sent || received)
		compare->unmatched++;
	compare->absent += absent;
	compare->blocks += sent && (received || absent);
	compare->bler =
	    compare->blocks ? (double)compare->block_errors / (double)compare->blocks : 0;
	compare->ber = compare->bits ? (double)compare->bit_errors / (double)compare->bits : 0;
	return 0;
}

ALOE_COMPONENT(bit_compare) = {
    .summary = "count bit and block errors between two inputs",
    .ports = ALOE_LIST(ports),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct bit_compare),
    .kmac = 1,
    .init = bit_compare_init,
    .work = bit_compare_work,
};
