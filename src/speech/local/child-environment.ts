import { LOCAL_SPEECH_HEAP_MB_MAX } from "../../core/limits/speech-providers/local-speech.ts";

/**
 * The whole environment of a child process with a speech model: no keys, and three settings of glibc's malloc. V8 compiles WASM on
 * several threads, and frees what it needed for that; with its own settings glibc keeps it, in one arena for each thread. Measured with
 * Moonshine Tiny on Node 20: 290 MB resident instead of 560 MB, for 1 s more CPU time at the start. Other C libraries ignore them.
 */
export const CHILD_ENVIRONMENT: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: "1",
  // In bytes. The names end with an underscore.
  MALLOC_MMAP_THRESHOLD_: "32768",
  MALLOC_TRIM_THRESHOLD_: "65536",
};

/**
 * Options of Node.js for such a process. With the collections that loading asks for, which V8 puts off while its own heap is small,
 * and a young generation of 1 MB, a child with Moonshine Tiny had at most 396 MB resident on Node 20, after
 * a first pass that heard 8 s; with a young generation of the usual size 410 MB, and without the collections 432 MB.
 */
export const CHILD_OPTIONS: readonly string[] = [
  `--max-old-space-size=${LOCAL_SPEECH_HEAP_MB_MAX}`,
  "--max-semi-space-size=1",
  "--expose-gc",
];
