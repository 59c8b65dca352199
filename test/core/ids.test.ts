import { expect, it } from "vitest";
import {
  type AccountId,
  type AgentId,
  type ApiKeyId,
  asAccountId,
  asAgentId,
  asApiKeyId,
  asCallId,
  asCarrierCallId,
  asToolCallId,
  asTurnId,
  asWorkerId,
  type CallId,
  type CarrierCallId,
  type ToolCallId,
  type TurnId,
  type WorkerId,
} from "../../src/core/ids.ts";
import { newId } from "../../src/core/new-id.ts";

it("makes ids with the prefix of their kind that sort by creation time", () => {
  const ids = Array.from({ length: 100 }, () => newId("call"));
  expect(ids.every((id) => /^call_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(
    true,
  );
  expect([...ids].sort()).toEqual(ids);
  expect([newId("account"), newId("agent"), newId("key"), newId("req")].map((id) => id.split("_")[0])).toEqual([
    "account",
    "agent",
    "key",
    "req",
  ]);
});

it("writes an id as its text", () => {
  expect(JSON.stringify({ callId: asCallId("call_1") })).toBe('{"callId":"call_1"}');
  const text: string = asAccountId("account_1");
  expect(text).toBe("account_1");
});

// `tsc` is the test of what follows: it fails for each line below `@ts-expect-error` that compiles.
const call: CallId = asCallId("call_1");
const account: AccountId = asAccountId("account_1");
const agent: AgentId = asAgentId("agent_1");
const apiKey: ApiKeyId = asApiKeyId("key_1");
const worker: WorkerId = asWorkerId("worker-1");
const toolCall: ToolCallId = asToolCallId("1.1");
const carrierCall: CarrierCallId = asCarrierCallId("CA1");
const turn: TurnId = asTurnId(1);

it("does not compile an id in the place of another kind, nor a string in the place of an id", () => {
  const calls: CallId[] = [
    // @ts-expect-error
    account,
    // @ts-expect-error
    agent,
    // @ts-expect-error
    apiKey,
    // @ts-expect-error
    "call_1",
    // @ts-expect-error
    newId("account"),
    call,
    newId("call"),
  ];
  const accounts: AccountId[] = [
    // @ts-expect-error
    call,
    // @ts-expect-error
    agent,
    // @ts-expect-error
    apiKey,
    // @ts-expect-error
    "account_1",
    account,
  ];
  const agents: AgentId[] = [
    // @ts-expect-error
    call,
    // @ts-expect-error
    apiKey,
    // @ts-expect-error
    "agent_1",
    agent,
  ];
  const apiKeys: ApiKeyId[] = [
    // @ts-expect-error
    call,
    // @ts-expect-error
    account,
    // @ts-expect-error
    "key_1",
    apiKey,
  ];
  expect([calls.length, accounts, agents.length, apiKeys.length]).toEqual([
    7,
    ["call_1", "agent_1", "key_1", "account_1", "account_1"],
    4,
    4,
  ]);
});

it("does not compile ids of workers, tool calls, carriers and turns in the place of each other", () => {
  const workers: WorkerId[] = [
    // @ts-expect-error
    call,
    // @ts-expect-error
    "worker-1",
    worker,
  ];
  const toolCalls: ToolCallId[] = [
    // @ts-expect-error
    call,
    // @ts-expect-error
    "1.1",
    toolCall,
  ];
  const carrierCalls: CarrierCallId[] = [
    // @ts-expect-error
    call,
    // @ts-expect-error
    "CA1",
    carrierCall,
  ];
  const turns: TurnId[] = [
    // @ts-expect-error
    toolCall,
    // @ts-expect-error
    1,
    // @ts-expect-error
    turn + 1,
    turn,
  ];
  expect([workers[0], toolCalls[1], carrierCalls, turns]).toEqual([
    "call_1",
    "1.1",
    ["call_1", "CA1", "CA1"],
    ["1.1", 1, 2, 1],
  ]);
});

it("does not compile two ids in the wrong order, nor their comparison", () => {
  const find = (ofAccount: AccountId, ofCall: CallId): string => `${ofAccount} ${ofCall}`;
  // @ts-expect-error
  expect(find(call, account)).toBe("call_1 account_1");
  // @ts-expect-error
  expect(call === account).toBe(false);
});
