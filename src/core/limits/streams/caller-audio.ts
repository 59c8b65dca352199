/** The caller's audio may run this far ahead of real time; past it the call ends with `audio_flood`. Of Opus in 2.5 ms 400 x 24 µs = 0.9 % of the event loop. */
export const INBOUND_AHEAD_MS_MAX = 2_000;

/** How much of a pause in the caller's audio may arrive at once afterwards, as after a stall of the network or of this process. */
export const INBOUND_STALL_MS_MAX = 15_000;

/** Silence that the STT gets when the carrier sends none: enough to detect the end of an utterance. */
export const STT_SILENCE_FRAMES = 25;

/**
 * No words of speech come later than this after its end: from an STT that sends one final for each utterance, and from one that decides
 * itself what an utterance is.
 */
export const STT_FINAL_MS_MAX = 30_000;
export const STT_WORDS_MS_MAX = 3_000;

/** A frame that is later than usual by this is taken as a pause in which the peer sent no silence, not as a delay. */
export const STT_STARVED_MS = 500;

/** Audio without timestamps that lags the clock by this is taken to follow a pause in which none was sent. */
export const UNTIMESTAMPED_LAG_MS_MAX = 500;

/** Audio of a codec with DTX that is due may come this much later than at best, on any line. */
export const UNSENT_JITTER_MS = 5;

/** On a line with jitter: audio of a codec with DTX that is later than usual by this, after silence, was not sent. */
export const UNSENT_LATE_MS = 60;

/** How many frames of silence must precede that, unless a DTX packet does. */
export const UNSENT_SILENT_FRAMES_MIN = 2;

/** So many frames of a pause are filled with silence: enough to detect the end of an utterance. */
export const UNSENT_FRAMES_MAX = 25;

/** How much of the caller's audio a carrier may delay and then send at once; more than that by its timestamps is not a delay. */
export const BACKLOG_MS_MAX = 45_000;

/** A backlog that takes longer than this to arrive is not a backlog: the carrier's clock was set. */
export const BACKLOG_DRAIN_MS_MAX = 2_000;

/** How long early audio waits in the jitter buffer for missing audio, or how much more may arrive; then the gap is skipped. */
export const JITTER_BUFFER_WAIT_MS = 60;

/** A message further ahead than this is not a gap: its numbering was restarted. 2 s in messages of 20 ms. */
export const JITTER_BUFFER_AHEAD_CHUNKS_MAX = 100;

/** A message with a number lower by more than this is not late: the numbering was restarted. */
export const JITTER_BUFFER_LATE_CHUNKS_MAX = 100;

/** After this many consecutive messages that seem late or duplicate, the numbering was restarted. */
export const JITTER_BUFFER_DROPPED_MAX = 16;

/** Messages in the jitter buffer, and the longest audio of one of them; a message that does not fit skips the gap before it. */
export const JITTER_BUFFER_CHUNKS_MAX = 12;
export const JITTER_BUFFER_CHUNK_MS_MAX = 200;

/** How far a peer's timestamps may run ahead of the elapsed time; larger jumps are reduced to this. */
export const TIMESTAMP_GAP_MS_MAX = 2_000;

/** Events of a call list a time without audio of the caller from this length on; shorter ones are jitter. */
export const AUDIO_GAP_MS_MIN = 200;
