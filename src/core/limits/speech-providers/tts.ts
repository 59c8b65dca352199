export const TTS_FIRST_AUDIO_MS_MAX = 2_000;
export const TTS_IDLE_MS_MAX = 3_000;
export const TTS_WAIT_MS_MAX = 30_000;

/** How long a matching voice of a fallback is searched for, and how long a list of voices is awaited when others are available. */
export const VOICE_CHOICE_MS_MAX = 1_000;

/** The cache of speech that was requested more than once, of all calls: its size, and the longest text and speech in it. */
export const TTS_CACHE_BYTES_MAX = 16 * 1024 * 1024;
export const TTS_CACHE_TEXT_CHARS_MAX = 500;
export const TTS_CACHE_ENTRY_BYTES_MAX = 2 * 1024 * 1024;

/** Texts that are remembered as requested once. */
export const TTS_CACHE_CANDIDATES_MAX = 4_096;

// TTS providers over the network.
/** The largest message of a TTS provider; a larger one ends its connection. One message may carry seconds of audio in base64. */
export const TTS_MESSAGE_BYTES_MAX = 4 * 1024 * 1024;

/** Buffered speech of one request; past it reading the connection pauses until half of it was pulled. */
export const TTS_UNREAD_MS_MAX = 10_000;

/** The same on a connection that several requests share and that cannot pause: past it the request fails. */
export const TTS_SHARED_UNREAD_MS_MAX = 180_000;

/** Requests on one connection; the next one opens another connection. */
export const TTS_REQUESTS_PER_CONNECTION_MAX = 32;

/** The longest speech of a text; a TTS that sends more does not speak the text. */
export const TTS_AUDIO_BASE_MS_MAX = 10_000;
export const TTS_AUDIO_PER_CHAR_MS_MAX = 600;

/** Bytes before the samples of a WAV file. */
export const WAV_HEAD_BYTES_MAX = 64 * 1024;

/** A provider's list of voices: one page, and all pages. */
export const VOICE_LIST_PAGE_BYTES_MAX = 16 * 1024 * 1024;
export const VOICES_PER_PROVIDER_MAX = 5_000;

/** After this the list is fetched again; the old one is used meanwhile. */
export const VOICE_LIST_FRESH_MS = 600_000;

/** How long fetching it may take, and the delay before a failed fetch is retried. */
export const VOICE_LIST_MS_MAX = 5_000;
export const VOICE_LIST_RETRY_MS = 5_000;
