import { isoTime } from "../core/clock.ts";
import type { AccountId, CallId } from "../core/ids.ts";
import { EVENT_BYTES_MAX } from "../core/limits/webhooks.ts";
import type { CallRecord, CallStore } from "../store/call-store.ts";
import type { WebhookEvent } from "../store/webhook-store.ts";

export interface EventDocumentsOptions {
  calls: Pick<CallStore, "get" | "transcript">;
  /** A call as `GET /calls/{id}` shows it. */
  callDocument: (call: CallRecord) => object;
  /** A turn as `GET /calls/{id}/transcript` shows it. */
  turnDocuments: (call: CallRecord, turns: Awaited<ReturnType<CallStore["transcript"]>>) => readonly object[];
  /** The tool calls of a call, in order; none where its events are deleted. */
  toolRuns: (callId: CallId) => Promise<readonly object[]>;
  /** The address of the API, up to and including its base path. */
  apiUrl: string;
}

/** Makes the bodies of webhook messages. */
export class EventDocuments {
  readonly #options: EventDocumentsOptions;

  constructor(options: EventDocumentsOptions) {
    this.#options = options;
  }

  /** The body of an event; undefined when what it is about was deleted. */
  async bodyOf(event: WebhookEvent): Promise<string | undefined> {
    const data = event.type === "call.ended" ? await this.#endedCall(event.accountId, event.callId) : event.data;
    if (data === undefined) return undefined;
    return JSON.stringify({ type: event.type, timestamp: isoTime(event.createdAtMs), data });
  }

  async #endedCall(accountId: AccountId, callId: CallId | undefined): Promise<object | undefined> {
    if (callId === undefined) return undefined;
    const { calls, callDocument, turnDocuments, toolRuns, apiUrl } = this.#options;
    const call = await calls.get(accountId, callId);
    if (call === undefined) return undefined;
    const turns = await calls.transcript(accountId, callId);
    const address = `${apiUrl}/calls/${callId}`;
    const whole: Record<string, unknown> = {
      call: callDocument(call),
      transcript: turnDocuments(call, turns),
      toolRuns: await toolRuns(callId),
      links: { call: address, recording: `${address}/recording`, events: `${address}/events` },
      truncated: [],
    };
    return bounded(whole, address);
  }
}

/** Replaces the long parts by links, the longest first, until the document fits. */
function bounded(whole: Record<string, unknown>, address: string): object {
  const links: Record<string, string> = { ...(whole.links as Record<string, string>) };
  const parts = [
    { name: "transcript", link: `${address}/transcript` },
    { name: "toolRuns", link: `${address}/events` },
  ];
  const truncated: string[] = [];
  let document = whole;
  const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
  parts.sort((one, other) => bytes(whole[other.name]) - bytes(whole[one.name]));
  for (const { name, link } of parts) {
    if (bytes(document) <= EVENT_BYTES_MAX) break;
    truncated.push(name);
    links[name] = link;
    document = { ...document, [name]: null, links: { ...links }, truncated: [...truncated] };
  }
  return document;
}
