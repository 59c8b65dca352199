import type { FastifyReply, FastifyRequest } from "fastify";
import type { ActiveResponse, LargeResponses } from "./large-responses.ts";
import { onResponseEnd } from "./response-end.ts";

/** Dependencies of the routes with large responses. */
export interface LargeResponsesDeps {
  largeResponses: LargeResponses;
}

/** Error codes of large responses, in addition to the route's own. */
export const LARGE_RESPONSE_ERRORS = ["rate_limited", "overloaded"] as const;

/** Hooks for routes with large responses; they run after the hook that sets the account. */
export function largeResponseHooks(responses: LargeResponses) {
  const active = new WeakMap<FastifyRequest, ActiveResponse>();
  return {
    preHandler: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const { socket } = request.raw;
      const response = await responses.begin(request.accountId, () => socket.destroy());
      active.set(request, response);
      onResponseEnd(request.raw, reply.raw, () => response.end());
      // The client disconnected while its request waited: no response is created.
      if (socket.destroyed) reply.hijack();
    },
    onSend: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const response = active.get(request);
      if (response === undefined) return;
      response.written();
      reply.raw.on("drain", () => response.written());
    },
  };
}
