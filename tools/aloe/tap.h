/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/tap.h - items of an output of a running waveform, for the commands that show them. */
#ifndef TOOLS_ALOE_TAP_H
#define TOOLS_ALOE_TAP_H

#include "core/cli/cli.h"
#include "tools/aloe/client.h"

struct tap_items {
	char *bytes; /* the caller frees them */
	size_t len;
	uint32_t type;      /* of an item */
	uint32_t items_max; /* in a message */
	uint64_t slot_ns;
	uint64_t lost, absent; /* messages that are not among the items */
};

/* tap_items takes messages of the output args->args[1] of the waveform args->args[0], until there
 * are `wanted` items, the waveform ends, or Ctrl-C. The exit status. */
int tap_items(
    struct client *client, const struct cli_args *args, uint64_t wanted, struct tap_items *ret);

#endif
