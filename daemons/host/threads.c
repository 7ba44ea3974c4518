/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"
#include "daemons/host/host.h"

/* ---- I/O thread -------------------------------------------------------------------------------------------------------- */

static void report_fault(struct host *host, struct host_wave *wave, const struct instance *it)
{
	struct hostlink_msg msg = {.type = HOSTLINK_FAULT, .control = wave->control};

	snprintf(msg.text, sizeof(msg.text), "%s: %s", it->setup.instance,
	    it->setup.error[0] ? it->setup.error : "I/O error without a word");
	hostlink_send(host->sock, &msg, NULL, 0);
	wave->io_reported = true;
}

static int serve_wave(struct host *host, struct host_wave *wave)
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
			report_fault(host, wave, it);
		moved += status > 0 ? status : 0;
	}
	return moved;
}

static void *io_main(void *self)
{
	struct host *host = self;

	while (!atomic_load(&host->quit)) {
		uint64_t nap_ns = 2000000;
		int moved = 0;

		pthread_mutex_lock(&host->lock);
		for (struct host_wave *wave = host->waves; wave != NULL; wave = wave->next) {
			moved += serve_wave(host, wave);
			if (wave->now.view.head->clock == IMAGE_VIRTUAL)
				nap_ns = 50000;
		}
		pthread_mutex_unlock(&host->lock);
		if (moved == 0)
			clock_sleep_until(clock_ns() + nap_ns);
	}
	return NULL;
}

int host_io_start(struct host *host)
{
	if (host->has_io_thread)
		return 0;
	if (pthread_create(&host->io_thread, NULL, io_main, host) != 0)
		return -EAGAIN;
	host->has_io_thread = true;
	return 0;
}

/* ---- lane threads ------------------------------------------------------------------------------------------------------ */

static void *lane_main(void *self)
{
	struct host_lane *lane = self;

	platform_pin(lane->thread.node->lane[lane->thread.lane].cpu);
	platform_no_slack();
	atomic_store(&lane->thread.image->tid[lane->thread.seat], (uint64_t)platform_tid());
	if (lane->radio != NULL && host_radio_open(lane->radio) != 0)
		return NULL;
	if (lane->radio != NULL)
		lane->thread.radio = &lane->radio->asked;
	lane_run(&lane->thread);
	if (lane->radio != NULL)
		host_radio_close(lane->radio);
	return NULL;
}

static void *free_main(void *self)
{
	struct host_segment *segment = self;

	segment_run_virtual(&segment->segment, &segment->wave->quit);
	return NULL;
}

/* Who sets a port up (a driver, DPDK's environment) wants more of a stack than components do. */
static int create_thread(struct host_lane *lane, bool fifo)
{
	enum { RADIO_STACK_BYTES = 2 << 20 };
	const struct sched_param param = {.sched_priority = PLATFORM_PRIORITY_LANE};
	pthread_attr_t attr;
	int status;

	pthread_attr_init(&attr);
	if (lane->radio != NULL)
		pthread_attr_setstacksize(&attr, RADIO_STACK_BYTES);
	if (fifo) {
		pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
		pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
		pthread_attr_setschedparam(&attr, &param);
	}
	lane->thread.fifo = fifo;
	status = pthread_create(&lane->id, &attr, lane_main, lane);
	pthread_attr_destroy(&attr);
	return -status;
}

static int create_realtime(struct host *host, struct host_lane *lane)
{
	int status = create_thread(lane, true);

	if (status != -EPERM)
		return status;
	host_say(host,
	    "!no real-time priority (CAP_SYS_NICE): other programs can delay a slot by milliseconds\n");
	return create_thread(lane, false);
}

/* The kernel would stop a real-time thread that never sleeps for 50 ms of every second, and so would those that it keeps from
 * their CPU. */
static int create_polling(struct host *host, struct host_lane *lane)
{
	const uint32_t number = lane->thread.lane;
	const char *why;
	int before, status, nice;

	if (platform_may_poll(host->node->lane[number].cpu, &why))
		return create_realtime(host, lane);
	nice = platform_nice(-20, &before);
	host_say(host, "!lane %u never sleeps and has no real-time priority, but nice %s: %s\n",
	    number, nice == 0 ? "-20" : "as before (CAP_SYS_NICE)", why);
	status = create_thread(lane, false);
	if (nice == 0)
		platform_nice(before, &before);
	return status;
}

enum lane_kind { LANE_ORDINARY, LANE_REALTIME, LANE_POLLING };

static int open_lane(struct host *host, uint32_t number, uint32_t seat, int fd,
    struct host_radio *radio, enum lane_kind kind)
{
	struct host_lane *lane = host->lanes[number];
	int status;

	if (lane != NULL)
		return 0;
	lane = aligned_alloc(64, (sizeof(*lane) + 63) & ~(size_t)63);
	if (lane == NULL)
		return -ENOMEM;
	memset(lane, 0, sizeof(*lane));
	lane->thread.node = host->node;
	lane->thread.lane = number;
	lane->thread.seat = seat;
	lane->radio = radio;
	lane->thread.image = image_map(fd, sizeof(struct lane_image), true);
	if (kind == LANE_REALTIME)
		lane->thread.rehearsal =
		    rehearsal_new(); /* without one slots are slower after a sleep */
	status = lane->thread.image == NULL ? -ENOMEM
	    : kind == LANE_POLLING          ? create_polling(host, lane)
	    : kind == LANE_REALTIME         ? create_realtime(host, lane)
	                                    : create_thread(lane, false);
	if (status != 0) {
		rehearsal_free(lane->thread.rehearsal);
		free(lane);
		return status;
	}
	host->lanes[number] = lane;
	return 0;
}

int host_lanes_join(struct host *host, struct host_tables *tables, const struct hostlink_msg *msg,
    const int *lane_fds)
{
	const struct image_head *head = tables->view.head;
	const enum lane_kind kind = head->clock != IMAGE_TIMER ? LANE_ORDINARY
	    : lane_polls(head->slot_ns)                        ? LANE_POLLING
	                                                       : LANE_REALTIME;
	int status = 0;

	for (uint32_t i = 0; i < msg->n_segments && status == 0; i++) {
		const struct hostlink_segment *place = &msg->segments[i];
		uint32_t l = 0;

		while (l < msg->n_lanes && msg->lanes[l] != place->lane)
			l++;
		if (l == msg->n_lanes)
			return -EBADMSG;
		status = open_lane(host, place->lane, place->seat, lane_fds[l], NULL, kind);
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
		host_say(
		    host, "a radio is the clock of one lane, and that is its waveform's alone\n");
		return -EBUSY;
	}
	wave->radio = host_radio_new(&wave->now.view, msg->lanes[0]);
	if (wave->radio == NULL)
		return -ENOMEM;
	status = open_lane(
	    host, msg->lanes[0], msg->segments[0].seat, lane_fds[0], wave->radio, LANE_POLLING);
	if (status != 0)
		return status;
	while (sem_wait(&wave->radio->opened) != 0)
		;
	if (wave->radio->status != 0)
		host_say(host, "radio: %s\n", wave->radio->why);
	else if (wave->radio->front.note[0])
		host_say(host, "!radio: %s\n", wave->radio->front.note);
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

int host_threads_start(
    struct host *host, struct host_wave *wave, const struct hostlink_msg *msg, const int *lane_fds)
{
	int status = host_io_start(host);

	if (status != 0)
		return status;
	if (wave->now.view.head->clock == IMAGE_VIRTUAL)
		return host_free_start(wave);
	status = host_lanes_join(host, &wave->now, msg, lane_fds);
	/* Last: what a limit on locked memory leaves may be too little for one more stack. */
	if (status == 0 && image_timed(wave->now.view.head->clock) && !host->locked) {
		if (platform_lock_memory() != 0)
			host_say(host,
			    "!memory is not locked (CAP_IPC_LOCK or a larger memlock limit): a page fault can delay "
			    "a slot\n");
		host->locked = true;
	}
	return status;
}

static void leave_lane(struct host *host, const struct hostlink_segment *place)
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
		leave_lane(host, &tables->segments[i].place);
}

/* One that sleeps at the waveform's limit looks around when somebody wakes those there. */
static void join_awake(struct host *host, const struct host_wave *wave, pthread_t thread)
{
	struct node_control *control = &host->node->control[wave->control];

	while (pthread_tryjoin_np(thread, NULL) != 0) {
		futex_wake(futex_low(&control->limit), INT32_MAX);
		clock_sleep_until(clock_ns() + 20000);
	}
}

void host_free_stop(struct host *host, struct host_wave *wave)
{
	atomic_store(&wave->quit, 1);
	for (uint32_t i = 0; i < wave->now.n_segments; i++) {
		if (wave->now.segments[i].running)
			join_awake(host, wave, wave->now.segments[i].thread);
		wave->now.segments[i].running = false;
	}
}

void host_threads_stop(struct host *host, struct host_wave *wave)
{
	if (wave->now.view.head->clock == IMAGE_VIRTUAL)
		host_free_stop(host, wave);
	else
		host_lanes_leave(host, &wave->now);
}
