// STT providers over the network.
/** How long connecting to a provider may take. */
export const STT_CONNECT_MS_MAX = 3_000;

/** Audio that waits while a provider is being connected or reads too slowly; past it the stream has failed. */
export const STT_BACKLOG_MS_MAX = 16_000;

/** Audio since the last final transcript that is replayed to the fallback after a failure; the beginning of more is lost. */
export const STT_REPLAY_MS_MAX = 12_000;

/** The same while the caller is silent: an STT recognizes words better when silence precedes them. */
export const STT_REPLAY_SILENCE_MS = 500;

/** A connected STT without a transcript for this much speech counts as failed. Speech of long ago counts less. */
export const STT_UNRECOGNIZED_SPEECH_MS_MAX = 6_000;

/** How long after the speech an STT may send its transcript if it transcribes only whole utterances. */
export const STT_UTTERANCE_TRANSCRIPT_MS_MAX = 4_000;

/**
 * After this pause in speech, providers that can be asked for a final transcript are asked. It is shorter than any pause
 * that ends a turn, so the final is in time.
 */
export const STT_FINALIZATION_PAUSE_MS = 200;

/**
 * The same for providers that find the end of a turn themselves: a request cuts their judgement off, so it comes only
 * when they have not made one by now.
 */
export const STT_TURN_PAUSE_MS = 500;

/** From the first failure until an STT works again; past it the call has no STT. */
export const STT_OUTAGE_MS_MAX = 5_000;

/** Between attempts, once every STT provider has failed. */
export const STT_RETRY_MS = 500;

/** A stream that stays open for this long counts as a success; some providers accept streams and close them at once. */
export const STT_STABLE_MS = 250;

/** Frames in one message to a provider. AssemblyAI rejects messages shorter than 50 ms. */
export const STT_CHUNK_FRAMES = 3;

/** The longest message of a provider; a longer one is a failure. */
export const STT_MESSAGE_BYTES_MAX = 1024 * 1024;

/** From closing a stream until its socket is destroyed. */
export const STT_CLOSE_MS_MAX = 500;

/** The interval of keep-alive messages: Deepgram closes a stream without messages after 10 s. */
export const STT_KEEP_ALIVE_MS = 4_000;

/** Longer utterances are split here: Whisper processes 30 s at a time. */
export const STT_UTTERANCE_MS_MAX = 30_000;

/** Utterances that wait for their transcription or are being transcribed; past it the stream has failed. */
export const STT_PENDING_UTTERANCES_MS_MAX = 2 * STT_UTTERANCE_MS_MAX;

/** The response with the transcription of one utterance; a longer one is a failure. */
export const STT_ANSWER_BYTES_MAX = 256 * 1024;

/** Parts of a stream that a provider has named and not transcribed yet; past it the stream has failed. */
export const STT_ITEMS_MAX = 32;
