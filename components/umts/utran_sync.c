/* SPDX-License-Identifier: BSD-3-Clause
 * utran_sync - from samples to the chips of whole radio frames: matched filter, frame acquisition
 * and chip clock in one.
 *
 * A message is the time of one radio frame, 38400 samples_per_chip samples, beginning anywhere in
 * the sender's frame. While there is no lock, every message is searched for the cell's scrambled
 * common pilot (CPICH; components/umts/search.h), at up to eleven carrier offsets, until its frame
 * is found. From there on the matched filter (root raised cosine, a bank of it with at least 32
 * steps in a chip) gives one sample a chip. Where that is taken, components/umts/chip_clock.h says:
 * it is shown the pilot at five places half a chip apart, in every block of 256 chips and once a
 * slot until the sender's clock is known (some five frames), in one block of five and once a frame
 * from then on. The carrier is left alone: utran_phase_correct takes off what is left of it.
 *
 * Output: 38400 chips, the first of which is the first of the scrambling code; ABSENT until locked.
 * A frame ends in a later message than it began in: with rrc_interp of the same `delay` and a
 * channel of less than 38400 - 2 delay chips, the frame sent at index k comes out at index k + 1. A
 * message that is ABSENT or not whole is a hole: its time passes, and frames with a hole in them
 * are ABSENT. A frame that is found needs a pilot 14 dB above the noise of a correlation; it is
 * lost when in LOST_FRAMES in a row no pilot is seen, 2 dB below the noise of a symbol of 256
 * chips. Then the search begins again. A sender's clock that gains or loses a whole frame costs one
 * of them. */
#include <aloe/component.h>

#include <math.h>

#include "components/umts/chip_clock.h"
#include "components/umts/scrambling.h"
#include "components/umts/search.h"
#include "core/kernels/fir.h"

enum {
	BLOCK = CLOCK_BLOCK,
	BLOCKS = UTRAN_CHIPS / BLOCK,
	SLOT = BLOCKS / 15,
	APART = BLOCKS / CLOCK_LOOKS
};
enum { SAMPLES_MAX = 8, STEPS = 32, RING = 3 * UTRAN_CHIPS, LOST_FRAMES = 7 };
enum {
	MARGIN = 4, /* chips: how far from the clock chips are taken, and how far it is moved */
	/* chips: half the length of the filter for the pilot; noise hides the rest of the pulse */
	BRIEF = 4,
};

/* power of the pilot and its noise over that of the noise; it is 1 without a pilot */
#define SEEN_RATIO 1.6

#define DOC                                                                                        \
	"The receiver finds the frame within 10 frames and holds it if the clocks "                \
	"differ by up to 20 ppm (two oscillators of 10 ppm), at 384 kbit/s and a block "           \
	"error rate of 0.1. These 20 ppm are those of the sample clock. A carrier from "           \
	"the same oscillator is off by as many ppm of its frequency: 20 ppm of 2 GHz "             \
	"are 40 kHz. The component does not derive the carrier offset from the clock "             \
	"offset, so the carrier offset must be brought within search_hz before this "              \
	"component. The receiver has one finger, which follows the strongest path "                \
	"within a chip of the clock. In the ITU pedestrian A channel at 3 km/h the "               \
	"finger loses at most 0.2 dB compared with a receiver that knows the strongest "           \
	"path. The energy of paths further away (pedestrian B, vehicular A) is not "               \
	"collected and counts as noise."

/* A filter for each step of a sample, of samples_per_chip phases. */
struct filter_bank {
	uint32_t delay; /* chips: half its length */
	uint32_t len;   /* taps of a phase */
	float *taps;
};

struct sync {
	uint32_t primary_code;
	uint32_t samples_per_chip;
	double rolloff;
	uint32_t delay;
	double known_delay;
	double search_hz;
	double bandwidth;
	uint64_t locked, locks, tries, frames, spoilt, dropped, short_blocks;
	double frame_chip, clock_ppm, pilot_db, carrier_hz;
	uint32_t steps;              /* of a sample */
	uint32_t past;               /* chips kept of the message before */
	cf32 *tail;                  /* their samples */
	cf32 *streams[SAMPLES_MAX];  /* samples by phase: `past` chips, then the message */
	cf32 *ring;                  /* chips since lock, three frames of them */
	uint32_t held;               /* how many have not come out */
	uint64_t made;               /* chips since lock */
	uint64_t hole_from, hole_to; /* of those, the last ones with a hole in them */
	double next;                 /* sample of the streams at which the next chip lies */
	/* of the frame; which blocks are looked at; frames without a pilot */
	uint32_t block, turn, unseen;
	uint32_t since;        /* blocks since the clock was moved */
	double pilot, power;   /* of the frame, as in the look */
	struct chip_look look; /* since the clock was moved */
	struct chip_clock clock;
	struct filter_bank matched, brief; /* of the pulse; of the middle of it, for the pilot */
	struct search search;
	cf32 whole[BLOCK + 2], half[BLOCK + 2], plain[BLOCK];
	float mean[2 * BLOCK];
	int8_t *code;
	const struct fir_kernels *fir;
	const struct utran_chip_kernels *kernels;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "samples, the time of one radio frame"),
    ALOE_OUT("out", ALOE_CF32, "chips of one radio frame, from its beginning on"),
};

static const struct aloe_param params[] = {
    SCRAMBLING_PARAM(struct sync),
    ALOE_PARAM_INT(struct sync, samples_per_chip, 2, 2, SAMPLES_MAX, "", 0,
        "nominal number of samples per chip"),
    ALOE_PARAM_REAL(struct sync, rolloff, 0.22, 0.05, 1, "", 0, "excess bandwidth of the pulses"),
    ALOE_PARAM_INT(struct sync, delay, 10, 1, 64, "chips", 0, "half the length of the pulse"),
    ALOE_PARAM_REAL(struct sync, known_delay, ALOE_NAN, 0, 300000, "items", 0,
        "delay of the channel if it is known, so that nothing is searched; not set: search"),
    ALOE_PARAM_REAL(
        struct sync, search_hz, 500, 0, 5000, "Hz", 0, "largest carrier offset to search at"),
    ALOE_PARAM_REAL(struct sync, bandwidth, 0.1, 0, 0.5, "", ALOE_LIVE,
        "gain of the clock loop per frame; smaller is slower and quieter; 0 holds the clock"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct sync, locked, "", "1 while frames come out"),
    ALOE_VAR_U64(struct sync, locks, "",
        "how often a frame was found; a number above 1 means that the frame was lost"),
    ALOE_VAR_U64(struct sync, tries, "", "messages searched"),
    ALOE_VAR_U64(struct sync, frames, "", "frames that came out"),
    ALOE_VAR_U64(struct sync, spoilt, "", "frames ABSENT because of a hole in the input"),
    ALOE_VAR_U64(
        struct sync, dropped, "", "surplus frames dropped because the sender's clock is fast"),
    ALOE_VAR_U64(
        struct sync, short_blocks, "block", "messages whose length was not the time of one frame"),
    ALOE_VAR_F64(
        struct sync, frame_chip, "chips", "place in the last message at which a frame began"),
    ALOE_VAR_F64(struct sync, clock_ppm, "ppm", "how much the sender's clock is fast"),
    ALOE_VAR_F64(struct sync, pilot_db, "dB",
        "power of the pilot divided by all received power, in the last frame"),
    ALOE_VAR_F64(struct sync, carrier_hz, "Hz",
        "carrier offset at which the frame was found, in steps of 100"),
};

static int sync_shape(void *self, struct aloe_setup *setup)
{
	const uint32_t samples = ((const struct sync *)self)->samples_per_chip * UTRAN_CHIPS;

	if (setup->in[0].max != samples)
		return aloe_fail(setup, "a radio frame has %u samples, but the input has %u",
		    samples, setup->in[0].max);
	setup->out[0].max = UTRAN_CHIPS;
	return 0;
}

/* ---- matched filter ---- */

/* Tap k of phase p meets sample k * samples_per_chip + p, counted from `delay` chips before the
 * whole sample that the chip lies behind, by step / steps. The gain is 1 for a pulse of
 * rrc_interp. */
static int make_bank(
    const struct sync *s, uint32_t delay, struct filter_bank *bank, struct aloe_setup *setup)
{
	const uint32_t n = s->samples_per_chip;
	float *tap;

	bank->delay = delay;
	bank->len = 2 * delay + 1;
	bank->taps = tap = aloe_alloc(setup, (size_t)s->steps * n * bank->len * sizeof(*tap));
	if (!tap)
		return aloe_fail(setup, "no memory for %u filters", s->steps);
	for (uint32_t step = 0; step < s->steps; step++)
		for (uint32_t p = 0; p < n; p++)
			for (uint32_t k = 0; k < bank->len; k++) {
				const double t =
				    k + ((double)p - (double)step / s->steps) / n - delay;

				*tap++ =
				    (float)(fabs(t) <= delay ? pulse_rrc(t, s->rolloff) / n : 0);
			}
	return 0;
}

/* The step nearest to a sample. */
static uint64_t step_of(const struct sync *s, double at)
{
	return (uint64_t)llrint(at * s->steps);
}

/* Chips whose first lies at sample `at`. */
static void chips_filter(
    const struct sync *s, const struct filter_bank *bank, double at, cf32 *chips, uint32_t n)
{
	const uint32_t per = s->samples_per_chip;
	const uint64_t step = step_of(s, at), first = step / s->steps - (uint64_t)bank->delay * per;
	const cf32 *in[SAMPLES_MAX];

	for (uint32_t p = 0; p < per; p++)
		in[p] = s->streams[(first + p) % per] + (first + p) / per;
	s->fir->sum(bank->taps + step % s->steps * per * bank->len, bank->len, in, per, chips, n);
}

/* ---- init ---- */

static int alloc_buffers(struct sync *s, struct aloe_setup *setup)
{
	const uint32_t n = s->samples_per_chip;

	s->tail = aloe_alloc(setup, (size_t)s->past * n * sizeof(*s->tail));
	s->ring = aloe_alloc(setup, (size_t)RING * sizeof(*s->ring));
	if (!s->tail || !s->ring)
		return aloe_fail(setup, "no memory for frames");
	for (uint32_t p = 0; p < n; p++) {
		s->streams[p] =
		    aloe_alloc(setup, (size_t)(s->past + UTRAN_CHIPS) * sizeof(*s->streams[p]));
		if (!s->streams[p])
			return aloe_fail(setup, "no memory for a frame of samples");
	}
	return 0;
}

static int sync_init(void *self, struct aloe_setup *setup)
{
	struct sync *s = self;
	int8_t ones[BLOCK];

	/* half a chip is whole steps */
	s->steps = (STEPS / 2 + s->samples_per_chip - 1) / s->samples_per_chip * 2;
	s->past = BLOCK + 2 * s->delay + 4 * MARGIN;
	s->fir = fir_kernels((enum simd_level)setup->simd);
	s->kernels = utran_chip_kernels((enum simd_level)setup->simd);
	chip_clock_init(&s->clock, s->rolloff);
	utran_ovsf(BLOCK, 0, ones);
	utran_chip_pairs(ones, BLOCK, 1.0f / BLOCK, s->mean);
	s->code = scrambling_alloc(s->primary_code, setup);
	if (!s->code || make_bank(s, s->delay, &s->matched, setup) < 0 ||
	    make_bank(s, s->delay < BRIEF ? s->delay : BRIEF, &s->brief, setup) < 0 ||
	    alloc_buffers(s, setup) < 0)
		return -1;
	return isnan(s->known_delay)
	    ? search_init(&s->search, s->code, s->rolloff, s->search_hz, setup)
	    : 0;
}

/* ---- lock ---- */

static void clock_lock(struct sync *s, double at, double ahead)
{
	s->next = at;
	s->held = s->block = s->unseen = s->since = 0;
	s->made = s->hole_from = s->hole_to = 0;
	s->pilot = s->power = 0;
	s->look = (struct chip_look){0};
	chip_clock_start(&s->clock, ahead);
	s->locked = 1;
	s->locks++;
}

/* A chip a symbol from the beginning of the message on; the last few would need the next
 * message. */
static void pilot_search(struct sync *s)
{
	const uint32_t n = s->samples_per_chip, whole = UTRAN_CHIPS - s->delay - 1;

	s->tries++;
	chips_filter(s, &s->matched, (double)s->past * n, s->search.chips, whole);
	memset(s->search.chips + whole, 0, (UTRAN_CHIPS - whole) * sizeof(cf32));
	if (!search_try(&s->search))
		return;
	s->carrier_hz = s->search.offset_hz;
	clock_lock(s, (s->past + s->search.chip) * n, s->search.chip - UTRAN_CHIPS / 2);
}

/* ---- clock ---- */

/* The pilot in a block of chips, which are scrambled. */
static cf32 pilot_of(struct sync *s, const cf32 *chips)
{
	cf32 symbol;

	s->kernels->descramble(s->code + 2 * BLOCK * s->block, chips, s->plain, BLOCK);
	s->kernels->despread(s->mean, BLOCK, s->plain, &symbol, 1);
	return symbol;
}

static double block_power(const cf32 *chips)
{
	double power = 0;

	for (uint32_t i = 0; i < BLOCK; i++)
		power += search_power(chips[i]);
	return power / BLOCK;
}

/* The pilot around the clock. The filters' steps are coarser than the clock: the nearest one is
 * taken, and told. */
static void pilot_look(struct sync *s)
{
	const double n = s->samples_per_chip,
	             off = (double)step_of(s, s->next) / s->steps - s->next;
	cf32 pilots[CLOCK_LAGS];
	double power;

	chips_filter(s, &s->brief, s->next - n, s->whole, BLOCK + 2);
	chips_filter(s, &s->brief, s->next - n / 2, s->half, BLOCK + 1);
	pilots[0] = pilot_of(s, s->whole);
	pilots[1] = pilot_of(s, s->half);
	pilots[2] = pilot_of(s, s->whole + 1);
	power = block_power(s->plain);
	pilots[3] = pilot_of(s, s->half + 1);
	pilots[4] = pilot_of(s, s->whole + 2);
	chip_look_add(&s->look, pilots, power, off / n);
}

/* What has been seen since the last time moves the clock. */
static void clock_steer(struct sync *s)
{
	const double chips = (double)s->since * BLOCK;

	if (s->bandwidth > 0)
		s->next += s->samples_per_chip *
		    chip_clock_steer(&s->clock, &s->look, chips, s->bandwidth);
	s->clock_ppm = -1e6 * s->clock.rate;
	s->pilot += chip_look_pilot(&s->look);
	s->power += s->look.power;
	s->look = (struct chip_look){0};
	s->since = 0;
}

/* The end of a frame: is there anything to be seen? */
static void frame_judge(struct sync *s)
{
	const double ratio = BLOCK * s->pilot / s->power;
	const bool seen = ratio >= SEEN_RATIO;

	s->unseen = seen ? 0 : s->unseen + 1;
	s->pilot_db = seen ? 10 * log10((ratio - 1) / BLOCK) : -100;
	s->pilot = s->power = 0;
	s->block = 0;
	s->turn = (s->turn + 1) % APART;
	if (s->unseen >= LOST_FRAMES && isnan(s->known_delay))
		s->locked = 0;
}

/* Until the rate is known every block is looked at, and the clock moved once a slot; from then on
 * it is one block of five, and once a frame. */
static void blocks_watch(struct sync *s)
{
	const bool known = s->clock.known;

	if (!known || s->block % APART == s->turn)
		pilot_look(s);
	s->next += BLOCK * (double)s->samples_per_chip * (1 + s->clock.rate);
	s->since++;
	s->block++;
	if (s->block == BLOCKS || (!known && s->block % SLOT == 0))
		clock_steer(s);
	if (s->block == BLOCKS)
		frame_judge(s);
}

/* ---- frames ---- */

/* As many blocks as there are samples for. */
static void make_chips(struct sync *s)
{
	const double n = s->samples_per_chip,
	             end = (s->past + (double)UTRAN_CHIPS - s->delay - BLOCK - MARGIN) * n;

	while (s->locked && s->next < end && s->held < RING) {
		cf32 *chips = s->ring + s->made % RING;

		if (s->block == 0)
			s->frame_chip = fmod(s->next / n - s->past + UTRAN_CHIPS, UTRAN_CHIPS);
		chips_filter(s, &s->matched, s->next + n * s->clock.finger, chips, BLOCK);
		s->held += BLOCK;
		s->made += BLOCK;
		blocks_watch(s);
	}
}

/* The oldest frame, if it is whole; of two that wait the older one goes. */
static void put_frame(struct sync *s, struct aloe_slot *slot)
{
	const uint64_t from = s->made - s->held;

	if (s->held < UTRAN_CHIPS)
		return;
	if (from < s->hole_to && from + UTRAN_CHIPS > s->hole_from) {
		s->spoilt++;
	} else {
		memcpy(aloe_out_cf32(slot, 0), s->ring + from % RING, UTRAN_CHIPS * sizeof(cf32));
		aloe_put(slot, 0, UTRAN_CHIPS);
		s->frames++;
	}
	s->held -= UTRAN_CHIPS;
	if (s->held < 2 * UTRAN_CHIPS)
		return;
	s->held -= UTRAN_CHIPS;
	s->dropped++;
}

/* Samples by phase: the last of the message before, then this one, or a hole. */
static void samples_take(struct sync *s, const cf32 *in)
{
	const uint32_t n = s->samples_per_chip, past = s->past * n;
	cf32 *behind[SAMPLES_MAX];

	s->fir->deal(s->tail, n, s->streams, s->past);
	for (uint32_t p = 0; p < n; p++)
		behind[p] = s->streams[p] + s->past;
	if (in) {
		s->fir->deal(in, n, behind, UTRAN_CHIPS);
		memcpy(s->tail, in + (size_t)n * UTRAN_CHIPS - past, past * sizeof(*in));
		return;
	}
	for (uint32_t p = 0; p < n; p++)
		memset(behind[p], 0, UTRAN_CHIPS * sizeof(cf32));
	memset(s->tail, 0, past * sizeof(cf32));
}

/* What comes next joins nothing. */
static int sync_forget(struct sync *s)
{
	memset(s->tail, 0, (size_t)s->past * s->samples_per_chip * sizeof(cf32));
	return 0;
}

/* Chips from `made` on, and those that the filter brings near, have nothing in them; holes in a row
 * are one. */
static void mark_hole(struct sync *s, uint64_t made)
{
	const uint64_t from = made > s->past ? made - s->past : 0;

	if (from > s->hole_to || s->hole_to == 0)
		s->hole_from = from;
	s->hole_to = s->made + s->past;
}

static int sync_work(void *self, struct aloe_slot *slot)
{
	struct sync *s = self;
	const double samples = (double)s->samples_per_chip * UTRAN_CHIPS;
	const bool valid = aloe_in_valid(slot, 0), whole = aloe_in_len(slot, 0) == samples;
	const bool hole = !valid || !whole;
	const uint64_t made = s->made;

	s->short_blocks += valid && !whole;
	slot->out[0].state = valid ? ALOE_ABSENT : slot->in[0].state;
	if (hole && !s->locked)
		return sync_forget(s);
	samples_take(s, hole ? NULL : aloe_in_cf32(slot, 0));
	if (!s->locked && !isnan(s->known_delay))
		clock_lock(s,
		    s->past * (double)s->samples_per_chip + s->known_delay +
		        s->delay * s->samples_per_chip,
		    0);
	else if (!s->locked)
		pilot_search(s);
	make_chips(s);
	s->next -= samples;
	if (hole)
		mark_hole(s, made);
	if (s->locked)
		put_frame(s, slot);
	return 0;
}

static int sync_reset(void *self)
{
	struct sync *s = self;

	s->locked = s->turn = 0;
	s->search.offset = 0;
	return sync_forget(s);
}

static int sync_close(void *self, struct aloe_setup *setup)
{
	(void)setup;
	search_fini(&((struct sync *)self)->search);
	return 0;
}

ALOE_COMPONENT(utran_sync) = {
    .summary = "matched filter, frame acquisition and chip clock of a UTRA downlink receiver",
    .doc = DOC,
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct sync),
    .kmac = 150,
    .shape = sync_shape,
    .init = sync_init,
    .work = sync_work,
    .reset = sync_reset,
    .close = sync_close,
};
