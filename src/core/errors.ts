/** Whose fault it is: `caller` must change the request, `peer` sent bad data, `provider` failed, `service` lacks a resource, `bug` is ours. */
export type Fault = "caller" | "peer" | "provider" | "service" | "bug";

/**
 * The codes of errors that are no responses of the API, each with its meaning, in Markdown for docs/errors.md. They are in log lines,
 * and some in events of calls.
 */
export const ERROR_MEANINGS = {
  provider_failed: "an STT, LLM or TTS failed or timed out; `detail` has the provider's own code",
  spend_limit: "no request was sent to the provider, because the call or its account has reached a spend limit",
  unavailable: "a part of the service does not respond; a retry may succeed",
  node_unreachable: "the node of the cluster that has a call did not answer in time; the message names it",
  wire_malformed: "a message of a peer breaks the protocol of its stream",
  wire_too_large: "a message of a peer is too large, which ends its call",
  wire_wrong_data: "a peer sent a binary message, or a text, where its protocol has none, which ends its call",
  webhook_malformed: "a carrier's webhook is signed, but has a body that the carrier cannot have sent",
  bad_offer: "the SDP offer of a WebRTC client cannot be used; the message says what is wrong and what would be right",
  wire_flood: "a peer sent more than the service parses, which ends its call",
  journal_unreadable: "the journal of a call cannot be read, or is no journal",
  journal_growing:
    "a node that is cut off from the database still ships the journal of a call that another node has taken: its record waits for the rest",
  journal_unsupported: "the journal of a call was written by a later version of the service, which reads it",
  media_unreadable: "an encrypted journal or recording, or its key, is damaged, or belongs to another call",
  renderer_died: "the renderer died at this journal again and again, or could not be started",
  audio_unreadable: "the file of a transcription is no audio that can be read, or is damaged",
  audio_too_long: "the audio of a transcription is longer than 12 hours",
  unsupported_audio: "the file of a transcription is no WAV file, and FFmpeg, which reads others, is not installed",
  speakers_too_long:
    "the audio is longer than the provider distinguishes speakers in; the message says how long it may be",
  audio_unavailable: "the audio of a transcription cannot be fetched, or has been deleted; the message says why",
  audio_unreachable:
    "the address of the audio of a transcription did not answer, answered too slowly, or there was no room for what it sent; this is tried " +
    "again before the transcription fails",
  over_budget:
    "reading a document took too much processor time or memory once; this is tried again before the document fails",
  ingester_failed: "the process that reads documents failed at this one",
  embeddings_failed:
    "the endpoint of embeddings did not answer, or its answer is no list of vectors; it is asked again",
  transcriber_died: "the transcriber died again and again while it transcribed this file",
  unsealable: "a secret in the database cannot be opened: its key is missing, or it was changed",
  bucket_refused:
    "the store of BUCKET_URL refuses the credentials or the region, or has no such bucket; the message has its answer",
  wrong_bucket:
    "the bucket of BUCKET_URL belongs to another database, or the database to another bucket: nothing is written to it",
  bad_configuration:
    "a variable, a file or a limit of the system does not let the service start; the message says what to change",
  internal: "a defect of the service; the line has its `stack`",
} as const;

/**
 * The one error class. `code` is public and stable: docs/errors.md lists it with its meaning, and it is never reused for another
 * meaning.
 */
export class TrunklineError extends Error {
  override readonly name = "TrunklineError";
  readonly code: string;
  readonly fault: Fault;

  constructor(code: string, fault: Fault, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
    this.fault = fault;
  }
}

/** A peer's message violated the protocol of its wire. `wire` is the name of the wire; `what` is the violation without content, `cause` data about it. */
export const wireMalformed = (wire: string, what: string, cause?: object): TrunklineError =>
  new TrunklineError("wire_malformed", "peer", `${wire}: ${what}`, { cause });

/** A carrier's webhook has a body that the carrier cannot have sent. `what` is the violation without content. */
export const webhookMalformed = (carrier: string, what: string): TrunklineError =>
  new TrunklineError("webhook_malformed", "peer", `${carrier}: ${what}`);

/** A peer's message is larger than its wire allows, which ends the leg; `what` is the limit. */
export const wireTooLarge = (wire: string, what: string): TrunklineError =>
  new TrunklineError("wire_too_large", "peer", `${wire}: ${what}`);

/** A peer sent text that its wire does not define, or audio where none is allowed, which ends the leg. */
export const wireWrongData = (wire: string, what: string): TrunklineError =>
  new TrunklineError("wire_wrong_data", "peer", `${wire}: ${what}`);

/** A peer sent more than its wire allows this process to parse, which ends the leg; `what` is the limit. */
export const wireFlood = (wire: string, what: string): TrunklineError =>
  new TrunklineError("wire_flood", "peer", `${wire}: ${what}`);

/** A provider failed. `what` must contain no API key, prompt or word of a call. */
export const providerFailed = (provider: string, what: string, cause?: unknown): TrunklineError =>
  new TrunklineError("provider_failed", "provider", `${provider}: ${what}`, { cause });

/** A part of the service is not available at present; a retry later may succeed. */
export const unavailable = (what: string, cause?: unknown): TrunklineError =>
  new TrunklineError("unavailable", "service", what, { cause });

/** Another node of the cluster, by its name, has not answered in time. What it was asked for may have been done. */
export const nodeUnreachable = (node: string, withinMs: number): TrunklineError =>
  new TrunklineError(
    "node_unreachable",
    "service",
    `node ${node}, which has the call, did not answer within ${withinMs / 1_000} s`,
  );

/** The stable code of any thrown value: that of a TrunklineError, and the code of a bug for everything else. */
export const codeOf = (error: unknown): string => (error instanceof TrunklineError ? error.code : "internal");

/**
 * The system's error code, such as ENOENT, EMFILE or ENOSPC, of a failed system call or of a TrunklineError whose cause it is.
 * Undefined for any other error, such as those with Node's own codes, `ERR_...`.
 */
export function systemErrorCodeOf(error: unknown): string | undefined {
  const cause = error instanceof TrunklineError ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
  return code?.startsWith("ERR_") ? undefined : code;
}
