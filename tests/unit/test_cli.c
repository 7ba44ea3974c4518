/* SPDX-License-Identifier: BSD-3-Clause
 * Command lines: what is taken, what is refused and with which words, and that the texts name
 * everything in the tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/cli/cli.h"

enum { TEXT_BYTES = 1 << 16, RAN = 42 };

/* What a command was given, as one line; the table's functions have no other way to tell. */
static int show(const struct cli_args *args)
{
	uint64_t slots = 7;
	double gain = 0.5;

	if (cli_whole(args, "slots", 1, 100, &slots) < 0 ||
	    cli_real(args, "gain", -1, 1, &gain) < 0)
		return CLI_USAGE;
	printf("%s slots=%d gain=%g json=%d clock=%s",
	    args->command->name ? args->command->name : "-", (int)slots, gain,
	    cli_has(args, "json"), cli_get(args, "clock") ? cli_get(args, "clock") : "-");
	for (size_t i = 0; cli_nth(args, "set", i); i++)
		printf(" set=%s", cli_nth(args, "set", i));
	for (int i = 0; i < args->n_args; i++)
		printf(" [%s]", args->args[i]);
	return RAN;
}

static const struct cli_option run_options[] = {
    {"slots", 's', "N", NULL, false, "how many"},
    {"gain", 0, "G", NULL, false, "how much"},
    {"json", 'j', NULL, NULL, false, "as JSON"},
    {"set", 0, "K=V", NULL, true, "set one"},
    {"clock", 0, "C", "timer virtual", false, "which"},
};
static const struct cli_option global_options[] = {{"dir", 'd', "DIR", "@dir", false, "where"}};
static const struct cli_command commands[] = {
    {"run", "FILE", 1, 1, "@file", "run it", "More about run.\n\n  kept as it is",
        CLI_LIST(run_options), show},
    {"list", "[components]", 0, 1, "components", "list them", NULL, {NULL, 0}, show},
    {"down", "", 0, 0, NULL, "end it", NULL, {NULL, 0}, show},
    {"bench", "COMMAND", 0, 0, NULL, "measure something", "More about bench.",
        .program = "test_cli"},
    {"long-winded", "", 0, 0, NULL, "go on and on", NULL, {NULL, 0}, show},
    {"gone", "", 0, 0, NULL, "start what is not there", NULL, .program = "prog-gone"},
};
static const struct cli_section sections[] = {
    {"FILES", "  a.conf   one\n.dots at the start of a line"}};
static const struct cli_program program = {
    .name = "prog",
    .section = 1,
    .summary = "does things",
    .doc = "Text.",
    .options = CLI_LIST(global_options),
    .commands = CLI_LIST(commands),
    .sections = CLI_LIST(sections),
};

static const struct cli_command single_commands[] = {
    {NULL, "TYPE", 1, 1, "@type", "does one thing", NULL, CLI_LIST(run_options), show}};
static const struct cli_program single = {.name = "one",
    .section = 1,
    .summary = "one thing",
    .doc = "Text.",
    .commands = CLI_LIST(single_commands)};

struct said {
	int status;
	char out[TEXT_BYTES], err[TEXT_BYTES];
};

static void take(FILE *file, char *ret)
{
	rewind(file);
	ret[fread(ret, 1, TEXT_BYTES - 1, file)] = 0;
	fclose(file);
}

/* call runs cli_main with the words of `line`, standard output and error going to files
 * meanwhile. */
/* A process of its own, which may become another program. */
static int in_child(const struct cli_program *of, int argc, char **argv)
{
	const pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		status = cli_main(of, argc, argv);
		fflush(NULL);
		_exit(status);
	}
	assert_true(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status);
}

static const struct said *call_of(const struct cli_program *of, const char *line, struct said *said)
{
	char words[512], *argv[32], *save = NULL;
	const int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
	FILE *out_file = tmpfile(), *err_file = tmpfile();
	int argc = 0;

	snprintf(words, sizeof(words), "%s %s", of->name, line);
	for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	argv[argc] = NULL;
	fflush(stdout);
	dup2(fileno(out_file), STDOUT_FILENO);
	dup2(fileno(err_file), STDERR_FILENO);
	said->status = in_child(of, argc, argv);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close(out);
	close(err);
	take(out_file, said->out);
	take(err_file, said->err);
	return said;
}

static void expect(const char *line, int status, const char *out, const char *err)
{
	static const char *const none = "";
	struct said *said = calloc(1, sizeof(*said));

	call_of(&program, line, said);
	if (said->status != status || !strstr(said->out, out ? out : none) ||
	    !strstr(said->err, err ? err : none))
		fail_msg("`%s` gave status %d, out `%s`, err `%s`", line, said->status, said->out,
		    said->err);
	if (status == CLI_USAGE)
		assert_string_equal(said->out, "");
	free(said);
}

static void test_taken(void **state)
{
	(void)state;
	expect("run a.conf", RAN, "run slots=7 gain=0.5 json=0 clock=- [a.conf]", NULL);
	expect("run --slots 3 a.conf", RAN, "slots=3 ", NULL);
	expect("run a.conf --slots=3", RAN, "slots=3 ", NULL);
	expect("run -s 3 a.conf", RAN, "slots=3 ", NULL);
	expect("run -s3 a.conf", RAN, "slots=3 ", NULL);
	expect("run --slots 0x10 a.conf", RAN, "slots=16 ", NULL);
	expect("run a.conf --gain -0.25", RAN, "gain=-0.25", NULL);
	expect("run a.conf -j --clock virtual", RAN, "json=1 clock=virtual", NULL);
	expect("run a.conf --set a.b=1 --set c.d=x=y", RAN, " set=a.b=1 set=c.d=x=y ", NULL);
	expect("run --dir /x a.conf", RAN, "[a.conf]", NULL);
	expect("run -- --json", RAN, "json=0 clock=- [--json]", NULL);
	expect("run -", RAN, "[-]", NULL);
	expect("list", RAN, "list ", NULL);
	expect("list components", RAN, "[components]", NULL);
}

static void test_refused(void **state)
{
	(void)state;
	expect("rnu a.conf", CLI_USAGE, NULL, "there is no command `rnu`; did you mean `run`?");
	expect("xyzzy", CLI_USAGE, NULL, "there is no command `xyzzy`\n");
	expect("", CLI_USAGE, NULL, "usage: prog COMMAND");
	expect("run a.conf --slotz 3", CLI_USAGE, NULL,
	    "there is no option `--slotz`; did you mean `--slots`?");
	expect("run a.conf --slotz=3", CLI_USAGE, NULL,
	    "there is no option `--slotz`; did you mean `--slots`?");
	expect("run a.conf -x", CLI_USAGE, NULL, "there is no option `-x`");
	expect("run a.conf --slots", CLI_USAGE, NULL, "--slots needs a value: N");
	expect("run a.conf --json=1", CLI_USAGE, NULL, "--json takes no value");
	expect("run a.conf --slots 1 --slots 2", CLI_USAGE, NULL, "--slots is given twice");
	expect("run a.conf --clock tmer", CLI_USAGE, NULL,
	    "--clock tmer: the value must be one of: timer virtual");
	expect(
	    "run a.conf --clock time", CLI_USAGE, NULL, "the value must be one of: timer virtual");
	expect("run", CLI_USAGE, NULL, "needs FILE");
	expect("run a b", CLI_USAGE, NULL, "`b` is one argument too many");
	expect("down now", CLI_USAGE, NULL, "`now`: the command takes no argument");
	expect("list nodes", CLI_USAGE, NULL, "allowed are: components");
	expect("down --slots 3", CLI_USAGE, NULL, "there is no option `--slots`");
}

static void test_numbers(void **state)
{
	static const char *const bad[] = {
	    "0", "101", "-1", "3x", "1.5", "99999999999999999999999", " "};
	char line[64];

	(void)state;
	expect("run a --slots 1", RAN, "slots=1 ", NULL);
	expect("run a --slots 100", RAN, "slots=100 ", NULL);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]) - 1; i++) {
		snprintf(line, sizeof(line), "run a --slots=%s", bad[i]);
		expect(line, CLI_USAGE, NULL, "a whole number 1 .. 100 is needed");
	}
	expect("run a --slots=", CLI_USAGE, NULL, "a whole number 1 .. 100 is needed");
	expect("run a --gain 1.01", CLI_USAGE, NULL, "a number -1 .. 1 is needed");
	expect("run a --gain nan", CLI_USAGE, NULL, "a number -1 .. 1 is needed");
	expect("run a --gain 1e", CLI_USAGE, NULL, "a number -1 .. 1 is needed");
}

static void test_help(void **state)
{
	(void)state;
	expect("--help", CLI_OK, "  run         FILE         run it\n", NULL);
	expect("--help", CLI_OK, "  long-winded              go on and on\n", NULL);
	expect("--version", CLI_OK, "prog " ALOE_VERSION, NULL);
	expect("run --help", CLI_OK, "usage: prog run [OPTION]... FILE", NULL);
	expect("run --help", CLI_OK, "-s, --slots N", NULL);
	expect("run --help", CLI_OK, "-d, --dir DIR", NULL);
	expect("run --help", CLI_OK, "  kept as it is\n", NULL);
	expect("down -h", CLI_OK, "usage: prog down [OPTION]...\n", NULL);
}

/* A command that is another program of the installation: this one, which prints its words. */
static void test_other(void **state)
{
	struct said *said = calloc(1, sizeof(*said));

	(void)state;
	expect("bench time --slots 3 --help", RAN, "[time][--slots][3][--help]", NULL);
	expect("--parse bench time --help", RAN, "[--parse][time][--help]", NULL);
	expect("gone x", CLI_FAILED, NULL,
	    "prog gone: the program prog-gone could not be started: No such file");
	expect("--help", CLI_OK, "bench       COMMAND      measure something", NULL);
	assert_int_equal(call_of(&program, "--man", said)->status, CLI_OK);
	assert_non_null(strstr(said->out, ".SS \"prog bench COMMAND\""));
	assert_int_equal(call_of(&program, "--completion", said)->status, CLI_OK);
	assert_non_null(strstr(said->out, "_completion_loader test_cli"));
	free(said);
}

static void test_single(void **state)
{
	struct said *said = calloc(1, sizeof(*said));

	(void)state;
	assert_int_equal(call_of(&single, "x --slots 3", said)->status, RAN);
	assert_string_equal(said->out, "- slots=3 gain=0.5 json=0 clock=- [x]");
	assert_int_equal(call_of(&single, "--help", said)->status, CLI_OK);
	assert_non_null(strstr(said->out, "usage: one [OPTION]... TYPE"));
	assert_int_equal(call_of(&single, "", said)->status, CLI_USAGE);
	free(said);
}

/* Every command and option is in the man page and in the completion; a line never begins with a dot
 * of the text's own. */
static void test_derived(void **state)
{
	struct said *said = calloc(1, sizeof(*said));

	(void)state;
	assert_int_equal(call_of(&program, "--man", said)->status, CLI_OK);
	for (size_t i = 0; i < program.commands.len; i++)
		assert_non_null(strstr(said->out, program.commands.items[i].name));
	for (size_t i = 0; i < sizeof(run_options) / sizeof(run_options[0]); i++)
		assert_non_null(strstr(said->out, run_options[i].help));
	assert_non_null(strstr(said->out, "\n\\&.dots at"));
	assert_non_null(strstr(said->out, ".TH PROG 1"));
	assert_int_equal(call_of(&program, "--completion", said)->status, CLI_OK);
	assert_non_null(strstr(said->out, "complete -F _prog prog"));
	assert_non_null(strstr(said->out, "compgen -W \"timer virtual\""));
	assert_non_null(strstr(said->out, "--slots --gain --json --set --clock --dir --help"));
	free(said);
}

/* A text of any length stands in the page whole: paragraphs, kept lines and titles of options. */
static void test_long(void **state)
{
	enum { WORDS = 1000 };
	char *doc = calloc(1, 2 * 8 * WORDS + 64), *page = NULL, *at = doc;
	size_t len = 0;
	FILE *out = open_memstream(&page, &len);
	const struct cli_option option = {"an-option-with-a-name-that-is-quite-long", 'o',
	    "AN-ARGUMENT-THAT-IS-JUST-AS-LONG-AS-THE-NAME-OF-THE-OPTION-AND-A-BIT-LONGER", NULL,
	    false, "help"};
	const struct cli_command command = {
	    "run", "", 0, 0, NULL, "run", doc, {&option, 1}, NULL, NULL};
	const struct cli_program long_one = {
	    .name = "long", .section = 1, .summary = "x", .doc = doc, .commands = {&command, 1}};

	(void)state;
	assert_true(doc && out);
	for (int kept = 0; kept < 2; kept++) {
		at += sprintf(at, kept ? "\n\n  " : "");
		for (int i = 0; i < WORDS; i++)
			at += sprintf(at, "%c%05d ", kept ? 'k' : 'p', i);
	}
	cli_man(&long_one, out);
	cli_help(&long_one, &command, out);
	assert_int_equal(fclose(out), 0);
	for (int i = 0; i < WORDS; i++) {
		char paragraph[16], kept[16];
		const char *found = page;

		snprintf(paragraph, sizeof(paragraph), "p%05d", i);
		snprintf(kept, sizeof(kept), "k%05d", i);
		for (int n = 0; n < 3; n++) { /* of the program, of the command, and in its help */
			found = strstr(found, paragraph);
			assert_non_null(found);
			found = strstr(found, kept);
			assert_non_null(found);
		}
	}
	assert_non_null(strstr(page, "A\\-BIT\\-LONGER\\fR\n"));
	assert_non_null(strstr(page, "A-BIT-LONGER\n"));
	free(page);
	free(doc);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_taken),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_help),
	    cmocka_unit_test(test_single),
	    cmocka_unit_test(test_derived),
	    cmocka_unit_test(test_other),
	    cmocka_unit_test(test_long),
	};

	if (argc > 1) { /* as test_other starts it */
		for (int i = 1; i < argc; i++)
			printf("[%s]", argv[i]);
		return RAN;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
