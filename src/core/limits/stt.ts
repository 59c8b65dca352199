// Ears that are asked over the network.
/** How long a provider may be connected to. */
export const STT_CONNECT_MS_MAX = 3_000;

/** Audio that a provider has not taken yet, while it is connected to or reads too slowly; past it the stream has failed. */
export const STT_BACKLOG_MS_MAX = 16_000;

/** What was said since its last final that another ear is told when one fails; of more the beginning is lost. */
export const STT_REPLAY_MS_MAX = 12_000;

/** The same where nobody is speaking: an ear is surer of words that silence stands before. */
export const STT_REPLAY_SILENCE_MS = 500;

/** Voice of which an ear that lives tells nothing: then it does not. */
export const STT_UNRECOGNIZED_SPEECH_MS_MAX = 6_000;

/** How much later than the voice one may tell of it that hears whole utterances only. */
export const STT_UTTERANCE_TRANSCRIPT_MS_MAX = 4_000;

/** From the first failure until some ear hears again; past it the call has none. */
export const STT_OUTAGE_MS_MAX = 5_000;

/** Between attempts, once every ear has been tried. */
export const STT_RETRY_MS = 500;

/** A provider that has taken a stream and kept it for so long is there; some take what they close at once. */
export const STT_STABLE_MS = 250;

/** Frames that go into one message to a provider. AssemblyAI takes none of less than 50 ms. */
export const STT_CHUNK_FRAMES = 3;

/** One message of a provider; with a longer one it has failed. */
export const STT_MESSAGE_BYTES_MAX = 1024 * 1024;

/** From our goodbye to a provider until its socket is cut. */
export const STT_CLOSE_MS_MAX = 500;

/** Deepgram closes a stream on which nothing came for 10 s. */
export const STT_KEEP_ALIVE_MS = 4_000;

/** An utterance that is longer is cut there: Whisper listens to 30 s at once. */
export const STT_UTTERANCE_MS_MAX = 30_000;

/** Utterances that wait for their transcription, the one that is being made included; past it the stream has failed. */
export const STT_PENDING_UTTERANCES_MS_MAX = 2 * STT_UTTERANCE_MS_MAX;

/** The transcription of one utterance, as it comes; with more the ear has failed. */
export const STT_ANSWER_BYTES_MAX = 256 * 1024;
