/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemons/exec/exec.h"

static int control_take(struct exec *exec, const char *name)
{
	for (uint32_t i = 0; i < NODE_WAVEFORMS_MAX; i++) {
		struct node_control *control = &exec->node->control[i];

		if (atomic_load(&control->used))
			continue;
		memset(control->name, 0, sizeof(control->name));
		snprintf(control->name, sizeof(control->name), "%s", name);
		atomic_store(&control->limit, 0);
		atomic_store(&control->base, IMAGE_FOREVER);
		atomic_store(&control->last, IMAGE_FOREVER);
		atomic_store(&control->changes, 0);
		control->state = WAVE_LOADED;
		atomic_store(&control->used, 1);
		return (int)i;
	}
	return -ENOSPC;
}

static void memory_why(
    const struct exec_wave *wave, const struct image_head *head, char *ret_why, size_t size)
{
	snprintf(ret_why, size,
	    "\"%s\" needs %.1f MB of memory for its links and statistics, %.1f MB are available (memory of the "
	    "machine, "
	    "of the container, or a limit of this process): make `items` or the lengths of sources smaller, or "
	    "free some",
	    wave->name, (double)head->total_bytes / 1e6, (double)memory_available() / 1e6);
}

int wave_tables(struct exec_wave *wave)
{
	const size_t n = wave->view.head->segments.count + 1;

	wave->n_hosts = wave->view.head->n_hosts;
	wave->hosts = calloc(wave->n_hosts + 1, sizeof(struct exec_host));
	wave->places = calloc(n, sizeof(struct exec_place));
	wave->progress = calloc(n, sizeof(struct exec_progress));
	if (wave->hosts == NULL || wave->places == NULL || wave->progress == NULL)
		return -ENOMEM;
	for (uint32_t h = 0; h < wave->n_hosts; h++)
		wave->hosts[h] = (struct exec_host){.wave = wave, .number = h, .finished = true};
	for (size_t s = 0; s < n; s++)
		wave->places[s] = (struct exec_place){IMAGE_NONE, IMAGE_NONE, IMAGE_NONE};
	return 0;
}

int image_make(struct exec_wave *wave, const void *program, size_t len, char *ret_why, size_t size)
{
	const struct image_head *head = program;
	const char *why;
	int status;

	if (image_check(program, len, &why) != 0) {
		snprintf(ret_why, size, "the program is not sound: %s", why);
		return -EBADMSG;
	}
	if (head->total_bytes > memory_available()) {
		memory_why(wave, head, ret_why, size);
		return -ENOMEM;
	}
	wave->fd = image_create(program, len);
	status = wave->fd < 0 ? wave->fd : image_open(wave->fd, false, &wave->view);
	if (status == -ENOMEM || status == -ENOSPC)
		memory_why(wave, head, ret_why, size);
	else if (status != 0)
		snprintf(ret_why, size, "cannot make the waveform image: %s", strerror(-status));
	return status;
}

static bool has_radio(const struct exec_wave *wave, uint32_t address)
{
	for (uint64_t r = 0;
	     wave->view.head != NULL && !wave->drained && r < wave->view.head->radios.count; r++)
		if (wave->view.radios[r].address == address && !wave->view.radios[r].listen)
			return true;
	return false;
}

/* Who opens a device's streams ends those of whoever has them. */
static int radios_check(const struct exec_wave *wave, char *ret_why, size_t size)
{
	for (uint64_t r = 0; r < wave->view.head->radios.count; r++) {
		const uint32_t a = wave->view.radios[r].address;

		for (const struct exec_wave *other = wave->exec->waves; other != NULL;
		     other = other->next) {
			if (other == wave || wave->view.radios[r].listen || !has_radio(other, a))
				continue;
			snprintf(ret_why, size,
			    "the radio at %u.%u.%u.%u is the clock of \"%s\", which is loaded: unload that first",
			    a >> 24, a >> 16 & 255, a >> 8 & 255, a & 255, other->name);
			return -EBUSY;
		}
	}
	return 0;
}

static int wave_fill(
    struct exec_wave *wave, const void *program, size_t len, char *ret_why, size_t size)
{
	int control, status = image_make(wave, program, len, ret_why, size);

	if (status == 0)
		status = radios_check(wave, ret_why, size);
	if (status != 0)
		return status;
	control = control_take(wave->exec, wave->name);
	if (control < 0) {
		snprintf(ret_why, size, "%d waveforms are loaded, more are not possible",
		    NODE_WAVEFORMS_MAX);
		return control;
	}
	wave->control = (uint32_t)control;
	status = wave_tables(wave);
	if (status == 0)
		status = hosts_start(wave, ret_why, size);
	if (status == 0)
		status = lanes_take(wave, ret_why, size);
	return status != 0 ? status : hosts_attach(wave, HOSTLINK_ATTACH, ret_why, size);
}

static struct exec_wave *wave_new(struct exec *exec, const char *name)
{
	struct exec_wave *wave = calloc(1, sizeof(*wave));

	if (wave == NULL)
		return NULL;
	wave->exec = exec;
	wave->fd = -1;
	wave->control = IMAGE_NONE;
	snprintf(wave->name, sizeof(wave->name), "%s", name);
	wave->next = exec->waves;
	exec->waves = wave;
	return wave;
}

void wave_free(struct exec_wave *wave)
{
	struct exec *exec = wave->exec;
	struct exec_wave **link = &exec->waves;

	wave_answer(wave, &wave->pending, WIRE_TAG_SLOT, 0, 1, "the waveform was unloaded");
	wave_answer(wave, &wave->set_pending, WIRE_TAG_INDEX, 0, 1, "the waveform was unloaded");
	loop_timer_stop(&exec->daemon.loop, &wave->look_timer);
	remap_drop(wave);
	lanes_leave(wave);
	hosts_leave(wave, false);
	lanes_release(wave);
	keep_wave_drop(wave);
	if (wave->control != IMAGE_NONE)
		atomic_store(&exec->node->control[wave->control].used, 0);
	while (*link != wave)
		link = &(*link)->next;
	*link = wave->next;
	wave_dispose(wave);
}

void wave_dispose(struct exec_wave *wave)
{
	image_close(&wave->view);
	if (wave->fd >= 0)
		close(wave->fd);
	free(wave->hosts);
	free(wave->places);
	free(wave->progress);
	free(wave);
}

void exec_prepare(struct exec *exec, const struct wire_view *request)
{
	char *name = wire_get_text(request, WIRE_TAG_WAVEFORM, 0);
	char why[512] = "no memory";
	const void *program;
	struct exec_wave *wave;
	size_t len;

	if (name == NULL || name[0] == 0 || strlen(name) > 63 ||
	    wire_get_bytes(request, WIRE_TAG_PROGRAM, 0, &program, &len) != 0) {
		exec_fail(exec, request, 2,
		    "PREPARE without a program, or with a name of more than 63 bytes");
	} else if (exec_find(exec, name, strlen(name)) != NULL) {
		exec_fail(exec, request, 2, "waveform \"%s\" is loaded already", name);
	} else if ((wave = wave_new(exec, name)) == NULL) {
		exec_fail(exec, request, 1, "%s", why);
	} else {
		void *aligned = aligned_alloc(64, (len + 63) & ~(size_t)63);

		if (aligned != NULL)
			memcpy(aligned, program, len);
		if (aligned == NULL || wave_fill(wave, aligned, len, why, sizeof(why)) != 0) {
			exec_fail(exec, request, 2, "%s", why);
			wave_free(wave);
		} else {
			wave_later(&wave->pending, request, PREPARE_S * (uint64_t)1000000000);
			keep_wave(wave);
		}
		free(aligned);
	}
	free(name);
}
