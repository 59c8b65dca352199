// Limits of carriers' accounts, telephone numbers and their calls.

/** Of one account. */
export const CARRIERS_MAX = 20;
/** Of one account. */
export const PHONE_NUMBERS_MAX = 10_000;
/** What the person of a test call says at an emulated carrier. */
export const TEST_CALL_TEXTS_MAX = 10;
export const TEST_CALL_CHARS_MAX = 500;
/** Characters of the name of a carrier or a number. */
export const CARRIER_NAME_CHARS_MAX = 100;
export const CALLS_PER_SECOND_DEFAULT = 1;
export const CALLS_PER_SECOND_MAX = 100;
/** The most that `maxConcurrentCalls` of a carrier or a number may be. */
export const PHONE_CALLS_AT_ONCE_MAX = 10_000;
/** Entries of a carrier's list of allowed numbers. Countries are about 250. */
export const ALLOWED_NUMBERS_MAX = 1_000;
/** Characters that a caller hears who is not connected. */
export const REFUSAL_CHARS_MAX = 500;
/** Characters of an address that a webhook of a number goes to. */
export const INBOUND_WEBHOOK_URL_CHARS_MAX = 2_048;

/**
 * Characters of a number or an address that are stored with a call. Longer ones are cut: PostgreSQL takes no entry of an index above
 * 2,704 bytes, and callers choose their SIP addresses.
 */
export const PHONE_ADDRESS_CHARS_MAX = 128;

/** A request to a carrier's API, from the first lookup to the last byte of the answer. */
export const CARRIER_REQUEST_MS_MAX = 10_000;
export const CARRIER_ANSWER_BYTES_MAX = 1024 * 1024;
/** The head of an answer. */
export const CARRIER_ANSWER_HEAD_BYTES_MAX = 64 * 1024;

/** The question to the inbound webhook of a number, from the first lookup to the last byte of the answer: the caller hears it ring. */
export const INBOUND_ANSWER_MS_MAX = 2_000;
export const INBOUND_ANSWER_BYTES_MAX = 64 * 1024;
/** The head of its answer. */
export const INBOUND_ANSWER_HEAD_BYTES_MAX = 16 * 1024;
/** Calls that inbound webhooks have refused lately, whose webhooks may come again. */
export const REFUSED_CALLS_KEPT = 1_000;
