import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { NoQuery } from "../http/requests/query.ts";
import { type Status, StatusItem } from "./schemas.ts";

export interface StatusRoutesDeps {
  /** Reads the state of the service; cheap enough for every request. */
  readStatus: () => Promise<Status>;
}

const READ = {
  operationId: "getStatus",
  scope: "admin",
  tags: ["status"],
  summary: "Read the state of the service",
  description:
    "The workers, the providers with their circuit breakers, the jobs, the disk and the database of the whole service, and " +
    "what its configuration has and lacks. It shows nothing of an account.",
  querystring: NoQuery,
  response: { 200: StatusItem },
} as const;

/** Registers `GET /status` in `fastify`, which must require an API key. */
export function statusRoutes(fastify: FastifyInstance, { readStatus }: StatusRoutesDeps): void {
  const app = fastify.withTypeProvider<ZodTypeProvider>();
  app.get("/status", { schema: READ }, () => readStatus());
}
