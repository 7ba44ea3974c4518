/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "core/registry/registry.h"

static const char *const names[COMPONENT_ARCHES] = {"x86_64", "aarch64", "armhf"};

const char *component_arch_name(unsigned arch)
{
	return arch < COMPONENT_ARCHES ? names[arch] : NULL;
}

unsigned component_arch_here(void)
{
#if defined(__x86_64__)
	return 0;
#elif defined(__aarch64__)
	return 1;
#elif defined(__arm__) && defined(__ARM_PCS_VFP)
	return 2;
#else
	return COMPONENT_ARCHES;
#endif
}

bool component_builds(const struct component_type *type, const char *arch)
{
	for (unsigned a = 0; a < COMPONENT_ARCHES; a++)
		if (strcmp(names[a], arch) == 0)
			return type->builds >> a & 1;
	return false;
}
