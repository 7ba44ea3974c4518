/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "platforms/soapy/io.h"

static bool ring_full(const struct soapy_radio *radio)
{
	const struct soapy_in *in = &radio->in;
	const uint64_t at = atomic_load_explicit(&in->written, memory_order_relaxed);

	for (uint32_t c = 0; c < radio->radio.channels; c++)
		if (at - atomic_load_explicit(&in->read[c], memory_order_acquire) >= in->size)
			return true;
	return false;
}

static struct soapy_cell *cell_at(const struct soapy_in *in)
{
	return &in->cells[atomic_load_explicit(&in->written, memory_order_relaxed) % in->size];
}

void soapy_end_cell(struct soapy_in *in)
{
	if (in->fill == 0)
		return;
	cell_at(in)->samples = in->fill;
	in->fill = 0;
	atomic_fetch_add_explicit(&in->written, 1, memory_order_release);
}

/* Samples from `ticks` to the end of its packet. */
static uint32_t packet_left(const struct soapy_radio *radio, uint64_t ticks)
{
	const uint32_t packet = radio->radio.rx_packet;

	return packet - (uint32_t)((ticks - radio->in.origin) % packet);
}

static void cell_begin(struct soapy_radio *radio, uint64_t ticks)
{
	struct soapy_in *in = &radio->in;
	const uint32_t packet = radio->radio.rx_packet;

	*cell_at(in) = (struct soapy_cell){.ticks = ticks,
	    .gap = (uint32_t)((in->missing + packet - 1) / packet),
	    .anew = in->anew};
	in->missing = 0;
	in->anew = false;
}

uint64_t soapy_abandon(struct soapy_radio *radio, uint64_t ticks)
{
	struct soapy_in *in = &radio->in;
	const uint64_t left = packet_left(radio, ticks);

	in->missing += in->fill + left;
	in->fill = 0;
	return left;
}

void soapy_put(struct soapy_radio *radio, uint64_t ticks, uint32_t n)
{
	struct soapy_in *in = &radio->in;

	if (in->fill > 0 && cell_at(in)->ticks + in->fill != ticks)
		soapy_end_cell(in);
	for (uint32_t done = 0; done < n;) {
		const uint32_t left = packet_left(radio, ticks + done),
		               some = left < n - done ? left : n - done;
		const uint64_t at = atomic_load_explicit(&in->written, memory_order_relaxed);

		if (in->fill == 0 && ring_full(radio)) {
			in->missing += some;
			done += some;
			continue;
		}
		if (in->fill == 0)
			cell_begin(radio, ticks + done);
		for (uint32_t c = 0; c < radio->radio.channels; c++)
			memcpy(in->iq[c] +
			        (at % in->size * radio->radio.rx_packet + in->fill) * RADIO_IQ,
			    radio->chunk[c] + (size_t)done * RADIO_IQ, (size_t)some * RADIO_IQ);
		in->fill += some;
		done += some;
		if (some == left)
			soapy_end_cell(in);
	}
}
