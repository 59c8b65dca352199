import { afterAll, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { monotonicMs } from "../../../src/core/clocks.ts";
import { asAccountId } from "../../../src/core/ids.ts";
import { SCHEMAS_OF_REQUEST_MS_MAX } from "../../../src/core/limits/agents/tools.ts";
import { TASK_PROCESS_START_INTERVAL_MS, TASK_WAIT_MS_MAX } from "../../../src/core/limits/service/processes.ts";
import { SchemaProcess } from "../../../src/core/schemas/checker.ts";
import { ToolChooserClient } from "../../../src/speech/reference/tools/chooser-client.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";

// Without deadlines of the wall clock: from the source a child starts slowly where the machine is busy.
const clock = {
  ...systemClock,
  nowMs: () => monotonicMs(0),
  after: (ms: number, task: () => void) =>
    systemClock.after(ms >= TASK_WAIT_MS_MAX ? 60_000 : ms === TASK_PROCESS_START_INTERVAL_MS ? 0 : ms, task),
};
const options = { clock, log: memoryLog().log, count: () => {} };
const schemas = new SchemaProcess(options);
const planner = new ToolChooserClient(options);
afterAll(() => Promise.all([schemas.close(), planner.close()]));

/** How often the loop of this process has turned by the time that `work` is done. */
async function turnsDuring<T>(work: Promise<T>): Promise<{ result: T; turns: number }> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const result = await work;
  isOver = true;
  return { result, turns };
}

const json = JSON.stringify;
const never = new AbortController().signal;
/** Backtracks for years. */
const ENDLESS = { type: "string", pattern: "^(a+)+$" };
const LONG = `${"a".repeat(40)}!`;

/** References of which each leads to eight more of the same: 8^12 of them. */
const STEPS = 12;
const steps = Object.fromEntries(
  Array.from({ length: STEPS }, (_, step) => [`d${step}`, { allOf: Array(8).fill({ $ref: `#/$defs/d${step + 1}` }) }]),
);
const MULTIPLYING = {
  ...{ type: "object", properties: { a: { $ref: "#/$defs/d0" } } },
  $defs: { ...steps, [`d${STEPS}`]: { type: "string" } },
};

test("ADV-H2: three schemas of 8 KiB that ajv compiles slowly do not block the event loop", async () => {
  const costly = (index: number): string =>
    json({ type: "object", description: String(index), allOf: Array(700).fill({ not: {} }) });
  await schemas.compile(asAccountId("a"), json({ type: "object" }));
  const compiled = Promise.all(
    Array.from({ length: 3 }, (_, index) => schemas.compile(asAccountId("a"), costly(index))),
  );
  const { result, turns } = await turnsDuring(compiled);
  expect(result.every(({ outcome }) => outcome === "answered" || outcome === "over_budget")).toBe(true);
  // On the loop itself nothing else would have had a turn.
  expect(turns).toBeGreaterThan(3);
}, 60_000);

test("a schema waits for its process and runs, by the wall clock, as long as its request may, and not only as long as other tasks", async () => {
  const manual = new ManualClock();
  const starting = new SchemaProcess({ ...options, clock: manual });
  const [waiting, running] = ["a", "b"].map((id) => starting.compile(asAccountId(id), json({ type: "object" })));
  manual.advance(SCHEMAS_OF_REQUEST_MS_MAX - 1);
  expect(await waiting).toMatchObject({ outcome: "answered", answer: { kind: "fits" } });
  manual.advance(SCHEMAS_OF_REQUEST_MS_MAX - 1);
  expect(await running).toMatchObject({ outcome: "answered", answer: { kind: "fits" } });
  await starting.close();
}, 60_000);

test("ADV-H2: ordinary schemas of nearly 8 KiB are within the budget of a new process", async () => {
  const fresh = new SchemaProcess(options);
  const ordinary = [
    { type: "string" },
    { type: "string", enum: ["small", "medium", "large"], description: "The size, as the caller says it." },
    { type: "object", properties: { street: { type: "string", minLength: 1 } }, required: ["street"] },
  ];
  for (const member of ordinary) {
    const count = Math.floor(7_800 / (json(member).length + 12));
    const properties = Object.fromEntries(Array.from({ length: count }, (_, index) => [`member${index}`, member]));
    const compiled = await fresh.compile(
      asAccountId("a"),
      json({ type: "object", properties, additionalProperties: false }),
    );
    expect(compiled).toMatchObject({ outcome: "answered", answer: { kind: "fits" } });
  }
  await fresh.close();
}, 60_000);

test.each([
  ["a pattern that backtracks without end", { type: "object", properties: { a: ENDLESS } }],
  ["references that multiply", MULTIPLYING],
])(
  "ADV-H2: arguments held against %s are over the budget, and the loop turns meanwhile",
  async (_what, schema) => {
    const { result, turns } = await turnsDuring(
      schemas.check(asAccountId("a"), json(schema), json({ a: LONG }), never),
    );
    expect(result.outcome).toBe("over_budget");
    expect(turns).toBeGreaterThan(8);
    expect(await schemas.check(asAccountId("b"), json({ type: "object", required: ["a"] }), "{}", never)).toMatchObject(
      {
        answer: { kind: "unfit", reason: "must have required property 'a'" },
      },
    );
  },
  60_000,
);

test("ADV-H2: the reference LLM chooses tools in a process of its own, which no pattern can block forever", async () => {
  const choose = (parameters: object, text: string) =>
    planner.choose(
      {
        messages: [{ role: "user", text }],
        tools: [{ name: "set_code", description: "Sets the code.", parameters }],
        ...{ temperature: 0, language: "en-US", accountId: asAccountId("a") },
      },
      never,
    );
  const code = { type: "object", properties: { code: { type: "string" } }, required: ["code"] };
  expect(await choose(code, "Please set the code, code is B7.")).toEqual({
    calls: [{ name: "set_code", arguments: { code: "B7" } }],
  });
  const endless = { ...code, properties: { code: ENDLESS } };
  const { result, turns } = await turnsDuring(choose(endless, `Please set the code, code is ${"a".repeat(40)}7.`));
  expect(result).toEqual({ calls: [] });
  expect(turns).toBeGreaterThan(8);
  expect(await choose(code, "Please set the code, code is B7.")).toMatchObject({ calls: [{ name: "set_code" }] });
}, 60_000);
