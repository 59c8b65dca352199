import type { FastifyInstance } from "fastify";
import { refused } from "./errors.ts";

/** Whether the service takes calls, and if not, why. */
export type NewCalls = { taken: true } | { taken: false; reason: "draining" | "overloaded" | "unavailable" };

/** `/healthz` speaks for this process alone; `/readyz` says whether new calls are taken. Neither asks for a key. */
export function healthRoutes(app: FastifyInstance, newCalls: () => NewCalls): void {
  app.get("/healthz", async () => ({ status: "ok" }));
  app.get("/readyz", async () => {
    const state = newCalls();
    if (!state.taken) throw refused(state.reason);
    return { status: "ready" };
  });
}
