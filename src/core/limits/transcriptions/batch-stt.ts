// Transcribing recordings: the requests for their parts.

/** How long one request over the network may take, also the time in which a provider's queue holds it. */
export const BATCH_REQUEST_MS_MAX = 600_000;

/** The response with the words of one part; a longer one is a failure. An hour of words has some 3 MB. */
export const BATCH_ANSWER_BYTES_MAX = 32 * 1024 * 1024;

/** The longest part for a provider over the network: retrying it costs little, and an answer is there within seconds. */
export const BATCH_PART_MS_MAX = 180_000;

/** The shortest that ends with a mere pause: the more a provider hears, the better it understands. */
export const BATCH_PART_MS_MIN = 60_000;

/** The longest part with speakers, whose numbers hold within one part only: it is held in memory. */
export const BATCH_SPEAKERS_PART_MS_MAX = 1_800_000;

/** The longest part for a model on this machine. */
export const BATCH_LOCAL_PART_MS_MAX = 30_000;

/** Requests to one provider over the network at once, for one recording. */
export const BATCH_CONCURRENT_MAX = 4;

/** How often one request is sent to one provider, and the longest wait before a retry that the provider may ask for. */
export const BATCH_ATTEMPTS_MAX = 2;
export const BATCH_RETRY_MS_MAX = 30_000;

/** Between two questions whether a transcript is ready. */
export const BATCH_POLL_MS = 1_000;
