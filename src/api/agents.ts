import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { Agent, AgentStore } from "../store/agent-store.ts";

const AgentItem = z.object({
  id: z.string(),
  name: z.string(),
  basePrompt: z.string(),
  context: z.string(),
  customInstructions: z.string(),
  languageId: z.string(),
  voiceId: z.string(),
  callSettings: z.record(z.string(), z.unknown()),
  toolIds: z.array(z.string()).readonly(),
  corpusIds: z.array(z.string()).readonly(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
const AgentList = z.object({ data: z.array(AgentItem), nextCursor: z.string().nullable() });

export function agentRoutes(scope: FastifyInstance, agents: Pick<AgentStore, "list">): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  app.get("/agents", { schema: { response: { 200: AgentList } } }, async (request) => {
    const found = await agents.list(request.accountId);
    return { data: found.map(itemOf), nextCursor: null };
  });
}

const itemOf = ({ accountId: _, createdAtMs, updatedAtMs, ...agent }: Agent): z.output<typeof AgentItem> => ({
  ...agent,
  createdAt: new Date(createdAtMs).toISOString(),
  updatedAt: new Date(updatedAtMs).toISOString(),
});
