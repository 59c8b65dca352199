import type { Logger } from "../../core/log/logger.ts";
import type { AccountStore } from "../../store/account-store.ts";
import type { AgentStore } from "../../store/agent-store.ts";
import type { InboundSpec } from "../../telephony/webhooks.ts";
import { agentSpecOf } from "../agents/call.ts";
import { type CallSpecDeps, offerTo } from "../calls/spec.ts";
import { ApiError } from "../http/errors.ts";

export interface InboundSpecDeps extends CallSpecDeps {
  agents: Pick<AgentStore, "get">;
  accounts: Pick<AccountStore, "get">;
  log: Logger;
}

/** The configuration of inbound calls: the live version of the agent that their number has. */
export const inboundSpecOf =
  (deps: InboundSpecDeps): InboundSpec =>
  async ({ id, accountId, agentId }) => {
    const account = await deps.accounts.get(accountId);
    const agent = agentId && (await deps.agents.get(accountId, agentId));
    if (account === undefined || agent === undefined) return undefined;
    try {
      const { spec, variables } = await agentSpecOf(
        { definition: agent, accountId, body: {}, found: [] },
        offerTo(deps, account),
      );
      return { spec, agent: { id: agent.id, version: agent.version, variables } };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      deps.log.warn({ phoneNumberId: id, accountId, agentId, code: error.code }, "agent of a number cannot take calls");
      return undefined;
    }
  };
