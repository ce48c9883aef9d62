/* SPDX-License-Identifier: MIT */
/*
 * What the library promises as a file: names, types, versions, hardening, notes, unwind data.
 *
 * usage: check_elf <libfastcopy.so> <libfastcopy.a>; exit status 0 passed, 1 failed, 2 wrong usage.
 * Every fault is a line; the last line counts the checks.
 */
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE 4096 /* what the loader rounds RELRO to where pages are smallest */
#define OLDEST_GLIBC "GLIBC_2.3.4"

static const char *subject = "";
static unsigned checks, faults;

/* Counts one check; prints what was wrong when `good` is false. */
__attribute__((format(printf, 2, 3))) static bool expect(bool good, const char *format, ...) {
  checks++;
  if (good)
    return true;
  faults++;
  va_list arguments;
  va_start(arguments, format);
  printf("%s: ", subject);
  vprintf(format, arguments);
  putchar('\n');
  va_end(arguments);
  return false;
}

static _Noreturn void fatal(const char *what) {
  fprintf(stderr, "check_elf: %s: %s: %s\n", subject, what, elf_errmsg(-1));
  exit(1);
}

/* The names that programs see. */
struct exported {
  const char *name;
  unsigned char type;
  const char *version; /* NULL: the base version, which answers every version asked for */
};
static const struct exported exports[] = {
    {"memcpy", STT_FUNC, NULL},
    {"memmove", STT_FUNC, NULL},
    {"mempcpy", STT_FUNC, NULL},
    {"__mempcpy", STT_FUNC, NULL},
    {"bcopy", STT_FUNC, NULL},
    {"wmemcpy", STT_FUNC, NULL},
    {"wmemmove", STT_FUNC, NULL},
    {"wmempcpy", STT_FUNC, NULL},
    {"__memcpy_chk", STT_FUNC, NULL},
    {"__memmove_chk", STT_FUNC, NULL},
    {"__mempcpy_chk", STT_FUNC, NULL},
    {"__wmemcpy_chk", STT_FUNC, NULL},
    {"__wmemmove_chk", STT_FUNC, NULL},
    {"__wmempcpy_chk", STT_FUNC, NULL},
    {"fastcopy_memcpy", STT_GNU_IFUNC, "FASTCOPY_1.0"},
    {"fastcopy_memmove", STT_GNU_IFUNC, "FASTCOPY_1.0"},
    {"fastcopy_mempcpy", STT_GNU_IFUNC, "FASTCOPY_1.0"},
    {"fastcopy_version", STT_FUNC, "FASTCOPY_1.0"},
    {"fastcopy_describe", STT_FUNC, "FASTCOPY_1.0"},
    {"fastcopy_variants", STT_FUNC, "FASTCOPY_1.0"},
};
enum { EXPORTS = sizeof exports / sizeof exports[0] };

static const struct {
  const char *name;
  unsigned char bind;
} imports[] = {
    {"__chk_fail", STB_GLOBAL},
    {"__libc_stack_end", STB_WEAK},
    {"__x86_get_cpuid_feature_leaf", STB_WEAK},
};
enum { IMPORTS = sizeof imports / sizeof imports[0] };

/* One ELF file and the sections that the checks read. */
struct file {
  Elf *elf;
  GElf_Ehdr header;
  size_t names; /* index of the section names */
};

static void open_file(struct file *file, Elf *elf) {
  file->elf = elf;
  if (gelf_getehdr(elf, &file->header) == NULL || elf_getshdrstrndx(elf, &file->names) != 0)
    fatal("no ELF file");
}

static const char *section_name(const struct file *file, const GElf_Shdr *section) {
  const char *name = elf_strptr(file->elf, file->names, section->sh_name);
  return name != NULL ? name : "";
}

/* The next section of that name, or of any when name is NULL, after `from` (NULL: from the start). */
static Elf_Scn *find_section(const struct file *file, const char *name, Elf_Scn *from, GElf_Shdr *section) {
  while ((from = elf_nextscn(file->elf, from)) != NULL) {
    if (gelf_getshdr(from, section) == NULL)
      fatal("section");
    if (name == NULL || strcmp(section_name(file, section), name) == 0)
      return from;
  }
  return NULL;
}

static Elf_Data *section_data(const struct file *file, const char *name, GElf_Shdr *section) {
  Elf_Scn *found = find_section(file, name, NULL, section);
  return found != NULL ? elf_getdata(found, NULL) : NULL;
}

/* The bytes in the file at an address, at least `size` of them, or NULL. */
static const unsigned char *at_address(const struct file *file, GElf_Addr address, size_t size) {
  GElf_Shdr section;
  for (Elf_Scn *scn = NULL; (scn = find_section(file, NULL, scn, &section)) != NULL;) {
    if (!(section.sh_flags & SHF_ALLOC) || section.sh_type == SHT_NOBITS || address < section.sh_addr ||
        address + size > section.sh_addr + section.sh_size)
      continue;
    Elf_Data *data = elf_rawdata(scn, NULL);
    return data != NULL ? (const unsigned char *)data->d_buf + (address - section.sh_addr) : NULL;
  }
  return NULL;
}

/* The entry of the dynamic section with that tag. */
static bool dynamic_entry(const struct file *file, GElf_Sxword tag, GElf_Dyn *entry, GElf_Shdr *section) {
  Elf_Data *data = section_data(file, ".dynamic", section);
  for (size_t i = 0; data != NULL && i < section->sh_size / section->sh_entsize; i++) {
    if (gelf_getdyn(data, (int)i, entry) != NULL && entry->d_tag == tag)
      return true;
  }
  return false;
}

/* Landing pads and property notes ----------------------------------------------------------------------------- */

static bool is_landing_pad(const unsigned char *code) {
  static const unsigned char endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa};
  return code != NULL && memcmp(code, endbr64, sizeof endbr64) == 0;
}

/* The x86 feature bits of .note.gnu.property: 1 IBT, 2 SHSTK. */
static uint32_t x86_features(const struct file *file) {
  GElf_Shdr section;
  Elf_Data *data = section_data(file, ".note.gnu.property", &section);
  if (data == NULL)
    return 0;
  GElf_Nhdr note;
  size_t name, description;
  for (size_t at = 0; (at = gelf_getnote(data, at, &note, &name, &description)) != 0;) {
    if (note.n_type != NT_GNU_PROPERTY_TYPE_0)
      continue;
    const unsigned char *bytes = (const unsigned char *)data->d_buf + description;
    for (size_t i = 0; i + 8 <= note.n_descsz;) {
      uint32_t type, size, value;
      memcpy(&type, bytes + i, 4);
      memcpy(&size, bytes + i + 4, 4);
      if (type == GNU_PROPERTY_X86_FEATURE_1_AND && size == 4 && i + 12 <= note.n_descsz) {
        memcpy(&value, bytes + i + 8, 4);
        return value;
      }
      i += 8 + (size + 7) / 8 * 8;
    }
  }
  return 0;
}

static void check_property(const struct file *file) {
  if (file->header.e_machine == EM_X86_64)
    expect((x86_features(file) & 3) == 3, "no IBT and SHSTK property: the linker drops both for the whole program");
}

/* Names ------------------------------------------------------------------------------------------------------ */

/* The name of a version index of a dynamic symbol; NULL for the base versions. */
static const char *version_name(const struct file *file, GElf_Versym index) {
  index &= 0x7fff;
  if (index <= VER_NDX_GLOBAL)
    return NULL;
  GElf_Shdr section;
  Elf_Data *data = section_data(file, ".gnu.version_d", &section);
  GElf_Verdef definition;
  for (int at = 0; data != NULL && gelf_getverdef(data, at, &definition) != NULL; at += (int)definition.vd_next) {
    GElf_Verdaux name;
    if (definition.vd_ndx == index && gelf_getverdaux(data, at + (int)definition.vd_aux, &name) != NULL)
      return elf_strptr(file->elf, section.sh_link, name.vda_name);
    if (definition.vd_next == 0)
      break;
  }
  data = section_data(file, ".gnu.version_r", &section);
  GElf_Verneed need;
  for (int at = 0; data != NULL && gelf_getverneed(data, at, &need) != NULL; at += (int)need.vn_next) {
    GElf_Vernaux name;
    for (int inner = at + (int)need.vn_aux; gelf_getvernaux(data, inner, &name) != NULL; inner += (int)name.vna_next) {
      if (name.vna_other == index)
        return elf_strptr(file->elf, section.sh_link, name.vna_name);
      if (name.vna_next == 0)
        break;
    }
    if (need.vn_next == 0)
      break;
  }
  return "(unknown version)";
}

/* Is GLIBC_a.b.c newer than OLDEST_GLIBC? */
static bool newer_than_oldest(const char *version) {
  int ours[3] = {0}, oldest[3] = {0};
  if (sscanf(version, "GLIBC_%d.%d.%d", &ours[0], &ours[1], &ours[2]) < 2)
    return true;
  sscanf(OLDEST_GLIBC, "GLIBC_%d.%d.%d", &oldest[0], &oldest[1], &oldest[2]);
  for (int i = 0; i < 3; i++) {
    if (ours[i] != oldest[i])
      return ours[i] > oldest[i];
  }
  return false;
}

static void check_export(const struct file *file, const GElf_Sym *symbol, const char *name, const char *version,
                         bool seen[EXPORTS]) {
  unsigned char type = GELF_ST_TYPE(symbol->st_info);
  if (symbol->st_shndx == SHN_ABS && type == STT_OBJECT && strcmp(name, "FASTCOPY_1.0") == 0)
    return; /* the linker's symbol for the version itself */
  for (size_t i = 0; i < EXPORTS; i++) {
    if (strcmp(exports[i].name, name) != 0)
      continue;
    seen[i] = true;
    expect(type == exports[i].type, "%s: symbol type %d, not %d", name, type, exports[i].type);
    expect(GELF_ST_BIND(symbol->st_info) == STB_GLOBAL, "%s: not a global symbol", name);
    expect(symbol->st_size != 0, "%s: has no size", name);
    if (exports[i].version == NULL)
      expect(version == NULL, "%s: has version %s; the base version alone binds every caller", name, version);
    else
      expect(version != NULL && strcmp(version, exports[i].version) == 0, "%s: version %s, not %s", name,
             version != NULL ? version : "(none)", exports[i].version);
    if (file->header.e_machine == EM_X86_64)
      expect(is_landing_pad(at_address(file, symbol->st_value, 4)), "%s: does not begin with endbr64", name);
    return;
  }
  expect(false, "%s is exported", name);
}

static void check_import(const GElf_Sym *symbol, const char *name, const char *version) {
  for (size_t i = 0; i < IMPORTS; i++) {
    if (strcmp(imports[i].name, name) != 0)
      continue;
    expect(GELF_ST_BIND(symbol->st_info) == imports[i].bind, "%s: bound %s", name,
           imports[i].bind == STB_WEAK ? "strongly: must be weak" : "weakly: must be global");
    expect(imports[i].bind != STB_WEAK || version == NULL,
           "%s: needs version %s: will not start where the C library lacks it", name, version);
    return;
  }
  expect(false, "%s is imported", name);
}

static void check_names(const struct file *file) {
  GElf_Shdr section, versions_section;
  Elf_Data *symbols = section_data(file, ".dynsym", &section);
  if (!expect(symbols != NULL, "no dynamic symbols"))
    return;
  Elf_Data *versions = section_data(file, ".gnu.version", &versions_section);
  bool seen[EXPORTS] = {false};
  for (size_t i = 1; i < section.sh_size / section.sh_entsize; i++) {
    GElf_Sym symbol;
    GElf_Versym index = VER_NDX_GLOBAL;
    if (gelf_getsym(symbols, (int)i, &symbol) == NULL)
      fatal("symbol");
    if (versions != NULL)
      gelf_getversym(versions, (int)i, &index);
    const char *name = elf_strptr(file->elf, section.sh_link, symbol.st_name);
    const char *version = version_name(file, index);
    if (GELF_ST_TYPE(symbol.st_info) == STT_SECTION)
      continue;
    if (symbol.st_shndx == SHN_UNDEF)
      check_import(&symbol, name, version);
    else
      check_export(file, &symbol, name, version, seen);
  }
  for (size_t i = 0; i < EXPORTS; i++)
    expect(seen[i], "%s is not exported", exports[i].name);

  Elf_Data *data = section_data(file, ".gnu.version_r", &section);
  GElf_Verneed need;
  for (int at = 0; data != NULL && gelf_getverneed(data, at, &need) != NULL; at += (int)need.vn_next) {
    GElf_Vernaux name;
    for (int inner = at + (int)need.vn_aux; gelf_getvernaux(data, inner, &name) != NULL; inner += (int)name.vna_next) {
      const char *version = elf_strptr(file->elf, section.sh_link, name.vna_name);
      expect(!newer_than_oldest(version), "needs %s, which is newer than " OLDEST_GLIBC, version);
      if (name.vna_next == 0)
        break;
    }
    if (need.vn_next == 0)
      break;
  }
}

/* Segments and the dynamic section -------------------------------------------------------------------------- */

static void check_segments(const struct file *file) {
  size_t count;
  bool stack = false, relro = false;
  if (elf_getphdrnum(file->elf, &count) != 0)
    fatal("program headers");
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr segment;
    if (gelf_getphdr(file->elf, (int)i, &segment) == NULL)
      fatal("program header");
    if (segment.p_type == PT_LOAD)
      expect((segment.p_flags & (PF_W | PF_X)) != (PF_W | PF_X), "segment %zu is writable and executable", i);
    if (segment.p_type == PT_GNU_STACK) {
      stack = true;
      expect(!(segment.p_flags & PF_X), "asks for an executable stack");
    }
    if (segment.p_type == PT_GNU_RELRO)
      relro = true;
    expect(segment.p_type != PT_TLS, "has thread-local storage");
  }
  expect(stack, "no PT_GNU_STACK: the stack becomes executable");
  expect(relro, "no PT_GNU_RELRO");
}

static void check_dynamic(const struct file *file) {
  GElf_Dyn entry;
  GElf_Shdr section;
  GElf_Xword flags = dynamic_entry(file, DT_FLAGS, &entry, &section) ? entry.d_un.d_val : 0;
  GElf_Xword flags_1 = dynamic_entry(file, DT_FLAGS_1, &entry, &section) ? entry.d_un.d_val : 0;
  bool now = dynamic_entry(file, DT_BIND_NOW, &entry, &section) || (flags & DF_BIND_NOW) || (flags_1 & DF_1_NOW);
  expect(now, "no BIND_NOW: RELRO is partial");
  expect(!(flags & DF_TEXTREL) && !dynamic_entry(file, DT_TEXTREL, &entry, &section), "has text relocations");
  expect(!dynamic_entry(file, DT_RPATH, &entry, &section), "has an RPATH");
  expect(!dynamic_entry(file, DT_RUNPATH, &entry, &section), "has a RUNPATH");
  expect(!dynamic_entry(file, DT_INIT, &entry, &section) && !dynamic_entry(file, DT_INIT_ARRAY, &entry, &section),
         "has constructors");
  if (expect(dynamic_entry(file, DT_SONAME, &entry, &section), "has no SONAME")) {
    const char *soname = elf_strptr(file->elf, section.sh_link, entry.d_un.d_val);
    expect(soname != NULL && strcmp(soname, "libfastcopy.so.1") == 0, "SONAME is %s", soname);
  }
  Elf_Data *data = section_data(file, ".dynamic", &section);
  for (size_t i = 0; data != NULL && i < section.sh_size / section.sh_entsize; i++) {
    if (gelf_getdyn(data, (int)i, &entry) == NULL || entry.d_tag != DT_NEEDED)
      continue;
    const char *needed = elf_strptr(file->elf, section.sh_link, entry.d_un.d_val);
    expect(needed != NULL && strncmp(needed, "libc.so.", 8) == 0, "needs %s", needed);
  }
}

/* The resolver reads data that other relocations of the library fill in: it must run after all of them. */
static void check_relocations(const struct file *file) {
  size_t total = 0, irelative = 0, last_irelative = 0;
  GElf_Shdr section;
  for (Elf_Scn *scn = NULL; (scn = find_section(file, NULL, scn, &section)) != NULL;) {
    if (section.sh_type != SHT_RELA || !(section.sh_flags & SHF_ALLOC))
      continue;
    Elf_Data *data = elf_getdata(scn, NULL);
    for (size_t i = 0; i < section.sh_size / section.sh_entsize; i++) {
      GElf_Rela relocation;
      if (gelf_getrela(data, (int)i, &relocation) == NULL)
        fatal("relocation");
      total++;
      if (file->header.e_machine != EM_X86_64)
        continue;
      GElf_Xword type = GELF_R_TYPE(relocation.r_info);
      if (type == R_X86_64_IRELATIVE) {
        irelative++;
        last_irelative = total;
      } else {
        expect(type == R_X86_64_RELATIVE || type == R_X86_64_GLOB_DAT, "relocation of type %lu", (unsigned long)type);
      }
    }
  }
  if (file->header.e_machine == EM_X86_64) {
    expect(irelative == 1, "%zu IRELATIVE relocations, not 1", irelative);
    expect(last_irelative == total, "the IRELATIVE relocation is number %zu of %zu, not the last", last_irelative,
           total);
  }
}

/* Code and data by symbol --------------------------------------------------------------------------------------- */

/* The first code address ranges of all FDEs. */
struct range {
  GElf_Addr begin, end;
};
static struct range *ranges;
static size_t range_count;

static uint64_t get_uleb(const unsigned char **at, const unsigned char *end) {
  uint64_t value = 0;
  for (unsigned shift = 0; *at < end; shift += 7) {
    unsigned char byte = *(*at)++;
    if (shift < 64)
      value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      break;
  }
  return value;
}

static uint32_t get_u32(const unsigned char *at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

/* The pointer encoding of the FDEs of a CIE whose body starts after its length and id; 0xff when it is not known. */
static unsigned char cie_encoding(const unsigned char *at, const unsigned char *end) {
  at++; /* version, 1 */
  const char *augmentation = (const char *)at;
  at += strnlen(augmentation, (size_t)(end - at)) + 1;
  get_uleb(&at, end); /* code alignment */
  get_uleb(&at, end); /* data alignment: signed, of the same length */
  get_uleb(&at, end); /* return address column */
  if (augmentation[0] != 'z')
    return 0xff;
  get_uleb(&at, end); /* length of the augmentation data */
  for (const char *c = augmentation + 1; *c != '\0'; c++) {
    if (*c == 'R')
      return *at;
    if (*c != 'S')
      return 0xff;
  }
  return 0xff;
}

/* Collects what .eh_frame describes. The linkers that are used here all write pcrel sdata4. */
static void read_unwind(const struct file *file) {
  GElf_Shdr section;
  Elf_Data *data = section_data(file, ".eh_frame", &section);
  range_count = 0;
  if (!expect(data != NULL, "no .eh_frame"))
    return;
  const unsigned char *start = data->d_buf, *end = start + data->d_size;
  ranges = realloc(ranges, data->d_size / 12 * sizeof *ranges + sizeof *ranges);
  if (ranges == NULL)
    fatal("out of memory");
  for (const unsigned char *at = start; at + 8 <= end;) {
    uint32_t length = get_u32(at);
    if (length == 0)
      break;
    const unsigned char *next = at + 4 + length;
    if (!expect(length != 0xffffffff && next <= end, ".eh_frame is malformed"))
      return;
    uint32_t id = get_u32(at + 4);
    if (id != 0) {
      const unsigned char *cie = at + 4 - id;
      if (!expect(cie >= start && cie + 8 < end && cie_encoding(cie + 8, end) == 0x1b,
                  "an FDE whose pointers are not pcrel sdata4"))
        return;
      GElf_Addr field = section.sh_addr + (GElf_Addr)(at + 8 - start);
      struct range *range = &ranges[range_count++];
      range->begin = field + (GElf_Addr)(int64_t)(int32_t)get_u32(at + 8);
      range->end = range->begin + get_u32(at + 12);
    }
    at = next;
  }
}

static bool unwind_covers(GElf_Addr begin, GElf_Addr end) {
  for (size_t i = 0; i < range_count; i++) {
    if (ranges[i].begin <= begin && end <= ranges[i].end)
      return true;
  }
  return false;
}

/* What the loader makes read-only: it rounds down on both sides. */
static struct range relro_range(const struct file *file) {
  size_t count = 0;
  elf_getphdrnum(file->elf, &count);
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr segment;
    if (gelf_getphdr(file->elf, (int)i, &segment) != NULL && segment.p_type == PT_GNU_RELRO)
      return (struct range){segment.p_vaddr / PAGE * PAGE, (segment.p_vaddr + segment.p_memsz) / PAGE * PAGE};
  }
  return (struct range){0, 0};
}

static void check_symbols(const struct file *file) {
  GElf_Shdr section;
  Elf_Data *symbols = section_data(file, ".symtab", &section);
  if (!expect(symbols != NULL, "no .symtab: give the unstripped library"))
    return;
  struct range relro = relro_range(file);
  size_t count = section.sh_size / section.sh_entsize;
  unsigned functions = 0, in_relro = 0, bodies = 0, bodies_marked = 0;
  GElf_Sym symbol;
  for (size_t i = 1; i < count; i++) {
    if (gelf_getsym(symbols, (int)i, &symbol) == NULL)
      fatal("symbol");
    const char *name = elf_strptr(file->elf, section.sh_link, symbol.st_name);
    unsigned char type = GELF_ST_TYPE(symbol.st_info);
    if (strcmp(name, "fc_live") == 0 || strcmp(name, "fc_report") == 0) {
      in_relro++;
      expect(relro.begin <= symbol.st_value && symbol.st_value + symbol.st_size <= relro.end && symbol.st_size != 0,
             "%s at %#lx..%#lx lies outside RELRO %#lx..%#lx", name, (unsigned long)symbol.st_value,
             (unsigned long)(symbol.st_value + symbol.st_size), (unsigned long)relro.begin, (unsigned long)relro.end);
    }
    if ((type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF && symbol.st_size != 0) {
      functions++;
      expect(unwind_covers(symbol.st_value, symbol.st_value + symbol.st_size), "%s: no FDE covers it", name);
    }
    if (strncmp(name, "fc_body_", 8) == 0) {
      bodies++;
      bodies_marked += is_landing_pad(at_address(file, symbol.st_value, 4));
      expect(unwind_covers(symbol.st_value, symbol.st_value + 1), "%s: no FDE covers it", name);
    }
  }
  expect(functions >= EXPORTS, "only %u functions in .symtab", functions);
  expect(in_relro == 2, "fc_live and fc_report are not in .symtab");
  if (file->header.e_machine != EM_X86_64)
    return;
  /* the slots are jumped through: landing pads behind them */
  expect(bodies != 0, "no fc_body_ symbol");
  expect(bodies == bodies_marked, "%u of %u fc_body_ labels lack endbr64: the jump through the slot faults under IBT",
         bodies - bodies_marked, bodies);
}

static Elf *begin_file(const char *path, int *fd) {
  subject = path;
  *fd = open(path, O_RDONLY);
  if (*fd < 0) {
    perror(path);
    exit(1);
  }
  Elf *elf = elf_begin(*fd, ELF_C_READ, NULL);
  if (elf == NULL)
    fatal("elf_begin");
  return elf;
}

static void check_shared(const char *path) {
  int fd;
  struct file file;
  open_file(&file, begin_file(path, &fd));
  expect(file.header.e_type == ET_DYN, "not a shared object");
  check_names(&file);
  check_segments(&file);
  check_dynamic(&file);
  check_relocations(&file);
  check_property(&file);
  read_unwind(&file);
  check_symbols(&file);
  elf_end(file.elf);
  close(fd);
}

/* The routines of an assembly object, each with a landing pad. */
static void check_routines(const struct file *file, const char *member) {
  GElf_Shdr section;
  Elf_Data *symbols = section_data(file, ".symtab", &section);
  unsigned routines = 0;
  for (size_t i = 1; symbols != NULL && i < section.sh_size / section.sh_entsize; i++) {
    GElf_Sym symbol;
    if (gelf_getsym(symbols, (int)i, &symbol) == NULL)
      fatal("symbol");
    unsigned char type = GELF_ST_TYPE(symbol.st_info);
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE || (type != STT_FUNC && type != STT_GNU_IFUNC))
      continue;
    routines++;
    Elf_Data *code = elf_getdata(elf_getscn(file->elf, symbol.st_shndx), NULL);
    bool inside = code != NULL && symbol.st_value + 4 <= code->d_size;
    expect(inside && is_landing_pad((const unsigned char *)code->d_buf + symbol.st_value),
           "%s: %s does not begin with endbr64", member, elf_strptr(file->elf, section.sh_link, symbol.st_name));
  }
  expect(routines != 0, "%s: no routine", member);
}

static void check_archive(const char *path) {
  int fd;
  Elf *archive = begin_file(path, &fd), *elf;
  unsigned members = 0;
  if (!expect(elf_kind(archive) == ELF_K_AR, "not an archive"))
    return;
  for (Elf_Cmd command = ELF_C_READ; (elf = elf_begin(fd, command, archive)) != NULL;
       command = elf_next(elf), elf_end(elf)) {
    Elf_Arhdr *member = elf_getarhdr(elf);
    if (member == NULL || member->ar_name[0] == '/')
      continue;
    struct file file;
    char name[4096];
    GElf_Shdr section;
    snprintf(name, sizeof name, "%s(%s)", path, member->ar_name);
    subject = name;
    open_file(&file, elf);
    members++;
    check_property(&file);
    expect(find_section(&file, ".note.GNU-stack", NULL, &section) != NULL && !(section.sh_flags & SHF_EXECINSTR),
           "no .note.GNU-stack: the stack becomes executable");
    size_t length = strlen(member->ar_name);
    if (length > 4 && strcmp(member->ar_name + length - 4, ".S.o") == 0 && file.header.e_machine == EM_X86_64)
      check_routines(&file, member->ar_name);
    subject = path;
  }
  expect(members != 0, "empty archive");
  elf_end(archive);
  close(fd);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: check_elf <libfastcopy.so> <libfastcopy.a>\n");
    return 2;
  }
  if (elf_version(EV_CURRENT) == EV_NONE)
    fatal("libelf");
  check_shared(argv[1]);
  check_archive(argv[2]);
  printf("%u checks, %u faults\n", checks, faults);
  return faults != 0;
}
