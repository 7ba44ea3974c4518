/* SPDX-License-Identifier: BSD-3-Clause
 * platforms/posix/perf.c: the functions of the kernel, in the order of their addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/platform/perf.h"

static bool table_has(
    const struct platform_symbol *table, size_t n, uint64_t address, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (table[i].address == address && strcmp(table[i].name, name) == 0)
			return true;
	return false;
}

/* Where only root sees addresses, nobody else has a table. */
static void test_table(void **state)
{
	struct platform_symbol *table = NULL;
	const size_t n = platform_kernel_table(&table);
	FILE *file = fopen("/proc/kallsyms", "re");
	unsigned long long address;
	char line[512], name[40], type;

	(void)state;
	assert_true((n > 0) == platform_kernel_symbols());
	for (size_t i = 1; i < n; i++)
		assert_true(table[i - 1].address <= table[i].address);
	while (n > 0 && fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "%llx %c %39s", &address, &type, name) == 3 && type == 'T' &&
		    strncmp(name, "schedule", 8) == 0)
			assert_true(table_has(table, n, address, name));
	if (file != NULL)
		fclose(file);
	free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_table)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
