import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ReplayCheck } from "../../core/calls/replay-check.ts";
import { isRedacted } from "../../core/calls/spec.ts";
import { codeOf, unavailable } from "../../core/errors.ts";
import type { CallId } from "../../core/ids.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { CallRecord, CallStore } from "../../store/calls/call-store.ts";
import { ApiError, notFound } from "../http/errors.ts";
import { NoQuery } from "../http/requests/query.ts";
import {
  LARGE_RESPONSE_ERRORS,
  type LargeResponsesDeps,
  largeResponseHooks,
} from "../http/responses/large-response-hooks.ts";
import { isTemporary } from "./recordings/recording-file.ts";
import { CallParams } from "./schemas/response-schemas.ts";

export interface ReplayCheckDeps extends LargeResponsesDeps {
  calls: Pick<CallStore, "get">;
  /** Replays the journal of a call. Rejects with `journal_unreadable`, and with `unavailable` when that takes too long. */
  checkReplay: (callId: CallId) => Promise<ReplayCheck>;
  log: Logger;
}

const time = (description: string) => z.number().meta({ description: `${description}; ms since the call began.` });
const kind = (description: string) => z.string().nullable().meta({ description });

const ReplayCheckItem = z
  .object({
    identical: z.boolean().meta({
      description: "The same inputs gave every command that the call gave, and no other.",
    }),
    events: z.int().meta({ description: "Inputs that were replayed, frames of audio included." }),
    commands: z.int().meta({ description: "Commands that were equal." }),
    comparedUntilMs: time("The last input that was replayed"),
    truncated: z.boolean().meta({
      description: "The journal lacks the call's end: the worker of the call died, or its disk was full.",
    }),
    pausedAtMs: time("The recording was paused: what follows has no words and was not compared").nullable(),
    writtenBy: z.string().meta({ description: "The version of the software that carried the call." }),
    replayedBy: z.string().meta({ description: "The version that has replayed it." }),
    difference: z
      .object({
        atMs: time("Where the two differ first"),
        after: kind("The kind of the input before; null where there is none."),
        journaled: kind("The kind of the command that the call gave; null where it gave none."),
        replayed: kind("The kind of the command that the replay gave; null where it gave none."),
      })
      .nullable()
      .meta({ description: "Null where `identical` is true." }),
  })
  .meta({
    id: "ReplayCheck",
    description: "What the replay of a call's journal found.",
    examples: [
      {
        identical: true,
        events: 4_182,
        commands: 96,
        comparedUntilMs: 41_220,
        truncated: false,
        pausedAtMs: null,
        writtenBy: "trunkline/0.1.0",
        replayedBy: "trunkline/0.1.0",
        difference: null,
      },
    ],
  });

const GET = {
  operationId: "checkReplay",
  scope: "read" as const,
  tags: ["calls"],
  summary: "Replay a call, and compare",
  description:
    "Runs the call's state machine again over the inputs in its journal, and compares what it decides with what it decided in the call. Where the two are identical, the events of the call explain it completely. " +
    "A call that an earlier version carried may differ: versions decide differently. It takes a few seconds for a long call. 409 `conflict` for a call that is not over, or whose journal lacks the words because of `transcriptEnabled: false` or `redact`; 404 where there is no journal, as once retention has deleted the recording or the transcript.",
  params: CallParams,
  querystring: NoQuery,
  errors: ["not_found", "conflict", "unavailable", ...LARGE_RESPONSE_ERRORS] as const,
  response: { 200: ReplayCheckItem },
};

/** Registers `GET /calls/{id}/replay-check` in `scope`, which must require an API key. */
export function replayCheckRoutes(scope: FastifyInstance, deps: ReplayCheckDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  app.get("/calls/:id/replay-check", { schema: GET, ...largeResponseHooks(deps.largeResponses) }, async (request) => {
    const call = await deps.calls.get(request.accountId, request.params.id);
    if (call === undefined) throw notFound("call");
    refuseUnreplayable(call);
    try {
      const { pausedAtMs, difference, ...check } = await deps.checkReplay(call.id);
      return { ...check, pausedAtMs: pausedAtMs ?? null, difference: difference ? differenceOf(difference) : null };
    } catch (error) {
      if (isTemporary(error)) throw unavailable("the call cannot be replayed at present: try again later", error);
      if (!["journal_unreadable", "journal_unsupported"].includes(codeOf(error))) throw error;
      deps.log.warn({ callId: call.id, err: error }, "journal could not be replayed");
      throw notFound("journal: the call has none, or it cannot be read");
    }
  });
}

const differenceOf = ({ atMs, after, journaled, replayed }: NonNullable<ReplayCheck["difference"]>) => ({
  atMs,
  after: after ?? null,
  journaled: journaled ?? null,
  replayed: replayed ?? null,
});

/** Throws ApiError for a call whose journal is known to be incomplete or gone. */
function refuseUnreplayable(call: CallRecord): void {
  if (call.endedAtMs === undefined)
    throw new ApiError("conflict", "the call is not over: it is replayed after its end");
  if (call.recordingDeletedAtMs !== undefined || call.transcriptDeletedAtMs !== undefined) {
    throw notFound("journal: it was deleted with the recording or the transcript when their retention ended");
  }
  if (!call.settings.transcriptEnabled || isRedacted(call.settings)) {
    throw new ApiError(
      "conflict",
      "the words of the call are not in its journal, because of transcriptEnabled or redact: it cannot be replayed without them",
    );
  }
}
