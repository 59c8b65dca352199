import { isoTime } from "../core/clock.ts";
import type { AccountId, CallId, DocumentId, EventId, TranscriptionId } from "../core/ids.ts";
import { EVENT_BYTES_MAX } from "../core/limits/control-api/webhooks.ts";
import type { TranscriptionResult } from "../core/transcriptions/result.ts";
import type { CallRecord, CallStore } from "../store/calls/call-store.ts";
import type { Document, DocumentStore } from "../store/corpora/document-store.ts";
import type { Transcription, TranscriptionStore } from "../store/transcription-store.ts";
import type { WebhookEvent } from "../store/webhooks/webhook-store.ts";

export interface EventDocumentsOptions {
  calls: Pick<CallStore, "get" | "transcript">;
  /** A call as `GET /calls/{id}` shows it. */
  callDocument: (call: CallRecord) => object;
  /** A turn as `GET /calls/{id}/transcript` shows it. */
  turnDocuments: (call: CallRecord, turns: Awaited<ReturnType<CallStore["transcript"]>>) => readonly object[];
  /** The tool calls of a call, in order; none where its events are deleted. */
  toolRuns: (callId: CallId) => Promise<readonly object[]>;
  transcriptions: Pick<TranscriptionStore, "get" | "result">;
  /** A transcription as `GET /transcriptions` shows it, with its text. */
  transcriptionDocument: (transcription: Transcription, result: TranscriptionResult | undefined) => object;
  documents: Pick<DocumentStore, "find">;
  /** A document as `GET /corpora/{id}/documents/{documentId}` shows it. */
  documentDocument: (document: Document) => object;
  /** The address of the API, up to and including its base path. */
  apiUrl: string;
}

/** The data of `call.ended`. */
interface CallData {
  call: object;
  transcript: readonly object[] | null;
  toolRuns: readonly object[] | null;
  links: Readonly<Record<string, string>>;
  /** The parts that are null because they are too long, and to be read at their links. */
  truncated: readonly string[];
}

/** Makes the bodies of webhook messages. */
export class EventDocuments {
  readonly #options: EventDocumentsOptions;
  readonly #inProgress = new Map<EventId, Promise<string | undefined>>();

  constructor(options: EventDocumentsOptions) {
    this.#options = options;
  }

  /** The body of an event; undefined when what it is about was deleted. Deliveries that begin together share it. */
  async bodyOf(event: WebhookEvent): Promise<string | undefined> {
    const shared = this.#inProgress.get(event.id);
    if (shared !== undefined) return await shared;
    const body = this.#make(event);
    this.#inProgress.set(event.id, body);
    try {
      return await body;
    } finally {
      this.#inProgress.delete(event.id);
    }
  }

  async #make(event: WebhookEvent): Promise<string | undefined> {
    const bodyWith = (data: unknown): string =>
      JSON.stringify({ type: event.type, timestamp: isoTime(event.createdAtMs), data });
    if (event.data !== undefined) return bodyWith(event.data);
    if (event.transcriptionId !== undefined) {
      return await this.#transcriptionBody(event.accountId, event.transcriptionId, bodyWith);
    }
    if (event.documentId !== undefined) return await this.#documentBody(event.documentId, bodyWith);
    const ended = await this.#endedCall(event.accountId, event.callId);
    return ended && boundedBody(ended.data, ended.address, bodyWith);
  }

  async #transcriptionBody(
    accountId: AccountId,
    id: TranscriptionId,
    bodyWith: (data: unknown) => string,
  ): Promise<string | undefined> {
    const { transcriptions, transcriptionDocument, apiUrl } = this.#options;
    const found = await transcriptions.get(accountId, id);
    if (found === undefined) return undefined;
    const transcription = transcriptionDocument(found, await transcriptions.result(accountId, id));
    const links = { transcription: `${apiUrl}/transcriptions/${id}` };
    const whole = bodyWith({ transcription, links, truncated: [] });
    if (Buffer.byteLength(whole) <= EVENT_BYTES_MAX) return whole;
    return bodyWith({ transcription: { ...transcription, text: null }, links, truncated: ["text"] });
  }

  async #documentBody(id: DocumentId, bodyWith: (data: unknown) => string): Promise<string | undefined> {
    const { documents, documentDocument, apiUrl } = this.#options;
    const found = await documents.find(id);
    if (found === undefined) return undefined;
    const links = { document: `${apiUrl}/corpora/${found.corpusId}/documents/${id}` };
    return bodyWith({ document: documentDocument(found), links, truncated: [] });
  }

  async #endedCall(
    accountId: AccountId,
    callId: CallId | undefined,
  ): Promise<{ data: CallData; address: string } | undefined> {
    if (callId === undefined) return undefined;
    const { calls, callDocument, turnDocuments, toolRuns, apiUrl } = this.#options;
    const call = await calls.get(accountId, callId);
    if (call === undefined) return undefined;
    const turns = await calls.transcript(accountId, callId);
    const address = `${apiUrl}/calls/${callId}`;
    const data = {
      call: callDocument(call),
      transcript: turnDocuments(call, turns),
      toolRuns: await toolRuns(callId),
      links: { call: address, recording: `${address}/recording`, events: `${address}/events` },
      truncated: [],
    };
    return { data, address };
  }
}

/** Replaces the long parts by links, the longest first, until the body fits. */
function boundedBody(whole: CallData, address: string, bodyWith: (data: CallData) => string): string {
  const parts = [
    { name: "transcript", link: `${address}/transcript` },
    { name: "toolRuns", link: `${address}/events` },
  ] as const;
  const bytesOf = (name: "transcript" | "toolRuns"): number => Buffer.byteLength(JSON.stringify(whole[name]));
  let data = whole;
  let body = bodyWith(data);
  for (const { name, link } of parts.toSorted((one, other) => bytesOf(other.name) - bytesOf(one.name))) {
    if (Buffer.byteLength(body) <= EVENT_BYTES_MAX) break;
    data = { ...data, [name]: null, links: { ...data.links, [name]: link }, truncated: [...data.truncated, name] };
    body = bodyWith(data);
  }
  return body;
}
