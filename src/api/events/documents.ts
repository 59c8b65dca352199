import type { Prices } from "../../core/billing/prices.ts";
import { isoTime } from "../../core/clock.ts";
import type { CallStore } from "../../store/calls/call-store.ts";
import type { DocumentStore } from "../../store/corpora/document-store.ts";
import type { TranscriptionStore } from "../../store/transcription-store.ts";
import type { StreamEvent } from "../../store/webhooks/event-stream-store.ts";
import { itemOf } from "../calls/item.ts";
import { documentItemOf } from "../corpora/items.ts";
import { transcriptionItemOf } from "../transcriptions/item.ts";

export interface StreamDocumentDeps {
  calls: Pick<CallStore, "get">;
  transcriptions: Pick<TranscriptionStore, "get">;
  documents: Pick<DocumentStore, "find">;
  /** The prices by which the cost of transcriptions is shown. */
  prices: Prices | undefined;
}

/**
 * An event as a stream sends it: the members of a webhook's message, with its id. `call.ended` has the call's record as it is when it
 * is sent, without the transcript, and an event of a transcription its record without the text, an
 * event of a document that document. Undefined when what it is about was deleted.
 */
export async function streamDocument(
  { id, type, accountId, callId, transcriptionId, documentId, createdAtMs, data }: StreamEvent,
  { calls, transcriptions, documents, prices }: StreamDocumentDeps,
): Promise<object | undefined> {
  const documentWith = (content: unknown) => ({ id, type, timestamp: isoTime(createdAtMs), data: content });
  if (data !== undefined) return documentWith(data);
  if (transcriptionId !== undefined) {
    const transcription = await transcriptions.get(accountId, transcriptionId);
    return transcription && documentWith({ transcription: transcriptionItemOf(transcription, prices) });
  }
  if (documentId !== undefined) {
    const document = await documents.find(documentId);
    return document && documentWith({ document: documentItemOf(document) });
  }
  const call = callId && (await calls.get(accountId, callId));
  return call && documentWith({ call: itemOf(call) });
}

/** A message of server-sent events (HTML standard, section 9.2). `data` is JSON, which has no line breaks. */
export const messageOf = (sequence: number, name: string, data: object): string =>
  `id: ${sequence}\n${passingMessageOf(name, data)}`;

/** A message that is not repeated to a client that resumes: it has no number. */
export const passingMessageOf = (name: string, data: object): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
