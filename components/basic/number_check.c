/* SPDX-License-Identifier: BSD-3-Clause
 * number_check - the end of a chain whose items hold their own number (null_source, content =
 * "numbers"): counts those that do not hold the number that follows the item before. The first has
 * to be 0. After a gap, a repetition or a swap the count goes on from what was found, so that each
 * is counted once. */
#include <aloe/component.h>

struct number_check {
	uint64_t messages;
	uint64_t items;
	uint64_t wrong;
	uint64_t absent;
	uint64_t next; /* what the next item should hold, in the bytes that it has */
	uint64_t mask;
	uint32_t item_bytes;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BYTE | ALOE_I16 | ALOE_F32 | ALOE_CF32, "items that hold their own number"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct number_check, messages, "", "VALID messages seen"),
    ALOE_VAR_U64(struct number_check, items, "", "items in the VALID messages"),
    ALOE_VAR_U64(struct number_check, wrong, "",
        "items whose number does not follow that of the item before"),
    ALOE_VAR_U64(struct number_check, absent, "", "ABSENT messages seen, warm-up included"),
};

static int number_check_init(void *self, struct aloe_setup *setup)
{
	struct number_check *check = self;

	check->item_bytes = aloe_item_bytes(setup->in[0].type);
	check->mask = check->item_bytes == 8 ? UINT64_MAX : (1ull << 8 * check->item_bytes) - 1;
	return 0;
}

static uint64_t number_at(const uint8_t *item, uint32_t item_bytes)
{
	uint64_t number = 0;

	for (uint32_t b = 0; b < item_bytes; b++)
		number |= (uint64_t)item[b] << 8 * b;
	return number;
}

static int number_check_work(void *self, struct aloe_slot *slot)
{
	struct number_check *check = self;
	const uint32_t n = aloe_in_len(slot, 0);
	const uint8_t *items = slot->in[0].data;

	for (uint32_t i = 0; i < n; i++) {
		const uint64_t number =
		    number_at(items + (size_t)i * check->item_bytes, check->item_bytes);

		check->wrong += number != check->next;
		check->next = (number + 1) & check->mask;
	}
	check->messages += aloe_in_valid(slot, 0);
	check->items += n;
	check->absent += slot->in[0].state == ALOE_ABSENT;
	return 0;
}

/* The next item is the first; what was counted stays counted. */
static int number_check_reset(void *self)
{
	((struct number_check *)self)->next = 0;
	return 0;
}

ALOE_COMPONENT(number_check) = {
    .summary = "count the items that do not hold the number that comes next",
    .ports = ALOE_LIST(ports),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct number_check),
    .kmac = 1,
    .init = number_check_init,
    .work = number_check_work,
    .reset = number_check_reset,
};
