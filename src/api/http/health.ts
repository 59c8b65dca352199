import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { STREAM_CODECS } from "../../core/calls/spec.ts";
import { newId } from "../../core/ids.ts";
import { callsRefused, REFUSAL_CODES, type Refusal } from "./errors.ts";

/** Whether the service takes calls, and if not, why. */
export type CallAcceptance = { accepted: true } | { accepted: false; reason: Refusal };

export interface HealthDeps {
  callAcceptance: () => CallAcceptance;
  /** What an operator should know about the configured providers; a sentence each. */
  providerNotes: readonly string[];
}

const HEALTH = {
  operationId: "getHealth",
  tags: ["service"],
  summary: "Liveness of the process",
  description: "Covers the answering process alone. For liveness probes.",
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
          .meta({ description: "What calls of connectionType `websocket` can have." }),
        notes: z.array(z.string()).meta({
          description: "What the configuration lacks for calls with people, and which variable to set.",
        }),
      })
      .meta({
        description: "New calls are taken.",
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

/** `/healthz` speaks for this process alone; `/readyz` says whether new calls are taken. Neither asks for a key. */
export function healthRoutes(scope: FastifyInstance, { callAcceptance, providerNotes }: HealthDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  app.get("/healthz", { schema: HEALTH }, async () => ALIVE);
  app.get("/readyz", { schema: READINESS }, async () => {
    const state = callAcceptance();
    if (!state.accepted) throw callsRefused(state.reason);
    return readyBody(providerNotes);
  });
}

/** The answers of the same paths for a server of another port: status, headers beside the content type, and body. */
export const healthResponse = () => ({ status: 200, headers: {}, body: ALIVE });

export function readinessResponse({ callAcceptance, providerNotes }: HealthDeps) {
  const state = callAcceptance();
  if (state.accepted) return { status: 200, headers: {}, body: readyBody(providerNotes) };
  const error = callsRefused(state.reason);
  return { status: error.status, headers: error.headers, body: error.body(newId("req")) };
}
