// Local speech models: child processes that all calls of the machine share, and the queue before them.

/** The rate at which the models hear, Hz. */
export const SPEECH_MODEL_RATE_HZ = 16_000;

/**
 * Children by default: one for every two processors, and no more than this. The other half belongs to the media workers, and a
 * child takes up to LOCAL_SPEECH_RSS_MB_MAX.
 */
export const LOCAL_SPEECH_PROCESSES_DEFAULT_MAX = 4;

/** The most children that an operator may configure. */
export const LOCAL_SPEECH_PROCESSES_LIMIT = 64;

/** Resident memory of a child; one with more is replaced as soon as it is idle. A new child with Moonshine Tiny has some 250 MB. */
export const LOCAL_SPEECH_RSS_MB_MAX = 400;

/**
 * A model that is larger than that by itself: its child is replaced when it has this much more than after its first job, as a
 * factor.
 */
export const LOCAL_SPEECH_RSS_GROWTH_MAX = 1.5;

/** JavaScript heap of a child, which holds the samples of one job and a tokenizer; the model is outside of it. */
export const LOCAL_SPEECH_HEAP_MB_MAX = 160;

/** The nice(1) value of a child: below the media workers and everything else of the service. */
export const LOCAL_SPEECH_NICE = 10;

/** How long a child may take to load its model, time without a processor not counted; then it is killed and replaced. */
export const LOCAL_SPEECH_START_MS_MAX = 60_000;

/**
 * How long a child may take for one job, of at most LOCAL_STT_WINDOW_MS of audio, time without a processor not
 * counted; then it hangs, and is killed and replaced.
 */
export const LOCAL_SPEECH_JOB_MS_MAX = 10_000;

/** When so many children in a row died before they had loaded their model, jobs fail until one has loaded it. */
export const LOCAL_SPEECH_STARTS_MAX = 5;

/** The delay before a child that could not load its model is started again doubles up to this. */
export const LOCAL_SPEECH_RESTART_MS_MAX = 30_000;

/** A job is given to a second child when the first one dies; when that dies, too, the job fails. */
export const LOCAL_SPEECH_TRIES_MAX = 2;

/** How often interims stop a job of a recording: then they wait for it, because there is always another one while people speak. */
export const LOCAL_SPEECH_STOPS_MAX = 3;

/** Jobs that wait for a child. Past it an interim is dropped and any other job fails; both are counted. */
export const LOCAL_SPEECH_JOBS_MAX = 1_024;

/** Jobs of recordings that wait for a child, beside those of calls. Past it such a job fails; counted. */
export const LOCAL_SPEECH_BATCH_JOBS_MAX = 64;

/** An interim that no child has taken by then is dropped: the next one covers it. Counted. */
export const LOCAL_STT_INTERIM_WAIT_MS_MAX = 500;

/**
 * A final is due this long after it was asked for. Past it, the next STT of the list transcribes the audio; where there is
 * none, the final comes late, and its event says how late. Counted. Well below `finalWaitMs` of a call, so that the next provider
 * has time.
 */
export const LOCAL_STT_FINAL_MS_MAX = 1_500;

/** How long an answer of the turn model may take; by then the call has decided without it. Counted as `timed_out`. */
export const TURN_MODEL_WAIT_MS_MAX = 500;

/** The longest audio of one pass. Longer utterances are heard in windows that overlap. */
export const LOCAL_STT_WINDOW_MS = 8_000;

/** The next window begins in the quietest place between these two times before the end of the last one. */
export const LOCAL_STT_OVERLAP_MS_MIN = 1_000;
export const LOCAL_STT_OVERLAP_MS_MAX = 3_500;

/** The least audio between two interim passes of a call. */
export const LOCAL_STT_INTERIM_INTERVAL_MS_MIN = 500;

/**
 * The same until words of the utterance were emitted, and between the start of speech and the first pass: a reply that is paused by
 * speech waits for them, and such passes are short.
 */
export const LOCAL_STT_FIRST_INTERVAL_MS_MIN = 300;

/** The most audio between two interim passes of a call: after a while without load they come again. */
export const LOCAL_STT_INTERIM_INTERVAL_MS_MAX = 8_000;

/** The least audio between two interim passes of a live transcription, whose interims somebody reads. */
export const LOCAL_STT_PROMPT_INTERVAL_MS_MIN = 100;

/**
 * The audio between two interim passes of a call, in times of what the last one took, its wait for a child included. Of a live
 * transcription in times of the wait alone: it leaves room to other streams, and takes what they leave.
 */
export const LOCAL_STT_INTERIM_INTERVAL_FACTOR = 3;

/**
 * After this pause the final is transcribed already, so that it is there when the call takes the speech as over. Speech that goes on
 * makes it an interim.
 */
export const LOCAL_STT_PAUSE_MS = 120;

/** Audio of one call that waits for its finals; past it the stream fails. */
export const LOCAL_STT_PENDING_MS_MAX = 120_000;

// The process that owns the children, and its clients in the workers.

/** Between two attempts to reach the speech process. */
export const SPEECH_PROCESS_RECONNECT_MS = 100;

/** Without a speech process for this long, its jobs fail; until then they wait for the next one. */
export const SPEECH_PROCESS_GONE_MS_MAX = 30_000;

/** The longest message between a worker and the speech process: a window of audio and its head. */
export const SPEECH_PROCESS_MESSAGE_BYTES_MAX = 2 * 1024 * 1024;
