import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { refused } from "./errors.ts";

/** Whether the service takes calls, and if not, why. */
export type NewCalls = { taken: true } | { taken: false; reason: "draining" | "unavailable" };

const HEALTH = {
  operationId: "getHealth",
  tags: ["service"],
  summary: "Whether the process lives",
  description: "Speaks for the answering process alone. For whoever restarts processes.",
  security: [],
  response: { 200: z.object({ status: z.literal("ok") }).meta({ description: "It lives." }) },
};
const READINESS = {
  operationId: "getReadiness",
  tags: ["service"],
  summary: "Whether new calls are taken",
  description: "For whoever spreads requests over several services. While this says 503, `POST /calls` does too.",
  security: [],
  errors: ["draining", "unavailable"] as const,
  response: { 200: z.object({ status: z.literal("ready") }).meta({ description: "New calls are taken." }) },
};

/** `/healthz` speaks for this process alone; `/readyz` says whether new calls are taken. Neither asks for a key. */
export function healthRoutes(scope: FastifyInstance, newCalls: () => NewCalls): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  app.get("/healthz", { schema: HEALTH }, async () => ({ status: "ok" as const }));
  app.get("/readyz", { schema: READINESS }, async () => {
    const state = newCalls();
    if (!state.taken) throw refused(state.reason);
    return { status: "ready" as const };
  });
}
