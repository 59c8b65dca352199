export const TTS_FIRST_AUDIO_MS_MAX = 2_000;
export const TTS_IDLE_MS_MAX = 3_000;
export const TTS_WAIT_MS_MAX = 30_000;

/** How long another provider's voice is looked for, and a list of voices waited for where others are at hand. */
export const VOICE_CHOICE_MS_MAX = 1_000;

/** Speech that is kept because it was asked for more than once, of all calls; and the longest text, and speech, of which it is. */
export const TTS_CACHE_BYTES_MAX = 16 * 1024 * 1024;
export const TTS_CACHE_TEXT_CHARS_MAX = 500;
export const TTS_CACHE_ENTRY_BYTES_MAX = 2 * 1024 * 1024;

/** Texts of which it is remembered that they were asked for once. */
export const TTS_CACHE_CANDIDATES_MAX = 4_096;

// Voices over the network.
/** One message of a voice provider; a larger one ends its connection. Seconds of audio in base64 come in one. */
export const TTS_MESSAGE_BYTES_MAX = 4 * 1024 * 1024;

/** Speech that nobody has pulled: with more of it its connection is read no further, until half of it is gone. */
export const TTS_UNREAD_MS_MAX = 10_000;

/** The same on a connection that other requests share, which cannot wait: with more the request fails. */
export const TTS_SHARED_UNREAD_MS_MAX = 180_000;

/** Requests on one connection; the next opens another. */
export const TTS_REQUESTS_PER_CONNECTION_MAX = 32;

/** Speech takes no longer than this for a text, whoever speaks: with more the voice is not saying what it was asked to. */
export const TTS_AUDIO_BASE_MS_MAX = 10_000;
export const TTS_AUDIO_PER_CHAR_MS_MAX = 600;

/** What stands in front of the samples of a WAV file. */
export const WAV_HEAD_BYTES_MAX = 64 * 1024;

/** A provider's list of voices: one page of it, and all of them. */
export const VOICE_LIST_PAGE_BYTES_MAX = 16 * 1024 * 1024;
export const VOICES_PER_PROVIDER_MAX = 5_000;

/** After this the list is fetched again, while the one at hand goes on being used. */
export const VOICE_LIST_FRESH_MS = 600_000;

/** How long it may take, and how long a provider that failed to give it is left alone. */
export const VOICE_LIST_MS_MAX = 5_000;
export const VOICE_LIST_RETRY_MS = 5_000;
