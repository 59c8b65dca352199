import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { WAVEFORM_PEAK_MAX, type Waveform } from "../../../core/calls/waveform.ts";
import { unavailable } from "../../../core/errors.ts";
import type { CallId } from "../../../core/ids.ts";
import { WAVEFORM_BUCKETS_DEFAULT, WAVEFORM_BUCKETS_MAX } from "../../../core/limits/control-api/api.ts";
import { WAVEFORM_BUCKET_MS } from "../../../core/limits/storage/storage.ts";
import type { Logger } from "../../../core/log/logger.ts";
import type { CallStore } from "../../../store/calls/call-store.ts";
import { notFound } from "../../http/errors.ts";
import { wholeNumber } from "../../http/requests/fields.ts";
import { integerOf } from "../../http/requests/query.ts";
import {
  LARGE_RESPONSE_ERRORS,
  type LargeResponsesDeps,
  largeResponseHooks,
} from "../../http/responses/large-response-hooks.ts";
import { CallParams } from "../schemas/response-schemas.ts";
import { isResourceShortage, isTemporary } from "./recording-file.ts";

export interface WaveformRoutesDeps extends LargeResponsesDeps {
  calls: Pick<CallStore, "get">;
  /** The waveform of a call's recording in at most so many buckets; rejects where its files cannot be read. */
  readWaveform: (callId: CallId, buckets: number) => Promise<Waveform>;
  log: Logger;
}

const peaks = (whose: string) =>
  z.array(z.int().min(0).max(WAVEFORM_PEAK_MAX)).meta({
    description: `The largest amplitude of ${whose} in each bucket, 0 to ${WAVEFORM_PEAK_MAX}.`,
  });

const WaveformItem = z
  .object({
    bucketMs: z.number().meta({ description: "The length of a bucket in milliseconds, of all of them alike." }),
    caller: peaks("the caller"),
    agent: peaks("the agent"),
  })
  .meta({
    id: "Waveform",
    description: "How loud both sides of a recording are over its time.",
    examples: [{ bucketMs: 500, caller: [0, 0, 9_104, 12_870, 310], agent: [8_212, 15_022, 204, 0, 7_790] }],
  });

const GET = {
  operationId: "getWaveform",
  scope: "read" as const,
  tags: ["calls"],
  summary: "The waveform of a call's recording",
  description:
    `What a page draws of a recording without loading it. There are as many buckets as were asked for, or fewer where the recording has fewer than one for every ${WAVEFORM_BUCKET_MS} ms. ` +
    "It is there, and 404, as the recording is; like it, it never changes. The first answer for a recording of a version before this operation takes longer: the waveform is made then.",
  params: CallParams,
  querystring: z.strictObject({
    buckets: z.preprocess(
      integerOf,
      wholeNumber(1, WAVEFORM_BUCKETS_MAX)
        .default(WAVEFORM_BUCKETS_DEFAULT)
        .meta({ description: "How many buckets to divide the recording into.", examples: [1_600] }),
    ),
  }),
  errors: ["not_found", "unavailable", ...LARGE_RESPONSE_ERRORS] as const,
  response: { 200: WaveformItem },
};

/** Registers `GET /calls/{id}/waveform` in `scope`, which must require an API key. */
export function waveformRoutes(scope: FastifyInstance, deps: WaveformRoutesDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  app.get("/calls/:id/waveform", { schema: GET, ...largeResponseHooks(deps.largeResponses) }, async (request) => {
    const { accountId, params, query } = request;
    const call = await deps.calls.get(accountId, params.id);
    if (call === undefined) throw notFound("call");
    if (call.recording === undefined) throw notFound("recording");
    try {
      const { bucketMs, caller, agent } = await deps.readWaveform(call.id, query.buckets);
      return { bucketMs, caller: [...caller], agent: [...agent] };
    } catch (error) {
      if (isTemporary(error)) throw unavailable("the waveform cannot be read at present", error);
      deps.log.error({ callId: call.id, err: error }, "waveform could not be read");
      throw isResourceShortage(error)
        ? unavailable("the process is out of memory or file descriptors", error)
        : notFound("waveform: the files of the recording cannot be read");
    }
  });
}
