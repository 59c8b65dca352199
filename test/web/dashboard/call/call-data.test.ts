import { expect, test } from "vitest";
import type { TrunklineClient } from "../../../../web/client/src/index.ts";
import type { Call, CallEvent, Turn } from "../../../../web/dashboard/pages/call/model/types.ts";
import { CallData } from "../../../../web/dashboard/pages/call/view/call-data.ts";

const ID = "call_0199f3a1-7c55-7e02-9d6b-3f1a2b4c5d6e" as Call["id"];
const TURN = { role: "agent", text: "Hello.", startMs: 0, endMs: 900, interrupted: false } as Turn;
const eventAt = (atMs: number) => ({ atMs, source: "event", kind: "tick" }) as unknown as CallEvent;
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An API whose transcript comes when it is told to, and whose events have two pages. */
function scriptedApi() {
  const asked: string[] = [];
  let answer: (error?: Error) => void = () => {};
  const transcript = new Promise<void>((resolve, reject) => {
    answer = (error) => (error === undefined ? resolve() : reject(error));
  });
  const api = {
    async *list() {
      asked.push("transcript");
      await transcript;
      yield TURN;
    },
    async get(_path: string, { query: { cursor } }: { query: { cursor?: string } }) {
      asked.push(`events ${cursor ?? "first"}`);
      return cursor === undefined
        ? { data: [eventAt(1)], nextCursor: "next" }
        : { data: [eventAt(2)], nextCursor: null };
    },
  } as unknown as Pick<TrunklineClient, "get" | "list">;
  return { api, asked, answer };
}

test("the transcript is asked for first and alone; then the events, page by page", async () => {
  const { api, asked, answer } = scriptedApi();
  const data = new CallData(ID, api);
  data.open();
  await settled();
  expect(asked).toEqual(["transcript"]);
  answer();
  await settled();
  expect(asked).toEqual(["transcript", "events first", "events next"]);
  expect(data.turns.value).toEqual([TURN]);
  expect(data.events.value).toHaveLength(2);
  expect(data.eventsState.value).toEqual({ status: "complete" });
});

test("the events are loaded also where the transcript cannot be", async () => {
  const { api, answer } = scriptedApi();
  const data = new CallData(ID, api);
  data.open();
  answer(new Error("no answer"));
  await settled();
  expect(data.turnsState.value).toMatchObject({ status: "failed" });
  expect(data.events.value).toHaveLength(2);
});
