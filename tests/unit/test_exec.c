/* SPDX-License-Identifier: ISC */
/*
 * Backend exec with real programs: every way one can end, what it is told,
 * what it may do, and that nothing of it stays behind.
 */
#include <config.h>

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/backend/exec_run.h"
#include "daemon/backend/plan.h"

static char top[64], script[96], said[96];
static struct config_setup setup;
static struct dcbx_oper oper;
static struct backend_result result;
static void *priv;

static void
begin(void)
{
	/* nobody but root may write above it */
	snprintf(top, sizeof top, "/run/test_exec.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
	ck_assert_int_eq(chmod(top, 0755), 0);
	snprintf(script, sizeof script, "%s/script", top);
	snprintf(said, sizeof said, "%s/said", top);
	memset(&setup, 0, sizeof setup);
	setup.exec.timeout = 5;
	snprintf(setup.exec.command, sizeof setup.exec.command, "%s", script);
	memset(&oper, 0, sizeof oper);
	oper.prio_pfc = 0x18;
	oper.pfc_delay = 77;
	oper.ets.prio_tc[3] = 1;
	oper.ets.tc_bw[0] = oper.ets.tc_bw[1] = 50;
	oper.ets.tc_tsa[0] = oper.ets.tc_tsa[1] = DCB_TSA_ETS;
	dcb_app_add(&oper.app, (struct dcb_app) { DCB_SEL_DGRAM_PORT, 3,
	    4791 });
	dcb_app_add(&oper.app, (struct dcb_app) { DCB_SEL_DSCP, 6, 48 });
	priv = NULL;
}

static void
finish(void)
{
	char cmd[96];

	if (priv != NULL)
		backend_exec.close(priv);
	snprintf(cmd, sizeof cmd, "rm -rf '%s'", top);
	ck_assert_int_eq(system(cmd), 0);
}

/* A shell script of these lines, executable by mode. */
static void
put(const char *text, mode_t mode)
{
	FILE *f = fopen(script, "w");

	ck_assert_ptr_nonnull(f);
	fprintf(f, "#!/bin/sh\ncd %s\n%s\n", top, text);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(chmod(script, mode), 0);
}

static void
open_port(const struct dcbx_oper *last)
{
	const struct backend_port port = { .name = "eth0", .ifindex = 7,
		.last = last, .setup = &setup };

	ck_assert_int_eq(backend_exec.open(&priv, &port), 0);
}

static void
apply(void)
{
	memset(&result, 0, sizeof result);
	result.state = DCBX_BACKEND_NOT_APPLIED;
	backend_exec.apply(priv, &oper, &result);
}

static void
run(const char *text)
{
	put(text, 0700);
	open_port(NULL);
	apply();
}

static void
not_applied(const char *words)
{
	ck_assert_int_eq(result.state, DCBX_BACKEND_NOT_APPLIED);
	ck_assert_msg(strstr(result.error, words) != NULL, "%s",
	    result.error);
	ck_assert_int_ne(backend_exec.read(priv, &oper), 0);
}

static char *
slurp(void)
{
	static char text[65536];
	FILE *f = fopen(said, "r");

	ck_assert_ptr_nonnull(f);
	text[fread(text, 1, sizeof text - 1, f)] = '\0';
	fclose(f);
	return text;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- how it ends ------------------------------------------------------ */

START_TEST(exit_status_of_each_kind)
{
	run("cat status; exit 2");
	ck_assert_int_eq(result.reason, DCBX_WHY_COMMAND_FAILED);
	not_applied("exit status 2: cat: status:");
	for (int status = 0; status < 256; status += 5) {
		char words[32];

		snprintf(words, sizeof words, "exit %d", status);
		put(words, 0700);
		apply();
		ck_assert_uint_eq(result.writes, 1);
		if (status == 75)
			not_applied("not now");
		else if (status > 0) {
			snprintf(words, sizeof words, "exit status %d",
			    status);
			not_applied(words);
		} else {
			ck_assert_int_eq(result.state,
			    DCBX_BACKEND_APPLIED);
			oper.prio_pfc ^= 1; /* or it need not run again */
		}
	}
}
END_TEST

START_TEST(ended_by_a_signal)
{
	run("echo dying; kill -SEGV $$");
	not_applied("ended by signal 11: dying");
}
END_TEST

START_TEST(no_such_program)
{
	open_port(NULL);
	apply();
	not_applied("cannot run: No such file or directory");
	ck_assert_uint_eq(result.writes, 0);
	ck_assert_int_eq(result.reason, DCBX_WHY_COMMAND_FAILED);
}
END_TEST

START_TEST(not_executable)
{
	put("exit 0", 0600);
	open_port(NULL);
	apply();
	not_applied("cannot run: Permission denied");
	ck_assert_int_eq(result.reason, DCBX_WHY_PERMISSION);
	ck_assert_uint_eq(result.writes, 0);
}
END_TEST

/* No shell stands between: what is no program does not run. */
START_TEST(not_a_program)
{
	FILE *f = fopen(script, "w");

	ck_assert_int_gt(fprintf(f, "touch %s\n", said), 0);
	fclose(f);
	ck_assert_int_eq(chmod(script, 0700), 0);
	open_port(NULL);
	apply();
	not_applied("cannot run: Exec format error");
	ck_assert_int_eq(access(said, F_OK), -1);
}
END_TEST

static bool
is_gone(pid_t pid)
{
	char path[64], text[64] = "", *end;
	FILE *f;

	if (kill(pid, 0) == -1 && errno == ESRCH)
		return true;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (f == NULL)
		return true;
	text[fread(text, 1, sizeof text - 1, f)] = '\0';
	fclose(f);
	end = strrchr(text, ')'); /* dead, and nobody reaps orphans here */
	return end != NULL && end[2] == 'Z';
}

static void
wait_gone(pid_t pid)
{
	const struct timespec nap = { 0, 10 * 1000 * 1000 };

	ck_assert_int_gt(pid, 1);
	for (int i = 0; i < 200 && !is_gone(pid); i++)
		nanosleep(&nap, NULL);
	ck_assert(is_gone(pid));
}

/* It and its child, which holds its output, both deaf to kind signals. */
START_TEST(time_is_over)
{
	double start = now();

	setup.exec.timeout = 1;
	run("trap '' TERM HUP INT\n(trap '' TERM; sleep 60) & echo $! >said\n"
	    "echo busy\nsleep 60");
	ck_assert_double_lt(now() - start, 4);
	ck_assert_double_gt(now() - start, 0.9);
	not_applied("killed after 1 s: busy");
	wait_gone((pid_t)atoi(slurp()));
}
END_TEST

/* One that leaves something in its group is done when it itself is. */
START_TEST(left_in_the_background)
{
	double start = now();

	run("sleep 60 & echo $! >said; exit 0");
	ck_assert_double_lt(now() - start, 3);
	ck_assert_int_eq(result.state, DCBX_BACKEND_APPLIED);
	wait_gone((pid_t)atoi(slurp()));
}
END_TEST

/* ---- what it says ----------------------------------------------------- */

START_TEST(flood_of_output)
{
	static struct exec_outcome out;
	char *env[] = { NULL };

	put("i=0; while [ $i -lt 20000 ]; do echo 0123456789012345678901234;"
	    " i=$((i+1)); done; exit 3", 0700);
	exec_run(&(struct exec_run) { script, env, "", 0, 30000 }, &out);
	ck_assert_int_eq(out.error, 0);
	ck_assert(!out.timed_out && out.signal == 0 && out.status == 3);
	ck_assert_uint_eq(out.len, EXEC_OUTPUT_MAX);
	ck_assert_uint_eq(strlen(out.output), EXEC_OUTPUT_MAX);
}
END_TEST

START_TEST(flood_without_end)
{
	setup.exec.timeout = 1;
	run("exec yes abc");
	not_applied("killed after 1 s: abc");
}
END_TEST

START_TEST(output_is_escaped)
{
	run("printf '\\033[2Jboo\\377\\ttail\\nsecond\\n'; exit 1");
	not_applied("exit status 1: ");
	ck_assert_ptr_null(strchr(result.error, '\033'));
	ck_assert_ptr_null(strchr(result.error, '\n'));
	ck_assert_ptr_nonnull(strstr(result.error, "[2Jboo"));
	ck_assert_ptr_null(strstr(result.error, "second"));
}
END_TEST

/* ---- what it is told -------------------------------------------------- */

START_TEST(value_on_its_input)
{
	json_t *doc, *v;

	run("cat >said");
	ck_assert_int_eq(result.state, DCBX_BACKEND_APPLIED);
	doc = json_loads(slurp(), 0, NULL);
	ck_assert_ptr_nonnull(doc);
	ck_assert_uint_eq(json_object_size(doc), 6);
	ck_assert_int_eq(json_integer_value(json_object_get(doc,
	    "pfc_delay")), 77);
	v = json_object_get(doc, "prio_pfc");
	ck_assert_uint_eq(json_array_size(v), 8);
	ck_assert(json_is_true(json_array_get(v, 3)));
	ck_assert(json_is_false(json_array_get(v, 0)));
	v = json_object_get(doc, "tc_tsa");
	ck_assert_str_eq(json_string_value(json_array_get(v, 1)), "ets");
	v = json_array_get(json_object_get(doc, "app"), 0);
	ck_assert_str_eq(json_string_value(json_object_get(v, "selector")),
	    "dgram-port");
	json_decref(doc);
}
END_TEST

START_TEST(environment)
{
	ck_assert_int_eq(setenv("SECRET", "x", 1), 0);
	run("unset PWD OLDPWD _ SHLVL; env | sort >said");
	ck_assert_str_eq(slurp(),
	    "DCB_ACTION=apply\nDCB_APP=dgram-port:4791:3 dscp:48:6\n"
	    "DCB_IFINDEX=7\nDCB_PFC_DELAY=77\nDCB_PORT=eth0\nDCB_PRIO_PFC=3,4\n"
	    "DCB_PRIO_TC=0,0,0,1,0,0,0,0\nDCB_TC_BW=50,50,0,0,0,0,0,0\n"
	    "DCB_TC_TSA=ets,ets,strict,strict,strict,strict,strict,strict\n"
	    "PATH=/usr/sbin:/usr/bin:/sbin:/bin\n");
}
END_TEST

START_TEST(largest_value)
{
	char *text;

	oper.app.n = 0;
	for (uint16_t i = 0; i < DCB_APP_MAX; i++)
		dcb_app_add(&oper.app, (struct dcb_app) {
		    DCB_SEL_STREAM_PORT, 7, (uint16_t)(65000 + i) });
	run("printf '%s' \"$DCB_APP\" >said");
	ck_assert_int_eq(result.state, DCBX_BACKEND_APPLIED);
	text = slurp();
	ck_assert_uint_eq(strlen(text), DCB_APP_MAX * 20 - 1);
	ck_assert_str_eq(strrchr(text, ' '), " stream-port:65167:7");
}
END_TEST

/* ---- what it may do --------------------------------------------------- */

/* Three descriptors, a group of its own, and nothing to gain. */
START_TEST(rights)
{
	int fd = open("/dev/null", O_RDONLY); /* not closed by an exec */
	char *text;

	ck_assert_int_gt(fd, 2);
	run("ls /proc/self/fd | tr '\\n' ' ' >said\n"
	    "grep -E '^(NoNewPrivs|CapPrm|CapEff)' /proc/self/status >>said\n"
	    "set -- $(cat /proc/$$/stat); test $5 = $$ && echo leader >>said");
	close(fd);
	ck_assert_int_eq(result.state, DCBX_BACKEND_APPLIED);
	text = slurp();
	/* the fourth is the directory that ls has open */
	ck_assert_msg(strncmp(text, "0 1 2 3 N", 9) == 0 ||
		strncmp(text, "0 1 2 3 C", 9) == 0, "%s", text);
	ck_assert_ptr_nonnull(strstr(text, "NoNewPrivs:\t1"));
	ck_assert_ptr_nonnull(strstr(text, "leader"));
	/* CAP_NET_ADMIN and CAP_NET_RAW, as root has them here; or none */
	for (char *p = strstr(text, "Cap"); p != NULL;
	     p = strstr(p + 1, "Cap"))
		ck_assert_msg((strtoull(p + 8, NULL, 16) & ~0x3000ull) == 0,
		    "%s", text);
	if (geteuid() == 0)
		ck_assert_ptr_nonnull(strstr(text,
		    "CapEff:\t0000000000003000"));
}
END_TEST

/* As the daemon is: not root, with two capabilities that an exec drops. */
static void
become_another(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	ck_assert_int_eq(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(setresgid(65534, 65534, 65534), 0);
	ck_assert_int_eq(setresuid(65534, 65534, 65534), 0);
	memset(data, 0, sizeof data);
	data[0].permitted = data[0].effective = 0x3000;
	ck_assert_int_eq(syscall(SYS_capset, &head, data), 0);
}

START_TEST(rights_of_another_user)
{
	int status;
	pid_t pid;

	put("grep CapEff /proc/self/status >said; id -u >>said", 0755);
	fclose(fopen(said, "w"));
	ck_assert_int_eq(chown(said, 65534, 65534), 0);
	pid = fork();
	if (pid == 0) {
		become_another();
		open_port(NULL);
		apply();
		_exit(result.state == DCBX_BACKEND_APPLIED ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_str_eq(slurp(), "CapEff:\t0000000000003000\n65534\n");
}
END_TEST

/* ---- which programs it runs -------------------------------------------- */

static void
refused(const char *culprit)
{
	char words[160];

	apply();
	snprintf(words, sizeof words,
	    "will not run what others than root may change: %s", culprit);
	ck_assert_str_eq(result.error, words);
	ck_assert_int_eq(result.reason, DCBX_WHY_PERMISSION);
	ck_assert_uint_eq(result.writes, 0);
	not_applied("");
	ck_assert_int_eq(access(said, F_OK), -1);
}

/* Whoever may write to a file, or to a directory above it, could have our
 * rights by it. */
START_TEST(of_others)
{
	put("touch said", 0775);
	open_port(NULL);
	refused(script);
	put("touch said", 0757);
	refused(script);
	put("touch said", 0755);
	ck_assert_int_eq(chown(script, 65534, 0), 0);
	refused(script);
	ck_assert_int_eq(chown(script, 0, 65534), 0);
	ck_assert_int_eq(chmod(top, 0775), 0);
	refused(top);
	ck_assert_int_eq(chmod(top, 01777), 0);
	refused(top); /* a sticky one as well: it may not be there yet */
	ck_assert_int_eq(chmod(top, 0755), 0);
	ck_assert_int_eq(chown(top, 65534, 0), 0);
	refused(top);
	ck_assert_int_eq(chown(top, 0, 0), 0);
	apply();
	ck_assert_msg(result.state == DCBX_BACKEND_APPLIED, "%s",
	    result.error);
}
END_TEST

/* What counts is where a link leads to. */
START_TEST(by_a_link)
{
	char dir[] = "/tmp/test_exec.XXXXXX", file[64];

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(file, sizeof file, "%s/script", dir);
	fclose(fopen(file, "w"));
	ck_assert_int_eq(chmod(file, 0755), 0);
	ck_assert_int_eq(symlink(file, script), 0);
	open_port(NULL);
	refused("/tmp");
	ck_assert_int_eq(unlink(file), 0);
	ck_assert_int_eq(rmdir(dir), 0);
	ck_assert_int_eq(unlink(script), 0);
	ck_assert_int_eq(symlink("/bin/true", script), 0);
	apply();
	ck_assert_int_eq(result.state, DCBX_BACKEND_APPLIED);
}
END_TEST

START_TEST(no_file)
{
	ck_assert_int_eq(mkdir(script, 0755), 0);
	open_port(NULL);
	apply();
	not_applied("cannot run: Permission denied");
}
END_TEST

START_TEST(what_it_makes)
{
	struct stat s;

	(void)umask(0);
	run("touch said");
	ck_assert_int_eq(stat(said, &s), 0);
	ck_assert_uint_eq(s.st_mode & 07777, 0644);
}
END_TEST

/* ---- when it runs ----------------------------------------------------- */

START_TEST(only_a_difference)
{
	struct backend_plan plan = { .n = 0 };
	struct dcbx_oper is;

	run("echo run >>said");
	apply();
	ck_assert_uint_eq(result.writes, 0);
	ck_assert_int_eq(result.state, DCBX_BACKEND_APPLIED);
	ck_assert_str_eq(slurp(), "run\n");
	ck_assert_int_eq(backend_exec.read(priv, &is), 0);
	ck_assert(dcbx_oper_equal(&is, &oper));
	ck_assert_int_eq(backend_exec.plan(priv, &oper, &plan), 0);
	ck_assert_uint_eq(plan.n, 0);
	oper.prio_pfc = 0x08;
	ck_assert_int_eq(backend_exec.plan(priv, &oper, &plan), 0);
	ck_assert_uint_eq(plan.n, 1);
	ck_assert_str_eq(plan.write[0].what, "pfc");
	ck_assert_str_eq(plan.write[0].from, "{3,4}");
	ck_assert_str_eq(plan.write[0].to, "{3}");
	apply();
	ck_assert_uint_eq(result.writes, 1);
	ck_assert_str_eq(slurp(), "run\nrun\n");
}
END_TEST

/* Once, with nothing: nothing of it is to be in force any more. */
START_TEST(cleared)
{
	json_t *doc;
	struct dcbx_oper is;

	run("echo $DCB_ACTION.$DCB_PRIO_PFC.$DCB_APP.$DCB_TC_TSA >>said;"
	    " cat >json");
	memset(&result, 0, sizeof result);
	result.state = DCBX_BACKEND_APPLIED;
	backend_exec.clear(priv, &result);
	ck_assert_int_eq(result.state, DCBX_BACKEND_APPLIED);
	ck_assert_uint_eq(result.writes, 1);
	ck_assert_ptr_nonnull(strstr(slurp(), "\nclear...\n"));
	ck_assert_int_ne(backend_exec.read(priv, &is), 0);
	snprintf(said, sizeof said, "%s/json", top);
	doc = json_loads(slurp(), 0, NULL);
	ck_assert_ptr_nonnull(doc);
	for (size_t i = 0; i < 8; i++)
		ck_assert(json_is_false(json_array_get(
		    json_object_get(doc, "prio_pfc"), i)));
	ck_assert_uint_eq(json_array_size(json_object_get(doc, "app")), 0);
	json_decref(doc);
	put("exit 1", 0700);
	backend_exec.clear(priv, &result);
	ck_assert_int_eq(result.state, DCBX_BACKEND_NOT_APPLIED);
	ck_assert_str_eq(result.error, "exit status 1");
}
END_TEST

/* What another program has done says nothing of this one. */
START_TEST(last_of_another)
{
	struct config_setup was = setup;
	struct dcbx_oper last = oper;
	const struct backend_port port = { .name = "eth0", .ifindex = 7,
		.last = &last, .was = &was, .setup = &setup };

	put("echo run >> said", 0700);
	ck_assert_int_eq(backend_exec.open(&priv, &port), 0);
	apply();
	ck_assert_uint_eq(result.writes, 0); /* the same */
	backend_exec.close(priv);
	snprintf(was.exec.command, sizeof was.exec.command, "/bin/true");
	ck_assert_int_eq(backend_exec.open(&priv, &port), 0);
	ck_assert_int_ne(backend_exec.read(priv, &last), 0);
	apply();
	ck_assert_int_eq(result.state, DCBX_BACKEND_APPLIED);
	ck_assert_uint_eq(result.writes, 1);
}
END_TEST

/* Known from before a restart: not a run. */
START_TEST(last_counts)
{
	struct dcbx_oper last = oper;

	put("touch said", 0700);
	open_port(&last);
	apply();
	ck_assert_int_eq(result.state, DCBX_BACKEND_APPLIED);
	ck_assert_uint_eq(result.writes, 0);
	ck_assert_int_eq(access(said, F_OK), -1);
}
END_TEST

/* What failed may have done half: the earlier value is handed over anew. */
START_TEST(failure_forgets)
{
	run("echo \"$DCB_PRIO_PFC\" >>said; test \"$DCB_PRIO_PFC\" != 3");
	ck_assert_int_eq(result.state, DCBX_BACKEND_APPLIED);
	oper.prio_pfc = 0x08;
	apply();
	ck_assert_int_eq(result.state, DCBX_BACKEND_NOT_APPLIED);
	oper.prio_pfc = 0x18;
	apply();
	ck_assert_int_eq(result.state, DCBX_BACKEND_APPLIED);
	ck_assert_str_eq(slurp(), "3,4\n3\n3,4\n");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("exec");
	TCase *t = tcase_create("exec");
	SRunner *r = srunner_create(s);
	int failed;

	if (geteuid() != 0) {
		fprintf(stderr, "only a program of root's is run\n");
		return 77;
	}
	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, begin, finish);
	tcase_add_test(t, exit_status_of_each_kind);
	tcase_add_test(t, ended_by_a_signal);
	tcase_add_test(t, no_such_program);
	tcase_add_test(t, not_executable);
	tcase_add_test(t, not_a_program);
	tcase_add_test(t, time_is_over);
	tcase_add_test(t, left_in_the_background);
	tcase_add_test(t, flood_of_output);
	tcase_add_test(t, flood_without_end);
	tcase_add_test(t, output_is_escaped);
	tcase_add_test(t, value_on_its_input);
	tcase_add_test(t, environment);
	tcase_add_test(t, largest_value);
	tcase_add_test(t, rights);
	tcase_add_test(t, rights_of_another_user);
	tcase_add_test(t, of_others);
	tcase_add_test(t, by_a_link);
	tcase_add_test(t, no_file);
	tcase_add_test(t, what_it_makes);
	tcase_add_test(t, only_a_difference);
	tcase_add_test(t, cleared);
	tcase_add_test(t, last_counts);
	tcase_add_test(t, last_of_another);
	tcase_add_test(t, failure_forgets);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
