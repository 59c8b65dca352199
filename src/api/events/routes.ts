import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { Caller } from "../http/access/auth.ts";
import { ApiError } from "../http/errors.ts";
import { oneOf } from "../http/requests/fields.ts";
import { onResponseEnd } from "../http/responses/response-end.ts";
import type { EventFeed } from "./feed.ts";

/** The media type of a stream of events. */
export const EVENT_STREAM_TYPE = "text/event-stream; charset=utf-8";

export interface EventStreamRoutesDeps {
  eventFeed: Pick<EventFeed, "open">;
  /** Looks up again who sent a request. Throws ApiError `unauthorized` when the API key or the session has ended. */
  authenticate: (request: FastifyRequest) => Promise<Pick<Caller, "scopes">>;
}

const numberRule = { error: "must be the id of an event of this stream" };

const Query = z.strictObject({
  follow: oneOf(["true", "false"])
    .default("true")
    .meta({ description: "`false`: the response ends after the events that there are.", examples: ["false"] }),
  activity: oneOf(["true", "false"])
    .default("false")
    .meta({
      description:
        "`true`: also `calls.activity`, with what live calls do: all of them at first, and then once a second those that have changed. " +
        "And `transcriptions.activity`, with how far transcriptions of files are, at most once a second. They have no `id` and are not repeated.",
    }),
});
const Resumption = z.looseObject({
  "last-event-id": z
    .string(numberRule)
    .regex(/^\d{1,15}$/, numberRule)
    .optional()
    .meta({
      description:
        "The `id` of the last event that the client has: those after it follow. Browsers and libraries send it by themselves when " +
        "they connect again. Without it the stream begins with what happens from now on.",
      examples: ["17"],
    }),
});

const scope = "read";

const STREAM = {
  operationId: "streamEvents",
  scope,
  tags: ["events"],
  summary: "Follow the account's events",
  description:
    "Server-sent events: each has an `id`, the type of the event, and as data `{id, type, timestamp, data}` as a webhook's message, " +
    "with the same `id`. `call.ended` has the call without its transcript, and an event of a transcription has that without its text. Events are kept for a day after a stream was last " +
    "open; `events.lost` says that some are missing. A client that does not read for 10 s is disconnected, and can resume.",
  querystring: Query,
  headers: Resumption,
  response: {
    200: {
      description: "Events, in order, until the client disconnects.",
      content: { "text/event-stream": { schema: z.unknown() } },
    },
  },
  responseHeaders: { 200: ["X-Accel-Buffering"] },
  errors: ["overloaded"],
} as const;

/** Registers `GET /events` in `fastify`, which must require a caller. */
export function eventStreamRoutes(fastify: FastifyInstance, { eventFeed, authenticate }: EventStreamRoutesDeps): void {
  const app = fastify.withTypeProvider<ZodTypeProvider>();

  app.get("/events", { schema: STREAM }, async (request, reply) => {
    const { accountId, headers, query, method } = request;
    const given = headers["last-event-id"];
    const stream = await eventFeed.open({
      accountId,
      after: given === undefined ? undefined : Number(given),
      follows: query.follow === "true" && method !== "HEAD",
      wantsActivity: query.activity === "true" && query.follow === "true" && method !== "HEAD",
      isAllowed: () => isAllowed(request, authenticate),
    });
    onResponseEnd(request.raw, reply.raw, () => stream.end("client"));
    // nginx would collect the events until they fill a buffer.
    return reply.type(EVENT_STREAM_TYPE).header("x-accel-buffering", "no").send(stream.body);
  });
}

async function isAllowed(
  request: FastifyRequest,
  authenticate: EventStreamRoutesDeps["authenticate"],
): Promise<boolean> {
  try {
    return (await authenticate(request)).scopes.includes(scope);
  } catch (error) {
    if (error instanceof ApiError && error.code === "unauthorized") return false;
    throw error;
  }
}
