import type { ErrorDetail } from "./types.ts";

/** A sentence for people for each code of an error. A page may show it, or its own by the code. */
export const ERROR_SENTENCES = {
  microphone_refused: "The microphone is blocked. Allow it for this page in the browser's settings, then try again.",
  no_microphone: "No microphone was found. Connect one, then try again.",
  microphone_in_use: "The microphone cannot be opened. Another program may be using it.",
  microphone_lost: "The microphone was disconnected. Connect it again or choose another one.",
  needs_gesture: "The browser needs a click or a key press before this page may play sound.",
  no_loudspeaker: "The browser cannot play sound. Connect a loudspeaker or headphones, then try again.",
  no_web_audio: "This browser cannot carry calls. Use a current version of Chrome, Edge, Firefox or Safari.",
  insecure_page: "Calls work only on pages with a secure address, which begins with https.",
  worklet_failed: "A file of this page that calls need could not be loaded.",
  url_expired: "The address of this call has expired or was used before. Start a new call.",
  unreachable: "The service cannot be reached. Check the internet connection, then try again.",
  service_unavailable: "The service is not available at present. Try again in a moment.",
  connection_lost: "The connection to the call was lost.",
  forbidden: "This page may not start calls here.",
  invalid_request: "The call cannot be started, because the page asked for something that the service does not have.",
  rate_limited: "There are too many calls at present. Try again in a moment.",
  spend_limit: "No more calls can be made at present, because a limit of cost is reached.",
  not_supported: "This browser or this call does not support that.",
  already_started: "This call was started before. Each call needs a new object.",
  not_connected: "There is no call at present.",
  protocol_error: "The service did not understand a message of this page.",
} as const satisfies Readonly<Record<string, string>>;

export type CallErrorCode = keyof typeof ERROR_SENTENCES;

/** The end reasons of the service with which a call did not end as it should, and their errors. */
export const END_ERRORS: Readonly<Record<string, CallErrorCode>> = {
  drain_timeout: "service_unavailable",
  worker_lost: "service_unavailable",
  provider_error: "service_unavailable",
  unreachable: "unreachable",
  connection_lost: "connection_lost",
  slow_consumer: "connection_lost",
  token_expired: "url_expired",
  protocol_error: "protocol_error",
  audio_flood: "protocol_error",
  message_flood: "protocol_error",
};

/** What went wrong in a call; its message is a sentence for people. */
export class TrunklineCallError extends Error {
  override readonly name = "TrunklineCallError";
  readonly code: CallErrorCode;

  constructor(code: CallErrorCode, cause?: unknown) {
    super(ERROR_SENTENCES[code], cause === undefined ? undefined : { cause });
    this.code = code;
  }

  /** The detail of the event `error`. */
  detail(fatal: boolean): ErrorDetail {
    const { code, message, cause } = this;
    return { code, message, fatal, ...(cause !== undefined && { cause }) };
  }
}

/** The error as ours: anything else is the cause of one with this code. */
export const asCallError = (error: unknown, code: CallErrorCode): TrunklineCallError =>
  error instanceof TrunklineCallError ? error : new TrunklineCallError(code, error);
