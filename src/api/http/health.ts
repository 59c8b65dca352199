import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { STREAM_CODECS } from "../../core/calls/spec.ts";
import { newId } from "../../core/ids.ts";
import { callsRefused, REFUSAL_CODES, type Refusal } from "./errors.ts";

/** Whether the service accepts calls, and if not, why. */
export type CallAcceptance = { accepted: true } | { accepted: false; reason: Refusal };

export interface HealthDeps {
  callAcceptance: () => CallAcceptance;
  /** What an operator should know about the configured providers, one sentence each. */
  providerNotes: readonly string[];
}

const HEALTH = {
  operationId: "getHealth",
  tags: ["service"],
  summary: "Liveness of the process",
  description: "Covers only the answering process. For liveness probes.",
  security: [],
  response: { 200: z.object({ status: z.literal("ok") }).meta({ description: "It lives." }) },
};
const READINESS = {
  operationId: "getReadiness",
  tags: ["service"],
  summary: "Readiness for new calls",
  description:
    "For load balancers of new calls: while this is 503, `POST /calls` is too. An `overloaded` service answers all other requests, and created calls can still connect to its media port, so keep routing media traffic to it.",
  security: [],
  errors: REFUSAL_CODES,
  response: {
    200: z
      .object({
        status: z.literal("ready"),
        codecs: z
          .array(z.enum(STREAM_CODECS))
          .readonly()
          .meta({ description: "Codecs and rates of calls with connectionType `websocket`." }),
        notes: z.array(z.string()).meta({
          description: "What the configuration lacks for real calls, and which variable to set.",
        }),
      })
      .meta({
        description: "New calls are accepted.",
        examples: [
          { status: "ready", codecs: [...STREAM_CODECS], notes: [] },
          {
            status: "ready",
            codecs: [...STREAM_CODECS],
            notes: [
              "no STT is configured, so callers are not understood: set STT, for example STT=deepgram with DEEPGRAM_API_KEY",
            ],
          },
        ],
      }),
  },
};

const ALIVE = { status: "ok" as const };
const readyBody = (providerNotes: readonly string[]) => ({
  status: "ready" as const,
  codecs: STREAM_CODECS,
  notes: [...providerNotes],
});

/** `/healthz` covers only this process; `/readyz` says whether new calls are accepted. Neither requires an API key. */
export function healthRoutes(scope: FastifyInstance, { callAcceptance, providerNotes }: HealthDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  app.get("/healthz", { schema: HEALTH }, async () => ALIVE);
  app.get("/readyz", { schema: READINESS }, async () => {
    const state = callAcceptance();
    if (!state.accepted) throw callsRefused(state.reason);
    return readyBody(providerNotes);
  });
}

/** The responses of the same paths for a server on another port: status, extra headers, and body. */
export const healthResponse = () => ({ status: 200, headers: {}, body: ALIVE });

/** As `healthResponse`, for `/readyz`: 200 while new calls are accepted, otherwise the error of `POST /calls`. */
export function readinessResponse({ callAcceptance, providerNotes }: HealthDeps) {
  const state = callAcceptance();
  if (state.accepted) return { status: 200, headers: {}, body: readyBody(providerNotes) };
  const error = callsRefused(state.reason);
  return { status: error.status, headers: error.headers, body: error.body(newId("req")) };
}
