/* SPDX-License-Identifier: BSD-3-Clause
 * ber_align - bit errors of a receiver that delivers a stream: of unknown delay, of either sign, in
 * messages of any length.
 *
 * A receiver with a symbol clock of its own cannot say which bit belongs to which index, and a BPSK
 * carrier loop may settle upside down. Both inputs are therefore streams. After `settle` received
 * bits (the loops' acquisition) the next `window` received bits are held against the sent ones at
 * every delay from 0 to `search` bits. Where fewer than a quarter of them differ, or more than
 * three quarters (inverted), is the alignment: by chance that is 16 standard deviations away with
 * the default window. From the first bit of the window on every bit is counted, also those lost to
 * a slip of the symbol clock or of the carrier, until 512 bits in a row hold more than 35 % errors:
 * then the search begins again, counted in `locks`. No differential coding, no preamble: the
 * measured rate is that of the receiver. */
#include <aloe/component.h>

struct ber_align {
	uint32_t settle;
	uint32_t window;
	uint32_t search;
	uint64_t bits;
	uint64_t bit_errors;
	double ber;
	uint64_t locks;
	uint64_t locked;
	uint64_t delay;
	uint64_t inverted;
	uint8_t *sent;     /* two copies, one behind the other: a window never wraps */
	uint8_t *received; /* the same */
	uint32_t size;     /* of one copy, a power of two */
	uint64_t sent_end; /* bits of the stream so far */
	uint64_t received_end;
	uint64_t next; /* received bit to compare or to search from */
	uint32_t run;  /* bits in the present run of up to RUN */
	uint32_t run_errors;
};

enum { SENT, RECEIVED };
enum { RUN = 512, RUN_ERRORS_MAX = RUN * 35 / 100 };

static const struct aloe_port ports[] = {
    ALOE_IN("sent", ALOE_BIT, "bits sent"),
    ALOE_IN("received", ALOE_BIT, "bits received, later than they were sent"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct ber_align, settle, 4000, 0, 1e9, "bits", 0,
        "received bits to leave out at the start"),
    ALOE_PARAM_INT(struct ber_align, window, 1024, 256, 2040, "bits", 0,
        "bits that the search compares at each delay"),
    ALOE_PARAM_INT(
        struct ber_align, search, 2048, 0, 65536, "bits", 0, "largest delay that the search tries"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct ber_align, bits, "", "bits compared"),
    ALOE_VAR_U64(struct ber_align, bit_errors, "", "bits that differ"),
    ALOE_VAR_F64(struct ber_align, ber, "", "bit_errors / bits"),
    ALOE_VAR_U64(struct ber_align, locks, "",
        "how often an alignment was found; a number above 1 means that an alignment was lost"),
    ALOE_VAR_U64(struct ber_align, locked, "", "1 while there is an alignment"),
    ALOE_VAR_U64(
        struct ber_align, delay, "bits", "delay of the received bits behind the sent bits"),
    ALOE_VAR_U64(struct ber_align, inverted, "", "1 while the received bits are inverted"),
};

static int ber_align_init(void *self, struct aloe_setup *setup)
{
	struct ber_align *align = self;
	const uint64_t need =
	    2ull * (setup->in[SENT].max + setup->in[RECEIVED].max + align->window + align->search);

	if (need > 1u << 30)
		return aloe_fail(setup, "messages of %u and %u bits are too long",
		    setup->in[SENT].max, setup->in[RECEIVED].max);
	for (align->size = 4096; align->size < need;)
		align->size *= 2;
	align->sent = aloe_alloc(setup, 2 * (size_t)align->size);
	align->received = aloe_alloc(setup, 2 * (size_t)align->size);
	align->next = align->settle;
	return align->sent && align->received
	    ? 0
	    : aloe_fail(setup, "no memory for %u bits", 4 * align->size);
}

static void bits_append(
    uint8_t *ring, uint32_t size, uint64_t *end, const uint8_t *bits, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t at = (uint32_t)(*end + i) & (size - 1);
		ring[at] = ring[at + size] = bits[i] & 1;
	}
	*end += n;
}

/* count_errors compares n bits, at most 2040, eight at a time: no byte of the sum can overflow. */
static uint32_t count_errors(const uint8_t *a, const uint8_t *b, uint32_t n)
{
	uint64_t sums = 0;
	uint32_t errors = 0, i = 0;

	for (; i + 8 <= n; i += 8) {
		uint64_t x, y;
		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		sums += x ^ y;
	}
	for (; i < n; i++)
		errors += a[i] ^ b[i];
	for (; sums; sums >>= 8)
		errors += sums & 0xff;
	return errors;
}

static const uint8_t *bits_at(const uint8_t *ring, const struct ber_align *align, uint64_t at)
{
	return ring + (at & (align->size - 1));
}

/* find_alignment tries every delay for the window that begins at `next`; the best one counts if it
 * is good enough. */
static bool find_alignment(struct ber_align *align)
{
	const uint8_t *window = bits_at(align->received, align, align->next);
	const uint32_t limit = align->window / 4;
	uint32_t best = limit;

	for (uint64_t delay = 0; delay <= align->search && delay <= align->next; delay++) {
		const uint8_t *sent = bits_at(align->sent, align, align->next - delay);
		const uint32_t errors = count_errors(window, sent, align->window);
		const bool inverted = errors > align->window / 2;
		const uint32_t folded = inverted ? align->window - errors : errors;

		if (folded >= best)
			continue;
		best = folded;
		align->delay = delay;
		align->inverted = inverted;
	}
	return best < limit;
}

/* bits_compare counts the bits from `next` on that both sides have; false when the alignment is
 * lost. */
static bool bits_compare(struct ber_align *align)
{
	while (align->next < align->received_end && align->next - align->delay < align->sent_end) {
		const uint8_t sent = *bits_at(align->sent, align, align->next - align->delay);
		const uint8_t error =
		    sent ^ *bits_at(align->received, align, align->next) ^ (uint8_t)align->inverted;

		align->next++;
		align->bits++;
		align->bit_errors += error;
		align->run_errors += error;
		if (++align->run < RUN)
			continue;
		if (align->run_errors > RUN_ERRORS_MAX)
			return false;
		align->run = align->run_errors = 0;
	}
	return true;
}

static void align_step(struct ber_align *align)
{
	const uint64_t half = align->size / 2; /* as old as both rings can still answer for */
	const uint64_t oldest = align->received_end > half ? align->received_end - half : 0;

	if (!align->locked) {
		if (align->next < oldest)
			align->next = oldest;
		if (align->received_end < align->next + align->window ||
		    align->sent_end < align->next + align->window)
			return;
		if (!find_alignment(align)) {
			align->next += align->window;
			return;
		}
		align->locks++;
		align->locked = 1;
		align->run = align->run_errors = 0;
	}
	align->locked = bits_compare(align);
}

static int ber_align_work(void *self, struct aloe_slot *slot)
{
	struct ber_align *align = self;

	bits_append(align->sent, align->size, &align->sent_end, aloe_in_bit(slot, SENT),
	    aloe_in_len(slot, SENT));
	bits_append(align->received, align->size, &align->received_end, aloe_in_bit(slot, RECEIVED),
	    aloe_in_len(slot, RECEIVED));
	align_step(align);
	align->ber = align->bits ? (double)align->bit_errors / (double)align->bits : 0;
	return 0;
}

/* The streams begin anew; what was counted stays counted. */
static int ber_align_reset(void *self)
{
	struct ber_align *align = self;

	align->sent_end = align->received_end = 0;
	align->next = align->settle;
	align->locked = 0;
	return 0;
}

ALOE_COMPONENT(ber_align) = {
    .summary = "bit error rate of a stream of unknown delay and sign",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct ber_align),
    .kmac = 8,
    .init = ber_align_init,
    .work = ber_align_work,
    .reset = ber_align_reset,
};
