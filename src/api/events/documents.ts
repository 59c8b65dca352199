import { isoTime } from "../../core/clock.ts";
import type { CallStore } from "../../store/call-store.ts";
import type { StreamEvent } from "../../store/event-stream-store.ts";
import { itemOf } from "../calls/item.ts";

/**
 * An event as a stream sends it: the members of a webhook's message, with its id. `call.ended` has the call's record as it is when it
 * is sent, without the transcript. Undefined when what it is about was deleted.
 */
export async function streamDocument(
  { id, type, accountId, callId, createdAtMs, data }: StreamEvent,
  calls: Pick<CallStore, "get">,
): Promise<object | undefined> {
  const documentWith = (content: unknown) => ({ id, type, timestamp: isoTime(createdAtMs), data: content });
  if (data !== undefined) return documentWith(data);
  const call = callId && (await calls.get(accountId, callId));
  return call && documentWith({ call: itemOf(call) });
}

/** A message of server-sent events (HTML standard, section 9.2). `data` is JSON, which has no line breaks. */
export const messageOf = (sequence: number, name: string, data: object): string =>
  `id: ${sequence}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
