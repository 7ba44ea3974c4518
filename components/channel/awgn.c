/* SPDX-License-Identifier: BSD-3-Clause
 * awgn - additive white Gaussian noise at a stated signal-to-noise ratio.
 *
 * The ratio is Es/N0 with Es the energy of one item: amplitude squared (1 unless set; 8192 squared
 * for integers). The signal is not measured, so silence gets the same noise. N0 is the noise
 * density:
 * 	complex items	noise of variance N0/2 in each dimension (N0 in all)
 * 	real items	noise of variance N0/2
 * so that BPSK on either has the bit error rate Q(sqrt(2 Es/N0)). Given as Eb/N0, Es = Eb *
 * bits_per_item, where bits_per_item counts information bits only: a rate 1/3 code in BPSK has 1/3;
 * two samples a symbol halve it again.
 *
 * The noise of an index depends on seed and index alone (core/kernels/random.h). Integers are
 * rounded to nearest and limited to +-32767; what was limited is counted. Both ratios are live: the
 * one set last holds, so it is not stateless. */
#include <aloe/component.h>

#include <math.h>

#include "core/kernels/random.h"

struct awgn {
	double esn0_db;
	double ebn0_db;
	double bits_per_item;
	double amplitude;
	uint64_t seed;
	uint64_t clipped;
	double esn0_now_db;
	double esn0_seen_db, ebn0_seen_db; /* the parameters when sigma was computed */
	float sigma;                       /* of one dimension */
	float level;
	uint32_t type;
	float *noise; /* of integers: scratch */
	const struct random_kernels *kernels;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_I16 | ALOE_CI16 | ALOE_F32 | ALOE_CF32, "signal"),
    ALOE_OUT("out", ALOE_I16 | ALOE_CI16 | ALOE_F32 | ALOE_CF32, "signal and noise"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_REAL(
        struct awgn, esn0_db, ALOE_NAN, -60, 200, "dB", ALOE_LIVE, "energy per item over N0"),
    ALOE_PARAM_REAL(struct awgn, ebn0_db, ALOE_NAN, -60, 200, "dB", ALOE_LIVE,
        "energy per information bit over N0; needs bits_per_item"),
    ALOE_PARAM_REAL(struct awgn, bits_per_item, ALOE_NAN, 1e-6, 64, "", 0,
        "information bits per item, code rate included"),
    ALOE_PARAM_REAL(struct awgn, amplitude, ALOE_NAN, 1e-6, 32767, "", 0,
        "root of the mean power of an item; if not set, 1 for f32 and cf32, 8192 for i16 and ci16"),
    ALOE_PARAM_INT(struct awgn, seed, 1, 0, 9007199254740992.0, "", 0,
        "start of the random numbers; another seed gives other noise"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct awgn, clipped, "", "integer values limited to +-32767"),
    {"esn0_now_db", 1, (uint32_t)offsetof(struct awgn, esn0_now_db), "dB", "Es/N0 in force"},
};

static bool is_whole(uint32_t type)
{
	return type == ALOE_I16 || type == ALOE_CI16;
}

static uint32_t dimensions_of(uint32_t type)
{
	return type == ALOE_CF32 || type == ALOE_CI16 ? 2 : 1;
}

static int awgn_check(void *self, struct aloe_setup *setup)
{
	const struct awgn *awgn = self;
	const bool esn0 = !isnan(awgn->esn0_db), ebn0 = !isnan(awgn->ebn0_db);

	if (esn0 && ebn0)
		return aloe_fail(setup, "esn0_db and ebn0_db are both set; give one of them");
	if (!esn0 && !ebn0)
		return aloe_fail(setup, "neither esn0_db nor ebn0_db is set; give one of them");
	if (ebn0 && isnan(awgn->bits_per_item))
		return aloe_fail(setup,
		    "ebn0_db needs bits_per_item, the information bits per item (code rate "
		    "included)");
	if (is_whole(setup->in[0].type) && awgn->amplitude < 1)
		return aloe_fail(setup, "amplitude = %g is outside [1, 32767] for integer samples",
		    awgn->amplitude);
	return 0;
}

/* The ratio that differs from what was seen is the one to follow; without bits_per_item a live
 * ebn0_db has no meaning.
 */
static void update_sigma(struct awgn *awgn)
{
	const bool ebn0_new = !isnan(awgn->ebn0_db) && awgn->ebn0_db != awgn->ebn0_seen_db;
	const bool esn0_new = !isnan(awgn->esn0_db) && awgn->esn0_db != awgn->esn0_seen_db;

	if (ebn0_new && !isnan(awgn->bits_per_item))
		awgn->esn0_now_db = awgn->ebn0_db + 10 * log10(awgn->bits_per_item);
	if (esn0_new)
		awgn->esn0_now_db = awgn->esn0_db;
	if (!ebn0_new && !esn0_new)
		return;
	awgn->ebn0_seen_db = awgn->ebn0_db;
	awgn->esn0_seen_db = awgn->esn0_db;
	awgn->sigma = (float)(awgn->level * sqrt(0.5 * pow(10, -0.1 * awgn->esn0_now_db)));
}

static int awgn_init(void *self, struct aloe_setup *setup)
{
	struct awgn *awgn = self;

	awgn->type = setup->in[0].type;
	awgn->kernels = random_kernels((enum simd_level)setup->simd);
	awgn->level = !isnan(awgn->amplitude) ? (float)awgn->amplitude
	    : is_whole(awgn->type)            ? 8192
	                                      : 1;
	awgn->esn0_seen_db = awgn->ebn0_seen_db = ALOE_NAN;
	update_sigma(awgn);
	if (!is_whole(awgn->type))
		return 0;
	awgn->noise = aloe_scratch(
	    setup, (size_t)setup->in[0].max * dimensions_of(awgn->type) * sizeof(float) + 1);
	return awgn->noise
	    ? 0
	    : aloe_fail(setup, "no memory for the noise of %u items", setup->in[0].max);
}

static uint64_t add_whole(
    const int16_t *in, const float *noise, float sigma, int16_t *out, uint32_t n)
{
	uint32_t clipped = 0;

	for (uint32_t i = 0; i < n; i++) {
		const float x = (float)in[i] + sigma * noise[i];
		const float low = x > -32767.0f ? x : -32767.0f;
		const float limited = low < 32767.0f ? low : 32767.0f;

		clipped += limited != x;
		out[i] = (int16_t)lrintf(limited);
	}
	return clipped;
}

static int awgn_work(void *self, struct aloe_slot *slot)
{
	struct awgn *awgn = self;
	const uint32_t n = aloe_pass(slot, 0, 0) * dimensions_of(awgn->type);

	if (awgn->esn0_db != awgn->esn0_seen_db || awgn->ebn0_db != awgn->ebn0_seen_db)
		update_sigma(awgn);
	if (!is_whole(awgn->type)) {
		awgn->kernels->add_gauss(
		    awgn->seed, slot->index, slot->in[0].data, awgn->sigma, slot->out[0].data, n);
		return 0;
	}
	awgn->kernels->gauss(awgn->seed, slot->index, awgn->noise, n);
	awgn->clipped +=
	    add_whole(slot->in[0].data, awgn->noise, awgn->sigma, slot->out[0].data, n);
	return 0;
}

static void awgn_warm(const void *self, struct aloe_warm *warm)
{
	const struct awgn *awgn = self;

	aloe_warm_code(warm,
	    awgn->noise ? (uintptr_t)awgn->kernels->gauss : (uintptr_t)awgn->kernels->add_gauss,
	    2048);
}

ALOE_COMPONENT(awgn) = {
    .summary = "add white Gaussian noise",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct awgn),
    .kmac = 30,
    .check = awgn_check,
    .init = awgn_init,
    .work = awgn_work,
    .warm = awgn_warm,
};
