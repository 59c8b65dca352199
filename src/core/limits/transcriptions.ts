// Transcriptions of files.

/** The default of TRANSCRIPTION_BYTES_MAX, and the most that it may be. */
export const TRANSCRIPTION_BYTES_DEFAULT = 2 * 1024 ** 3;
export const TRANSCRIPTION_BYTES_LIMIT = 1024 ** 4;

/** An upload that sends less than this within any such time is closed: it would hold its connection and its file for ever. */
export const UPLOAD_BYTES_PER_SECOND_MIN = 8_000;
export const UPLOAD_WINDOW_MS = 20_000;

/** The rest of a refused upload is read and dropped for so long, so that its client reads why; then the connection is closed. */
export const UPLOAD_LINGER_MS = 5_000;

/** Concurrent uploads, of one account and of all; further ones wait as lists do. */
export const UPLOADS_PER_ACCOUNT_MAX = 8;
export const UPLOADS_MAX = 64;

/** The fields of an upload besides the file, and the bytes of each. */
export const UPLOAD_FIELDS_MAX = 200;
export const UPLOAD_FIELD_BYTES_MAX = 64 * 1024;

/** Words that are likely, and the length of each. */
export const VOCABULARY_WORDS_MAX = 100;
export const VOCABULARY_WORD_CHARS_MAX = 100;

export const TRANSCRIPTION_URL_CHARS_MAX = 2_048;

/** The name of a file is stored up to this length. */
export const FILE_NAME_CHARS_MAX = 255;

/** The response to `POST /audio/transcriptions` waits for its transcription, which is looked up so often. */
export const TRANSCRIPTION_POLL_MS = 250;

/** Characters of a result in one row of the database, which one transaction writes. */
export const RESULT_TEXT_CHARS_MAX = 64 * 1024;
