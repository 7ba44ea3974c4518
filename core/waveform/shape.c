/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>
#include "core/waveform/waveform.h"
char *waveform_shape_serve(const char *request)
{
	(void)request;
	return NULL;
}
