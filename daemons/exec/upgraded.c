/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/exec/upgraded.h"

#include <stdio.h>
#include <string.h>

#include "core/image/follow.h"

/* The instance of that name in the file; of copies the first. */
uint32_t upgraded_find(const struct exec_wave *wave, const char *name)
{
	const struct image_view *view = &wave->view;

	for (uint32_t i = 0; i < view->head->instances.count; i++)
		if (strcmp(image_text(view, view->instances[i].original), name) == 0)
			return i;
	return IMAGE_NONE;
}

const char *upgraded_name(const struct exec_wave *wave)
{
	const struct image_view *view = &wave->view;

	return wave->upgraded < view->head->instances.count
	    ? image_text(view, view->instances[wave->upgraded].original)
	    : "?";
}

const char *upgraded_word(const struct exec_wave *wave)
{
	return wave->upgrades ? "upgraded" : "remapped";
}

bool upgraded_waits(const struct exec_wave *wave)
{
	const uint64_t written = atomic_load(&wave_control(wave)->changes);
	uint64_t applied = 0;

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++)
		applied += atomic_load(&image_segment_state(&wave->view, s)->applied);
	return applied < written;
}

/* A segment may have passed the limit before it could see it. */
bool upgraded_missed(const struct exec_wave *wave, char *ret_why, size_t size)
{
	uint64_t next;

	if (!wave->upgrades || wave->upgrade_at == IMAGE_FOREVER)
		return false;
	next = image_next_index(&wave->view, wave->upgraded);
	if (wave->upgrade_at == next)
		return false;
	snprintf(ret_why, size,
	    "the waveform came to stand at index %llu, and not at index %llu; nothing was changed; "
	    "name a later index",
	    (unsigned long long)next, (unsigned long long)wave->upgrade_at);
	return true;
}

void upgraded_late(const struct exec_wave *wave, char *ret_why, size_t size)
{
	if (wave->shadows && wave->remap_answers == wave->n_hosts)
		snprintf(ret_why, size,
		    "init of the new build of instance \"%s\" has not returned within %d s; its "
		    "process was killed, and the waveform goes on as before",
		    upgraded_name(wave), PREPARE_S);
	else if (wave->upgrades)
		snprintf(ret_why, size,
		    "init of the new build of instance \"%s\" has not returned within %d s; the "
		    "waveform goes on as before, but its host takes no orders any more; end the "
		    "waveform with aloe unload --force %s",
		    upgraded_name(wave), PREPARE_S, wave->name);
	else
		snprintf(ret_why, size,
		    "the hosts have not prepared the remap within %d s; the waveform goes on as "
		    "before",
		    PREPARE_S);
}

/* upgraded NONE: another exec has asked for it, and nobody knows of which instance. */
void upgraded_hangs(const struct exec_wave *wave, unsigned seconds, char *ret_why, size_t size)
{
	if (wave->upgraded == IMAGE_NONE)
		snprintf(ret_why, size,
		    "aloe-exec was killed in a change, and a host has not answered the next "
		    "aloe-exec within %u s, because it stands still or a component hangs in init, "
		    "export_state or import_state, and was killed; unload the waveform and load "
		    "the waveform again",
		    seconds);
	else
		snprintf(ret_why, size,
		    "the host has not returned from export_state or import_state within %u s, in "
		    "an upgrade of instance \"%s\", and was killed; unload the waveform, mend the "
		    "component and load the waveform again",
		    seconds, upgraded_name(wave));
}
