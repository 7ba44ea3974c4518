/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mode.c - overrun = "mode": the parameters of on_overrun take their other values, and get back
 * what they had. Both are changes like those of SET. */
#include "daemons/exec/mode.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "daemons/exec/set.h"

/* The parameters that on_overrun names, of the instances of this node, with their other values. */
static uint32_t mode_list(const struct exec_wave *wave, struct node_change ret[NODE_MODES])
{
	const struct image_view *view = &wave->view;
	uint32_t n = 0;

	for (uint32_t i = 0; i < view->head->instances.count; i++) {
		const struct image_instance *row = &view->instances[i];

		for (uint32_t p = 0; p < row->n_params && n < NODE_MODES; p++)
			if (!isnan(view->params[row->params + p].mode) &&
			    image_runs(view, row->segment))
				ret[n++] = (struct node_change){.instance = i,
				    .param = p,
				    .number = view->params[row->params + p].mode};
	}
	return n;
}

/* "a.b=1, c.d=2", and from which index all of them hold; false: not known yet. */
static bool mode_taken(const struct exec_wave *wave, uint64_t *ret_index, char *ret, size_t size)
{
	uint64_t index;
	size_t len = 0;

	*ret_index = 0;
	ret[0] = 0;
	for (uint32_t i = 0; i < wave->n_mode; i++) {
		char name[SET_TEXT], value[SET_TEXT];

		if (!set_taken(wave, &wave->mode[i], &index))
			return false;
		*ret_index = index > *ret_index ? index : *ret_index;
		set_name(wave, &wave->mode[i], name, value, sizeof(name));
		if (len < size)
			len += (size_t)snprintf(
			    ret + len, size - len, "%s%s=%s", i ? ", " : "", name, value);
	}
	return true;
}

/* The log and a recording get the indices when they are known. */
void mode_tell(struct exec_wave *wave)
{
	struct node_control *control = wave_control(wave);
	uint64_t index, one = 0;
	char text[512];

	if (wave->n_mode == 0 || !mode_taken(wave, &index, text, sizeof(text)))
		return;
	for (uint32_t i = 0; i < wave->n_mode; i++)
		if (set_taken(wave, &wave->mode[i], &one))
			set_record(wave, &wave->mode[i], one);
	wave->n_mode = 0;
	if (atomic_load(&control->mode) != 0) {
		control->mode_index = index;
		log_warning(&wave->exec->daemon.log, "%s: %s from index %llu on", wave->name, text,
		    (unsigned long long)index);
	} else {
		log_note(&wave->exec->daemon.log,
		    "%s: %s again from index %llu on; overrun = \"mode\" held from index %llu",
		    wave->name, text, (unsigned long long)index,
		    (unsigned long long)control->mode_index);
	}
}

/* A number of SET that no index has met yet: whoever set it has had the last word. */
static bool is_being_set(const struct exec_wave *wave)
{
	return wave->set_pending.bytes != NULL && wave->offered.sequence == 0;
}

bool mode_enter(struct exec_wave *wave, uint64_t since)
{
	struct node_control *control = wave_control(wave);
	struct node_change changes[NODE_MODES];
	uint32_t n;

	mode_tell(wave);
	n = mode_list(wave, changes);
	if (wave->n_mode > 0 || n == 0 || is_being_set(wave))
		return false;
	for (uint32_t i = 0; i < n; i++)
		control->before[i] = set_number(wave, changes[i].instance, changes[i].param);
	/* before what it stands for: a new exec finds other numbers, and leaves them */
	control->mode_index = IMAGE_FOREVER;
	atomic_store(&control->mode, since);
	if (!set_next(wave, changes, n)) {
		atomic_store(&control->mode, 0);
		return false;
	}
	memcpy(wave->mode, changes, n * sizeof(changes[0]));
	wave->n_mode = n;
	control->modes++;
	wave_look_soon(wave);
	return true;
}

/* Whoever has set one of them meanwhile has had the last word. */
void mode_leave(struct exec_wave *wave)
{
	struct node_control *control = wave_control(wave);
	struct node_change all[NODE_MODES], changes[NODE_MODES];
	uint32_t n = 0, listed;

	mode_tell(wave);
	listed = mode_list(wave, all);
	if (wave->n_mode > 0 || is_being_set(wave))
		return;
	for (uint32_t i = 0; i < listed; i++)
		if (set_number(wave, all[i].instance, all[i].param) == all[i].number) {
			changes[n] = all[i];
			changes[n++].number = control->before[i];
		}
	if (!set_next(wave, changes, n))
		return;
	memcpy(wave->mode, changes, n * sizeof(changes[0]));
	wave->n_mode = n;
	atomic_store(&control->mode, 0);
	if (n == 0)
		log_note(&wave->exec->daemon.log,
		    "%s: overrun = \"mode\" is over; what it set has been set by others since",
		    wave->name);
	wave_look_soon(wave);
}
