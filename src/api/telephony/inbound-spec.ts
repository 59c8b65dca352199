import { z } from "zod";
import { type AgentId, asAgentId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { ControlMetrics } from "../../core/metrics/control-metrics.ts";
import type { Account, AccountStore } from "../../store/accounts/account-store.ts";
import type { AgentStore } from "../../store/agent-store.ts";
import type { PhoneNumber } from "../../store/telephony/phone-number-store.ts";
import type { InboundWebhookClient } from "../../telephony/inbound-webhook-client.ts";
import type { InboundAnswer, InboundSpec, IncomingNotice } from "../../telephony/webhooks.ts";
import { agentSpecOf } from "../agents/call.ts";
import { AgentCallBody } from "../agents/schemas.ts";
import type { CallFacts } from "../agents/variables.ts";
import { type CallSpecDeps, offerTo } from "../calls/spec.ts";
import { ApiError } from "../http/errors.ts";
import { refusalWords } from "../phone-numbers/schemas.ts";

export interface InboundSpecDeps extends CallSpecDeps {
  agents: Pick<AgentStore, "get">;
  accounts: Pick<AccountStore, "get">;
  inboundWebhookClient: Pick<InboundWebhookClient, "ask">;
  metrics: Pick<ControlMetrics, "inboundWebhookAsked">;
  log: Logger;
}

/** What an inbound webhook may answer for a call: as `POST /agents/{id}/calls`, and another agent. */
const CallAnswer = AgentCallBody.unwrap()
  .unwrap()
  .pick({ variables: true, overrides: true, metadata: true })
  .extend({ agentId: z.string().optional() });
type CallAnswer = z.input<typeof CallAnswer>;
const RefusalAnswer = z.strictObject({ refuse: z.strictObject({ text: refusalWords.optional() }) });

/** What variables of the agent may be named after. Of headers with one name in letters and digits the first counts. */
function factsOf({ from, to, carrierCallId, headers }: IncomingNotice): CallFacts {
  const ofHeaders = Object.entries(headers).map(([name, value]) => [variableOf(name), value] as const);
  return { ...Object.fromEntries(ofHeaders.reverse()), from, to, carrierCallId };
}

const variableOf = (header: string): string => `header_${header.toLowerCase().replace(/[^a-z0-9]/g, "_")}`;

interface IncomingCall {
  account: Account;
  number: PhoneNumber;
  notice: IncomingNotice;
}

/**
 * The configuration of inbound calls: what the webhook of their number answers, or the live version of the agent that the number has,
 * where there is no usable answer.
 */
export const inboundSpecOf =
  (deps: InboundSpecDeps): InboundSpec =>
  async (number, notice) => {
    const { id: phoneNumberId, accountId, agentId } = number;
    const account = await deps.accounts.get(accountId);
    if (account === undefined) return undefined;
    const call = { account, number, notice };
    const asked = number.inboundWebhookUrl === undefined ? undefined : await askedAnswer(deps, call);
    if (asked !== undefined) return asked;
    try {
      return await answerOf(deps, call, {});
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      deps.log.warn({ phoneNumberId, accountId, agentId, code: error.code }, "agent of a number cannot take calls");
      return undefined;
    }
  };

/** Undefined where the webhook of the number gives no usable answer. */
async function askedAnswer(deps: InboundSpecDeps, call: IncomingCall): Promise<InboundAnswer | undefined> {
  const { number, notice } = call;
  const unusable = (outcome: "failed" | "invalid", reason: string): undefined => {
    const { id: phoneNumberId, accountId } = number;
    const { carrierCallId } = notice;
    deps.metrics.inboundWebhookAsked(outcome);
    deps.log.warn(
      { phoneNumberId, accountId, carrierCallId, reason },
      "inbound webhook gave no usable answer: the saved agent answers",
    );
  };
  const asked = await deps.inboundWebhookClient.ask(number, notice);
  if (asked.kind === "failed") return unusable("failed", asked.reason);
  const { body } = asked;
  if (isObject(body) && "refuse" in body) {
    const refusal = RefusalAnswer.safeParse(body);
    if (!refusal.success) return unusable("invalid", "refuse");
    deps.metrics.inboundWebhookAsked("refused");
    return refusal.data;
  }
  const given = CallAnswer.safeParse(body);
  if (!given.success) return unusable("invalid", "the schema");
  try {
    const answer = await answerOf(deps, call, body as CallAnswer);
    if (answer === undefined) return unusable("invalid", "the agent");
    deps.metrics.inboundWebhookAsked("answered");
    return answer;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return unusable("invalid", error.code);
  }
}

/** Undefined where there is no such agent. Throws what `agentSpecOf` throws. */
async function answerOf(
  deps: InboundSpecDeps,
  { account, number, notice }: IncomingCall,
  { agentId, ...body }: CallAnswer,
): Promise<InboundAnswer | undefined> {
  const { accountId } = number;
  const id: AgentId | undefined = agentId === undefined ? number.agentId : asAgentId(agentId);
  const agent = id && (await deps.agents.get(accountId, id));
  if (agent === undefined) return undefined;
  const { spec, variables } = await agentSpecOf(
    { definition: agent, accountId, body, found: [], facts: factsOf(notice) },
    offerTo(deps, account),
  );
  return { spec, agent: { id: agent.id, version: agent.version, variables } };
}
