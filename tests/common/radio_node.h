/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/radio_node.h - x310sim and `aloe run` as processes side by side, for tests of whole
 * runs on the clock `radio`. For CMocka programs, after aloe_init; node_end_all is the teardown of
 * each test.
 */
#ifndef TESTS_COMMON_RADIO_NODE_H
#define TESTS_COMMON_RADIO_NODE_H

#include <stdint.h>
#include <sys/types.h>

#include "tests/common/aloe.h"

enum { SLOTS = 1500, INTERRUPTED = 130, ADVANCE = 60000 };

#define RADIO                                                                                      \
	"type = \"x310\"; transport = \"udp\"; patience_ms = 100000.0; tx_advance = 60000; "       \
	"flow_control = true; "

/* node_start starts a program whose output goes to files of the working folder; node_run starts an
 * `aloe run`, again while another node has its CPU. node_end waits until it has ended with status
 * `wanted`, and gives what it said. */
pid_t node_start(const char *const *argv, const char *out, const char *errors);
pid_t node_run(const char *const *argv, const char *out, const char *errors);
json_t *node_end(pid_t pid, int wanted, const char *out);
void node_child(pid_t before, pid_t after); /* 0: none; for who waits himself */
bool node_is_alive(pid_t pid);
/* A test that has failed leaves no simulator that holds the address, and no node. */
int node_end_all(void **state);

struct sim {
	pid_t pid;
	json_t *said; /* after sim_stop */
};

/* sim_start starts x310sim on 127.0.0.7, with a virtual clock. sim_said gives a number of a
 * channel's counts, or of its latency. sim_set_time sets another tick on one of its devices (0, 1),
 * as a host does. */
void sim_start(struct sim *sim, const char *const *more);
void sim_stop(struct sim *sim);
double sim_said(const struct sim *sim, size_t channel, const char *key);
void sim_set_time(unsigned device, uint64_t ticks);

/* The files of a waveform in which every channel sends what it hears, and of its radio. */
const char *pass_conf(unsigned channels, unsigned slot_samples);
const char *radio_conf(const char *text);

#endif
