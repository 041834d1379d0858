/* abi/gpuopt/dlopen_note.h -- says in a binary which libraries it opens at run time, where packagers look for it.
 *
 * Linked libraries are listed in a binary's dynamic section; those it opens with dlopen would be in nobody's sight. An
 * ELF note of the format of https://systemd.io/ELF_DLOPEN_METADATA/ lists them. C99, also valid C++; nothing where
 * binaries are not ELF. */
#ifndef GPUOPT_DLOPEN_NOTE_H
#define GPUOPT_DLOPEN_NOTE_H

#include <stdint.h>

/* One library, at file scope, with a semicolon behind:
 *   id           an identifier no other note of the source file has
 *   feature      a word for what the library is needed for; description: the same in a sentence
 *   priority     "required" (nothing works without), "recommended" (most users want it) or "suggested" (some do)
 *   sonames      the names the library may have, as JSON strings with commas between, the preferred one first:
 *                "\"liba.so.2\"" */
#define GPUOPT_DLOPEN_NOTE(id, feature, description, priority, sonames)                                            \
  GPUOPT_DLOPEN_NOTE_TEXT(id, "[{\"feature\":\"" feature "\",\"description\":\"" description "\",\"priority\":\"" \
                              priority "\",\"soname\":[" sonames "]}]")

#if defined(__ELF__)
#define GPUOPT_DLOPEN_NOTE_TEXT(id, json)                                                                              \
  static const struct {                                                                                                \
    uint32_t name_bytes, text_bytes, type;                                                                             \
    char name[4], text[(sizeof(json) + 3) / 4 * 4];                                                                    \
  } gpuopt_dlopen_note_##id __attribute__((used, aligned(4), section(".note.dlopen"))) = {4, sizeof(json), 0x407c0c0a, \
                                                                                          "FDO", json}
#else
#define GPUOPT_DLOPEN_NOTE_TEXT(id, json) typedef char gpuopt_dlopen_note_##id[sizeof(json)]
#endif

#endif
