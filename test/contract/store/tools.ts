import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import { addMs } from "../../../src/core/clocks.ts";
import { type AccountId, asToolCallId, asToolId, type CallId, type DeliveryId } from "../../../src/core/ids.ts";
import {
  TOOL_FAILED_EVENTS_PER_CALL_MAX,
  TOOL_RUNS_KEPT_MAX,
  TOOLS_PER_ACCOUNT_MAX,
} from "../../../src/core/limits/agents/tools.ts";
import type { McpListing } from "../../../src/core/tools/mcp/lister.ts";
import type { Act } from "../../../src/store/accounts/audit-store.ts";
import type { CallToolRun } from "../../../src/store/calls/call-store.ts";
import { DELIVERY_JOB, TOOL_LISTING_JOB } from "../../../src/store/job-kinds.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { SavedTool, SavedToolDefinition } from "../../../src/store/tool-store.ts";
import { AGENT, createCall, endAt, SPEC } from "../../support/calls/stored-calls.ts";
import { present } from "../../support/present.ts";
import { SEALING_KEYS } from "../../support/stores/keys.ts";
import { redeemedBy } from "../../support/tokens.ts";
import type { StoresUnderTest } from "./calls.ts";

const ACT: Act = { actor: { kind: "operator", id: "root" } };
const HTTP: SavedToolDefinition = {
  type: "http",
  name: "order_status",
  description: "Tells how far an order is. \u0000 👋",
  parameters: { type: "object", properties: { order: { type: "string" } } },
  http: { method: "GET", url: "https://api.example.com/orders/{order}", headers: { Accept: "text/plain" } },
  timeoutMs: 5_000,
  readOnly: true,
  idempotent: false,
  whileRunning: "I am looking.",
};
const MCP: SavedToolDefinition = {
  ...{ type: "mcp", name: "shop", description: "", timeoutMs: 10_000, readOnly: false, idempotent: false },
  mcp: { url: "https://mcp.example.com/mcp", headers: {}, allowedTools: ["search"] },
};

/** What every ToolStore must do, and every CallStore with the runs of tools. */
export function toolStoreContract(name: string, make: () => StoresUnderTest): void {
  describe(`ToolStore contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    let accountId: AccountId;
    let otherAccountId: AccountId;
    beforeEach(async () => {
      under = make();
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
      otherAccountId = await stores.accounts.ensure("second");
    });
    afterEach(() => stores.close());

    const listing = (changes: Partial<McpListing> = {}): McpListing => ({
      tools: [{ name: "search", description: "Searches.", parameters: { type: "object" } }],
      omitted: [{ name: "hang_up", reason: "built_in" }],
      listedAtMs: under.clock.epochMs(),
      ...changes,
    });

    test("D10: an account has no more than the limit, also where several are created at the same time", async () => {
      const createdOf = async (count: number): Promise<readonly SavedTool[]> => {
        const tools = Array.from({ length: count }, () => stores.tools.create(accountId, HTTP));
        return (await Promise.all(tools)).filter((tool) => tool !== undefined);
      };
      for (let count = 0; count < TOOLS_PER_ACCOUNT_MAX - 1; count += 1) await stores.tools.create(accountId, HTTP);
      expect(await createdOf(3)).toHaveLength(1);
      expect(await createdOf(1)).toEqual([]);
      expect(await stores.tools.create(otherAccountId, HTTP)).toBeDefined();
    });

    test("a tool is stored as it was created, and only its account can read it", async () => {
      const tool = present(await stores.tools.create(accountId, HTTP));
      const nowMs = under.clock.epochMs();
      expect(tool).toEqual({
        id: expect.stringMatching(/^tool_[0-9a-f-]{36}$/),
        ...{ accountId, definition: HTTP, version: 1, createdAtMs: nowMs, updatedAtMs: nowMs },
      });
      const mcp = present(await stores.tools.create(accountId, MCP, listing()));
      expect(await stores.tools.get(accountId, tool.id)).toEqual(tool);
      expect(await stores.tools.get(accountId, mcp.id)).toEqual({ ...mcp, listing: listing() });
      expect(await stores.tools.get(otherAccountId, tool.id)).toBeUndefined();
      expect(await stores.tools.get(accountId, asToolId("tool_unknown"))).toBeUndefined();
      const many = await stores.tools.getMany(accountId, [tool.id, mcp.id, asToolId("tool_unknown")]);
      expect(many.map(({ id }) => id).sort()).toEqual([tool.id, mcp.id]);
      expect(await stores.tools.getMany(otherAccountId, [tool.id])).toEqual([]);
      expect(await stores.tools.getMany(accountId, [])).toEqual([]);
      expect([await stores.tools.count(accountId), await stores.tools.count(otherAccountId)]).toEqual([2, 0]);
    });

    test("tools are listed in pages, by type and by name", async () => {
      const first = present(await stores.tools.create(accountId, HTTP));
      const second = present(await stores.tools.create(accountId, MCP, listing()));
      const third = present(await stores.tools.create(accountId, { ...HTTP, name: "other" }));
      await stores.tools.create(otherAccountId, HTTP);
      const page = await stores.tools.list(accountId, { limit: 2 });
      expect([page.tools, page.more]).toEqual([[first, second], true]);
      const rest = await stores.tools.list(accountId, { limit: 2, afterToolId: second.id });
      expect([rest.tools, rest.more]).toEqual([[third], false]);
      expect((await stores.tools.list(accountId, { limit: 9, type: "mcp" })).tools).toEqual([second]);
      expect((await stores.tools.list(accountId, { limit: 9, name: "other" })).tools).toEqual([third]);
    });

    test("a change makes a new version, unless the tool has another one than it was made for", async () => {
      const tool = present(await stores.tools.create(accountId, HTTP));
      under.clock.advance(1_000);
      const definition = { ...HTTP, timeoutMs: 8_000 };
      const changed = await stores.tools.change(accountId, tool.id, { definition, basedOn: 1 });
      const expected = { ...tool, definition, version: 2, updatedAtMs: under.clock.epochMs() };
      expect(changed).toEqual({ kind: "changed", tool: expected });
      expect(await stores.tools.change(accountId, tool.id, { definition: HTTP, basedOn: 1 })).toEqual({
        kind: "stale",
      });
      expect(await stores.tools.change(otherAccountId, tool.id, { definition: HTTP, basedOn: 2 })).toBeUndefined();
      expect(await stores.tools.get(accountId, tool.id)).toEqual(expected);
    });

    test("the list of an MCP server is replaced, unless the tool has changed meanwhile", async () => {
      const tool = present(await stores.tools.create(accountId, MCP, listing()));
      const failedListing = listing({ failure: "its server could not be reached" });
      await stores.tools.setListing(tool, failedListing);
      expect((await stores.tools.get(accountId, tool.id))?.listing).toEqual(failedListing);
      const newer = listing({ omitted: [] });
      await stores.tools.change(accountId, tool.id, { definition: MCP, listing: newer, basedOn: 1 });
      await stores.tools.setListing(tool, failedListing);
      expect((await stores.tools.get(accountId, tool.id))?.listing).toEqual(newer);
    });

    test("a list is requested once, however often it is asked for", async () => {
      const tool = present(await stores.tools.create(accountId, MCP, listing()));
      await Promise.all([stores.tools.requestListing(tool), stores.tools.requestListing(tool)]);
      await stores.tools.requestListing(tool);
      const jobs = await stores.jobs.claim({ runnerId: "r", kinds: [TOOL_LISTING_JOB], fullLanes: [], limit: 9 });
      expect(jobs.map(({ payload }) => payload)).toEqual([{ toolId: tool.id, accountId }]);
    });

    test("a tool is deleted with its runs, unless an agent names it in its live version or its draft", async () => {
      const tool = present(await stores.tools.create(accountId, HTTP));
      const inIds = await stores.agents.create(accountId, { ...AGENT, toolIds: [tool.id] });
      const selectedTools = [{ toolId: tool.id }];
      const inSettings = await stores.agents.create(accountId, { ...AGENT, callSettings: { selectedTools } });
      const inDraft = await stores.agents.create(accountId, AGENT);
      const draft = { definition: { ...AGENT, toolIds: [tool.id] }, publish: false };
      await stores.agents.addVersion(accountId, inDraft.id, draft);
      const agents = [inIds.id, inSettings.id, inDraft.id].sort();
      expect(await stores.tools.remove(accountId, tool.id)).toEqual({ kind: "in_use", agents });
      for (const id of agents) await stores.agents.remove(accountId, id);
      await stores.tools.addTestRun(accountId, testRun(tool));
      expect(await stores.tools.remove(otherAccountId, tool.id)).toBeUndefined();
      expect(await stores.tools.remove(accountId, tool.id)).toEqual({ kind: "removed", tool });
      expect(await stores.tools.get(accountId, tool.id)).toBeUndefined();
      expect((await stores.tools.listRuns(accountId, tool.id, { limit: 9 })).runs).toEqual([]);
      expect(await stores.tools.remove(accountId, tool.id)).toBeUndefined();
    });

    test("every change stands in the audit log", async () => {
      const tool = present(await stores.tools.create(accountId, HTTP, undefined, ACT));
      await stores.tools.change(accountId, tool.id, { definition: MCP, basedOn: 1 }, ACT);
      await stores.tools.remove(accountId, tool.id, ACT);
      const { events } = await stores.audit.list(accountId, { targetKind: "tool", limit: 9 });
      expect(events.map(({ action, actor, target, details }) => ({ action, actor, target, details }))).toEqual(
        [
          ["tool.deleted", {}],
          ["tool.updated", { version: 2 }],
          ["tool.created", { type: "http" }],
        ].map(([action, details]) => ({ action, details, actor: ACT.actor, target: { kind: "tool", id: tool.id } })),
      );
    });

    const testRun = (tool: SavedTool, words = { arguments: "{}", result: "\u0000 done" }) => ({
      ...{ toolId: tool.id, name: "order_status", startedAtMs: under.clock.epochMs(), durationMs: 12.5, failed: false },
      words,
    });

    test("runs are listed newest first, by what started them and by whether they failed", async () => {
      const tool = present(await stores.tools.create(accountId, HTTP));
      const first = await stores.tools.addTestRun(accountId, testRun(tool));
      under.clock.advance(10);
      const second = await stores.tools.addTestRun(accountId, { ...testRun(tool), failed: true });
      expect(first).toEqual({ ...testRun(tool), startedAtMs: first.startedAtMs, id: first.id, source: "test" });
      const page = await stores.tools.listRuns(accountId, tool.id, { limit: 1 });
      expect([page.runs, page.more]).toEqual([[second], true]);
      const rest = await stores.tools.listRuns(accountId, tool.id, { limit: 1, beforeRunId: second.id });
      expect([rest.runs, rest.more]).toEqual([[first], false]);
      expect((await stores.tools.listRuns(accountId, tool.id, { limit: 9, failed: false })).runs).toEqual([first]);
      expect((await stores.tools.listRuns(accountId, tool.id, { limit: 9, source: "call" })).runs).toEqual([]);
      expect((await stores.tools.listRuns(otherAccountId, tool.id, { limit: 9 })).runs).toEqual([]);
    });

    test("old tests are deleted, and so are the oldest of too many runs", async () => {
      const tool = present(await stores.tools.create(accountId, HTTP));
      await stores.tools.addTestRun(accountId, testRun(tool));
      under.clock.advance(1_000);
      const kept = await stores.tools.addTestRun(accountId, testRun(tool));
      const nowMs = under.clock.epochMs();
      expect(await stores.tools.deleteOldRuns(nowMs)).toBe(1);
      expect((await stores.tools.listRuns(accountId, tool.id, { limit: 9 })).runs).toEqual([kept]);
      for (let count = 0; count < TOOL_RUNS_KEPT_MAX; count += 1)
        await stores.tools.addTestRun(accountId, testRun(tool));
      expect(await stores.tools.deleteOldRuns(nowMs)).toBe(1);
      const { runs } = await stores.tools.listRuns(accountId, tool.id, { limit: TOOL_RUNS_KEPT_MAX + 9 });
      expect([runs.length, runs.some(({ id }) => id === kept.id)]).toEqual([TOOL_RUNS_KEPT_MAX, false]);
      expect(await stores.tools.deleteOldRuns(addMs(nowMs, -1))).toBe(0);
    });

    /** A call that is over, with these runs of a saved tool and of one of its own. */
    async function endedCall(
      tool: SavedTool,
      runs: readonly CallToolRun[],
      changes: Partial<CallSpec> = {},
    ): Promise<CallId> {
      const described = { description: "d", parameters: { type: "object" }, timeoutMs: 1_000, fixedArguments: {} };
      const spec: CallSpec = {
        ...SPEC,
        tools: [
          { kind: "client", name: "order_status", toolId: tool.id, ...described },
          { kind: "client", name: "own", ...described },
        ],
        ...changes,
      };
      const { id, tokenHash } = await createCall(stores, accountId, spec);
      await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
      under.clock.advance(10_000);
      await stores.calls.finish(id, endAt(under.clock, { toolRuns: runs }));
      return id;
    }
    const run = (toolCallId: string, changes: Partial<CallToolRun> = {}): CallToolRun => ({
      ...{ toolCallId: asToolCallId(toolCallId), name: "order_status", startMs: 1_000, durationMs: 20, failed: false },
      words: { arguments: '{"order":"A"}', result: "on its way" },
      ...changes,
    });

    test("the end of a call stores the runs of its saved tools, which go with the call and lose their words before", async () => {
      const tool = present(await stores.tools.create(accountId, HTTP));
      const unfinished = { durationMs: null, failed: null, words: { arguments: "{}", result: null } };
      const startedAtMs = addMs(under.clock.epochMs(), 1_000);
      const id = await endedCall(tool, [run("1.1"), run("1.2", { name: "own" }), run("2.1", unfinished)]);
      const stored = async () => (await stores.tools.listRuns(accountId, tool.id, { limit: 9 })).runs.toReversed();
      const common = { toolId: tool.id, source: "call", callId: id, name: "order_status", startedAtMs };
      expect(await stored()).toEqual([
        { ...common, id: expect.any(String), durationMs: 20, failed: false, words: run("1.1").words },
        { ...common, id: expect.any(String), ...unfinished },
      ]);
      await stores.retention.deleteTranscript(id);
      expect((await stored()).map(({ words }) => words)).toEqual([undefined, undefined]);
      await stores.calls.remove(accountId, id);
      expect(await stored()).toEqual([]);
    });

    test("a call that stores no words stores none of its tools", async () => {
      const tool = present(await stores.tools.create(accountId, HTTP));
      await endedCall(tool, [run("1.1")], { transcriptEnabled: false, recordingEnabled: false });
      const { runs } = await stores.tools.listRuns(accountId, tool.id, { limit: 9 });
      expect(runs.map(({ words, failed }) => [words, failed])).toEqual([[undefined, false]]);
    });

    test("each tool that failed is an event, without words, up to a limit", async () => {
      const tool = present(await stores.tools.create(accountId, HTTP));
      const webhooks = stores.openWebhooks(SEALING_KEYS);
      const settings = { url: "https://hooks.example", description: "", enabled: true };
      await webhooks.create(accountId, { ...settings, eventTypes: ["tool.failed"] });
      const failures = Array.from({ length: TOOL_FAILED_EVENTS_PER_CALL_MAX + 3 }, (_, index) =>
        run(`1.${index}`, { failed: true, name: index === 0 ? "own" : "order_status" }),
      );
      const id = await endedCall(tool, [run("0.1"), ...failures]);
      const claim = { runnerId: "runner-1", kinds: [DELIVERY_JOB], fullLanes: [], limit: 100 };
      const deliveries = (await stores.jobs.claim(claim)).map(({ payload }) => payload as { deliveryId: DeliveryId });
      const due = await Promise.all(deliveries.map(({ deliveryId }) => webhooks.due(deliveryId)));
      const data = due.map((found) => found?.event.data as Record<string, unknown>);
      expect(data.length).toBe(TOOL_FAILED_EVENTS_PER_CALL_MAX);
      expect(JSON.stringify(data)).not.toContain("on its way");
      const first = data.find(({ toolCallId }) => toolCallId === "1.0");
      expect(first).toMatchObject({
        callId: id,
        name: "own",
        toolId: null,
        type: "client",
        startMs: 1_000,
        durationMs: 20,
      });
      const last = data.find(({ toolCallId }) => toolCallId === `1.${TOOL_FAILED_EVENTS_PER_CALL_MAX - 1}`);
      expect(last).toMatchObject({ toolId: tool.id, moreFailures: 3 });
    });
  });
}
