/** One phrase: some 15 s of speech, UTF-16 units. */
export const PHRASE_CHARS_MAX = 200;

/** The file that PHRASES_FILE names. */
export const PHRASES_FILE_BYTES_MAX = 1024 * 1024;

/** Problems of that file that are listed; the rest is counted. */
export const PHRASES_FILE_PROBLEMS_MAX = 20;

/** How long an LLM may take to translate the phrases. Nothing waits for it: until then English is spoken. */
export const PHRASE_TRANSLATION_MS_MAX = 20_000;

/** What an LLM may write, all phrases together; more is no translation. */
export const PHRASE_TRANSLATION_CHARS_MAX = 4_000;

/** After a failure the next call in the language asks again, but not before this has passed. */
export const PHRASE_RETRY_MS = 600_000;

/** Translations at once in one worker; calls beyond it speak English, and the next one asks again. */
export const PHRASE_TRANSLATIONS_MAX = 4;

/** Languages a worker remembers; the one that was found first is forgotten and read again from its file. */
export const PHRASE_LANGUAGES_MAX = 200;

/** A file of translated phrases; a longer one is not ours. */
export const PHRASE_CACHE_BYTES_MAX = 16 * 1024;

/** Languages whose phrases one call remembers; a caller who speaks more of them hears the built-in ones of the oldest. */
export const PHRASE_LANGUAGES_PER_CALL_MAX = 16;
