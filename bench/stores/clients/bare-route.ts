import type { AddressInfo } from "node:net";
import Fastify from "fastify";
import { serve } from "../../rig/child-process.ts";

// What a request costs that does nothing: a route that parses the body and answers with as much as `POST /calls` does.

export type BareRouteQuestions = { address: { ask: undefined; answer: string } };

const ANSWER = {
  id: "call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
  websocketUrl: `ws://127.0.0.1:8081/stream/${"x".repeat(64)}`,
  status: "created",
  connectionType: "carrier_a",
  createdAt: "2026-11-21T08:00:00.000Z",
};
const app = Fastify();
app.post("/api/v1/calls", async (_, reply) => {
  reply.code(201);
  return ANSWER;
});
await app.listen({ host: "127.0.0.1", port: 0 });

serve<BareRouteQuestions>({
  address: () => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
});
