// Telephone calls: src/telephony.

/** How long an outbound call rings. */
export const RING_S_MIN = 5;
export const RING_S_MAX = 120;
export const RING_S_DEFAULT = 30;

/**
 * How long after the ring time-out the service waits for the carrier's report before it ends the call itself. The time-out counts from
 * the carrier's report that it calls or that it rings; without one from its answer to the request, and a queue of the carrier is added.
 */
export const RING_MARGIN_MS = 20_000;
export const CARRIER_QUEUE_MS_MAX = 60_000;

/** Outbound calls that wait to be dialled: of one carrier, and of all carriers of an account. Each is due every 10 s. */
export const PHONE_CALLS_WAITING_MAX = 1_000;
export const PHONE_CALLS_WAITING_ACCOUNT_MAX = 2_000;
/** How soon a request may be repeated that found no place among them, s. */
export const WAITING_RETRY_S = 10;
/** How long an outbound call waits for a slot, or for a carrier that does nothing at present. */
export const QUEUED_MS_MAX = 15 * 60_000;
/** The delays after each try of a waiting call to get a slot; the last one repeats. */
export const SLOT_RETRY_MS: readonly number[] = [1_000, 2_000, 5_000, 10_000];
/** The delays after each request to dial that the carrier has not carried out; the last one repeats. */
export const DIAL_RETRY_MS: readonly number[] = [1_000, 2_000, 5_000, 10_000, 30_000];

/** After so long without an answer to the request to dial, the carrier is asked what became of it. */
export const DIAL_ANSWER_MS_MAX = 30_000;
/** When the carrier is asked, since that became necessary; a last time after this or the ring time-out, whichever is later. */
export const FIND_CALL_AT_MS: readonly number[] = [0, 3_000, 10_000, 25_000, 45_000];
export const FIND_CALL_LAST_MS = 65_000;
/** The carrier's clock may differ: calls are looked for since so long before the request to dial. */
export const FIND_CALL_SINCE_MS = 60_000;
/** How long the answer to the last of these questions may take. */
export const FIND_CALL_ANSWER_MS_MAX = 45_000;

/** How long a stream may take to connect after the carrier was given its address; the token lives as long. */
export const STREAM_CONNECT_MS_MAX = 20_000;
/** How often the first stream of a call is connected, where the carrier reports that it could not be and keeps the caller. */
export const STREAM_TRIES_MAX = 3;
/** How long the worker's report of a stream may take, after which it has not connected. */
export const STREAM_REPORT_MS_MAX = 3_000;
/** How long an inbound call waits for its slot. */
export const INBOUND_WAIT_MS_MAX = 15_000;

/** How long the target of a transfer rings. */
export const TRANSFER_RING_MS_MAX = 30_000;
/** How long the worker may take to learn of a transfer. */
export const WORKER_INFORM_MS_MAX = 5_000;
/** How long the carrier may be asked for a transfer, and how long its answer may take after that. */
export const TRANSFER_ORDER_MS_MAX = 15_000;
export const TRANSFER_ANSWER_MS_MAX = 15_000;
/** How often the carrier is asked for one that it carries out once the stream has ended. */
export const TRANSFER_TRIES_MAX = 2;
/** How long the worker may take to end the stream for such a transfer, and after how long it is asked again. */
export const STREAM_END_MS_MAX = 20_000;
export const STREAM_END_MS = 2_000;
/** How often a stream is connected again after a transfer that led to nothing. */
export const RETURN_TRIES_MAX = 2;
/** How long a call may be without a stream because of a transfer: ringing, and every try to return. */
export const TRANSFER_RETURN_MS_MAX =
  WORKER_INFORM_MS_MAX +
  TRANSFER_ORDER_MS_MAX +
  TRANSFER_ANSWER_MS_MAX +
  STREAM_END_MS_MAX +
  TRANSFER_RING_MS_MAX +
  RING_MARGIN_MS +
  (RETURN_TRIES_MAX + 1) * (STREAM_CONNECT_MS_MAX + STREAM_REPORT_MS_MAX);

/** How long the worker has to end a call whose carrier has ended it, and after how long it is asked again. */
export const WORKER_END_MS = 5_000;
/** After so long a call whose worker does not answer is over for its machine; its record ends by the recovery of journals. */
export const WORKER_END_MS_MAX = 5 * 60_000;
/** How often the machine of a live call reads whether its record has ended. */
export const LIVE_CHECK_MS = 2 * 60_000;

/** How long a spoken refusal may take before the call is hung up. */
export const REFUSAL_MS_MAX = 20_000;
/** When the carrier is asked for the price of a call, after its end. */
export const PRICE_AT_MS: readonly number[] = [60_000, 10 * 60_000, 60 * 60_000];

/** DTMF digits of one request or of one tool call. */
export const DTMF_DIGITS_MAX = 64;
export const SIP_ADDRESS_CHARS_MAX = 255;

/** How long after a call ended `unknown` the carrier's account is kept, with which it can be hung up when it rings after all. */
export const UNKNOWN_CALL_MS = 60 * 60_000;

/** The body of a carrier's webhook. */
export const CARRIER_WEBHOOK_BYTES_MAX = 64 * 1024;

/** How long after its start the service handles no deadlines: workers connect to it again, and report their streams. */
export const RESTART_GRACE_MS = 3_000;
/** How often the calls that are due are read, and how many at once. */
export const DUE_INTERVAL_MS = 500;
export const DUE_CALLS_PER_QUERY = 100;
/** Rows that are read for them, so that few carriers with many due calls and many with few are both served. */
export const DUE_CALLS_READ_MAX = 1_000;
/** How often a step is tried while another process handles the same call. */
export const STEP_TRIES_MAX = 10;

/** How often a request of a telephone call is sent in all, where it may be sent again. */
export const CONNECT_TRIES_MAX = 3;
/** How long one of its jobs may take: each waits for a carrier. */
export const PHONE_CALL_JOB_MS_MAX = 40_000;
