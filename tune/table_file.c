/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* mkostemp */
#include "table_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "tune.h"

/* A hostile file may claim any size for its curves. */
#define CURVES_MAX (64u << 20)

/* Reading */

static enum fc_table_status fail(struct table_file *file, enum fc_table_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static enum fc_table_status fail(struct table_file *file, enum fc_table_status status, const char *format, ...) {
  table_file_free(file);
  va_list args;
  va_start(args, format);
  vsnprintf(file->detail, sizeof file->detail, format, args);
  va_end(args);
  return status;
}

/* Reads `size` bytes at `offset`: 1 read, 0 the file ends before, -1 errno. */
static int read_at(int fd, unsigned char *bytes, size_t size, uint64_t offset) {
  while (size > 0) {
    ssize_t got = pread(fd, bytes, size, (off_t)offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return (int)got;
    bytes += got;
    size -= (size_t)got;
    offset += (size_t)got;
  }
  return 1;
}

static enum fc_table_status short_read(struct table_file *file, int result, const char *what, uint64_t offset) {
  if (result < 0)
    return fail(file, FC_TABLE_UNREADABLE, "%s", strerror(errno));
  return fail(file, FC_TABLE_BAD_LENGTH, "the file ends within %s at byte %llu", what, (unsigned long long)offset);
}

static bool crc_fits(const unsigned char *record, unsigned size) {
  return crc32(0, record, size - 4) == fc_load_le(record + size - 4, 4);
}

static enum fc_table_status read_curves(struct table_file *file, int fd, const unsigned char *header, uint64_t lowest,
                                        uint64_t file_size) {
  uint64_t offset = fc_load_le(header + FC_HEADER_CURVES, 8);
  uint64_t size = fc_load_le(header + FC_HEADER_CURVES_SIZE, 8);
  uint64_t raw = fc_load_le(header + FC_HEADER_CURVES_RAW, 8);
  if (offset == 0)
    return FC_TABLE_MATCH;
  if (raw > CURVES_MAX || size > compressBound(CURVES_MAX))
    return fail(file, FC_TABLE_BAD_LENGTH, "the measured curves claim %llu bytes", (unsigned long long)raw);
  if (offset < lowest || offset > file_size || size > file_size - offset)
    return fail(file, FC_TABLE_BAD_LENGTH, "the measured curves at byte %llu are cut off, or overlap the entries",
                (unsigned long long)offset);
  unsigned char *packed = malloc(size != 0 ? size : 1);
  file->curves = malloc(raw + 1);
  enum fc_table_status status = FC_TABLE_MATCH;
  if (packed == NULL || file->curves == NULL) {
    status = fail(file, FC_TABLE_UNREADABLE, "%s", strerror(ENOMEM));
  } else {
    int result = read_at(fd, packed, size, offset);
    uLongf filled = raw;
    uLong taken = size;
    if (result <= 0)
      status = short_read(file, result, "the measured curves", offset);
    else if (crc32(0, packed, (uInt)size) != fc_load_le(header + FC_HEADER_CURVES_CRC, 4))
      status = fail(file, FC_TABLE_BAD_CRC, "in the measured curves at byte %llu", (unsigned long long)offset);
    else if (uncompress2((Bytef *)file->curves, &filled, packed, &taken) != Z_OK || filled != raw || taken != size ||
             memchr(file->curves, '\0', raw) != NULL)
      status = fail(file, FC_TABLE_BAD_LENGTH, "the measured curves at byte %llu do not inflate to %llu bytes of text",
                    (unsigned long long)offset, (unsigned long long)raw);
    else
      file->curves[raw] = '\0';
  }
  free(packed);
  return status;
}

static enum fc_table_status read_open(struct table_file *file, int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0)
    return fail(file, FC_TABLE_UNREADABLE, "%s", strerror(errno));
  if (!S_ISREG(status.st_mode))
    return fail(file, FC_TABLE_UNREADABLE, "%s", S_ISDIR(status.st_mode) ? "it is a folder" : "it is no regular file");

  unsigned char header[FC_HEADER_BYTES_MAX];
  int result = read_at(fd, header, FC_HEADER_BYTES, 0);
  if (result < 0)
    return short_read(file, result, "", 0);
  /* a short file that does not even begin like a table is called by its name */
  size_t begins = status.st_size < (off_t)sizeof fc_table_magic ? (size_t)status.st_size : sizeof fc_table_magic;
  if (memcmp(header, fc_table_magic, begins) != 0)
    return fail(file, FC_TABLE_BAD_MAGIC, "%s", "");
  if (result == 0)
    return short_read(file, result, "the header", 0);
  unsigned version = (unsigned)fc_load_le(header + FC_HEADER_VERSION, 2);
  if (version != FC_TABLE_VERSION)
    return fail(file, FC_TABLE_BAD_VERSION, "version %u, and this program knows %d", version, FC_TABLE_VERSION);
  unsigned header_size = (unsigned)fc_load_le(header + FC_HEADER_SIZE, 2);
  unsigned entry_size = (unsigned)fc_load_le(header + FC_HEADER_ENTRY_SIZE, 2);
  unsigned count = (unsigned)fc_load_le(header + FC_HEADER_ENTRY_COUNT, 2);
  if (header_size < FC_HEADER_BYTES || header_size > FC_HEADER_BYTES_MAX || entry_size < FC_ENTRY_BYTES ||
      entry_size > FC_ENTRY_BYTES_MAX || count > FC_ENTRY_COUNT_MAX)
    return fail(file, FC_TABLE_BAD_LENGTH, "in the header: %u bytes of header, %u entries of %u bytes", header_size,
                count, entry_size);
  if ((result = read_at(fd, header, header_size, 0)) <= 0)
    return short_read(file, result, "the header", 0);
  if (!crc_fits(header, header_size))
    return fail(file, FC_TABLE_BAD_CRC, "in the header");

  file->entries = calloc(count + 1u, sizeof *file->entries);
  if (file->entries == NULL)
    return fail(file, FC_TABLE_UNREADABLE, "%s", strerror(ENOMEM));
  for (unsigned i = 0; i < count; i++) {
    unsigned char raw[FC_ENTRY_BYTES_MAX];
    uint64_t offset = header_size + (uint64_t)i * entry_size;
    if ((result = read_at(fd, raw, entry_size, offset)) <= 0) {
      char what[32];
      snprintf(what, sizeof what, "entry %u of %u", i + 1, count);
      return short_read(file, result, what, offset);
    }
    if (!crc_fits(raw, entry_size))
      return fail(file, FC_TABLE_BAD_CRC, "in entry %u of %u at byte %llu", i + 1, count, (unsigned long long)offset);
    fc_entry_decode(&file->entries[file->count++], raw);
  }
  return read_curves(file, fd, header, header_size + (uint64_t)count * entry_size, (uint64_t)status.st_size);
}

enum fc_table_status table_file_read(struct table_file *file, const char *path) {
  *file = (struct table_file){0};
  /* O_NONBLOCK: the path may be a pipe that nobody writes */
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return fail(file, errno == ENOENT || errno == ENOTDIR ? FC_TABLE_ABSENT : FC_TABLE_UNREADABLE, "%s",
                strerror(errno));
  enum fc_table_status status = read_open(file, fd);
  close(fd);
  return status;
}

void table_file_free(struct table_file *file) {
  free(file->entries);
  free(file->curves);
  *file = (struct table_file){0};
}

void table_file_complain(const struct table_file *file, const char *path, enum fc_table_status status) {
  const char *advice = status == FC_TABLE_ABSENT        ? "fastcopy-tune calibrate makes one"
                       : status == FC_TABLE_UNREADABLE  ? "name a file that this user may read"
                       : status == FC_TABLE_BAD_MAGIC   ? "name a file that fastcopy-tune calibrate wrote"
                       : status == FC_TABLE_BAD_VERSION ? "use the fastcopy-tune that wrote it, or calibrate again"
                                                        : "remove it and calibrate again, or restore it from a copy";
  const char *detail = status == FC_TABLE_ABSENT ? "" : file->detail;
  tune_error("%s: %s%s%s; %s", path, fc_reason_text(status), *detail != '\0' ? ": " : "", detail, advice);
}

/* Changing */

static int compare_keys(const struct fc_table_entry *a, const struct fc_table_entry *b) {
  if (a->cpu.arch != b->cpu.arch)
    return a->cpu.arch < b->cpu.arch ? -1 : 1;
  if (a->cpu.id != b->cpu.id)
    return a->cpu.id < b->cpu.id ? -1 : 1;
  if (a->feature_hash != b->feature_hash)
    return a->feature_hash < b->feature_hash ? -1 : 1;
  return 0;
}

int table_file_put(struct table_file *file, const struct fc_table_entry *entry) {
  for (size_t i = 0; i < file->count; i++) {
    if (compare_keys(&file->entries[i], entry) == 0) {
      file->entries[i] = *entry;
      return 0;
    }
  }
  struct fc_table_entry *grown = realloc(file->entries, (file->count + 1) * sizeof *grown);
  if (grown == NULL)
    return -1;
  file->entries = grown;
  file->entries[file->count++] = *entry;
  return 0;
}

/* Writing */

static void store_le(unsigned char *bytes, uint64_t value, unsigned size) {
  for (unsigned i = 0; i < size; i++)
    bytes[i] = (unsigned char)(value >> 8 * i);
}

/* Zeroes fill the field, the last byte always one. */
static void store_text(unsigned char *bytes, const char *text, size_t size) {
  for (size_t i = 0; i < size - 1 && text[i] != '\0'; i++)
    bytes[i] = (unsigned char)text[i];
}

static void store_crc(unsigned char *record, unsigned size) {
  store_le(record + size - 4, crc32(0, record, size - 4), 4);
}

static void encode_entry(unsigned char raw[FC_ENTRY_BYTES], const struct fc_table_entry *entry) {
  store_le(raw + FC_ENTRY_ARCH, entry->cpu.arch, 4);
  store_le(raw + FC_ENTRY_CPU, entry->cpu.id, 4);
  store_le(raw + FC_ENTRY_FEATURE_HASH, entry->feature_hash, 8);
  store_text(raw + FC_ENTRY_MEMCPY, entry->memcpy_variant, FC_NAME_BYTES);
  store_text(raw + FC_ENTRY_MEMMOVE, entry->memmove_variant, FC_NAME_BYTES);
  for (unsigned i = 0; i < FC_TABLE_PARAMS; i++)
    store_le(raw + FC_ENTRY_PARAMS + 8 * i, entry->params[i], 8);
  store_le(raw + FC_ENTRY_TIME, entry->time, 8);
  store_text(raw + FC_ENTRY_TOOL, entry->tool, sizeof entry->tool);
  store_text(raw + FC_ENTRY_CPU_NAME, entry->cpu_name, sizeof entry->cpu_name);
  store_le(raw + FC_ENTRY_PARAM_COUNT, entry->param_count, 4);
  store_le(raw + FC_ENTRY_GAIN, entry->gain, 4);
  store_crc(raw, FC_ENTRY_BYTES);
}

/* The first of two entries with one key is the one that the resolver takes: equal keys stay in their order. */
static int compare_entries(const void *a, const void *b) {
  const struct fc_table_entry *left = *(const struct fc_table_entry *const *)a;
  const struct fc_table_entry *right = *(const struct fc_table_entry *const *)b;
  int order = compare_keys(left, right);
  return order != 0 ? order : (left > right) - (left < right);
}

/* The whole file in memory, *size bytes, malloc'ed; NULL and errno. */
static unsigned char *encode(const struct table_file *file, size_t *size) {
  size_t raw = file->curves != NULL ? strlen(file->curves) : 0;
  size_t entries_end = FC_HEADER_BYTES + file->count * FC_ENTRY_BYTES;
  uLongf packed = compressBound(raw);
  unsigned char *bytes = calloc(1, entries_end + packed);
  const struct fc_table_entry **sorted = calloc(file->count + 1, sizeof *sorted);
  if (bytes == NULL || sorted == NULL) {
    free(bytes);
    free(sorted);
    errno = ENOMEM;
    return NULL;
  }
  for (size_t i = 0; i < file->count; i++)
    sorted[i] = &file->entries[i];
  qsort(sorted, file->count, sizeof *sorted, compare_entries);
  size_t count = 0;
  for (size_t i = 0; i < file->count; i++) {
    if (i == 0 || compare_keys(sorted[i - 1], sorted[i]) != 0)
      encode_entry(bytes + FC_HEADER_BYTES + FC_ENTRY_BYTES * count++, sorted[i]);
  }
  free(sorted);

  *size = FC_HEADER_BYTES + count * FC_ENTRY_BYTES;
  memcpy(bytes + FC_HEADER_MAGIC, fc_table_magic, sizeof fc_table_magic);
  store_le(bytes + FC_HEADER_VERSION, FC_TABLE_VERSION, 2);
  store_le(bytes + FC_HEADER_SIZE, FC_HEADER_BYTES, 2);
  store_le(bytes + FC_HEADER_ENTRY_SIZE, FC_ENTRY_BYTES, 2);
  store_le(bytes + FC_HEADER_ENTRY_COUNT, count, 2);
  if (file->curves != NULL) {
    if (compress2(bytes + *size, &packed, (const Bytef *)file->curves, raw, Z_BEST_COMPRESSION) != Z_OK) {
      free(bytes);
      errno = ENOMEM;
      return NULL;
    }
    store_le(bytes + FC_HEADER_CURVES, *size, 8);
    store_le(bytes + FC_HEADER_CURVES_SIZE, packed, 8);
    store_le(bytes + FC_HEADER_CURVES_RAW, raw, 8);
    store_le(bytes + FC_HEADER_CURVES_CRC, crc32(0, bytes + *size, (uInt)packed), 4);
    *size += packed;
  }
  store_crc(bytes, FC_HEADER_BYTES);
  return bytes;
}

/* The error line of the writers, from errno. */
static int cannot_write(const char *path, const char *step) {
  int reason = errno;
  const char *advice = "";
  if (reason == EACCES || reason == EPERM)
    advice = geteuid() != 0 ? "; run it with sudo, or name a file of your own with --output FILE"
                            : "; name another file with --output FILE";
  else if (reason == EROFS || reason == ENOENT || reason == ENOTDIR)
    advice = "; name another file with --output FILE";
  else if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG)
    advice = "; make room, or name another file with --output FILE";
  tune_error("cannot write the tuning table %s: %s: %s%s", path, step, strerror(reason), advice);
  return -1;
}

/* The folder of `path`. */
static int folder_name(char folder[PATH_MAX], const char *path) {
  const char *slash = strrchr(path, '/');
  size_t length = slash == NULL ? 0 : (size_t)(slash - path);
  /* the name of the temporary file must fit too */
  if (strlen(path) >= PATH_MAX - 16) {
    errno = ENAMETOOLONG;
    return cannot_write(path, "file name");
  }
  if (slash == NULL)
    strcpy(folder, ".");
  else if (length == 0)
    strcpy(folder, "/");
  else
    sprintf(folder, "%.*s", (int)length, path);
  return 0;
}

/* What stands at `path` must be nothing, or a regular file: rename would replace a link or a device itself. */
static int check_target(const char *path) {
  struct stat status;
  size_t length = strlen(path);
  if (length == 0 || path[length - 1] == '/') {
    tune_error("cannot write the tuning table '%s': this names no file; name a file with --output FILE", path);
    return -1;
  }
  if (lstat(path, &status) != 0)
    return errno == ENOENT ? 0 : cannot_write(path, "file");
  if (S_ISREG(status.st_mode))
    return 0;
  if (S_ISDIR(status.st_mode))
    tune_error("cannot write the tuning table %s: it is a folder; name a file in it", path);
  else if (S_ISLNK(status.st_mode))
    tune_error("cannot write the tuning table %s: it is a symbolic link, which privileged processes would not follow; "
               "name the file itself with --output FILE",
               path);
  else
    tune_error("cannot write the tuning table %s: it is no regular file", path);
  return -1;
}

/* Opens the folder; the default one is made where it is missing. */
static int open_folder(const char *path) {
  char folder[PATH_MAX];
  if (folder_name(folder, path) != 0)
    return -1;
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT && strcmp(path, TUNE_TABLE_PATH) == 0) {
    if (mkdir(folder, 0755) != 0 && errno != EEXIST)
      return cannot_write(path, "making its folder");
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* whatever the umask: everybody must be able to read what is in it */
    if (fd >= 0)
      fchmod(fd, 0755);
  }
  return fd < 0 ? cannot_write(path, "opening its folder") : fd;
}

static int locked_folder = -1;

int table_file_lock(const char *path) {
  int fd = open_folder(path);
  if (fd < 0)
    return -1;
  /* whoever can read the folder can hold this lock, so it is not waited for without an end */
  for (int turn = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; turn++) {
    if (errno == EWOULDBLOCK && turn < 100) {
      nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
      continue;
    }
    if (errno == EWOULDBLOCK)
      tune_error("cannot write the tuning table %s: another process has locked its folder; try again later", path);
    else
      cannot_write(path, "locking its folder");
    close(fd);
    return -1;
  }
  locked_folder = fd;
  return 0;
}

void table_file_unlock(void) {
  if (locked_folder >= 0)
    close(locked_folder);
  locked_folder = -1;
}

static int write_all(int fd, const unsigned char *bytes, size_t size) {
  while (size > 0) {
    ssize_t put = write(fd, bytes, size);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return -1;
    bytes += put;
    size -= (size_t)put;
  }
  return 0;
}

static int make_temporary(char name[PATH_MAX], const char *path) {
  if (folder_name(name, path) != 0)
    return -1;
  strcat(name, "/.fct-XXXXXX");
  int fd = mkostemp(name, O_CLOEXEC);
  return fd < 0 ? cannot_write(path, "making a file in its folder") : fd;
}

/* An interruption must not leave a temporary file behind. */
static void hold_interruptions(sigset_t *before) {
  sigset_t interruptions;
  sigemptyset(&interruptions);
  sigaddset(&interruptions, SIGINT);
  sigaddset(&interruptions, SIGTERM);
  sigaddset(&interruptions, SIGHUP);
  sigaddset(&interruptions, SIGQUIT);
  sigprocmask(SIG_BLOCK, &interruptions, before);
}

static int replace(const char *path, const unsigned char *bytes, size_t size) {
  char temporary[PATH_MAX];
  int fd = make_temporary(temporary, path);
  if (fd < 0)
    return -1;
  const char *step = NULL;
  if (write_all(fd, bytes, size) != 0)
    step = "writing";
  else if (fchmod(fd, 0644) != 0)
    step = "making it readable for all";
  else if (tune_sync(fd) != 0)
    step = "writing it to the disk";
  int reason = errno;
  if (close(fd) != 0 && step == NULL) {
    step = "closing";
    reason = errno;
  }
  if (step == NULL && rename(temporary, path) != 0) {
    step = "renaming the new file";
    reason = errno;
  }
  if (step == NULL)
    return 0;
  unlink(temporary);
  errno = reason;
  return cannot_write(path, step);
}

int table_file_write(const struct table_file *file, const char *path) {
  /* beyond these, no reader would take it */
  if (file->count > FC_ENTRY_COUNT_MAX || (file->curves != NULL && strlen(file->curves) > CURVES_MAX)) {
    tune_error("cannot write the tuning table %s: more than %d entries, or more than %u MiB of measured curves", path,
               FC_ENTRY_COUNT_MAX, CURVES_MAX >> 20);
    return -1;
  }
  bool locked_here = locked_folder < 0;
  if (check_target(path) != 0 || (locked_here && table_file_lock(path) != 0))
    return -1;
  int result = -1;
  size_t size = 0;
  unsigned char *bytes = encode(file, &size);
  if (bytes == NULL) {
    cannot_write(path, "packing");
  } else {
    sigset_t before;
    /* beyond a size limit, write() is to fail with EFBIG */
    struct sigaction ignore = {.sa_handler = SIG_IGN}, limit;
    hold_interruptions(&before);
    sigaction(SIGXFSZ, &ignore, &limit);
    result = replace(path, bytes, size);
    if (result == 0 && tune_sync(locked_folder) != 0)
      result = cannot_write(path, "writing its folder to the disk");
    sigaction(SIGXFSZ, &limit, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
  }
  free(bytes);
  if (locked_here)
    table_file_unlock();
  return result;
}

int table_file_writable(const char *path) {
  char name[PATH_MAX];
  struct stat status;
  if (check_target(path) != 0 || folder_name(name, path) != 0)
    return -1;
  if (strcmp(path, TUNE_TABLE_PATH) == 0 && stat(name, &status) != 0 && errno == ENOENT) {
    char above[PATH_MAX];
    if (folder_name(above, name) != 0)
      return -1;
    return faccessat(AT_FDCWD, above, W_OK | X_OK, AT_EACCESS) != 0 ? cannot_write(path, "making its folder") : 0;
  }
  /* an immutable file, which not even root may replace */
  if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0 && errno == EPERM)
    return cannot_write(path, "the file there");
  if (table_file_lock(path) != 0)
    return -1;
  /* the sure test, quotas and read-only file systems included: make one */
  sigset_t before;
  hold_interruptions(&before);
  int fd = make_temporary(name, path);
  if (fd >= 0) {
    close(fd);
    unlink(name);
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  table_file_unlock();
  return fd < 0 ? -1 : 0;
}
