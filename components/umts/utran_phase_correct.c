/* SPDX-License-Identifier: BSD-3-Clause
 * utran_phase_correct - turn and weigh the symbols of a channel by what its cell's common pilot
 * (CPICH) says of the radio channel: coherent detection.
 *
 * Both inputs are of the same radio frame, a whole number of symbols for each pilot symbol; a pilot
 * that was sent as 1 + j (utran_cpich, despread by C_256,0) gives an estimate of the channel for
 * the time of its 256 chips. Within the message
 *         1. the carrier's offset is measured, from pilots one apart and then eight apart:
 *            unambiguous within +-7.5 kHz;
 * 	2. with it taken off, `window` estimates in a row are averaged;
 *         3. a symbol is multiplied by the conjugate of the average nearest to it, its phase
 *            carried on by the offset, over the mean power of the averages in the message: symbols
 *            of a faded part come out small, as soft bits should.
 * The channel may so change within `window` times 67 us, less its offset. A symbol of power 1 comes
 * out with power 1 if `pilot_gain` is the amplitude of the pilot over that of the channel, gain of
 * utran_cpich over gain of utran_spread. */
#include <aloe/component.h>

#include <math.h>

enum { SYMBOLS, PILOTS, FAR = 8 };

struct phase_correct {
	uint32_t window;
	double pilot_gain;
	uint64_t short_blocks;
	double carrier_hz;
	double pilot_snr_db;
	cf32 *estimates;
	cf32 *sums; /* of the estimates so far: max + 1 */
};

static const struct aloe_port ports[] = {
    ALOE_IN("symbols", ALOE_CF32, "despread symbols"),
    ALOE_IN("pilots", ALOE_CF32, "despread pilots of the same time, 256 chips each"),
    ALOE_OUT("out", ALOE_CF32, "symbols, turned and weighed"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(
        struct phase_correct, window, 15, 1, 149, "pilots", 0, "estimates averaged, an odd number"),
    ALOE_PARAM_REAL(struct phase_correct, pilot_gain, 1, 1e-3, 1e3, "", ALOE_LIVE,
        "amplitude of the pilot divided by that of the channel"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_F64(struct phase_correct, carrier_hz, "Hz", "carrier offset in the last message"),
    ALOE_VAR_F64(struct phase_correct, pilot_snr_db, "dB",
        "signal-to-noise ratio of one pilot symbol in the last message"),
    ALOE_VAR_U64(
        struct phase_correct, short_blocks, "block", "messages whose lengths do not match"),
};

static int correct_check(void *self, struct aloe_setup *setup)
{
	const uint32_t window = ((const struct phase_correct *)self)->window;

	return window % 2 ? 0 : aloe_fail(setup, "window = %u is not odd", window);
}

static int correct_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	setup->out[0].max = setup->in[SYMBOLS].max;
	return 0;
}

static int correct_init(void *self, struct aloe_setup *setup)
{
	struct phase_correct *s = self;
	const uint32_t max = setup->in[PILOTS].max;

	s->estimates = aloe_alloc(setup, (max + 1) * sizeof(*s->estimates));
	s->sums = aloe_alloc(setup, (max + 1) * sizeof(*s->sums));
	return s->estimates && s->sums ? 0 : aloe_fail(setup, "no memory for %u pilots", max);
}

/* The angle between pilots `apart`, once `known` radians a pilot are taken off; 0 if there is
 * none. */
static float angle_between(const cf32 *pilots, uint32_t n, uint32_t apart, float known)
{
	cf32 sum = 0;

	for (uint32_t i = apart; i < n; i++)
		sum += pilots[i] * conjf(pilots[i - apart]);
	sum *= cexpf(-I * known * (float)apart);
	return isfinite(crealf(sum)) && isfinite(cimagf(sum)) ? cargf(sum) : 0;
}

/* Radians from one pilot to the next. */
static float measure_offset(const cf32 *pilots, uint32_t n)
{
	const float near = angle_between(pilots, n, 1, 0);

	return n > 2 * FAR ? near + angle_between(pilots, n, FAR, near) / FAR : near;
}

static void fill_sums(struct phase_correct *s, const cf32 *pilots, uint32_t n, float offset)
{
	const cf32 unit = (1 - I) * (float)M_SQRT1_2;

	s->sums[0] = 0;
	for (uint32_t i = 0; i < n; i++)
		s->sums[i + 1] = s->sums[i] + pilots[i] * unit * cexpf(-I * offset * (float)i);
}

/* Averages, and the mean power of a pilot's noise: what one differs from the average around it,
 * which has a share of it. */
static float pilots_average(struct phase_correct *s, uint32_t n, float *ret_noise)
{
	const uint32_t half = s->window / 2;
	float power = 0, noise = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t from = i > half ? i - half : 0,
		               to = i + half + 1 < n ? i + half + 1 : n;
		const float count = (float)(to - from);
		const cf32 mean = (s->sums[to] - s->sums[from]) / count,
		           off = s->sums[i + 1] - s->sums[i] - mean;

		s->estimates[i] = mean;
		power += crealf(mean * conjf(mean));
		noise += count > 1 ? crealf(off * conjf(off)) * count / (count - 1) : 0;
	}
	*ret_noise = noise / (float)n;
	return power / (float)n;
}

static void symbols_turn(const struct phase_correct *s, const cf32 *in, cf32 *out, uint32_t pilots,
    uint32_t each, float offset, float scale)
{
	for (uint32_t i = 0; i < pilots; i++) {
		const float start = offset * ((float)i - 0.5f * (float)(each - 1) / (float)each);
		const cf32 step = cexpf(-I * offset / (float)each);
		cf32 weight = scale * conjf(s->estimates[i]) * cexpf(-I * start);

		for (uint32_t k = 0; k < each; k++, weight *= step)
			*out++ = *in++ * weight;
	}
}

static void symbols_correct(struct phase_correct *s, const cf32 *symbols, const cf32 *pilots,
    cf32 *out, uint32_t n, uint32_t each)
{
	const float offset = measure_offset(pilots, n);
	float noise, power;

	fill_sums(s, pilots, n, offset);
	power = pilots_average(s, n, &noise);
	symbols_turn(
	    s, symbols, out, n, each, offset, power > 0 ? (float)s->pilot_gain / power : 0);
	s->carrier_hz = offset / (2 * M_PI) * 15000;
	s->pilot_snr_db = power > 0 && noise > 0 ? 10 * log10f(power / noise) : 0;
}

static int correct_work(void *self, struct aloe_slot *slot)
{
	struct phase_correct *s = self;
	const uint32_t n = aloe_in_len(slot, SYMBOLS), pilots = aloe_in_len(slot, PILOTS);
	const uint32_t states[2] = {slot->in[SYMBOLS].state, slot->in[PILOTS].state};

	slot->out[0].state = states[0] < states[1] ? states[0] : states[1];
	if (slot->out[0].state != ALOE_VALID)
		return 0;
	if (pilots == 0 || n % pilots) {
		s->short_blocks++;
		slot->out[0].state = ALOE_ABSENT;
		return 0;
	}
	symbols_correct(s, aloe_in_cf32(slot, SYMBOLS), aloe_in_cf32(slot, PILOTS),
	    aloe_out_cf32(slot, 0), pilots, n / pilots);
	aloe_put(slot, 0, n);
	return 0;
}

ALOE_COMPONENT(utran_phase_correct) = {
    .summary = "coherent detection: symbols turned and weighed by the UTRA common pilot",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct phase_correct),
    .kmac = 20,
    .check = correct_check,
    .shape = correct_shape,
    .init = correct_init,
    .work = correct_work,
};
