/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - max-log-MAP turbo decoder for the code of utran_turbo_encoder.
 *
 * Every message is one TTI: the coded blocks that X bits were cut into, one after the other (TS
 * 25.212 section 4.2.2.2). `block` names X for a single block, `bits` for any number of them. If
 * neither is given X is what the input can hold, all of its blocks full: that is right unless the
 * encoder had to fill up (X < 40, or X not a multiple of the blocks).
 *
 * With `early_stop` all blocks are decoded again and again until the parity of every transport
 * block in the TTI is right. Without it the number of iterations is fixed, and blocks are decoded
 * side by side where enough of them have about the same share of punctured parity: those of a TTI,
 * and those of several instances (work_many). The time of a TTI still depends on that share. */
#include <aloe/component.h>

#include <assert.h>

#include "core/kernels/utran_code_block.h"
#include "core/kernels/utran_crc.h"
#include "core/kernels/utran_turbo.h"
#include "core/kernels/utran_turbo_decoder.h"
#include "core/kernels/utran_turbo_many.h"

struct turbo_decoder {
	int32_t iterations;
	int32_t block;
	int32_t bits;
	double scaling;
	int32_t metrics;
	int32_t windows;
	bool early_stop;
	int32_t crc;
	int32_t tti_blocks;
	struct utran_code_blocks cut;
	/* one for each code block with early_stop, else one */
	struct utran_turbo_decoder *decoders;
	struct utran_turbo_many many; /* without early_stop */
	/* scratch: a first block with its filler, for each TTI that is decoded at a time */
	uint8_t *filled;
	struct utran_crc parity;
	uint64_t iterations_run;
	uint64_t short_blocks;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_LLR16,
        "3K + 12 soft bits a block; values beyond +-511 count as +-511; unit amplitude should be "
        "16"),
    ALOE_OUT("out", ALOE_BIT, "X decided bits"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct turbo_decoder, iterations, 2, 1, 32, "", ALOE_LIVE,
        "iterations of two passes each; with early_stop, the largest number of iterations"),
    ALOE_PARAM_INT(struct turbo_decoder, block, 0, 0, UTRAN_TURBO_K_MAX, "bit", 0,
        "K of a single block, 40 to 5114; 0 = the parameter bits decides"),
    ALOE_PARAM_INT(struct turbo_decoder, bits, 0, 0, UTRAN_CODE_BLOCKS_MAX *UTRAN_TURBO_K_MAX,
        "bit", 0, "X of a TTI, cut into up to 16 blocks; 0 = as many as the input holds"),
    ALOE_PARAM_REAL(struct turbo_decoder, scaling, 0.875, 1.0 / 16, 1.0, "", ALOE_LIVE,
        "scaling of what one pass hands to the next; 0.875 is best for 2 iterations, 0.75 for "
        "many; 1 is plain max-log"),
    ALOE_PARAM_INT(struct turbo_decoder, metrics, 16, 8, 16, "bit", 0,
        "width of a state metric; 8 is faster where K >= 256 and takes soft bits of any scale, "
        "but raises BLER at 8 iterations: 0.0045 for 0.0028 at 0.65 dB"),
    ALOE_PARAM_INT(struct turbo_decoder, windows, 0, 0, UTRAN_TURBO_WINDOWS_MAX, "", 0,
        "most windows of a block that are decoded in parallel: 1, 8, 16, 32 or 64; the decoded "
        "bits depend on this number; 0 = 16, or 32 with metrics = 8"),
    ALOE_PARAM_BOOL(struct turbo_decoder, early_stop, false, 0,
        "stop when the parity of all transport blocks is right"),
    ALOE_PARAM_INT(struct turbo_decoder, crc, 16, 0, 24, "bit", 0,
        "parity bits that early_stop checks: 8, 12, 16 or 24"),
    ALOE_PARAM_INT(struct turbo_decoder, tti_blocks, 1, 1, 256, "block", 0,
        "transport blocks of one size in a TTI, for early_stop"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct turbo_decoder, iterations_run, "", "iterations, summed over all TTIs"),
    ALOE_VAR_U64(
        struct turbo_decoder, short_blocks, "block", "messages that were not one whole TTI"),
};

static int decoder_check(void *self, struct aloe_setup *setup)
{
	const struct turbo_decoder *s = self;
	struct utran_crc crc;

	if (s->block && s->block < UTRAN_TURBO_K_MIN)
		return aloe_fail(setup, "block %d is outside [%d, %d]", s->block, UTRAN_TURBO_K_MIN,
		    UTRAN_TURBO_K_MAX);
	if (s->block && s->bits && s->block != s->bits)
		return aloe_fail(setup, "block %d and bits %d are both given; give one of them",
		    s->block, s->bits);
	if (s->metrics != 8 && s->metrics != 16)
		return aloe_fail(setup, "metrics %d is not 8 or 16", s->metrics);
	if (s->early_stop && utran_crc_init(&crc, (uint32_t)s->crc) < 0)
		return aloe_fail(
		    setup, "crc %d is not 8, 12, 16 or 24, as early_stop needs it", s->crc);
	return 0;
}

static uint32_t coded_bits(const struct utran_code_blocks *cut)
{
	return cut->blocks * utran_turbo_coded(cut->k);
}

/* The cut of full blocks that `coded` soft bits are. */
static int cut_coded(uint32_t coded, struct utran_code_blocks *ret_cut)
{
	struct utran_code_blocks cut;

	for (uint32_t blocks = 1; blocks <= UTRAN_CODE_BLOCKS_MAX; blocks++) {
		const uint32_t k = coded / blocks / 3 - UTRAN_TURBO_TAIL / 3;
		if (coded >= blocks * utran_turbo_coded(UTRAN_TURBO_K_MIN) &&
		    utran_code_blocks_init(
		        &cut, blocks * k, UTRAN_TURBO_K_MIN, UTRAN_TURBO_K_MAX) == 0 &&
		    coded_bits(&cut) == coded) {
			*ret_cut = cut;
			return 0;
		}
	}
	return -1;
}

static int decoder_cut(
    const struct turbo_decoder *s, struct aloe_setup *setup, struct utran_code_blocks *ret_cut)
{
	const uint32_t coded = setup->in[0].max, bits = (uint32_t)(s->bits ? s->bits : s->block);

	if (bits == 0 && cut_coded(coded, ret_cut) < 0)
		return aloe_fail(setup,
		    "input of %u soft bits is not 3K + 12 for a block K in [%d, %d], nor up to %d "
		    "such blocks",
		    coded, UTRAN_TURBO_K_MIN, UTRAN_TURBO_K_MAX, UTRAN_CODE_BLOCKS_MAX);
	if (bits == 0)
		return 0;
	if (utran_code_blocks_init(ret_cut, bits, UTRAN_TURBO_K_MIN, UTRAN_TURBO_K_MAX) < 0)
		return aloe_fail(
		    setup, "bits %u do not fit %d code blocks", bits, UTRAN_CODE_BLOCKS_MAX);
	if (coded != coded_bits(ret_cut))
		return aloe_fail(setup, "%s %u needs %u soft bits, but the input has %u",
		    s->bits ? "bits" : "block", bits, coded_bits(ret_cut), coded);
	return 0;
}

static int decoder_shape(void *self, struct aloe_setup *setup)
{
	const struct turbo_decoder *s = self;
	struct utran_code_blocks cut;

	if (decoder_cut(s, setup, &cut) < 0)
		return -1;
	if (s->early_stop &&
	    (cut.bits % (uint32_t)s->tti_blocks || cut.bits < (uint32_t)(s->tti_blocks * s->crc)))
		return aloe_fail(setup,
		    "%u bits are not %d transport blocks of one size with a CRC of %d", cut.bits,
		    s->tti_blocks, s->crc);
	setup->out[0].max = cut.bits;
	return 0;
}

static size_t filled_bytes(const struct turbo_decoder *s)
{
	const size_t ttis = s->early_stop ? 1 : ALOE_MANY_MAX;

	return s->cut.filler == 0 ? 0 : ttis * s->cut.k;
}

/* The decoders' working memory and the first blocks' room are one piece, for who asks again gets
 * the same. With early_stop each block has a decoder; without it one decoder of a block and one of
 * several take turns. */
static int decoders_init(struct turbo_decoder *s, struct aloe_setup *setup, uint32_t count)
{
	const struct utran_turbo_decoder_plan plan = {
	    s->cut.k, (uint32_t)s->metrics, (uint32_t)s->windows, UTRAN_SCALING_ONE};
	const enum simd_level level = (enum simd_level)setup->simd;
	const size_t work_bytes = utran_turbo_decoder_work_size(s->cut.k);
	const size_t many_bytes = s->early_stop ? 0 : utran_turbo_many_work_size(&plan);
	const size_t bytes = count * work_bytes > many_bytes ? count * work_bytes : many_bytes;
	uint8_t *work = aloe_scratch(setup, bytes + filled_bytes(s));

	s->decoders = aloe_alloc(setup, count * sizeof(*s->decoders));
	if (!s->decoders || !work)
		return -1;
	for (uint32_t r = 0; r < count; r++) {
		void *tables = aloe_alloc(setup, utran_turbo_decoder_size(s->cut.k));
		if (!tables)
			return -1;
		utran_turbo_decoder_init(
		    &s->decoders[r], level, &plan, tables, work + r * work_bytes);
	}
	if (!s->early_stop)
		utran_turbo_many_init(&s->many, level, s->decoders, work);
	s->filled = work + bytes;
	return 0;
}

static int decoder_init(void *self, struct aloe_setup *setup)
{
	struct turbo_decoder *s = self;
	uint32_t count;

	if (decoder_cut(s, setup, &s->cut) < 0)
		return -1;
	count = s->early_stop ? s->cut.blocks : 1;
	if (decoders_init(s, setup, count) < 0)
		return aloe_fail(setup, "no memory for %u blocks of %u bits", count, s->cut.k);
	if (!s->early_stop)
		return 0;
	utran_crc_init(&s->parity, (uint32_t)s->crc);
	utran_crc_use(&s->parity, (enum simd_level)setup->simd);
	return 0;
}

static uint32_t scaling_of(const struct turbo_decoder *s)
{
	return (uint32_t)(s->scaling * UTRAN_SCALING_ONE + 0.5);
}

/* Room for the first block of one of the TTIs, if it has filler. */
static uint8_t *filled_of(const struct turbo_decoder *s, uint32_t tti)
{
	return s->cut.filler == 0 ? NULL : s->filled + (size_t)tti * s->cut.k;
}

/* The blocks of n TTIs, as many side by side as can be. */
static void decode_fixed(
    struct turbo_decoder *s, uint32_t n, const int16_t *const *llr, uint8_t *const *out)
{
	const int16_t *coded[ALOE_MANY_MAX * UTRAN_CODE_BLOCKS_MAX];
	uint8_t *bits[ALOE_MANY_MAX * UTRAN_CODE_BLOCKS_MAX];
	const uint32_t blocks = s->cut.blocks;

	for (uint32_t i = 0; i < n * blocks; i++) {
		const uint32_t tti = i / blocks, r = i % blocks;
		coded[i] = llr[tti] + r * utran_turbo_coded(s->cut.k);
		bits[i] = utran_code_block_room(&s->cut, r, out[tti], filled_of(s, tti));
	}
	s->decoders->scaling = scaling_of(s);
	utran_turbo_many_decode(&s->many, (unsigned)s->iterations, n * blocks, coded, bits);
	for (uint32_t i = 0; i < n * blocks; i++)
		utran_code_block_put(
		    &s->cut, i % blocks, out[i / blocks], filled_of(s, i / blocks));
}

static bool all_right(const struct turbo_decoder *s, const uint8_t *bits)
{
	const uint32_t each = s->cut.bits / (uint32_t)s->tti_blocks;

	for (int32_t i = 0; i < s->tti_blocks; i++)
		if (!utran_crc_check(&s->parity, bits + (uint32_t)i * each, each - s->parity.size))
			return false;
	return true;
}

static void decode_early(struct turbo_decoder *s, const int16_t *llr, uint8_t *out)
{
	for (uint32_t r = 0; r < s->cut.blocks; r++)
		s->decoders[r].scaling = scaling_of(s);
	for (uint32_t r = 0; r < s->cut.blocks; r++)
		s->decoders->kernels->start(&s->decoders[r], llr + r * utran_turbo_coded(s->cut.k));
	for (int32_t i = 1; i <= s->iterations; i++) {
		for (uint32_t r = 0; r < s->cut.blocks; r++) {
			s->decoders->kernels->iterate(&s->decoders[r], i < s->iterations,
			    utran_code_block_room(&s->cut, r, out, s->filled));
			utran_code_block_put(&s->cut, r, out, s->filled);
		}
		s->iterations_run++;
		if (all_right(s, out))
			return;
	}
}

/* Decodes one TTI of each of n instances that the first one's settings are right for. */
static void instances_decode(
    struct turbo_decoder *const *all, uint32_t n, const int16_t *const *llr, uint8_t *const *out)
{
	for (uint32_t i = 0; i < n; i++) {
		if (all[i]->early_stop)
			decode_early(all[i], llr[i], out[i]);
		else
			all[i]->iterations_run += (uint64_t)all[i]->iterations;
	}
	if (n > 0 && !all[0]->early_stop)
		decode_fixed(all[0], n, llr, out);
}

static bool whole_tti(struct turbo_decoder *s, struct aloe_slot *slot)
{
	return aloe_pass_block(slot, 0, 0, coded_bits(&s->cut), s->cut.bits, &s->short_blocks);
}

static int decoder_work(void *self, struct aloe_slot *slot)
{
	struct turbo_decoder *s = self;
	const int16_t *llr = aloe_in_llr16(slot, 0);
	uint8_t *out = aloe_out_bit(slot, 0);

	if (whole_tti(s, slot))
		instances_decode(&s, 1, &llr, &out);
	return 0;
}

/* Serves `first` and the instances behind it that have its iterations and scaling; `served` says
 * which have been. */
static void alike_work(
    void *const *self, struct aloe_slot *const *slot, uint32_t first, uint32_t n, bool *served)
{
	const struct turbo_decoder *like = self[first];
	struct turbo_decoder *all[ALOE_MANY_MAX];
	const int16_t *llr[ALOE_MANY_MAX];
	uint8_t *out[ALOE_MANY_MAX];
	uint32_t together = 0;

	for (uint32_t i = first; i < n; i++) {
		struct turbo_decoder *s = self[i];
		if (served[i] || s->iterations != like->iterations ||
		    scaling_of(s) != scaling_of(like))
			continue;
		served[i] = true;
		if (whole_tti(s, slot[i])) {
			all[together] = s;
			llr[together] = aloe_in_llr16(slot[i], 0);
			out[together++] = aloe_out_bit(slot[i], 0);
		}
	}
	instances_decode(all, together, llr, out);
}

/* Instances may have been given iterations and a scaling of their own meanwhile. */
static int decoder_work_many(void *const *self, struct aloe_slot *const *slot, uint32_t n)
{
	bool served[ALOE_MANY_MAX] = {false};

	assert(n >= 1 && n <= ALOE_MANY_MAX);
	for (uint32_t i = 0; i < n; i++)
		if (!served[i])
			alike_work(self, slot, i, n, served);
	return 0;
}

/* A block is decoded within one call: only the counts go on. */
struct turbo_export {
	uint64_t form, iterations_run, short_blocks;
};
enum { EXPORT_FORM = 1 };

static int64_t decoder_export(const void *self, void *to, size_t size, struct aloe_setup *setup)
{
	const struct turbo_decoder *s = self;
	const struct turbo_export counts = {EXPORT_FORM, s->iterations_run, s->short_blocks};

	(void)setup;
	if (size >= sizeof(counts))
		memcpy(to, &counts, sizeof(counts));
	return sizeof(counts);
}

static int decoder_import(void *self, const void *from, size_t size, struct aloe_setup *setup)
{
	struct turbo_decoder *s = self;
	struct turbo_export counts = {0};

	if (size == sizeof(counts))
		memcpy(&counts, from, sizeof(counts));
	if (size != sizeof(counts) || counts.form != EXPORT_FORM)
		return aloe_fail(setup, "the exported state is of another form");
	s->iterations_run = counts.iterations_run;
	s->short_blocks = counts.short_blocks;
	return 0;
}

static size_t bytes_between(const void *from, const void *to)
{
	return (size_t)((const uint8_t *)to - (const uint8_t *)from);
}

static void block_warm(const struct utran_turbo_decoder *d, struct aloe_warm *warm)
{
	const void *tables_end = (const uint8_t *)d->gather + utran_bit_gather_size(d->k);

	aloe_warm(warm, d->kernels->text, bytes_between(d->kernels->text, d->kernels->text_end));
	aloe_warm(warm, d->from[0], bytes_between(d->from[0], tables_end));
	aloe_warm(warm, d->systematic, bytes_between(d->systematic, d->alpha));
	aloe_warm(warm, d->edge[0][0], bytes_between(d->edge[0][0], d->last + 3 * d->steps));
	aloe_warm(warm, d->beta, utran_turbo_decoder_section(d));
}

/* Of all that a block alone is decoded with; blocks side by side come in numbers that stay warm by
 * themselves. */
static void decoder_warm(const void *self, struct aloe_warm *warm)
{
	const struct turbo_decoder *s = self;
	const uint32_t count = s->early_stop ? s->cut.blocks : 1;

	aloe_warm(warm, s->decoders, count * sizeof(*s->decoders));
	for (uint32_t r = 0; r < count; r++)
		block_warm(&s->decoders[r], warm);
}

ALOE_COMPONENT(utran_turbo_decoder) = {
    .summary =
        "UTRAN turbo decoder, max-log-MAP: 3K + 12 soft bits to K bits, up to 16 code blocks",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct turbo_decoder),
    .kmac = 24,
    .mix = "trellis 1, gather16 1",
    .check = decoder_check,
    .shape = decoder_shape,
    .init = decoder_init,
    .work = decoder_work,
    .stateless = 1,
    .warm = decoder_warm,
    .work_many = decoder_work_many,
    .export_state = decoder_export,
    .import_state = decoder_import,
};
