/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"
#include "daemons/host/host.h"

/* ---- I/O thread ------------------------------------------------------------------------ */

enum {
	IO_NAP_NS = 2000000,
	IO_NAP_VIRTUAL_NS = 50000,
	IO_NAP_MAX_NS = 10000000,
	IO_NAPS = 10, /* of the longest kind in which nothing has moved: then it sleeps */
};

static void fault_report(struct host *host, struct host_wave *wave, const struct instance *it)
{
	struct hostlink_msg msg = {.type = HOSTLINK_FAULT, .control = wave->control};

	snprintf(msg.text, sizeof(msg.text), "%s: %s", it->setup.instance,
	    it->setup.error[0] ? it->setup.error : "I/O failed and gave no reason");
	hostlink_send(host->sock, &msg, NULL, 0);
	wave->io_reported = true;
}

/* *ret_later is set when somebody has to be asked again though no step moves a record. */
static int wave_serve(struct host *host, struct host_wave *wave, bool *ret_later)
{
	int moved = 0;

	for (uint32_t i = 0; i < wave->now.view.head->instances.count; i++) {
		struct instance *it = &wave->instances[i];
		int status;

		if (!it->initialised || it->io.len == 0)
			continue;
		status = it->component->fill != NULL
		    ? io_fill(&it->io, it->component, it->state, &it->setup)
		    : io_drain(&it->io, it->component, it->state, &it->setup);
		if (status < 0 && !wave->io_reported)
			fault_report(host, wave, it);
		moved += status > 0 ? status : 0;
		*ret_later |= it->io.later;
	}
	if (wave->records)
		host_lapses_serve(wave);
	*ret_later |= wave->records;
	return moved;
}

/* So long it naps when nothing has moved. Where slots are long it sleeps at once, and each step
 * wakes it; where they are short that would cost a system call in each of them. */
static uint64_t nap_time(const struct host_wave *wave)
{
	const struct image_head *head = wave->now.view.head;

	if (head->clock == IMAGE_VIRTUAL)
		return IO_NAP_VIRTUAL_NS;
	return head->slot_ns >= IO_NAP_MAX_NS ? IO_NAP_MAX_NS
	    : head->slot_ns > IO_NAP_NS       ? head->slot_ns
	                                      : IO_NAP_NS;
}

static int all_serve(struct host *host, uint64_t *ret_nap_ns, bool *ret_later)
{
	int moved = 0;

	*ret_nap_ns = IO_NAP_MAX_NS;
	*ret_later = false;
	pthread_mutex_lock(&host->lock);
	for (struct host_wave *wave = host->waves; wave != NULL; wave = wave->next) {
		const uint64_t nap_ns = nap_time(wave);

		moved += wave_serve(host, wave, ret_later);
		*ret_nap_ns = nap_ns < *ret_nap_ns ? nap_ns : *ret_nap_ns;
	}
	pthread_mutex_unlock(&host->lock);
	return moved;
}

void host_io_wake(struct host *host)
{
	if (atomic_exchange(&host->tell.io_sleeps, 0) != 0)
		futex_wake(&host->tell.io_sleeps, 1);
}

/* Until a step moves a record. What moved before the word said that it sleeps is looked for once
 * more. */
static void io_sleep(struct host *host)
{
	uint64_t nap_ns;
	bool later;

	atomic_store(&host->tell.io_sleeps, 1);
	atomic_thread_fence(memory_order_seq_cst);
	if (all_serve(host, &nap_ns, &later) == 0 && !later)
		futex_wait(&host->tell.io_sleeps, 1, 0);
	atomic_store(&host->tell.io_sleeps, 0);
}

/* Exec counts how often it is woken. */
static void io_tell(struct host *host, uint32_t control)
{
	const struct hostlink_msg msg = {.type = HOSTLINK_THREAD,
	    .control = control,
	    .sequence = (uint64_t)atomic_load(&host->io_tid)};

	hostlink_send(host->sock, &msg, NULL, 0);
}

/* While steps move records it naps between them, and longer and longer until something has moved;
 * while the waveforms stand it sleeps. */
static void *io_main(void *self)
{
	struct host *host = self;
	uint64_t nap_ns = 0, least_ns;
	uint32_t naps = 0;
	bool later;

	atomic_store(&host->io_tid, platform_tid());
	io_tell(host, host->io_control);
	for (;;) {
		if (all_serve(host, &least_ns, &later) > 0) {
			nap_ns = naps = 0;
		} else if (!later && (least_ns == IO_NAP_MAX_NS || naps == IO_NAPS)) {
			io_sleep(host);
		} else {
			const uint64_t most_ns =
			    least_ns > IO_NAP_NS && !later ? least_ns : IO_NAP_NS;

			nap_ns = nap_ns < least_ns ? least_ns : nap_ns * 2;
			nap_ns = nap_ns < most_ns ? nap_ns : most_ns;
			naps += nap_ns == most_ns && naps < IO_NAPS;
			clock_sleep_until(clock_ns() + nap_ns);
		}
	}
	return NULL;
}

static int io_start(struct host *host, uint32_t control)
{
	if (host->has_io_thread)
		return 0;
	host->io_control = control;
	if (pthread_create(&host->io_thread, NULL, io_main, host) != 0)
		return -EAGAIN;
	host->has_io_thread = true;
	return 0;
}

/* ---- lane threads ------------------------------------------------------------------------ */

/* The host has given up the right to priority for itself, before it looked at a component. */
static void priority_ask(const struct host_lane *lane)
{
	struct hostlink_msg msg = {.type = HOSTLINK_THREAD,
	    .control = lane->control,
	    .n_lanes = 1,
	    .lanes = {lane->thread.lane},
	    .sequence = (uint64_t)platform_tid()};

	hostlink_send(lane->host->sock, &msg, NULL, 0);
}

static void *lane_main(void *self)
{
	struct host_lane *lane = self;

	platform_pin(lane->thread.node->lane[lane->thread.lane].cpu);
	platform_no_slack();
	atomic_store(&lane->thread.image->tid[lane->thread.seat], (uint64_t)platform_tid());
	priority_ask(lane);
	sem_post(&lane->asked);
	if (lane->radio != NULL && host_radio_open(lane->radio) != 0)
		return NULL;
	if (lane->radio != NULL)
		lane->thread.radio = &lane->radio->pace;
	lane_run(&lane->thread);
	if (lane->radio != NULL)
		host_radio_close(lane->radio);
	return NULL;
}

/* On a node of a platform whose daemons keep to other CPUs (`housekeeping`), the segment is on that
 * of its lane; elsewhere on any. */
static void segment_reach(const struct host_segment *segment)
{
	const struct image_view *view = &segment->wave->now.view;

	if (view->head->load_id != 0)
		platform_reach(view->lanes[view->segments[segment->place.segment].lane].cpu);
}

static void *free_main(void *self)
{
	struct host_segment *segment = self;

	segment_reach(segment);
	segment_run_virtual(&segment->segment, &segment->wave->quit);
	return NULL;
}

/* Who sets a port up (a driver, DPDK's environment) wants more of a stack than components do. */
static int thread_create(struct host_lane *lane)
{
	enum { RADIO_STACK_BYTES = 2 << 20 };
	pthread_attr_t attr;
	int status;

	pthread_attr_init(&attr);
	if (lane->radio != NULL)
		pthread_attr_setstacksize(&attr, RADIO_STACK_BYTES);
	status = pthread_create(&lane->id, &attr, lane_main, lane);
	pthread_attr_destroy(&attr);
	return -status;
}

/* `control`: the waveform for which it is made. */
static int lane_open(struct host *host, uint32_t control, const struct hostlink_segment *place,
    int fd, struct host_radio *radio, bool rehearses)
{
	struct host_lane *lane = host->lanes[place->lane];
	int status;

	if (lane != NULL)
		return 0;
	lane = aligned_alloc(64, (sizeof(*lane) + 63) & ~(size_t)63);
	if (lane == NULL)
		return -ENOMEM;
	memset(lane, 0, sizeof(*lane));
	lane->thread.node = host->node;
	lane->thread.lane = place->lane;
	lane->thread.seat = place->seat;
	lane->radio = radio;
	lane->host = host;
	lane->control = control;
	lane->thread.alone = host->exec < 0;
	lane->thread.image = image_map(fd, sizeof(struct lane_image), true);
	if (rehearses)
		/* without one slots are slower after a sleep */
		lane->thread.rehearsal = rehearsal_new();
	sem_init(&lane->asked, 0, 0);
	status = lane->thread.image == NULL ? -ENOMEM : thread_create(lane);
	while (status == 0 && sem_wait(&lane->asked) != 0) /* so that READY comes after it */
		;
	if (status != 0) {
		rehearsal_free(lane->thread.rehearsal);
		free(lane);
		return status;
	}
	host->lanes[place->lane] = lane;
	return 0;
}

void host_granted(struct host *host, const struct hostlink_msg *msg)
{
	struct host_lane *lane = msg->lanes[0] < NODE_LANES_MAX ? host->lanes[msg->lanes[0]] : NULL;

	if (lane != NULL)
		atomic_store(&lane->thread.fifo, msg->sequence != 0);
}

/* A descriptor of another exec keeps its number: threads may be about to use it. */
static void descriptor_take(_Atomic int *mine, int fd)
{
	const int had = atomic_load(mine);

	if (fd < 0)
		return;
	if (had <= 0) {
		atomic_store(mine, fd);
	} else {
		dup3(fd, had, O_CLOEXEC);
		close(fd);
	}
}

void host_timer(struct host *host, uint32_t lane, int fd)
{
	if (lane < NODE_LANES_MAX && host->lanes[lane] != NULL)
		descriptor_take(&host->lanes[lane]->thread.timer, fd);
	else
		close(fd);
}

void host_watched(struct host *host, int exec, int bell)
{
	if (host->exec >= 0)
		close(host->exec);
	host->exec = exec;
	descriptor_take(&host->tell.bell, bell);
	for (uint32_t l = 0; l < NODE_LANES_MAX; l++)
		if (host->lanes[l] != NULL)
			lane_alone(&host->lanes[l]->thread, exec < 0);
	if (exec >= 0 && host->waves != NULL && atomic_load(&host->io_tid) > 0)
		io_tell(host, host->waves->control);
}

int host_lanes_join(struct host *host, struct host_tables *tables, const struct hostlink_msg *msg,
    const int *lane_fds)
{
	const struct image_head *head = tables->view.head;
	const bool rehearses = head->clock == IMAGE_TIMER && !lane_polls(head->slot_ns);
	int status = 0;

	for (uint32_t i = 0; i < msg->n_segments && status == 0; i++) {
		const struct hostlink_segment *place = &msg->segments[i];
		uint32_t l = 0;

		while (l < msg->n_lanes && msg->lanes[l] != place->lane)
			l++;
		if (l == msg->n_lanes)
			return -EBADMSG;
		status = lane_open(host, msg->control, place, lane_fds[l], NULL, rehearses);
		if (status == 0)
			atomic_store(&host->lanes[place->lane]->thread.segments[place->entry],
			    &tables->segments[i].segment);
	}
	return status;
}

/* The lane that it is the clock of is the waveform's only one, and so is its thread. */
int host_radio_start(
    struct host *host, struct host_wave *wave, const struct hostlink_msg *msg, const int *lane_fds)
{
	int status;

	if (msg->n_lanes != 1 || msg->n_segments == 0 || msg->lanes[0] >= NODE_LANES_MAX ||
	    host->lanes[msg->lanes[0]] != NULL) {
		host_note(host,
		    "a radio is the clock of one lane, and that lane serves one waveform only\n");
		return -EBUSY;
	}
	wave->radio = host_radio_new(&wave->now.view, msg->lanes[0]);
	if (wave->radio == NULL)
		return -ENOMEM;
	status = lane_open(host, msg->control, &msg->segments[0], lane_fds[0], wave->radio, false);
	if (status != 0)
		return status;
	while (sem_wait(&wave->radio->opened) != 0)
		;
	if (wave->radio->status != 0)
		host_note(host, "radio: %s\n", wave->radio->why);
	else if (wave->radio->device->note[0])
		host_note(host, "!radio: %s\n", wave->radio->device->note);
	return wave->radio->status;
}

void host_radio_stop(struct host *host, struct host_wave *wave)
{
	struct host_lane *lane = wave->radio != NULL ? host->lanes[wave->radio->lane] : NULL;

	if (lane == NULL || lane->radio != wave->radio)
		return;
	atomic_store(&lane->thread.quit, 1);
	pthread_join(lane->id, NULL);
	host->lanes[wave->radio->lane] = NULL;
	if (lane->thread.timer > 0)
		close(lane->thread.timer);
	free(lane);
}

int host_free_start(struct host_wave *wave)
{
	atomic_store(&wave->quit, 0);
	for (uint32_t i = 0; i < wave->now.n_segments; i++) {
		struct host_segment *segment = &wave->now.segments[i];

		segment->wave = wave;
		if (pthread_create(&segment->thread, NULL, free_main, segment) != 0)
			return -EAGAIN;
		segment->running = true;
	}
	return 0;
}

static bool has_io(const struct host_wave *wave)
{
	if (wave->records)
		return true;
	for (uint32_t i = 0; i < wave->now.view.head->instances.count; i++)
		if (wave->instances[i].initialised && wave->instances[i].io.len > 0)
			return true;
	return false;
}

int host_threads_start(
    struct host *host, struct host_wave *wave, const struct hostlink_msg *msg, const int *lane_fds)
{
	int status = has_io(wave) ? io_start(host, wave->control) : 0;

	if (status != 0)
		return status;
	if (wave->now.view.head->clock == IMAGE_VIRTUAL)
		return host_free_start(wave);
	status = host_lanes_join(host, &wave->now, msg, lane_fds);
	/* Last: what a limit on locked memory leaves may be too little for one more stack. */
	if (status == 0 && image_timed(wave->now.view.head->clock) && !host->locked) {
		if (platform_lock_memory() != 0)
			host_note(host,
			    "!memory is not locked (CAP_IPC_LOCK or a larger memlock limit): a "
			    "page fault can delay a slot\n");
		host->locked = true;
	}
	return status;
}

static void lane_leave(struct host *host, const struct hostlink_segment *place)
{
	struct lane_thread *thread =
	    host->lanes[place->lane] != NULL ? &host->lanes[place->lane]->thread : NULL;

	if (thread == NULL)
		return;
	atomic_store(&thread->segments[place->entry], NULL);
	while (atomic_load(&thread->inside) == place->entry + 1)
		clock_sleep_until(clock_ns() + 100000);
}

void host_lanes_leave(struct host *host, struct host_tables *tables)
{
	for (uint32_t i = 0; i < tables->n_segments; i++)
		lane_leave(host, &tables->segments[i].place);
}

/* One that sleeps at the waveform's limit looks around when somebody wakes those there. */
static void thread_join(struct host *host, const struct host_wave *wave, pthread_t thread)
{
	struct node_control *control = &host->node->control[wave->control];

	while (pthread_tryjoin_np(thread, NULL) != 0) {
		futex_wake(futex_low(&control->limit), INT32_MAX);
		clock_sleep_until(clock_ns() + 20000);
	}
}

static void free_stop(struct host *host, struct host_wave *wave)
{
	atomic_store(&wave->quit, 1);
	for (uint32_t i = 0; i < wave->now.n_segments; i++) {
		if (wave->now.segments[i].running)
			thread_join(host, wave, wave->now.segments[i].thread);
		wave->now.segments[i].running = false;
	}
}

void host_threads_stop(struct host *host, struct host_wave *wave)
{
	if (wave->now.view.head->clock == IMAGE_VIRTUAL)
		free_stop(host, wave);
	else
		host_lanes_leave(host, &wave->now);
}
