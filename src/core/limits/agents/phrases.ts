/** The length of one phrase in UTF-16 units: about 15 s of speech. */
export const PHRASE_CHARS_MAX = 200;

/** The size of the file that PHRASES_FILE names. */
export const PHRASES_FILE_BYTES_MAX = 1024 * 1024;

/** How many problems of that file are listed; the others are only counted. */
export const PHRASES_FILE_PROBLEMS_MAX = 20;

/** How long an LLM may take to translate the phrases. Calls do not wait for it: they speak English meanwhile. */
export const PHRASE_TRANSLATION_MS_MAX = 20_000;

/** The length of a translation of all phrases; a longer one is rejected. */
export const PHRASE_TRANSLATION_CHARS_MAX = 4_000;

/** The least time from a failed translation to the next attempt, which the next call in the language makes. */
export const PHRASE_RETRY_MS = 600_000;

/** Concurrent translations in one worker; further calls speak English, and the next call tries again. */
export const PHRASE_TRANSLATIONS_MAX = 4;

/** Languages in the cache of a worker; the oldest entry is evicted and read again from its file. */
export const PHRASE_LANGUAGES_MAX = 200;

/** The size of a file of translated phrases; larger files were not written by this service. */
export const PHRASE_CACHE_BYTES_MAX = 16 * 1024;

/** Languages whose phrases one call caches; for callers with more languages the built-in phrases of the oldest are used. */
export const PHRASE_LANGUAGES_PER_CALL_MAX = 16;
