// Transcriptions of files: src/transcription and src/api/transcriptions.

/** The longest audio that is transcribed, of all that a file decodes to: a megabyte of Opus can hold a day of silence. */
export const TRANSCRIPTION_AUDIO_MS_MAX = 12 * 3_600_000;

/** The most channels of a file. */
export const TRANSCRIPTION_CHANNELS_MAX = 8;

/** The sample rates of files that are read without FFmpeg, Hz. */
export const TRANSCRIPTION_RATE_HZ_MIN = 4_000;
export const TRANSCRIPTION_RATE_HZ_MAX = 192_000;

/** What may precede the samples of a WAV file, such as its title and pictures. */
export const WAV_HEAD_BYTES_MAX = 1024 * 1024;

/** Parts that had to be cut inside of speech overlap by this much. */
export const PART_OVERLAP_MS = 3_000;

/** A part ends with a pause of this length once it is long enough, and with a longer one in any case. */
export const PART_PAUSE_MS = 500;
export const PART_LONG_PAUSE_MS = 10_000;

/** What a part has of the silence before and after its speech. */
export const PART_MARGIN_MS = 240;

/** A part that is full is divided at its longest pause, if that has this length. */
export const PART_CUT_PAUSE_MS_MIN = 160;

/** Files that are transcribed at once, and those of one account, so that its long files leave a place for others; the rest wait. */
export const TRANSCRIPTIONS_CONCURRENT_MAX = 3;
export const TRANSCRIPTIONS_PER_ACCOUNT_MAX = 2;

/** Parts of one file that wait for a provider or are being transcribed; the audio is decoded no further meanwhile. */
export const PARTS_PENDING_MAX = 8;

/** Parts of a file that may fail before it is given up: the next attempt asks for these alone. */
export const PARTS_FAILED_MAX = 4;

/** Memory of FFmpeg, and the processor time that it may take for one file. */
export const FFMPEG_MEMORY_KB_MAX = 1_500_000;
export const FFMPEG_CPU_S_MAX = 3_600;

/** FFmpeg has decoded nothing for this long, although its output is read: it hangs. */
export const FFMPEG_SILENCE_MS_MAX = 60_000;

/** The nice(1) value of the transcriber and of FFmpeg: below everything that calls need. */
export const TRANSCRIBER_NICE = 15;

/** JavaScript heap of the transcriber. */
export const TRANSCRIBER_HEAP_MB_MAX = 512;

/** One attempt at a transcription; what is transcribed by then is kept for the next. */
export const TRANSCRIPTION_ATTEMPT_MS_MAX = 12 * 3_600_000;

/** The delays before further attempts, after providers or the transcriber have failed. */
export const TRANSCRIPTION_RETRY_DELAYS_MS = [5_000, 30_000, 120_000, 600_000] as const;

/** How long a job is postponed whose account has as many in progress as it may. */
export const TRANSCRIPTION_TURN_MS = 2_000;

/** Fetching the audio of a URL: the redirects that are followed. What arrives too slowly is refused as slow uploads are. */
export const TRANSCRIPTION_REDIRECTS_MAX = 3;

/** The transcriber is ended when it had nothing to do for this long; the next file starts it again. */
export const TRANSCRIBER_IDLE_MS_MAX = 60_000;

/** A transcriber that sends no heartbeat for this long hangs, and is killed. */
export const TRANSCRIBER_STALL_MS_MAX = 60_000;

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

/** The response to `POST /audio/transcriptions` waits for its transcription, which is looked up so often: its end may be unreported. */
export const TRANSCRIPTION_POLL_MS = 5_000;

/** Characters of a result in one row of the database, which one transaction writes. */
export const RESULT_TEXT_CHARS_MAX = 64 * 1024;

/**
 * Audio of a live stream that is late by this much was not sent, and counts as silence. What a network or a busy client delays for
 * less comes later, and silence in its place would divide words. A client that sends nothing asks for its finals sooner by `finalize`.
 */
export const LIVE_PAUSE_MS_MIN = 2_000;

/** Requests for a final of one live transcription within a second; further ones are ignored: each is journaled, and answered. */
export const FINALIZE_PER_SECOND_MAX = 5;

/** Finals that the client of a live transcription is sent once more when it connects again, and the characters of all of them. */
export const FINALS_REPEATED_MAX = 32;
export const FINALS_REPEATED_CHARS_MAX = 16_384;

/** After the final with which a live transcription is to end it waits this long for another: one may have been on its way. */
export const LAST_FINAL_MS = 300;

/** The response to the deletion of a live transcription waits so long for its end. */
export const LIVE_END_MS_MAX = 5_000;

/** How often the response looks for the end, which may be stored by another node. */
export const LIVE_END_LOOKED_MS = 250;
