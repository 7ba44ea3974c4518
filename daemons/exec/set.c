/* SPDX-License-Identifier: BSD-3-Clause
 *
 * set.c - a parameter takes another value at one index of its instance.
 *
 *   number   checked here, written into the ring of changes, applied by the segment's own thread;
 *            several, of whatever instances, are published together and have one index
 *   array    checked here, offered to the host, whose control thread prepares a second copy; then
 *            as one number */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/image/follow.h"
#include "daemons/exec/set.h"
#include "daemons/exec/shadow.h"
#include "daemons/exec/value.h"

#include <aloe/component.h>

#define SECONDS 1000000000ull
#define INIT_ONLY "%s is read at init only: unload the waveform, and load it again with --set"

enum { SEVERAL_MAX = NODE_MODES };

static uint32_t param_find(const struct image_view *view, uint32_t instance, const char *name)
{
	const struct image_instance *row = &view->instances[instance];

	for (uint32_t p = 0; p < row->n_params; p++)
		if (strcmp(image_text(view, view->params[row->params + p].name), name) == 0)
			return p;
	return IMAGE_NONE;
}

/* Whether n more find their place, in the ring and with the segments, where they wait for their
 * index. */
static bool ring_has_space(const struct exec_wave *wave, uint64_t n)
{
	const uint64_t written = atomic_load(&wave_control(wave)->changes);
	uint64_t applied = 0;

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const struct image_segment_state *state = image_segment_state(&wave->view, s);

		applied += atomic_load(&state->applied);
		if (image_runs(&wave->view, s) &&
		    written + n - atomic_load(&state->changes) > NODE_CHANGES)
			return false;
	}
	return written + n - applied <= NODE_CHANGES;
}

/* No step is under way and none begins before the next request. */
static bool wave_quiet(const struct exec_wave *wave)
{
	const struct node_timebase *base = wave_timebase(wave);

	if (!wave->started)
		return true;
	return wave->pending.bytes == NULL &&
	    ((base != NULL && base->pace == IMAGE_STEP) || wave_stands(wave));
}

static bool wave_paced(const struct exec_wave *wave)
{
	return image_timed(wave->view.head->clock);
}

/* The next step of an instance: of the place that is ahead of the others. It may be under way. */
static uint64_t next_step(const struct exec_wave *wave, const struct image_instance *row)
{
	uint64_t step = 0;

	for (uint32_t j = 0; j < row->places; j++) {
		const uint32_t s = image_place(&wave->view, row, j)->segment;
		const uint64_t done = atomic_load(&image_segment_state(&wave->view, s)->done);

		step = done > step ? done : step;
	}
	return step;
}

/* The first index that a change made now is sure to meet; on a clock that stands, the next one, and
 * where nothing paces the waveform the first that belongs to step `held`, which nobody begins. */
static uint64_t first_index(
    const struct exec_wave *wave, const struct image_instance *row, uint64_t held)
{
	const uint64_t rests = atomic_load(
	    &image_instance_state(&wave->view, (uint32_t)(row - wave->view.instances))->first);
	uint64_t step = next_step(wave, row);

	step = step < rests ? rests : step;
	if (wave_paced(wave) && !wave_quiet(wave))
		step += 1 + wave_margin(wave);
	else if (step < held)
		step = held;
	return step > row->lag ? step - row->lag : 0;
}

static void event_begin(const struct exec_wave *wave, uint64_t index, struct wire_msg *msg)
{
	wire_init(msg, WIRE_EVENT, WIRE_EXEC, WIRE_SWMAN, bus_seq(wave->exec->daemon.bus));
	wire_put_text(msg, WIRE_TAG_WAVEFORM, wave->name);
	wire_put_text(msg, WIRE_TAG_STATE, "SET");
	wire_put_u64(msg, WIRE_TAG_INDEX, index);
}

/* Who keeps a recording of the waveform is told. An INDEX of the request is where it is known. */
static void set_tell(const struct exec_wave *wave, const struct wire_view *request, uint64_t index)
{
	struct wire_msg msg;
	char *name, *value;

	event_begin(wave, index, &msg);
	for (unsigned n = 0; (name = wire_get_text(request, WIRE_TAG_NAME, n)) != NULL; n++) {
		value = wire_get_text(request, WIRE_TAG_VALUE, n);
		wire_put_text(&msg, WIRE_TAG_NAME, name);
		wire_put_text(&msg, WIRE_TAG_VALUE, value);
		free(name);
		free(value);
	}
	bus_send(wave->exec->daemon.bus, &msg);
}

/* All of them are seen at once. */
static void set_publish(struct exec_wave *wave, const struct node_change *changes, unsigned n)
{
	struct node_control *control = wave_control(wave);
	const uint64_t written = atomic_load(&control->changes);

	for (unsigned i = 0; i < n; i++) {
		control->change[(written + i) % NODE_CHANGES] = changes[i];
		shadow_set(wave, changes[i].instance);
	}
	atomic_store(&control->changes, written + n);
}

/* The first index that all of them are sure to meet. */
static uint64_t first_of_all(
    const struct exec_wave *wave, const struct node_change *changes, unsigned n, uint64_t held)
{
	uint64_t index = 0;

	for (unsigned i = 0; i < n; i++) {
		const uint64_t first =
		    first_index(wave, &wave->view.instances[changes[i].instance], held);

		index = first > index ? first : index;
	}
	return index;
}

/* Once they are published: no segment may have begun the step that belongs to `index` before it
 * could see them. */
static bool all_in_time(
    const struct exec_wave *wave, const struct node_change *changes, unsigned n, uint64_t index)
{
	for (unsigned i = 0; i < n && !wave_quiet(wave); i++) {
		const struct image_instance *row = &wave->view.instances[changes[i].instance];

		if (next_step(wave, row) >= index + row->lag)
			return false;
	}
	return true;
}

/* The newest index that any of their instances has begun. */
static uint64_t newest_of_all(
    const struct exec_wave *wave, const struct node_change *changes, unsigned n)
{
	uint64_t newest = 0;

	for (unsigned i = 0; i < n; i++) {
		const uint32_t instance = changes[i].instance;
		const uint64_t next = image_next_most(&wave->view, instance),
		               behind = wave->view.instances[instance].places;

		newest = next > newest + behind ? next - behind : newest;
	}
	return newest;
}

/* Each place takes the change before its own next index. */
static bool in_places(const struct exec_wave *wave, const struct node_change *change)
{
	return wave->view.instances[change->instance].places > 1;
}

/* The index from which they hold: that of the request; of one change the next, which nobody knows
 * before it has come; of several one that all are sure to meet. Negative: refused and answered. */
static int index_choose(struct exec_wave *wave, const struct wire_view *request,
    const struct node_change *changes, unsigned n, uint64_t held, uint64_t *ret)
{
	const uint64_t first = first_of_all(wave, changes, n, held);
	uint64_t index =
	    n > 1 || in_places(wave, changes) || wave_quiet(wave) ? first : IMAGE_FOREVER;

	wire_get_u64(request, WIRE_TAG_INDEX, &index);
	if (index < first) {
		exec_too_late(
		    wave->exec, request, "index", index, newest_of_all(wave, changes, n), first);
		return -ERANGE;
	}
	if (!ring_has_space(wave, n)) {
		exec_fail(wave->exec, request, 1,
		    "%d changes of \"%s\" wait for their index; try again later", NODE_CHANGES,
		    wave->name);
		return -EAGAIN;
	}
	*ret = index;
	return 0;
}

/* 0, or negative and answered. */
static int set_held(struct exec_wave *wave, const struct wire_view *request,
    struct node_change *changes, unsigned n, uint64_t held)
{
	uint64_t index;
	const int status = index_choose(wave, request, changes, n, held, &index);

	if (status != 0)
		return status;
	for (unsigned i = 0; i < n; i++)
		changes[i].index = index;
	set_publish(wave, changes, n);
	if (index == IMAGE_FOREVER) {
		wave->published = changes[0];
		wave_later(&wave->set_pending, request, 10 * SECONDS);
		wave_look_soon(wave);
	} else if (!wave_paced(wave) || all_in_time(wave, changes, n, index)) {
		set_tell(wave, request, index);
		exec_ok(wave->exec, request, WIRE_TAG_INDEX, index);
	} else {
		exec_fail(wave->exec, request, 1,
		    "a stall of the machine delayed the change: the values are active, but some "
		    "only after index %llu; set them again",
		    (unsigned long long)index);
	}
	return 0;
}

/* Nobody knows how far steps that nothing paces come while exec chooses an index and says so: none
 * of them begins one that may be chosen. */
static int set_commit(struct exec_wave *wave, const struct wire_view *request,
    struct node_change *changes, unsigned n)
{
	const bool holds = !wave_paced(wave) && !wave_quiet(wave) &&
	    (n > 1 || in_places(wave, changes) ||
	        wire_get_u64(request, WIRE_TAG_INDEX, &(uint64_t){0}) == 0);
	const uint64_t before = atomic_load(&wave_control(wave)->limit);
	int status;

	if (!holds)
		return set_held(wave, request, changes, n, 0);
	status = set_held(wave, request, changes, n, wave_hold(wave));
	wave_limit(wave, before);
	return status;
}

/* ---- arrays ------------------------------------------------------------------------ */

static struct exec_process *process_of(const struct exec_wave *wave, uint32_t instance)
{
	return wave->hosts[wave->view.segments[wave->view.instances[instance].segment].host]
	    .process;
}

/* The answer comes when the host has prepared it, see set_offered. */
static void array_offer(struct exec_wave *wave, const struct wire_view *request,
    const struct node_change *change, const struct param_value *array)
{
	const size_t len = array->n_numbers * sizeof(float);
	float *data = param_floats(array);
	struct exec_process *process = process_of(wave, change->instance);
	const struct hostlink_msg msg = {.type = HOSTLINK_OFFER,
	    .control = wave->control,
	    .instance = change->instance,
	    .param = change->param,
	    .n_items = array->n_numbers,
	    .sequence = change->sequence};
	const int fd = data == NULL ? -ENOMEM : image_memfd_sealed("aloe-array", data, len);
	int status = fd < 0 ? fd : process == NULL ? -EPIPE : process_send(process, &msg, &fd, 1);

	free(data);
	if (fd >= 0)
		close(fd);
	if (status != 0) {
		exec_fail(wave->exec, request, 1, "%u number%s cannot be handed to the host: %s",
		    array->n_numbers, plural(array->n_numbers), strerror(-status));
		return;
	}
	wave->offered = *change;
	wave_later(&wave->set_pending, request, 30 * SECONDS);
}

static void array_forget(struct exec_wave *wave, uint64_t sequence, uint32_t instance)
{
	struct exec_process *process =
	    instance < wave->view.head->instances.count ? process_of(wave, instance) : NULL;
	const struct hostlink_msg msg = {.type = HOSTLINK_FORGET,
	    .control = wave->control,
	    .instance = instance,
	    .sequence = sequence};

	if (process != NULL)
		process_send(process, &msg, NULL, 0);
}

/* What the host says to an offer: the change goes on as that of a number does, or is refused. */
void set_offered(struct exec_wave *wave, const struct hostlink_msg *msg)
{
	const char *refused = msg->type == HOSTLINK_REFUSED ? msg->text : NULL;
	struct node_change change = wave->offered;
	struct exec_pending pending = wave->set_pending;
	const struct image_instance *row = &wave->view.instances[change.instance];
	struct wire_view request;

	/* nobody waits for it any more */
	if (change.sequence != msg->sequence || pending.bytes == NULL) {
		array_forget(wave, msg->sequence, msg->instance);
		return;
	}
	wave->offered.sequence = 0;
	wave->set_pending.bytes = NULL;
	if (wire_decode(pending.bytes, pending.len, &request) != 0) {
		array_forget(wave, change.sequence, change.instance);
	} else if (refused != NULL) {
		exec_fail(wave->exec, &request, 2, "%s.%s: %s", image_text(&wave->view, row->name),
		    image_text(&wave->view, wave->view.params[row->params + change.param].name),
		    refused);
	} else if (set_commit(wave, &request, &change, 1) != 0) {
		array_forget(wave, change.sequence, change.instance);
	}
	free(pending.bytes);
}

/* ---- what exec sets of itself ------------------------------------------------------------ */

double set_number(const struct exec_wave *wave, uint32_t instance, uint32_t param)
{
	const uint64_t bits =
	    atomic_load(&image_instance_state(&wave->view, instance)->params[param]);
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

bool set_next(struct exec_wave *wave, struct node_change *changes, unsigned n)
{
	if (wave->remap != REMAP_NONE || wave->halts || wave->ended || !ring_has_space(wave, n))
		return false;
	for (unsigned i = 0; i < n; i++) {
		changes[i].index = IMAGE_FOREVER;
		changes[i].sequence = ++wave->sequence;
	}
	set_publish(wave, changes, n);
	return true;
}

bool set_taken(const struct exec_wave *wave, const struct node_change *change, uint64_t *ret)
{
	return image_taken_index(
	    &wave->view, wave->view.instances[change->instance].segment, change->sequence, ret);
}

void set_name(const struct exec_wave *wave, const struct node_change *change, char *ret_name,
    char *ret_value, size_t size)
{
	const struct image_instance *row = &wave->view.instances[change->instance];
	const struct image_param *param = &wave->view.params[row->params + change->param];

	snprintf(ret_name, size, "%s.%s", image_text(&wave->view, row->name),
	    image_text(&wave->view, param->name));
	value_print(&wave->view, param, change->number, ret_value, size);
}

void set_record(const struct exec_wave *wave, const struct node_change *change, uint64_t index)
{
	char name[SET_TEXT], value[SET_TEXT];
	struct wire_msg msg;

	set_name(wave, change, name, value, sizeof(name));
	event_begin(wave, index, &msg);
	wire_put_text(&msg, WIRE_TAG_NAME, name);
	wire_put_text(&msg, WIRE_TAG_VALUE, value);
	bus_send(wave->exec->daemon.bus, &msg);
}

/* ---- the request ------------------------------------------------------------------------ */

static const char *node_name(const struct exec_wave *wave, uint32_t instance)
{
	const struct image_view *view = &wave->view;

	return image_text(
	    view, view->nodes[image_node_of(view, view->instances[instance].segment)].name);
}

/* The instance and the parameter that "instance.parameter" names: 0, or -EINVAL with words. */
static int change_find(const struct exec_wave *wave, const char *name, struct node_change *ret,
    char *ret_why, size_t size)
{
	const char *dot = strchr(name, '.');

	*ret = (struct node_change){.instance = IMAGE_NONE, .param = IMAGE_NONE};
	if (dot != NULL)
		ret->instance = image_find_instance(&wave->view, name, (size_t)(dot - name));
	if (ret->instance != IMAGE_NONE)
		ret->param = param_find(&wave->view, ret->instance, dot + 1);
	if (ret->param != IMAGE_NONE &&
	    image_runs(&wave->view, wave->view.instances[ret->instance].segment))
		return 0;
	if (ret->param != IMAGE_NONE)
		snprintf(ret_why, size,
		    "%s: the instance runs on node \"%s\"; set the parameter there", name,
		    node_name(wave, ret->instance));
	else
		snprintf(ret_why, size, "\"%s\" has no parameter \"%.60s\"", wave->name, name);
	return -EINVAL;
}

static const struct image_param *param_of(
    const struct exec_wave *wave, const struct node_change *change)
{
	return &wave->view.params[wave->view.instances[change->instance].params + change->param];
}

/* The nth NAME and VALUE of a request: 0, or -EINVAL with words. */
static int change_parse(const struct exec_wave *wave, const char *name, const char *text,
    struct node_change *ret, struct param_value *ret_value, char *ret_why, size_t size)
{
	const struct image_param *param;
	int status;

	if (name == NULL || text == NULL) {
		snprintf(ret_why, size, "set needs a value for each instance.parameter");
		return -EINVAL;
	}
	status = change_find(wave, name, ret, ret_why, size);
	if (status != 0)
		return status;
	param = param_of(wave, ret);
	if (!(param->flags & ALOE_LIVE)) {
		snprintf(ret_why, size, INIT_ONLY, name);
		return -EINVAL;
	}
	snprintf(ret_why, size, "%s cannot be set: no memory", name);
	status = value_parse(&wave->view, param, name, text, ret_value, ret_why, size);
	ret->number = ret_value->number;
	return status;
}

static int change_take(struct exec_wave *wave, const struct wire_view *request, unsigned nth,
    struct node_change *ret, struct param_value *ret_value)
{
	char *name = wire_get_text(request, WIRE_TAG_NAME, nth),
	     *text = wire_get_text(request, WIRE_TAG_VALUE, nth), why[PARAM_WHY_BYTES];
	const int status = change_parse(wave, name, text, ret, ret_value, why, sizeof(why));

	if (status != 0)
		exec_fail(wave->exec, request, status == -ENOMEM ? 1 : 2, "%s", why);
	free(name);
	free(text);
	return status;
}

/* Whether the waveform takes n changes now; answered if not. */
static bool set_possible(
    struct exec_wave *wave, const struct wire_view *request, unsigned n, bool array)
{
	if (n == 1 && wave_busy(&wave->set_pending))
		exec_fail(wave->exec, request, 1,
		    "another set of \"%s\" is under way; try again later", wave->name);
	else if (wave_waits(wave))
		wave_busy_fail(wave, request);
	else if (wave->remap != REMAP_NONE && (n > 1 || array || wave->upgrades || wave->shadows))
		exec_fail(wave->exec, request, 1, "\"%s\" is being %s; try again", wave->name,
		    wave->upgrades ? "upgraded" : "remapped");
	else if (wave->halts)
		wave_busy_fail(wave, request);
	else if (wave->ended || wave->drained || wave->state == WAVE_LOADED)
		exec_fail(wave->exec, request, 1, "\"%s\" is in state %s and is not running",
		    wave->name, wave_state_names[wave->state]);
	else
		return true;
	return false;
}

static void set_begin(struct exec_wave *wave, const struct wire_view *request,
    struct node_change *changes, unsigned n, const struct param_value *array)
{
	if (!set_possible(wave, request, n, array->numbers != NULL))
		return;
	for (unsigned i = 0; i < n; i++)
		changes[i].sequence = ++wave->sequence;
	if (n == 1) { /* in place of one that nobody waits for any more */
		free(wave->set_pending.bytes);
		wave->set_pending.bytes = NULL;
		wave->offered.sequence = 0;
	}
	if (array->numbers != NULL)
		array_offer(wave, request, &changes[0], array);
	else
		set_commit(wave, request, changes, n);
}

static void array_alone(struct exec_wave *wave, const struct wire_view *request, unsigned nth)
{
	char *name = wire_get_text(request, WIRE_TAG_NAME, nth);

	exec_fail(wave->exec, request, 2,
	    "%s is an array; set the array alone, with --at N if the index matters",
	    name ? name : "the parameter");
	free(name);
}

void wave_set(struct exec_wave *wave, const struct wire_view *request)
{
	struct node_change changes[SEVERAL_MAX];
	struct param_value value = {0};
	const void *bytes;
	unsigned n = 0, taken = 0;
	size_t len;

	while (wire_get_bytes(request, WIRE_TAG_NAME, n, &bytes, &len) == 0)
		n++;
	if (n > SEVERAL_MAX) {
		exec_fail(wave->exec, request, 2, "at most %d parameters can be set at one index",
		    SEVERAL_MAX);
		return;
	}
	do {
		param_value_fini(&value);
		if (change_take(wave, request, taken, &changes[taken], &value) != 0)
			return;
		taken++;
	} while (taken < n && value.numbers == NULL);
	if (n > 1 && value.numbers != NULL)
		array_alone(wave, request, taken - 1);
	else
		set_begin(wave, request, changes, taken, &value);
	param_value_fini(&value);
}

static bool array_shown(const struct exec_wave *wave, const struct node_change *change)
{
	const struct image_instance *row = &wave->view.instances[change->instance];
	const struct image_param *param = &wave->view.params[row->params + change->param];

	return param->array == 0 || image_array_sequence(&wave->view, param) >= change->sequence;
}

void set_check(struct exec_wave *wave)
{
	struct exec_pending *pending = &wave->set_pending;
	uint64_t index;

	if (pending->bytes == NULL)
		return;
	if (wave->offered.sequence != 0) {
		if (clock_ns() <= pending->until_ns)
			return;
		wave->offered.sequence = 0;
		wave_answer(wave, pending, WIRE_TAG_INDEX, 0, 1,
		    "the component has not prepared the array within 30 s");
		return;
	}
	if (image_taken_index(&wave->view, wave->view.instances[wave->published.instance].segment,
	        wave->published.sequence, &index) &&
	    array_shown(wave, &wave->published)) {
		struct wire_view request;

		if (wire_decode(pending->bytes, pending->len, &request) == 0)
			set_tell(wave, &request, index);
		wave_answer(wave, pending, WIRE_TAG_INDEX, index, 0, NULL);
	} else if (clock_ns() > pending->until_ns)
		wave_answer(wave, pending, WIRE_TAG_INDEX, 0, 1,
		    "no index passed within 10 s; the change applies when an index passes");
}
