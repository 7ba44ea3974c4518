/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/slot/radio_pace.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/image/program.h"

enum { LOOK_NS = 1000000, SHOW_EVERY = 256, RENEWED_NS = 10000000 };
#define READY_NS 700.0 /* before the edge: what is made ready then is still in the cache */

static_assert(
    (int)RADIO_CHANNELS_MAX == (int)IMAGE_RADIO_CHANNELS_MAX, "every channel has its counts");

static struct radio_pace *pace_of(struct aloe_radio *radio)
{
	return (struct radio_pace *)radio;
}

/* ---- what components ask ---- */

static inline uint64_t end_of(const struct radio_pace *pace, const struct radio_packet *packet)
{
	return packet->ticks + (uint64_t)packet->samples * pace->device->ticks_per_sample;
}

static const uint8_t *samples_missing(
    struct radio_pace *pace, uint32_t from, uint64_t ticks, uint32_t *ret_samples)
{
	*ret_samples = ticks != 0 ? (uint32_t)(ticks / pace->device->ticks_per_sample)
	                          : pace->radio.slot_samples - from;
	pace->missed = true;
	return NULL;
}

static const uint8_t *samples_received(
    struct aloe_radio *radio, uint32_t channel, uint32_t from, uint32_t *ret_samples)
{
	struct radio_pace *pace = pace_of(radio);
	const uint32_t per_sample = pace->device->ticks_per_sample;
	const uint64_t tick = pace->slot_ticks + (uint64_t)from * per_sample;
	struct radio_queue *queue = &pace->queue[channel];
	const struct radio_packet *packet;
	uint32_t offset = 0;

	assert(channel < pace->device->channels);
	assert(from < radio->slot_samples);
	if (from == 0)
		queue->at = queue->head;
	while (queue->at != queue->tail &&
	    end_of(pace, &queue->packets[queue->at & pace->mask]) <= tick)
		queue->at++;
	packet = &queue->packets[queue->at & pace->mask];
	if (queue->at == queue->tail || packet->ticks >= pace->slot_ticks + pace->per_slot)
		return samples_missing(pace, from, 0, ret_samples);
	if (packet->ticks >= tick + per_sample)
		return samples_missing(pace, from, packet->ticks - tick, ret_samples);
	if (packet->ticks < tick)
		offset = (uint32_t)((tick - packet->ticks) / per_sample);
	*ret_samples = packet->samples - offset;
	if (*ret_samples > radio->slot_samples - from)
		*ret_samples = radio->slot_samples - from;
	return packet->iq + (size_t)RADIO_IQ * offset;
}

static uint8_t *samples_place(struct aloe_radio *radio, uint32_t channel, uint32_t *ret_samples)
{
	struct radio_pace *pace = pace_of(radio);
	struct radio_tx *tx = &pace->tx[channel];
	const uint32_t left = radio->tx_packet > 0 ? radio->slot_samples - tx->sent : 0;

	assert(channel < pace->device->channels);
	assert(tx->sent <= radio->slot_samples);
	*ret_samples = left < radio->tx_packet ? left : radio->tx_packet;
	if (left > 0 && tx->place == NULL)
		tx->place = pace->device->driver->place(pace->device, channel);
	if (left > 0 && tx->place != NULL)
		return tx->place;
	if (left > 0) { /* the rest of the slot is not sent */
		pace->counts[channel].tx_no_room +=
		    (left + radio->tx_packet - 1) / radio->tx_packet;
		tx->sent = radio->slot_samples;
	}
	*ret_samples = 0;
	return NULL;
}

static void send_placed(struct aloe_radio *radio, uint32_t channel, uint32_t samples)
{
	struct radio_pace *pace = pace_of(radio);
	struct radio_tx *tx = &pace->tx[channel];
	const uint64_t ahead = tx->sent + (uint64_t)radio->tx_advance;
	const uint64_t ticks = radio->tx_advance < 0
	    ? UINT64_MAX
	    : pace->slot_ticks + ahead * pace->device->ticks_per_sample;

	assert(channel < pace->device->channels);
	if (tx->place == NULL || samples == 0)
		return;
	assert(samples <= radio->slot_samples - tx->sent);
	tx->place = NULL;
	tx->sent += samples;
	pace->sent[channel]++;
	pace->timed |= radio->tx_advance >= 0;
	pace->device->driver->send(pace->device, channel, samples, ticks);
	pace->unsent = tx->sent < radio->slot_samples;
	if (!pace->unsent) /* at once: whoever comes behind us in the slot takes his time */
		pace->device->driver->flush(pace->device);
}

/* ---- [control] ------------------------------------------------------------------------ */

int radio_pace_init(
    struct radio_pace *pace, struct radio *device, double rate_hz, uint32_t slot_samples)
{
	const uint32_t n = radio_queue(slot_samples, device->rx_packet);
	const double slot_ns = slot_samples * 1e9 / rate_hz;

	assert(n != 0 && (n & (n - 1)) == 0);
	assert(device->channels <= RADIO_CHANNELS_MAX);
	assert(device->ticks_per_sample != 0);
	*pace = (struct radio_pace){
	    .radio =
	        {
	            .rate_hz = rate_hz,
	            .slot_samples = slot_samples,
	            .channels = device->channels,
	            .rx_packet = device->deaf ? 0 : device->rx_packet,
	            .tx_packet = device->tx_packet,
	            .tx_advance = device->tx_advance,
	            .clock_source = device->clock_source,
	            .time_source = device->time_source,
	            .channel = device->channel,
	            .counts = pace->counts,
	            .received = samples_received,
	            .place = samples_place,
	            .send = send_placed,
	            .left = UINT64_MAX,
	        },
	    .device = device,
	    .per_slot = (uint64_t)slot_samples * device->ticks_per_sample,
	    .patience_ns = device->patience_ns,
	    .slot_ns = slot_ns,
	    .late_ns = (uint64_t)(slot_ns / 4),
	    .horizon =
	        (uint64_t)(RADIO_PACE_HORIZON_NS * 1e-9 * rate_hz) * device->ticks_per_sample,
	    .renewed = (uint64_t)(RENEWED_NS * 1e-9 * rate_hz) * device->ticks_per_sample,
	    .mask = n - 1,
	};
	for (uint32_t c = 0; c < device->channels; c++) {
		pace->queue[c].packets = calloc(n, sizeof(struct radio_packet));
		if (pace->queue[c].packets == NULL) {
			radio_pace_fini(pace);
			return -ENOMEM;
		}
	}
	return 0;
}

void radio_pace_fini(struct radio_pace *pace)
{
	for (uint32_t c = 0; c < RADIO_CHANNELS_MAX; c++) {
		free(pace->queue[c].packets);
		pace->queue[c].packets = NULL;
	}
}

/* ---- counts ------------------------------------------------------------------------ */

static void count_show(_Atomic uint64_t *where, uint64_t value)
{
	atomic_store_explicit(where, value, memory_order_relaxed);
}

static void channel_show(struct radio_pace *pace, uint32_t c)
{
	_Atomic uint64_t *to = pace->state->channel[c];
	const struct aloe_radio_counts *counts = &pace->counts[c];

	count_show(&to[RADIO_COUNT_PACKETS], pace->packets[c]);
	count_show(&to[RADIO_COUNT_LOST], counts->rx_lost);
	count_show(&to[RADIO_COUNT_REORDERED], pace->reordered[c]);
	count_show(&to[RADIO_COUNT_BEHIND], pace->behind[c]);
	count_show(&to[RADIO_COUNT_OVERRUNS], counts->rx_overruns);
	count_show(&to[RADIO_COUNT_UNSIZED], pace->unsized[c]);
	count_show(&to[RADIO_COUNT_SENT], pace->sent[c]);
	count_show(&to[RADIO_COUNT_NO_ROOM], counts->tx_no_room);
	count_show(&to[RADIO_COUNT_TX_LATE], counts->tx_late);
	count_show(&to[RADIO_COUNT_UNDERRUNS], counts->tx_underruns);
	count_show(&to[RADIO_COUNT_SEQUENCE], counts->tx_sequence);
	count_show(&to[RADIO_COUNT_RESTARTS], pace->restarts[c]);
	count_show(&to[RADIO_COUNT_FAILED], pace->failed[c]);
	count_show(&pace->state->trouble[c], pace->trouble[c]);
}

void radio_pace_show(struct radio_pace *pace)
{
	assert(pace->device->channels <= RADIO_CHANNELS_MAX);
	for (uint32_t c = 0; c < pace->device->channels; c++) {
		struct radio_counts counts = {0};

		pace->device->driver->count(pace->device, c, &counts);
		assert(counts.trouble < RADIO_TROUBLES);
		pace->counts[c].rx_overruns = counts.overruns;
		pace->unsized[c] = counts.unsized;
		pace->counts[c].tx_late = counts.late;
		pace->counts[c].tx_underruns = counts.underruns;
		pace->counts[c].tx_sequence = counts.sequence;
		pace->restarts[c] = counts.restarts;
		pace->failed[c] = counts.failed;
		pace->trouble[c] = counts.trouble;
		if (pace->state != NULL)
			channel_show(pace, c);
	}
	pace->ends = 0;
	if (pace->state == NULL)
		return;
	count_show(&pace->state->caught_up, pace->caught_up);
	count_show(&pace->state->flywheeled, pace->flywheeled);
	count_show(&pace->state->partial, pace->partial);
	count_show(&pace->state->n_channels, pace->device->channels);
}

/* ---- packets ------------------------------------------------------------------------ */

/* All of a channel that end at `tick` or before. */
static void release_to(struct radio_pace *pace, uint32_t channel, uint64_t tick)
{
	struct radio_queue *queue = &pace->queue[channel];

	assert(channel < pace->device->channels);
	assert(queue->tail - queue->head <= pace->mask + 1);
	while (queue->head != queue->tail &&
	    end_of(pace, &queue->packets[queue->head & pace->mask]) <= tick) {
		const uint32_t first = queue->head & pace->mask;
		uint32_t n = 1;

		while (first + n <= pace->mask && queue->head + n != queue->tail &&
		    end_of(pace, &queue->packets[first + n]) <= tick)
			n++;
		pace->device->driver->release(pace->device, channel, &queue->packets[first], n);
		queue->head += n;
	}
}

/* Of a time that is over: a slot of the new one is whole when all channels have come to it. */
static void drop_all(struct radio_pace *pace)
{
	for (uint32_t c = 0; c < pace->device->channels; c++) {
		release_to(pace, c, UINT64_MAX);
		pace->queue[c].covered = 0;
	}
}

/* The slot that is waited for begins at the tick of the first sample that there is. */
static void pace_begin(struct radio_pace *pace, const struct radio_packet *packet, uint64_t now)
{
	const uint64_t asked = pace->device->start_ticks;

	assert(pace->per_slot > 0);
	pace->slot_ticks =
	    packet->ticks - (pace->device->on_grid ? packet->ticks % pace->per_slot : 0);
	if (!pace->begun && asked != 0 && packet->ticks >= asked &&
	    packet->ticks - asked < pace->horizon)
		pace->slot_ticks = asked;
	assert(pace->slot_ticks <= packet->ticks);
	pace->edge_ns = (double)now + pace->slot_ns -
	    (double)(end_of(pace, packet) - pace->slot_ticks) / (double)pace->per_slot *
	        pace->slot_ns;
	pace->begun = true;
}

/* Slots are left out up to the one that holds `tick`. */
static void pace_jump(struct radio_pace *pace, uint64_t tick)
{
	const uint64_t n = (tick - pace->slot_ticks) / pace->per_slot;

	pace->slot += n;
	pace->slot_ticks += n * pace->per_slot;
	pace->edge_ns += (double)n * pace->slot_ns;
	for (uint32_t c = 0; c < pace->device->channels; c++)
		release_to(pace, c, pace->slot_ticks);
}

/* It came when its slot had run: what comes from now on may be as late, and is to be waited for so
 * long. */
static void packet_behind(struct radio_pace *pace, uint32_t channel, uint64_t end, uint64_t now)
{
	const uint64_t ahead = pace->slot_ticks + pace->per_slot - end;
	const double edge = (double)now + (double)ahead / (double)pace->per_slot * pace->slot_ns;

	pace->behind[channel]++;
	if (edge > pace->edge_ns)
		pace->edge_ns = edge;
}

/* After a pause samples may lie between those of before: the slots follow, by part of a sample, so
 * that what is sent is as old as ever. Several channels may not agree, and do not move them. */
static void slots_align(struct radio_pace *pace, const struct radio_packet *packet)
{
	const uint32_t per_sample = pace->device->ticks_per_sample;

	if (pace->device->channels == 1 && packet->ticks > pace->slot_ticks)
		pace->slot_ticks += (packet->ticks - pace->slot_ticks) % per_sample;
}

/* The time of before counts no longer: slots without samples would only be late. Those of another
 * channel may have begun already, a little later. */
static void time_renew(struct radio_pace *pace, const struct radio_packet *packet, uint64_t now)
{
	const bool back = end_of(pace, packet) + pace->per_slot + pace->renewed < pace->slot_ticks;

	if (packet->ticks > pace->slot_ticks)
		pace_jump(pace, packet->ticks);
	if (!back && pace->device->channels > 1)
		return;
	drop_all(pace);
	pace_begin(pace, packet, now);
}

/* False: it is not to be kept. */
static bool packet_keep(
    struct radio_pace *pace, uint32_t channel, const struct radio_packet *packet, uint64_t now)
{
	const uint64_t end = end_of(pace, packet);

	assert(channel < pace->device->channels);
	assert(packet->samples > 0);
	pace->counts[channel].rx_lost += packet->gap;
	pace->counts[channel].rx_lost -= packet->overtaken;
	pace->reordered[channel] += packet->overtaken;
	if (!pace->begun)
		pace_begin(pace, packet, now);
	else if (packet->anew)
		time_renew(pace, packet, now);
	if (end + pace->horizon < pace->slot_ticks) { /* the radio's time was set anew */
		drop_all(pace);
		pace_begin(pace, packet, now);
	}
	if (packet->ticks > pace->slot_ticks + pace->horizon)
		pace_jump(pace, packet->ticks);
	if (packet->ticks != pace->queue[channel].covered && !packet->overtaken)
		slots_align(pace, packet);
	if (end <= pace->slot_ticks) {
		packet_behind(pace, channel, end, now);
		pace->device->driver->release(pace->device, channel, packet, 1);
		return false;
	}
	pace->packets[channel]++;
	if (!packet->overtaken)
		pace->queue[channel].covered = end;
	return true;
}

/* The packet at the tail goes before those that overtook it. */
static void sort_in(struct radio_pace *pace, struct radio_queue *queue)
{
	assert(queue->tail - queue->head <= pace->mask); /* the packet is not counted yet */
	assert(queue->packets[queue->tail & pace->mask].overtaken);
	for (uint32_t at = queue->tail; at != queue->head; at--) {
		struct radio_packet *one = &queue->packets[at & pace->mask],
		                    *before = &queue->packets[(at - 1) & pace->mask];
		const struct radio_packet moved = *one;

		if (before->ticks <= one->ticks)
			return;
		*one = *before;
		*before = moved;
	}
}

/* Straight into the queue, as many as it has room for in one piece. */
static unsigned channel_take(struct radio_pace *pace, uint32_t channel)
{
	struct radio_queue *queue = &pace->queue[channel];
	const uint32_t first = queue->tail & pace->mask,
	               room = pace->mask + 1 - (queue->tail - queue->head);
	uint32_t most = pace->mask + 1 - first;
	struct radio_packet *to = &queue->packets[first];
	unsigned n, kept = 0;

	assert(queue->tail - queue->head <= pace->mask + 1);
	most = most < room ? most : room;
	n = pace->device->driver->receive(pace->device, channel, pace->looked_ns, to,
	    most < TRANSPORT_BURST ? most : TRANSPORT_BURST);
	assert(n <= most);
	for (unsigned i = 0; i < n; i++) {
		if (!packet_keep(pace, channel, &to[i], pace->looked_ns))
			continue;
		if (kept != i)
			to[kept] = to[i];
		if (to[kept++].overtaken)
			sort_in(pace, queue);
		/* at once: the next one may be of another time, and drop what is here */
		queue->tail++;
	}
	return n;
}

/* One look at the clock, behind what has come: that is when it was there. */
static unsigned packets_take(struct radio_pace *pace)
{
	unsigned n = 0;
	uint64_t now;

	for (uint32_t c = 0; c < pace->device->channels; c++)
		n += channel_take(pace, c);
	now = pace->device->driver->clock(pace->device);
	assert(n <= pace->device->channels * TRANSPORT_BURST);
	assert(now >= pace->looked_ns);
	if (n > 0) {
		pace->since_ns = pace->looked_ns;
		pace->got_ns = now;
	}
	pace->looked_ns = now;
	return n;
}

/* ---- slots ------------------------------------------------------------------------ */

/* Nothing more comes for it on any channel. */
static inline bool slot_whole(const struct radio_pace *pace)
{
	const uint64_t end = pace->slot_ticks + pace->per_slot;

	for (uint32_t c = 0; c < pace->device->channels; c++)
		if (pace->queue[c].covered < end)
			return false;
	return pace->begun;
}

/* One channel has so much more than another that its place is needed. */
static bool channel_crowded(const struct radio_pace *pace)
{
	for (uint32_t c = 0; c < pace->device->channels; c++)
		if (pace->queue[c].tail - pace->queue[c].head > pace->mask / 2)
			return true;
	return false;
}

/* Times have no highest bit: so these are one instruction each. */
static inline double real_of(uint64_t ns)
{
	return (double)(int64_t)ns;
}

static inline uint64_t whole_of(double ns)
{
	return (uint64_t)(int64_t)ns;
}

/* It was whole at `now`, and not before. */
static void edge_follow(struct radio_pace *pace, double now)
{
	const double most = pace->slot_ns / 4096, later = (now - pace->edge_ns) / 256;

	if (now < pace->edge_ns)
		pace->edge_ns = now;
	else
		pace->edge_ns += later < most ? later : most;
}

/* The lane looked, and it was not there. */
static void radio_late(struct radio_pace *pace, uint64_t late_ns)
{
	struct image_radio_late *late;

	if (pace->state == NULL)
		return;
	late = &pace->state->late[pace->slot % IMAGE_RADIO_LATES];
	count_show(&late->late_ns, late_ns);
	count_show(&late->slot, pace->slot + 1);
}

/* A way that has become longer for good is usual after some 30 slots; the nominal edge needs
 * thousands of slots to follow. */
static void lateness_add(struct radio_pace *pace, uint64_t late_ns)
{
	const uint64_t usual = pace->usual_late_ns;

	if (late_ns > pace->late_ns)
		radio_late(pace, late_ns);
	if (late_ns > usual + whole_of(pace->slot_ns))
		pace->came_late_ns = late_ns - usual;
	pace->usual_late_ns = late_ns < usual ? late_ns : usual + (late_ns - usual) / 16;
}

/* When its last sample came, as far as that is known. */
static uint64_t edge_of(struct radio_pace *pace)
{
	const uint64_t nominal = whole_of(pace->edge_ns);

	assert(pace->since_ns <= pace->got_ns);
	assert(pace->got_ns <= pace->looked_ns);
	if (pace->device->waits)
		return pace->looked_ns;
	if (nominal < pace->since_ns) {
		lateness_add(pace, pace->since_ns - nominal);
		return pace->since_ns;
	}
	pace->usual_late_ns = 0;
	return nominal > pace->got_ns ? pace->got_ns : nominal;
}

/* Of each channel that sends: what can be done before the slot is not part of it. */
static void senders_ready(struct radio_pace *pace)
{
	assert(pace->started);
	assert(pace->device->channels <= RADIO_CHANNELS_MAX);
	for (uint32_t c = 0; c < pace->device->channels; c++)
		if (pace->sent[c] > 0 && pace->device->driver->ready != NULL)
			pace->device->driver->ready(pace->device, c);
}

/* False: it has not begun within LOOK_NS. */
static bool slot_gather(struct radio_pace *pace, uint64_t *ret_edge_ns, uint64_t *ret_now_ns)
{
	bool ready = false;

	assert(pace->started);
	for (uint64_t until = 0;;) {
		/* nothing had come by then that is not here */
		const uint64_t before = pace->looked_ns;
		const unsigned n = packets_take(pace);
		const uint64_t now = pace->looked_ns;

		until = until != 0 ? until : now + LOOK_NS;
		*ret_now_ns = now;
		if (slot_whole(pace)) {
			edge_follow(pace, real_of(now));
			*ret_edge_ns = edge_of(pace);
			assert(*ret_edge_ns <= now);
			return true;
		}
		if (n > 0)
			continue;
		if (pace->begun &&
		    (real_of(before) > pace->edge_ns + real_of(pace->patience_ns) ||
		        channel_crowded(pace))) {
			const double late = real_of(before) - pace->edge_ns;

			if (late > real_of(pace->patience_ns))
				pace->came_late_ns = whole_of(late);
			pace->flywheeled += pace->flown != pace->slot + 1;
			pace->flown = pace->slot + 1;
			*ret_edge_ns = now;
			return true;
		}
		if (now >= until)
			return false;
		if (!ready && real_of(now) + READY_NS >= pace->edge_ns) {
			senders_ready(pace);
			ready = true;
			continue;
		}
		cpu_relax();
	}
}

/* All there already: was it for longer than a slot takes? */
static uint64_t slot_waiting(struct radio_pace *pace, uint64_t *ret_now_ns)
{
	const uint64_t now = pace->device->driver->clock(pace->device), edge = edge_of(pace);

	assert(pace->begun);
	assert(edge <= now);
	*ret_now_ns = now;
	if (pace->device->waits)
		return now;
	if (real_of(now) < pace->edge_ns)
		pace->edge_ns = real_of(now);
	if (now > edge + whole_of(pace->slot_ns))
		pace->caught_up++;
	return edge;
}

/* Samples from the slot's first one to the radio's last one. */
static uint64_t samples_left(const struct radio_pace *pace)
{
	const uint64_t end = pace->device->end_ticks;

	return end > pace->slot_ticks ? (end - pace->slot_ticks) / pace->device->ticks_per_sample
	                              : 0;
}

void radio_pace_rest(struct radio_pace *pace)
{
	assert(pace->started);
	assert(pace->ends < SHOW_EVERY);
	if (++pace->ends == SHOW_EVERY)
		radio_pace_show(pace);
}

uint64_t radio_pace_wait(
    struct radio_pace *pace, uint64_t slot, uint64_t *ret_edge_ns, uint64_t *ret_now_ns)
{
	if (!pace->started) {
		pace->started = true;
		pace->looked_ns = pace->device->driver->clock(pace->device);
		pace->device->driver->start(pace->device);
	}
	pace->came_late_ns = 0;
	if (slot > pace->slot) /* numbers are the lane's */
		pace->slot = slot;
	if (slot_whole(pace))
		*ret_edge_ns = slot_waiting(pace, ret_now_ns);
	else if (!slot_gather(pace, ret_edge_ns, ret_now_ns)) {
		radio_pace_rest(pace); /* that nothing comes is to be seen, too */
		return IMAGE_FOREVER;
	}
	assert(pace->begun);
	assert(*ret_edge_ns <= *ret_now_ns);
	if (pace->device->end_ticks != UINT64_MAX)
		pace->radio.left = samples_left(pace);
	return pace->slot;
}

/* The edge is the time at which the last sample of this slot was here; the first sample that the
 * radio sends of this slot lies tx_advance samples behind the slot's first one. */
static void margin_add(struct radio_pace *pace, uint64_t now_ns)
{
	const double ahead = (double)pace->radio.tx_advance / pace->radio.slot_samples - 1;
	const double deadline = pace->edge_ns + ahead * pace->slot_ns;

	assert(pace->state != NULL);
	assert(pace->radio.tx_advance >= 0);
	image_margin_add(&pace->state->margin, deadline > 0 ? whole_of(deadline) : 0, now_ns);
}

void radio_pace_end(struct radio_pace *pace, uint64_t now_ns)
{
	assert(pace->begun);
	if (pace->timed && pace->state != NULL && !pace->device->waits)
		margin_add(pace, now_ns);
	pace->timed = false;
	if (pace->unsent)
		pace->device->driver->flush(pace->device);
	pace->unsent = false;
	pace->partial += pace->missed;
	pace->missed = false;
	pace->slot++;
	pace->slot_ticks += pace->per_slot;
	pace->edge_ns += pace->slot_ns;
	for (uint32_t c = 0; c < pace->device->channels; c++) {
		assert(pace->tx[c].sent <= pace->radio.slot_samples);
		pace->tx[c].sent = 0;
		release_to(pace, c, pace->slot_ticks);
	}
	radio_pace_rest(pace);
}

void radio_pace_idle(struct radio_pace *pace)
{
	struct radio_packet packets[TRANSPORT_BURST];
	unsigned n = 0;

	for (uint32_t c = 0; c < pace->device->channels; c += n < TRANSPORT_BURST) {
		n = pace->device->driver->receive(pace->device, c,
		    pace->device->driver->clock(pace->device), packets, TRANSPORT_BURST);
		if (n > 0)
			pace->device->driver->release(pace->device, c, packets, n);
	}
}
