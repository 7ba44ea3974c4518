/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/channel/tdl.h - tapped delay lines: the profiles of the standards and what is made of
 * them for a sample rate. What channel_tdl and fader share; their states begin with struct tdl.
 *
 *      profile       standard delays in ns / mean powers in dB
 * 	flat          one path
 *      pedestrian_a  ITU-R M.1225 Annex 2 table 4, channel A; TS 25.101 B.2.2 PA3 0 110 190 410 / 0
 *                    -9.7 -19.2 -22.8
 *      pedestrian_b  the same, channel B; PB3     0 200 800 1200 2300 3700 / 0 -0.9 -4.9 -8.0 -7.8
 *                                                 -23.9
 *      vehicular_a   ITU-R M.1225 Annex 2 table 5, channel A; VA30   0 310 710 1090 1730 2510 / 0
 *                                                                    -1 -9 -10 -15 -20
 * 	case1         3GPP TS 25.101 Annex B.2.2 table B.1, case 1: 3 km/h            0 976 / 0 -10
 *      case2         case 2: 3 km/h 0 976 20000 / 0 0 0
 *      case3         case 3: 120 km/h 0 260 521 781 / 0 -3 -6 -9
 * 	custom        delays_ns and powers_db
 *
 * All taps fade independently with the classical Doppler spectrum (core/kernels/fading.h). Powers
 * are scaled to a sum of 1 (`normalize`). Delays are taken to the nearest sample, or interpolated:
 * then a delay between two samples is a filter of 16 taps (sinc under a Kaiser window, for signals
 * below 0.7 of half the sample rate within -60 dB), and all taps come 7 samples later.
 */
#ifndef COMPONENTS_CHANNEL_TDL_H
#define COMPONENTS_CHANNEL_TDL_H

#include <aloe/component.h>

#include <math.h>

#include "core/kernels/fading.h"

enum { TDL_TAPS_MAX = 24, TDL_FILTER = 16, TDL_BULK = 7, TDL_DELAY_MAX = 1 << 20 };
enum { TDL_FLAT, TDL_CUSTOM = 7 };
enum { TDL_NEAREST, TDL_INTERPOLATE };

struct tdl {
	int32_t profile;
	struct aloe_reals delays_ns;
	struct aloe_reals powers_db;
	int32_t delays;
	bool normalize;
	double speed_kmh;
	double carrier_hz;
	double doppler_hz;
	double rate_hz;
	uint64_t seed;
};

static const char *const tdl_profile_names[] = {"flat", "pedestrian_a", "pedestrian_b",
    "vehicular_a", "case1", "case2", "case3", "custom", NULL};
static const char *const tdl_delay_names[] = {"nearest", "interpolate", NULL};

#define TDL_PARAMS                                                                                 \
	ALOE_PARAM_ENUM(struct tdl, profile, tdl_profile_names, "flat", 0,                         \
	    "delays and mean powers of the taps"),                                                 \
	    ALOE_PARAM_REALS(struct tdl, delays_ns, TDL_TAPS_MAX, 0, 1e9, "ns", 0,                 \
	        "delay of each tap, with profile = custom"),                                       \
	    ALOE_PARAM_REALS(struct tdl, powers_db, TDL_TAPS_MAX, -100, 100, "dB", 0,              \
	        "mean power of each tap, with profile = custom"),                                  \
	    ALOE_PARAM_ENUM(struct tdl, delays, tdl_delay_names, "nearest", 0,                     \
	        "nearest: round delays to whole samples; interpolate: exact delays, the output "   \
	        "7 samples later"),                                                                \
	    ALOE_PARAM_BOOL(                                                                       \
	        struct tdl, normalize, true, 0, "scale the mean powers so that their sum is 1"),   \
	    ALOE_PARAM_REAL(struct tdl, speed_kmh, ALOE_NAN, 0, 1e4, "km/h", 0,                    \
	        "speed of the receiver; if not set, 120 for case3, 30 for vehicular_a, else 3"),   \
	    ALOE_PARAM_REAL(struct tdl, carrier_hz, 2e9, 1, 1e12, "Hz", 0,                         \
	        "carrier frequency; the speed and this frequency give the Doppler shift"),         \
	    ALOE_PARAM_REAL(struct tdl, doppler_hz, ALOE_NAN, 0, 1e6, "Hz", 0,                     \
	        "largest Doppler shift, given instead of a speed; 0 makes a channel that does "    \
	        "not change"),                                                                     \
	    ALOE_PARAM_INT(struct tdl, seed, 1, 0, 9007199254740992.0, "", 0,                      \
	        "start of the random numbers; another seed gives another channel")

/* One tap at a sample rate: x delayed by `delay` samples and filtered. */
struct tdl_tap {
	float amplitude;
	uint32_t delay;
	uint32_t n_filter; /* 1: only delayed */
	float filter[TDL_FILTER];
};

struct tdl_line {
	uint32_t n_taps;
	uint32_t reach; /* samples before the first that a sum looks at */
	double doppler_hz;
	struct tdl_tap taps[TDL_TAPS_MAX];
};

struct tdl_profile {
	uint32_t n;
	float delays_ns[6], powers_db[6];
	float speed_kmh;
};

static inline const struct tdl_profile *tdl_profile(int32_t profile)
{
	static const struct tdl_profile profiles[] = {
	    {1, {0}, {0}, 3},
	    {4, {0, 110, 190, 410}, {0, -9.7f, -19.2f, -22.8f}, 3},
	    {6, {0, 200, 800, 1200, 2300, 3700}, {0, -0.9f, -4.9f, -8.0f, -7.8f, -23.9f}, 3},
	    {6, {0, 310, 710, 1090, 1730, 2510}, {0, -1, -9, -10, -15, -20}, 30},
	    {2, {0, 976}, {0, -10}, 3},
	    {3, {0, 976, 20000}, {0, 0, 0}, 3},
	    {4, {0, 260, 521, 781}, {0, -3, -6, -9}, 120},
	};

	return &profiles[profile];
}

/* tdl_arrays gives delays and powers; how many. */
static inline uint32_t tdl_arrays(
    const struct tdl *tdl, const float **ret_delays_ns, const float **ret_powers_db)
{
	const struct tdl_profile *profile;

	if (tdl->profile == TDL_CUSTOM) {
		*ret_delays_ns = tdl->delays_ns.data;
		*ret_powers_db = tdl->powers_db.data;
		return tdl->delays_ns.len;
	}
	profile = tdl_profile(tdl->profile);
	*ret_delays_ns = profile->delays_ns;
	*ret_powers_db = profile->powers_db;
	return profile->n;
}

/* tdl_check [control] refuses what contradicts itself, and delays that are too long at this
 * rate. */
static inline int tdl_check(const struct tdl *tdl, double rate_hz, struct aloe_setup *setup)
{
	const float *delays_ns, *powers_db;
	uint32_t n;

	if (tdl->profile == TDL_CUSTOM &&
	    (tdl->delays_ns.len < 1 || tdl->delays_ns.len != tdl->powers_db.len))
		return aloe_fail(setup,
		    "profile = custom needs delays_ns and powers_db of the same length, but their "
		    "lengths are %u and %u",
		    tdl->delays_ns.len, tdl->powers_db.len);
	if (!isnan(tdl->speed_kmh) && !isnan(tdl->doppler_hz))
		return aloe_fail(setup, "speed_kmh and doppler_hz are both set; give one of them");
	n = tdl_arrays(tdl, &delays_ns, &powers_db);
	for (uint32_t i = 0; i < n; i++)
		if (delays_ns[i] * 1e-9 * rate_hz > TDL_DELAY_MAX)
			return aloe_fail(setup,
			    "a delay of %g ns at %g samples/s is above %d samples", delays_ns[i],
			    rate_hz, TDL_DELAY_MAX);
	return 0;
}

/* tdl_note [control] says when arrays were given that no profile looks at. */
static inline void tdl_note(const struct tdl *tdl, struct aloe_setup *setup)
{
	if (tdl->profile != TDL_CUSTOM && (tdl->delays_ns.len || tdl->powers_db.len))
		aloe_note(setup, "delays_ns and powers_db are not used: profile is %s, not custom",
		    tdl_profile_names[tdl->profile]);
}

/* tdl_doppler gives the largest Doppler shift. */
static inline double tdl_doppler(const struct tdl *tdl)
{
	const double own = tdl->profile == TDL_CUSTOM ? 3 : tdl_profile(tdl->profile)->speed_kmh;

	if (!isnan(tdl->doppler_hz))
		return tdl->doppler_hz;
	return (isnan(tdl->speed_kmh) ? own : tdl->speed_kmh) / 3.6 / 299792458.0 * tdl->carrier_hz;
}

/* The modified Bessel function of the first kind and order 0. */
static inline double tdl_bessel(double x)
{
	double term = 1, sum = 1;

	for (int k = 1; k < 40; k++) {
		term *= x / (2 * k) * (x / (2 * k));
		sum += term;
	}
	return sum;
}

/* tdl_filter makes a delay of TDL_BULK + fraction samples, of gain 1 at frequency 0. */
static inline void tdl_filter(double fraction, float *ret_filter)
{
	const double pi = 3.14159265358979323846, half = TDL_FILTER / 2.0;
	double taps[TDL_FILTER], sum = 0;

	for (int k = 0; k < TDL_FILTER; k++) {
		const double x = k - TDL_BULK - fraction, edge = 1 - x * x / (half * half);

		taps[k] = (x == 0 ? 1 : sin(pi * x) / (pi * x)) *
		    (edge > 0 ? tdl_bessel(6 * sqrt(edge)) : 0);
		sum += taps[k];
	}
	for (int k = 0; k < TDL_FILTER; k++)
		ret_filter[k] = (float)(taps[k] / sum);
}

static inline void tdl_tap_init(
    const struct tdl *tdl, double delay, double amplitude, struct tdl_tap *ret_tap)
{
	const double whole = floor(delay), fraction = delay - whole;

	*ret_tap = (struct tdl_tap){.amplitude = (float)amplitude, .n_filter = 1, .filter = {1}};
	if (tdl->delays == TDL_NEAREST) {
		ret_tap->delay = (uint32_t)floor(delay + 0.5);
		return;
	}
	if (fraction < 1e-6) {
		ret_tap->delay = (uint32_t)whole + TDL_BULK;
		return;
	}
	ret_tap->delay = (uint32_t)whole;
	ret_tap->n_filter = TDL_FILTER;
	tdl_filter(fraction, ret_tap->filter);
}

/* tdl_line_init [control] makes the taps at a sample rate. */
static inline void tdl_line_init(const struct tdl *tdl, double rate_hz, struct tdl_line *ret_line)
{
	const float *delays_ns, *powers_db;
	const uint32_t n = tdl_arrays(tdl, &delays_ns, &powers_db);
	double power = 0;

	*ret_line = (struct tdl_line){.n_taps = n, .doppler_hz = tdl_doppler(tdl)};
	for (uint32_t i = 0; i < n; i++)
		power += pow(10, 0.1 * powers_db[i]);
	for (uint32_t i = 0; i < n; i++) {
		const double one = pow(10, 0.1 * powers_db[i]);
		struct tdl_tap *tap = &ret_line->taps[i];

		tdl_tap_init(tdl, delays_ns[i] * 1e-9 * rate_hz,
		    sqrt(tdl->normalize ? one / power : one), tap);
		if (tap->delay + tap->n_filter - 1 > ret_line->reach)
			ret_line->reach = tap->delay + tap->n_filter - 1;
	}
}

#endif
