/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/mock/radio.h - a radio for one component: what it receives follows from channel, slot and
 * number of the sample alone, and what is sent can be looked at. Slots are of several packets,
 * which lie at odd addresses; nothing may be read behind a received one (it ends where its memory
 * does), nor written behind one to be sent (that is looked at). mock.h has one in each mock:
 * mock_radio(&m, ...) makes it the clock.
 *
 * 	mock_radio_re(channel, slot, i), mock_radio_im(...)	// what sample i of a slot is
 *      m.radio.lost = 1 << 2;                                  // packet 2 of the next slots does
 *                                                              not come
 *      m.radio.room = 100;                                     // the way out takes so many samples
 *                                                              of a slot
 *      m.radio.sent[channel], m.radio.n_sent[channel]          // as in packets, since
 *                                                              mock_radio_slot
 */
#ifndef TESTS_MOCK_RADIO_H
#define TESTS_MOCK_RADIO_H

#include <aloe/component.h>

#include <stdlib.h>

enum { MOCK_RADIO_CHANNELS = 2, MOCK_RADIO_IQ = 4, MOCK_RADIO_CANARY = 64 };

struct mock_radio {
	struct aloe_radio radio; /* first */
	struct aloe_radio_channel channels[MOCK_RADIO_CHANNELS];
	struct aloe_radio_counts counts[MOCK_RADIO_CHANNELS];
	uint64_t slot;
	uint64_t lost; /* bit n: packet n of a slot */
	uint32_t room;
	uint8_t *sent[MOCK_RADIO_CHANNELS];
	uint32_t n_sent[MOCK_RADIO_CHANNELS];
	uint8_t *received[MOCK_RADIO_CHANNELS]; /* the packet last asked for */
	uint8_t *placed;                        /* the packet to be filled */
	uint32_t n_placed;                      /* samples, until it is sent */
	const char *wrong;                      /* what the component did that it may not; NULL */
};

static inline int16_t mock_radio_re(uint32_t channel, uint64_t slot, uint32_t i)
{
	return (int16_t)(uint16_t)((slot * 65537u + i) * 40503u + channel * 12345u);
}

static inline int16_t mock_radio_im(uint32_t channel, uint64_t slot, uint32_t i)
{
	return (int16_t)~mock_radio_re(channel + 7, slot, i);
}

static inline void mock_radio_word(uint8_t *at, int16_t word)
{
	at[0] = (uint8_t)((uint16_t)word & 0xff);
	at[1] = (uint8_t)((uint16_t)word >> 8);
}

static inline const uint8_t *mock_radio_received(
    struct aloe_radio *radio, uint32_t channel, uint32_t from, uint32_t *ret_samples)
{
	struct mock_radio *m = (struct mock_radio *)radio;
	const uint32_t packet = from / radio->rx_packet, end = (packet + 1) * radio->rx_packet;
	const uint32_t n = (end < radio->slot_samples ? end : radio->slot_samples) - from;
	uint8_t *iq;

	if (channel >= radio->channels || from >= radio->slot_samples)
		m->wrong = "asked for samples that there are not";
	*ret_samples = n;
	if (m->lost >> (packet % 64) & 1)
		return NULL;
	iq = m->received[channel] + 1 + (size_t)(radio->rx_packet - n) * MOCK_RADIO_IQ;
	for (uint32_t i = 0; i < n; i++) {
		mock_radio_word(
		    iq + (size_t)i * MOCK_RADIO_IQ, mock_radio_re(channel, m->slot, from + i));
		mock_radio_word(
		    iq + (size_t)i * MOCK_RADIO_IQ + 2, mock_radio_im(channel, m->slot, from + i));
	}
	return iq;
}

static inline uint8_t *mock_radio_place(
    struct aloe_radio *radio, uint32_t channel, uint32_t *ret_samples)
{
	struct mock_radio *m = (struct mock_radio *)radio;
	const uint32_t room = m->room < radio->slot_samples ? m->room : radio->slot_samples;
	const uint32_t left = room > m->n_sent[channel] ? room - m->n_sent[channel] : 0;

	if (m->n_placed)
		m->wrong = "asked for a place before the last one was sent";
	if (left == 0) {
		m->counts[channel].tx_no_room++;
		return NULL;
	}
	m->n_placed = left < radio->tx_packet ? left : radio->tx_packet;
	memset(m->placed, 0xa5, 1 + (size_t)radio->tx_packet * MOCK_RADIO_IQ + MOCK_RADIO_CANARY);
	*ret_samples = m->n_placed;
	return m->placed + 1;
}

static inline void mock_radio_send(struct aloe_radio *radio, uint32_t channel, uint32_t samples)
{
	struct mock_radio *m = (struct mock_radio *)radio;

	if (samples == 0 || samples > m->n_placed) {
		m->wrong = "sent what it had no place for";
		return;
	}
	for (size_t b = 0; b < MOCK_RADIO_CANARY; b++)
		if (m->placed[1 + (size_t)m->n_placed * MOCK_RADIO_IQ + b] != 0xa5)
			m->wrong = "wrote behind its place";
	memcpy(m->sent[channel] + (size_t)m->n_sent[channel] * MOCK_RADIO_IQ, m->placed + 1,
	    (size_t)samples * MOCK_RADIO_IQ);
	m->n_sent[channel] += samples;
	m->n_placed = 0;
}

static inline void mock_radio_init(struct mock_radio *m, uint32_t slot_samples, uint32_t packet)
{
	m->radio = (struct aloe_radio){.rate_hz = 1e6,
	    .slot_samples = slot_samples,
	    .channels = MOCK_RADIO_CHANNELS,
	    .rx_packet = packet,
	    .tx_packet = packet,
	    .tx_advance = 3 * (int64_t)slot_samples,
	    .counts = m->counts,
	    .received = mock_radio_received,
	    .place = mock_radio_place,
	    .send = mock_radio_send,
	    .left = UINT64_MAX};
	m->room = slot_samples;
	m->placed = (uint8_t *)malloc(1 + (size_t)packet * MOCK_RADIO_IQ + MOCK_RADIO_CANARY);
	for (unsigned c = 0; c < MOCK_RADIO_CHANNELS; c++) {
		m->sent[c] = (uint8_t *)calloc(slot_samples, MOCK_RADIO_IQ);
		m->received[c] = (uint8_t *)malloc(1 + (size_t)packet * MOCK_RADIO_IQ);
		if (!m->sent[c] || !m->received[c] || !m->placed)
			abort();
	}
}

/* mock_radio_slot begins a slot: nothing has been sent in it. */
static inline void mock_radio_slot(struct mock_radio *m, uint64_t slot)
{
	m->slot = slot;
	m->n_placed = 0;
	memset(m->n_sent, 0, sizeof(m->n_sent));
}

static inline void mock_radio_fini(struct mock_radio *m)
{
	for (unsigned c = 0; c < MOCK_RADIO_CHANNELS; c++) {
		free(m->sent[c]);
		free(m->received[c]);
	}
	free(m->placed);
}

#endif
