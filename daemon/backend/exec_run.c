/* SPDX-License-Identifier: ISC */
/*
 * fork, exec, wait: see exec_run.h.
 *
 * The process has threads, so between fork and exec only what POSIX calls
 * async-signal-safe is done.  The program leads a process group, and whatever
 * is left of that when it ends or its time is over is killed: nothing of one
 * run may meet the next one.  Should this process be killed, the kernel kills
 * the program, but not what the program has started: that goes on, and its
 * output has no reader.  It has no descriptor but the three, no way to gain a
 * privilege, and of ours only what network devices need.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/backend/exec_run.h"
#include "daemon/backend/exec_trust.h"
#include "daemon/common/monotonic.h"

#define SLICE_MS 20 /* how late the end of a silent program may be seen */

static const int caps_kept[] = { CAP_NET_ADMIN, CAP_NET_RAW };
#define N_CAPS_KEPT (sizeof(caps_kept) / sizeof(caps_kept[0]))

/* What a run has open on our side. */
struct pipes {
	int input;	/* a file in memory, for the program to read */
	int output[2];
	int failed[2];	/* errno of an exec that failed; else just closed */
};

/* ---- in the child ---------------------------------------------------- */

/*
 * Over an exec, a user other than root keeps only what is ambient.  What we
 * do not have ourselves is not there to be passed on.
 */
static int
child_caps(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	uint32_t keep = 0;

	if (syscall(SYS_capget, &head, data) == -1)
		return -1;
	for (size_t i = 0; i < N_CAPS_KEPT; i++)
		keep |= UINT32_C(1) << caps_kept[i];
	keep &= data[0].permitted;
	memset(data, 0, sizeof(data));
	data[0].permitted = data[0].effective = data[0].inheritable = keep;
	if (syscall(SYS_capset, &head, data) == -1 ||
	    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == -1 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1)
		return -1;
	for (size_t i = 0; i < N_CAPS_KEPT; i++)
		if ((keep >> caps_kept[i] & 1) != 0 &&
		    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, caps_kept[i],
			0, 0) == -1)
			return -1;
	return 0;
}

/* All are closed by the exec, the one that tells of its failure, too. */
static void
child_close_others(void)
{
	struct rlimit files;

	if (close_range(3, ~0u, CLOSE_RANGE_CLOEXEC) == 0)
		return;
	if (getrlimit(RLIMIT_NOFILE, &files) == -1)
		files.rlim_cur = 1024;
	for (int fd = 3; (rlim_t)fd < files.rlim_cur; fd++)
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static void
child_signals(void)
{
	const struct sigaction plain = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int s = 1; s < NSIG; s++)
		(void)sigaction(s, &plain, NULL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

_Noreturn static void
child(const struct exec_run *run, const struct exec_program *program,
    const struct pipes *p)
{
	char *const argv[] = { (char *)(uintptr_t)run->path, NULL };
	int err;

	(void)umask(022); /* the daemon's own is nobody's business here */

	child_signals();
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (setpgid(0, 0) == 0 && dup2(p->input, STDIN_FILENO) != -1 &&
	    dup2(p->output[1], STDOUT_FILENO) != -1 &&
	    dup2(p->output[1], STDERR_FILENO) != -1 && chdir("/") == 0 &&
	    child_caps() == 0) {
		child_close_others();
		if (exec_program_still(program))
			execve(program->path, argv, run->env);
	}
	err = errno;
	while (write(p->failed[1], &err, sizeof(err)) == -1 && errno == EINTR)
		;
	_exit(127);
}

/* ---- in the parent --------------------------------------------------- */

static void
fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void
pipes_close(struct pipes *p)
{
	fd_close(&p->input);
	for (int i = 0; i < 2; i++) {
		fd_close(&p->output[i]);
		fd_close(&p->failed[i]);
	}
}

/* The text as a file: there is no moment to wait for a program to read it. */
static int
input_open(const struct exec_run *run)
{
	int fd = memfd_create("dcb", MFD_CLOEXEC);

	if (fd == -1)
		return -errno;
	if (write(fd, run->input, run->input_len) == (ssize_t)run->input_len &&
	    lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	close(fd);
	return -EIO;
}

static int
pipes_open(struct pipes *p, const struct exec_run *run)
{
	int err = 0;

	*p = (struct pipes) { -1, { -1, -1 }, { -1, -1 } };
	p->input = input_open(run);
	if (p->input < 0)
		return p->input;
	if (pipe2(p->output, O_CLOEXEC) == -1 ||
	    pipe2(p->failed, O_CLOEXEC) == -1 ||
	    fcntl(p->output[0], F_SETFL, O_NONBLOCK) == -1)
		err = -errno;
	if (err != 0)
		pipes_close(p);
	return err;
}

/* Take what is there; what is beyond the room is read and forgotten. */
static void
output_take(int *fd, struct exec_outcome *out)
{
	char buf[1024];
	ssize_t n = read(*fd, buf, sizeof(buf));
	size_t room = EXEC_OUTPUT_MAX - out->len;

	if (n == 0 || (n == -1 && errno != EAGAIN && errno != EINTR))
		fd_close(fd);
	if (n <= 0)
		return;
	if ((size_t)n < room)
		room = (size_t)n;
	memcpy(out->output + out->len, buf, room);
	out->len += room;
}

/* It is not reaped: until then nobody else can have its number. */
static bool
has_ended(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)pid, &info,
		   WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

/* True: it ended; false: its time is over. */
static bool
run_watch(pid_t pid, int *fd, int64_t until, struct exec_outcome *out)
{
	for (;;) {
		struct pollfd p = { .fd = *fd, .events = POLLIN };
		int64_t left = until - monotonic_ms();
		bool ended = has_ended(pid);

		if (ended || left <= 0)
			return ended;
		if (poll(&p, 1, left < SLICE_MS ? (int)left : SLICE_MS) == 1)
			output_take(fd, out);
	}
}

/* What the pipe still holds; a flood has no end, so so much and no more. */
static void
output_drain(int *fd, struct exec_outcome *out)
{
	size_t before;

	do {
		before = out->len;
		if (*fd >= 0)
			output_take(fd, out);
	} while (out->len > before);
}

static void
run_wait(pid_t pid, struct pipes *p, int64_t until, struct exec_outcome *out)
{
	int status = 0;

	out->timed_out = !run_watch(pid, &p->output[0], until, out);
	(void)kill(-pid, SIGKILL);
	while (waitpid(pid, &status, 0) == -1 && errno == EINTR)
		;
	output_drain(&p->output[0], out);
	out->output[out->len] = '\0';
	if (WIFSIGNALED(status))
		out->signal = WTERMSIG(status);
	else
		out->status = WEXITSTATUS(status);
}

/* The exec closes the pipe, or it says why it could not; or it hangs. */
static int
exec_error(int fd, unsigned timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int err;

	if (poll(&p, 1, (int)timeout_ms) != 1 ||
	    read(fd, &err, sizeof(err)) != (ssize_t)sizeof(err))
		return 0;
	return -err;
}

static void
run_trusted(const struct exec_run *run, const struct exec_program *program,
    struct exec_outcome *out)
{
	int64_t until = monotonic_ms() + run->timeout_ms;
	struct pipes p;
	pid_t pid;

	out->error = pipes_open(&p, run);
	if (out->error != 0)
		return;
	pid = fork();
	if (pid == 0)
		child(run, program, &p);
	if (pid == -1) {
		out->error = -errno;
	} else {
		(void)setpgid(pid, pid); /* whoever is first */
		fd_close(&p.output[1]);
		fd_close(&p.failed[1]);
		out->error = exec_error(p.failed[0], run->timeout_ms);
		run_wait(pid, &p, until, out);
	}
	pipes_close(&p);
}

void
exec_run(const struct exec_run *run, struct exec_outcome *out)
{
	struct exec_program program;

	memset(out, 0, sizeof(*out));
	out->error = exec_program_open(&program, run->path);
	if (out->error == 0) {
		run_trusted(run, &program, out);
		exec_program_close(&program);
	} else if (out->error == -EPERM) {
		out->untrusted = true;
		out->len = strlen(program.path);
		memcpy(out->output, program.path, out->len + 1);
	}
}
