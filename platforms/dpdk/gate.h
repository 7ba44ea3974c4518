/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/dpdk/gate.h - who is at work on a port of shared memory (net_memif): the thread that
 * moves packets, or the thread in which DPDK handles the events of all devices.
 *
 * When the peer of a memif port ends, DPDK's thread unmaps the rings (DPDK 22.11,
 * drivers/net/memif/memif_socket.c, memif_intr_handler and memif_disconnect; rte_eth_memif.c,
 * memif_free_regions), even while eth_memif_rx or eth_memif_tx of another thread read them: the
 * survivor died of SIGSEGV. Handlers of alarms run in the same thread (lib/eal/linux/eal_alarm.c),
 * so an alarm of ours keeps this thread from its events, but for short times in which nobody is in
 * a burst:
 *
 *         DPDK's thread   |-- held --|-- at its events, some us --------|-- held --
 *         owner           |-- bursts |   a burst moves nothing          |   bursts --
 *
 * The thread is let go when nothing has moved for a while, because a peer that has ended moves
 * nothing; the memory of such a peer stays mapped until then. While one port is quiet and another
 * one is not, the thread is let go less often. A port that has lost its server connects again.
 */
#ifndef PLATFORMS_DPDK_GATE_H
#define PLATFORMS_DPDK_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct gate {
	_Atomic bool inside; /* the owner is in a burst */
	_Atomic bool away;   /* DPDK's thread is at its events: no burst */
	_Atomic uint32_t moved;
	_Atomic bool stopped; /* the port waits for its server: no burst */
	/* of DPDK's thread */
	struct gate *next;
	uint64_t quiet_ns; /* since when nothing has moved; */
	uint32_t seen;     /* `moved` then */
	uint64_t tried_ns;
	uint16_t port;
	bool client;
};

/* gate_open begins to keep DPDK's thread from the events of this port, which has been started.
 * 0 or -errno. gate_close lets the thread go for good; the owner enters no more. */
int gate_open(struct gate *gate, uint16_t port, bool client);
void gate_close(struct gate *gate);

/* gate_enter: false: no burst now. gate_leave says how many packets the burst has moved. */
static inline bool gate_enter(struct gate *gate)
{
	atomic_store_explicit(&gate->inside, true, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst); /* `inside` is seen before `away` is looked at */
	if (!atomic_load_explicit(&gate->away, memory_order_acquire) &&
	    !atomic_load_explicit(&gate->stopped, memory_order_relaxed))
		return true;
	atomic_store_explicit(&gate->inside, false, memory_order_release);
	return false;
}

static inline void gate_leave(struct gate *gate, unsigned moved)
{
	if (moved > 0)
		atomic_store_explicit(&gate->moved,
		    atomic_load_explicit(&gate->moved, memory_order_relaxed) + 1,
		    memory_order_relaxed);
	atomic_store_explicit(&gate->inside, false, memory_order_release);
}

#endif
