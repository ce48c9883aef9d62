/* SPDX-License-Identifier: MIT */
/*
 * Runs a program as the user nobody (65534), killed at its first system call that a filter does not let through. The
 * numbers are the build's: -DNUMBERS=SYS_statx,SYS_poll and -DKILLED=1, those are killed; -DKILLED=0, all others.
 *
 * usage: sandbox program argument ...; needs root, since the filter leaves set-user-ID in force
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static const unsigned numbers[] = {NUMBERS};
enum { COUNT = sizeof numbers / sizeof numbers[0] };

int main(int argc, char **argv) {
  struct sock_filter filter[COUNT + 3];
  unsigned end = 0;
  const unsigned listed = KILLED ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ALLOW;
  const unsigned other = KILLED ? SECCOMP_RET_ALLOW : SECCOMP_RET_KILL_PROCESS;
  filter[end++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (unsigned i = 0; i < COUNT; i++)
    filter[end++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, numbers[i], (unsigned char)(COUNT - i), 0);
  filter[end++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, other);
  filter[end++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, listed);
  const struct sock_fprog program = {(unsigned short)end, filter};
  if (argc < 2 || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) {
    perror("seccomp");
    return 100;
  }
  if (setgid(65534) != 0 || setuid(65534) != 0) {
    perror("setuid");
    return 100;
  }
  execv(argv[1], argv + 1);
  perror(argv[1]);
  return 100;
}
