import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { CallId } from "../../core/ids.ts";
import { EVENTS_PAGE_DEFAULT, EVENTS_PAGE_MAX } from "../../core/limits/control-api/api.ts";
import type { CallStatus, CallStore } from "../../store/calls/call-store.ts";
import { notFound } from "../http/errors.ts";
import { pageParameters } from "../http/requests/query.ts";
import { cursorOf } from "../http/responses/cursor.ts";
import {
  LARGE_RESPONSE_ERRORS,
  type LargeResponsesDeps,
  largeResponseHooks,
} from "../http/responses/large-response-hooks.ts";
import { offsetOf } from "../http/responses/pages.ts";
import { type CallEventItem, CallEventList } from "./schemas/event-schemas.ts";
import { CallParams } from "./schemas/response-schemas.ts";

/** Some of a call's events in order of time. */
export interface CallEventPage {
  events: readonly z.output<typeof CallEventItem>[];
  /** The number of the next event; they are counted from 0. */
  next: number;
  /** Whether more events follow: `now`; `later`, if the call is still active; or `never`, because this was the call's end. */
  more: "now" | "later" | "never";
}

export interface CallEventRoutesDeps extends LargeResponsesDeps {
  calls: Pick<CallStore, "get">;
  /** At most `limit` of a call's events, starting with number `from`; none for a call to which nothing happened. */
  callEvents: (callId: CallId, from: number, limit: number) => Promise<CallEventPage>;
}

const LIST = {
  operationId: "listCallEvents",
  scope: "read" as const,
  tags: ["calls"],
  summary: "List the events of a call",
  description:
    "All inputs and commands of a call in order of time: the caller's speech and transcripts, the replies of the LLM and the TTS, playout and interruptions. With `transcriptEnabled: false` the list has times and counts and no words.\n\n" +
    "The list shows why the agent fell silent. An interruption is `speech-started`, `pause`, `playout-ended`, `stt-interim`, " +
    "`cancel-reply`; a cough ends with `resume`. `cancel-reply` and `end` have a `reason`. From `generate-reply` to `reply-text` " +
    "the LLM is working, from `run-tool` to `tool-result` a tool is running, from `speak` to `playout-started` the TTS is " +
    "working. `playout-ended` after the last `segment-end` means that everything was said; before it, that the TTS did not " +
    "keep up.\n\n" +
    "For a call that is not over the list is almost live, and `nextCursor` is never null: an empty page means that nothing has happened since, so wait before the next request. The list of a call whose worker was lost has no `end`. A page may be shorter than `limit`: rely on `nextCursor`. Once retention has " +
    "deleted the recording or the transcript this is 404.",
  params: CallParams,
  querystring: z.strictObject(pageParameters(EVENTS_PAGE_DEFAULT, EVENTS_PAGE_MAX)),
  errors: ["not_found", "unavailable", "node_unreachable", ...LARGE_RESPONSE_ERRORS] as const,
  response: { 200: CallEventList },
};

/** Registers `GET /calls/{id}/events` in `scope`, which must require an API key. */
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

/** Such a call gets no more events. */
const ENDED_STATUSES: readonly CallStatus[] = ["ended", "expired", "failed"];
