/** The caller's audio may run this far ahead of real time; past it the call ends with `audio_flood`. Of Opus in 2.5 ms 400 x 36 µs = 1.4 % of the loop. */
export const INBOUND_AHEAD_MS_MAX = 2_000;

/** How much of a pause in the caller's audio may be made up for at once, as after a stall of the network, or of ours. */
export const INBOUND_STALL_MS_MAX = 15_000;

/** Silence that the ear is given where the carrier sends none: enough for it to know that an utterance is over. */
export const STT_SILENCE_FRAMES = 25;

/** With a frame this much later than usual the peer is taken to send none for silence, rather than to be late. */
export const STT_STARVED_MS = 500;

/** Audio without a time of its own that lags our clock by this much is taken to come after a pause in which none was sent. */
export const UNTIMESTAMPED_LAG_MS_MAX = 500;

/** How much of the caller's audio a carrier may have held up and then sends all at once; more than that by its times is no delay. */
export const BACKLOG_MS_MAX = 45_000;

/** A backlog that takes longer than this to come is none: the carrier's clock was set. */
export const BACKLOG_DRAIN_MS_MAX = 2_000;

/** Audio that came before its turn waits this long for what is missing, or until this much more has come; then the gap is given up. */
export const JITTER_BUFFER_WAIT_MS = 60;

/** A message further ahead than this is no gap, it begins a new count: 2 s in messages of 20 ms. */
export const JITTER_BUFFER_AHEAD_CHUNKS_MAX = 100;

/** A message further behind than this is not late, it begins a new count. */
export const JITTER_BUFFER_LATE_CHUNKS_MAX = 100;

/** More messages in a row that seem to be late, or to come twice, are neither: the count has begun again. */
export const JITTER_BUFFER_DROPPED_MAX = 16;

/** Messages that wait at once, and audio of the longest that can; what does not fit gives up the gap in front of it. */
export const JITTER_BUFFER_CHUNKS_MAX = 12;
export const JITTER_BUFFER_CHUNK_MS_MAX = 200;

/** How far a peer's timestamps may put its audio ahead of the time that has really passed; jumps beyond that are cut to it. */
export const TIMESTAMP_GAP_MS_MAX = 2_000;
