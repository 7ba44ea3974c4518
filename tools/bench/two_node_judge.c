/* SPDX-License-Identifier: BSD-3-Clause
 *
 * two_node_judge.c - what a try of `aloe bench two-node` says, by what was counted. */
#include "tools/bench/two_node.h"

bool two_node_throttled(double left, double used, double realtime)
{
	return 1 - left + left * used > realtime;
}

double two_node_longer(double used, bool throttled)
{
	return throttled || used >= TWO_NODE_FULL ? 1 : 1 / (1 - used);
}

/* What is in time needs no excuse, however long the machine stood. Where the kernel throttles,
 * stalls are the chain's own doing, and excuse nothing. What is late beyond all slots that a stall
 * may have touched fails, whatever else is said of the trial. */
enum two_node_verdict two_node_verdict(const struct two_node_trial *trial, double wanted)
{
	const double most = TWO_NODE_LATE * wanted;

	if (trial->slots + trial->skipped < TWO_NODE_WENT * wanted)
		return TWO_NODE_VOID;
	if (trial->not_run <= most)
		return TWO_NODE_HOLDS;
	if (trial->not_run > most + trial->touched)
		return TWO_NODE_FAILS;
	if (trial->touched > TWO_NODE_TOUCHED * wanted)
		return TWO_NODE_VOID;
	return trial->throttled ? TWO_NODE_FAILS : TWO_NODE_HOLDS;
}
