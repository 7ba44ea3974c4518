/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Questions to other daemons, and their answers. */
#include <stdlib.h>

#include "core/base/clock.h"
#include "daemons/statsman/statsman.h"

#define ASK_NS (60 * 1000000000ull) /* the frontend answers for whoever dies; a guard */

static void finish(struct statsman *statsman, struct statsman_ask *ask,
    const struct wire_view *answer, const char *lost)
{
	ask->lost = lost;
	ask->done(statsman, ask, answer);
	free(ask);
}

static void late(void *self);

static void late_within(struct statsman *statsman, uint64_t ns)
{
	loop_timer_start(&statsman->daemon.loop, &statsman->late, ns, late, statsman);
}

/* The first of the list is the newest, so all beyond one that is late are late. */
static void late(void *self)
{
	struct statsman *statsman = self;
	const uint64_t now = clock_ns();
	struct statsman_ask **at = &statsman->asks, *asks, *next;
	uint64_t oldest_ns = now + ASK_NS;

	for (; *at && (*at)->until_ns > now; at = &(*at)->next)
		oldest_ns = (*at)->until_ns;
	asks = *at;
	*at = NULL;
	for (; asks; asks = next) {
		next = asks->next;
		finish(statsman, asks, NULL, "there is no answer");
	}
	if (statsman->asks)
		late_within(statsman, oldest_ns - now);
}

void statsman_ask(struct statsman *statsman, struct wire_msg *msg,
    void (*done)(
        struct statsman *statsman, struct statsman_ask *ask, const struct wire_view *answer),
    void *of, uint32_t at)
{
	struct statsman_ask *ask = calloc(1, sizeof(*ask)), none = {.done = done};

	if (!ask) {
		wire_fini(msg);
		none.of = of;
		none.at = at;
		none.lost = "out of memory";
		done(statsman, &none, NULL);
		return;
	}
	*ask = (struct statsman_ask){.seq = bus_seq(statsman->daemon.bus),
	    .until_ns = clock_ns() + ASK_NS,
	    .done = done,
	    .of = of,
	    .at = at};
	wire_put_seq(msg, ask->seq);
	if (bus_send(statsman->daemon.bus, msg) < 0) {
		finish(statsman, ask, NULL, "aloe-frontend cannot be reached");
		return;
	}
	ask->next = statsman->asks;
	statsman->asks = ask;
	if (!statsman->late.on)
		late_within(statsman, ASK_NS);
}

void statsman_msg(enum wire_type type, enum wire_peer dest, const char *waveform, const char *node,
    struct wire_msg *ret_msg)
{
	wire_init(ret_msg, type, WIRE_STATSMAN, dest, 0);
	wire_put_text(ret_msg, WIRE_TAG_WAVEFORM, waveform);
	wire_put_text(ret_msg, WIRE_TAG_NODE, node);
}

void statsman_answered(struct statsman *statsman, const struct wire_view *answer)
{
	for (struct statsman_ask **at = &statsman->asks; *at; at = &(*at)->next) {
		struct statsman_ask *ask = *at;

		if (ask->seq != answer->seq)
			continue;
		*at = ask->next;
		finish(statsman, ask, answer, NULL);
		return;
	}
}

void statsman_asks_lose(struct statsman *statsman, const char *why)
{
	struct statsman_ask *asks = statsman->asks, *next;

	statsman->asks = NULL;
	for (; asks; asks = next) {
		next = asks->next;
		asks->again = true;
		finish(statsman, asks, NULL, why);
	}
}

json_t *statsman_json(const struct wire_view *answer)
{
	const void *text;
	size_t len;

	if (answer->type != WIRE_OK || wire_get_bytes(answer, WIRE_TAG_JSON, 0, &text, &len) < 0)
		return NULL;
	return json_loadb(text, len, JSON_DECODE_ANY, NULL);
}
