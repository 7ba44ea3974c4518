/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/limits.h"
#include "core/base/text.h"
#include "daemons/exec/clock.h"
#include "daemons/exec/end.h"
#include "daemons/exec/prepare.h"

int wave_control_take(struct exec *exec, const char *name)
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
		atomic_store(&control->conceal, 0);
		atomic_store(&control->mode, 0);
		control->modes = 0;
		control->state = WAVE_LOADED;
		control->remaps = 0;
		control->misses_read = control->misses_unseen = 0;
		control->misses_lost = control->misses_unwritten = 0;
		atomic_store(&control->used, 1);
		return (int)i;
	}
	return -ENOSPC;
}

static void memory_why(const struct exec_wave *wave, uint64_t needed, char *ret_why, size_t size)
{
	snprintf(ret_why, size,
	    "\"%s\" needs %.1f MB of memory for its links and statistics, but %.1f MB are "
	    "available (memory of the machine, of the container, or a limit of this process); "
	    "make `items` or the lengths of sources smaller, or free memory",
	    wave->name, (double)needed / 1e6, (double)memory_available() / 1e6);
}

int image_make(struct exec_wave *wave, const void *program, size_t len, char *ret_why, size_t size)
{
	struct image_view tables;
	uint64_t needed;
	const char *why;
	uint32_t node;
	int status;

	if (image_check(program, len, &why) != 0) {
		snprintf(ret_why, size, "the program is not sound: %s", why);
		return -EBADMSG;
	}
	image_bind(program, &tables);
	node = exec_node_in(wave->exec, &tables, ret_why, size);
	if (ret_why[0] != 0)
		return -EINVAL;
	needed = tables.head->static_bytes + image_bytes_node(program, node);
	if (needed > memory_available()) {
		memory_why(wave, needed, ret_why, size);
		return -ENOMEM;
	}
	status = image_create_node(program, len, node, &wave->files);
	if (status == 0)
		status = image_open(&wave->files, false, &wave->view);
	wave->view.node = node;
	if (status == -ENOMEM || status == -ENOSPC)
		memory_why(wave, needed, ret_why, size);
	else if (status != 0)
		snprintf(ret_why, size, "cannot make the waveform image: %s", strerror(-status));
	return status;
}

int image_make_nothing(struct exec_wave *wave)
{
	struct nothing {
		_Alignas(64) struct image_head head;
		char text[64];
	} program = {.head = {.magic = IMAGE_MAGIC,
	                 .version = IMAGE_VERSION,
	                 .clock = IMAGE_VIRTUAL,
	                 .copies = 1,
	                 .latency_slots = 1,
	                 .slot_ns = 1,
	                 .slots = IMAGE_FOREVER,
	                 .static_bytes = sizeof(program),
	                 .text = {offsetof(struct nothing, text), sizeof(program.text)}}};
	int status;

	image_layout(&program);
	status = image_create(&program, sizeof(program), &wave->files);
	return status != 0 ? status : image_open(&wave->files, false, &wave->view);
}

static bool has_radio(const struct exec_wave *wave, const char *claim)
{
	const struct image_view *view = &wave->view;

	for (uint64_t r = 0; view->head != NULL && !wave->drained && r < view->head->radios.count;
	     r++)
		if (strcmp(image_text(view, view->radios[r].claim), claim) == 0)
			return true;
	return false;
}

static int radios_check(const struct exec_wave *wave, char *ret_why, size_t size)
{
	for (uint64_t r = 0; r < wave->view.head->radios.count; r++) {
		const char *claim = image_text(&wave->view, wave->view.radios[r].claim);

		for (const struct exec_wave *other = claim[0] ? wave->exec->waves : NULL;
		     other != NULL; other = other->next) {
			if (other == wave || !has_radio(other, claim))
				continue;
			snprintf(ret_why, size,
			    "the radio at %s is the clock of \"%s\", which is loaded; unload that "
			    "waveform first",
			    claim, other->name);
			return -EBUSY;
		}
	}
	return 0;
}

/* Each host has a socket and a process number, here and kept with the frontend; the waveform its
 * image. */
static int files_check(const struct exec_wave *wave, char *ret_why, size_t size)
{
	const uint64_t needed = 2ull * wave->view.head->n_hosts + 1, left = limits_left();

	if (needed + LIMITS_RESERVE <= left)
		return 0;
	snprintf(ret_why, size,
	    "\"%s\" has %u host%s, for which aloe-exec needs %llu more descriptor%s and %d in "
	    "reserve, but aloe-exec may open only %llu more (ulimit -n); raise that limit, or use "
	    "fewer hosts (isolation)",
	    wave->name, wave->view.head->n_hosts, plural(wave->view.head->n_hosts),
	    (unsigned long long)needed, plural(needed), LIMITS_RESERVE, (unsigned long long)left);
	return -EMFILE;
}

static int wave_fill(
    struct exec_wave *wave, const void *program, size_t len, char *ret_why, size_t size)
{
	int control, status = image_make(wave, program, len, ret_why, size);

	if (status == 0)
		status = radios_check(wave, ret_why, size);
	if (status == 0)
		status = files_check(wave, ret_why, size);
	if (status == 0 && !clock_fits(wave, ret_why, size))
		status = -ERANGE;
	if (status != 0)
		return status;
	control = wave_control_take(wave->exec, wave->name);
	if (control < 0) {
		snprintf(ret_why, size,
		    "%d waveforms are loaded, and a node holds no more; unload a waveform first",
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

/* What swman says of this load. */
static void note_take(struct exec_wave *wave, const struct wire_view *request)
{
	char *note = wire_get_text(request, WIRE_TAG_NOTE, 0);

	if (note != NULL)
		wave_note(wave, note);
	free(note);
}

/* Of the run, where there is one on this node. */
static void folder_take(struct exec_wave *wave, const struct wire_view *request)
{
	char *folder = wire_get_text(request, WIRE_TAG_FILE, 0);

	if (folder != NULL && strlen(folder) < sizeof(wave->folder))
		snprintf(wave->folder, sizeof(wave->folder), "%s", folder);
	free(folder);
}

void exec_prepare(struct exec *exec, const struct wire_view *request)
{
	char *name = wire_get_text(request, WIRE_TAG_WAVEFORM, 0);
	char why[512] = "aloe-exec has no memory";
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

		wave->next = exec->waves;
		exec->waves = wave;
		if (aligned != NULL)
			memcpy(aligned, program, len);
		if (aligned == NULL || wave_fill(wave, aligned, len, why, sizeof(why)) != 0) {
			exec_fail(exec, request, 2, "%s", why);
			wave_free(wave);
		} else {
			wave_later(&wave->pending, request, PREPARE_S * (uint64_t)1000000000);
			note_take(wave, request);
			folder_take(wave, request);
			keep_wave(wave);
		}
		free(aligned);
	}
	free(name);
}
