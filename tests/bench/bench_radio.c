/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_radio - what the engine adds to a loop that passes a radio's packets through: a slot of 256
 * samples is received, copied into a buffer and out of it, sent and given back, over a radio that
 * always has the next packet and does nothing else. Beside it the loop alone, with a clock read
 * before and behind what it does.
 */
#include <pthread.h>

#include "core/slot/radio_pace.h"
#include "tests/bench/pairs.h"
#include "tests/common/wave.h"

enum {
	SAMPLES = 256,
	BYTES = 4 * SAMPLES,
	BUFFERS = 64,
	TICKS = 2,
	ROUNDS = 200000,
	REST_NS = 50000000
};
#define RATE 100e6

static const char text[] = "name = \"pass\"; clock = \"radio\"; slot_samples = 256; rate = 100e6;\n"
                           "instances: { rx: { component = \"radio_rx\"; type = \"ci16\"; };\n"
                           "tx: { component = \"radio_tx\"; }; };\n"
                           "links = ( \"rx -> tx\" );\n";
static const char radio_text[] =
    "radio: { type = \"x310\"; transport = \"udp\"; address = \"127.0.0.2\"; };\n";

struct always {
	struct radio device; /* first */
	uint64_t received, released, sent;
	_Atomic uint64_t slots;
	uint8_t in[BUFFERS][BYTES], out[BUFFERS][BYTES];
};

static uint64_t always_clock(struct radio *device)
{
	(void)device;
	return clock_ns();
}

static void always_start(struct radio *device)
{
	((struct always *)device)->received = 0;
}

__attribute__((noinline)) static unsigned always_receive(
    struct radio *device, uint32_t channel, uint64_t now_ns, struct radio_packet *ret, unsigned n)
{
	struct always *always = (struct always *)device;
	const uint64_t number = always->received++;

	(void)channel;
	(void)now_ns;
	(void)n;
	*ret = (struct radio_packet){.iq = always->in[number % BUFFERS],
	    .ticks = number * SAMPLES * TICKS,
	    .samples = SAMPLES};
	return 1;
}

__attribute__((noinline)) static void always_release(
    struct radio *device, uint32_t channel, const struct radio_packet *packets, unsigned n)
{
	(void)channel;
	(void)packets;
	((struct always *)device)->released += n;
}

__attribute__((noinline)) static uint8_t *always_place(struct radio *device, uint32_t channel)
{
	struct always *always = (struct always *)device;

	(void)channel;
	return always->out[always->sent % BUFFERS];
}

__attribute__((noinline)) static void always_send(
    struct radio *device, uint32_t channel, uint32_t samples, uint64_t ticks)
{
	(void)channel;
	(void)samples;
	(void)ticks;
	((struct always *)device)->sent++;
}

static void always_flush(struct radio *device)
{
	struct always *always = (struct always *)device;

	atomic_store_explicit(&always->slots, always->sent, memory_order_relaxed);
}

static void always_count(struct radio *device, uint32_t channel, struct radio_counts *ret)
{
	(void)device;
	(void)channel;
	*ret = (struct radio_counts){0};
}

static const struct radio_driver always_driver = {.clock = always_clock,
    .start = always_start,
    .receive = always_receive,
    .release = always_release,
    .place = always_place,
    .send = always_send,
    .flush = always_flush,
    .count = always_count};

/* ---- the engine ------------------------------------------------------------------------ */

struct lane {
	struct wave wave;
	struct lane_thread *thread;
	struct radio_pace pace;
	struct always *always;
	int cpu;
};

static void *lane_main(void *self)
{
	struct lane *lane = self;

	platform_pin(lane->cpu);
	lane_run(lane->thread);
	return NULL;
}

static void lane_open(struct lane *lane, int cpu)
{
	const struct wave_options wave = {.clock = "radio",
	    .cpus = &cpu,
	    .n_cpus = 1,
	    .radio_text = radio_text,
	    .radio = &lane->pace.radio};

	lane->cpu = cpu;
	lane->always = aligned_alloc(64, (sizeof(*lane->always) + 63) & ~(size_t)63);
	lane->thread = aligned_alloc(64, (sizeof(*lane->thread) + 63) & ~(size_t)63);
	if (lane->always == NULL || lane->thread == NULL)
		exit(1);
	memset(lane->always, 0, sizeof(*lane->always));
	lane->always->device = (struct radio){.driver = &always_driver,
	    .channels = 1,
	    .ticks_per_sample = TICKS,
	    .rx_packet = SAMPLES,
	    .tx_packet = SAMPLES,
	    .tx_advance = 1000,
	    .patience_ns = 1000000,
	    .end_ticks = UINT64_MAX};
	if (radio_pace_init(&lane->pace, &lane->always->device, RATE, SAMPLES) != 0 ||
	    wave_open(&lane->wave, text, &wave) != 0)
		exit(1);
	lane->pace.state = &image_run(&lane->wave.view)->radio;
	wave_lane(&lane->wave, 0, 0, lane->thread);
	lane->thread->radio = &lane->pace;
}

/* What a thread has had of its CPU: others may want that, too. */
static uint64_t cpu_ns(pthread_t id)
{
	struct timespec time = {0};
	clockid_t clock;

	if (pthread_getcpuclockid(id, &clock) == 0)
		clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static double engine(void *context)
{
	struct lane lane = {0};
	uint64_t slots, began;
	pthread_t id;
	double ns;

	lane_open(&lane, *(int *)context);
	if (pthread_create(&id, NULL, lane_main, &lane) != 0)
		exit(1);
	clock_sleep_until(clock_ns() + REST_NS / 5);
	slots = atomic_load(&lane.always->slots);
	began = cpu_ns(id);
	clock_sleep_until(clock_ns() + REST_NS);
	ns = (double)(cpu_ns(id) - began) / (double)(atomic_load(&lane.always->slots) - slots);
	atomic_store(&lane.thread->quit, 1);
	pthread_join(id, NULL);
	wave_close(&lane.wave);
	radio_pace_fini(&lane.pace);
	free(lane.always);
	free(lane.thread);
	return ns;
}

/* ---- the loop ------------------------------------------------------------------------ */

static void *loop_main(void *self)
{
	struct lane *lane = self;
	struct radio *device = &lane->always->device;
	uint8_t buffer[BYTES] __attribute__((aligned(64)));
	struct radio_packet packet;
	uint64_t sum = 0;

	platform_pin(lane->cpu);
	for (int i = 0; i < ROUNDS; i++) {
		const uint64_t now = clock_ns();

		always_receive(device, 0, now, &packet, 1);
		memcpy(buffer, packet.iq, BYTES);
		memcpy(always_place(device, 0), buffer, BYTES);
		always_send(device, 0, SAMPLES, packet.ticks + 1000);
		always_flush(device);
		always_release(device, 0, &packet, 1);
		sum += clock_ns() - now;
	}
	lane->always->slots = sum; /* so that the clock is read */
	lane->always->released = cpu_ns(pthread_self());
	return NULL;
}

static double loop(void *context)
{
	struct lane lane = {.cpu = *(int *)context};
	pthread_t id;
	double ns;

	lane.always = aligned_alloc(64, (sizeof(*lane.always) + 63) & ~(size_t)63);
	if (lane.always == NULL)
		exit(1);
	memset(lane.always, 0, sizeof(*lane.always));
	if (pthread_create(&id, NULL, loop_main, &lane) != 0)
		exit(1);
	pthread_join(id, NULL);
	ns = (double)lane.always->released / ROUNDS;
	free(lane.always);
	return ns;
}

static double added(void *context)
{
	return engine(context) - loop(context);
}

int main(void)
{
	int cpu = 0;

	printf("a slot of %d samples through, 1 channel; the engine is to add 0.15 us at most\n",
	    SAMPLES);
	pairs_run("engine, a slot", engine, &cpu, "loop alone", loop, &cpu, 0);
	pairs_run("added by the engine", added, &cpu, "loop alone", loop, &cpu, 0.15);
	return 0;
}
