import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { EVENTS_PAGE_DEFAULT, EVENTS_PAGE_MAX } from "../../core/limits/api.ts";
import type { CallStatus, CallStore } from "../../store/call-store.ts";
import { cursorOf } from "../http/cursor.ts";
import { notFound } from "../http/errors.ts";
import { LARGE_RESPONSE_ERRORS, type LargeResponsesDeps, largeResponseHooks } from "../http/large-responses.ts";
import { offsetOf } from "../http/pages.ts";
import { pageParameters } from "../http/query.ts";
import { type CallEventItem, CallEventList } from "./event-schemas.ts";
import { CallId } from "./request-schemas.ts";

/** Some of a call's events, in the order of time. */
export interface CallEventPage {
  events: readonly z.output<typeof CallEventItem>[];
  /** The number of the event that comes next; they are counted from 0. */
  next: number;
  /** Whether there are others: `now`; perhaps `later`, if the call goes on; or `never`, for this was its end. */
  more: "now" | "later" | "never";
}

export interface CallEventRoutesDeps extends LargeResponsesDeps {
  calls: Pick<CallStore, "get">;
  /** At most `limit` of a call's events from number `from` on; none for a call to which nothing happened. */
  callEvents: (callId: string, from: number, limit: number) => Promise<CallEventPage>;
}

const LIST = {
  operationId: "listCallEvents",
  tags: ["calls"],
  summary: "List the events of a call",
  description:
    "All inputs and commands of a call in order of time: the caller's speech and transcripts, the replies of the LLM and the TTS, playout and interruptions. For calls that are not recorded the list has times and counts and no words.\n\n" +
    "Why an agent fell silent stands where it did. An interruption reads `speech-started`, `pause`, `playout-ended`, " +
    "`stt-interim`, `cut`; a cough has a `resume` at its end. `cut` and `end` have a `reason`. From `ask` to `reply-text` the " +
    "model thinks, from `tool` to `tool-result` a tool runs, from `speak` to `playout-started` the voice is at work. " +
    "`playout-ended` behind the last `segment-end` is the end of all there was to say; before that, the voice did not keep " +
    "up.\n\n" +
    "For a call that is not over the list is almost live, and `nextCursor` is never null: an empty page means that nothing has happened since, so wait before the next request. The list of a call whose worker was lost has no `end`. A page may be shorter than `limit`: go by `nextCursor`. Once retention has " +
    "deleted the recording or the transcript this is 404.",
  params: CallId,
  querystring: z.strictObject(pageParameters(EVENTS_PAGE_DEFAULT, EVENTS_PAGE_MAX)),
  errors: ["not_found", "unavailable", ...LARGE_RESPONSE_ERRORS] as const,
  response: { 200: CallEventList },
};

export function callEventRoutes(scope: FastifyInstance, deps: CallEventRoutesDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  app.get("/calls/:id/events", { schema: LIST, ...largeResponseHooks(deps.largeResponses) }, async (request) => {
    const { accountId, params, query } = request;
    const call = await deps.calls.get(accountId, params.id);
    if (call === undefined) throw notFound("call");
    if (call.recordingDeletedAtMs !== undefined || call.transcriptDeletedAtMs !== undefined) {
      throw notFound("list of events: it was deleted with the recording or the transcript when their retention ended");
    }
    const list = ["events", accountId, call.id];
    const from = query.cursor === undefined ? 0 : offsetOf(query.cursor, list);
    const { events, next, more } = await deps.callEvents(call.id, from, query.limit);
    const goesOn = more === "now" || (more === "later" && !ENDED_STATUSES.includes(call.status));
    return { data: [...events], nextCursor: goesOn ? cursorOf(String(next), list) : null };
  });
}

/** Nothing happens in such a call any more. */
const ENDED_STATUSES: readonly CallStatus[] = ["ended", "expired", "failed"];
