import { expect, test } from "vitest";
import { EventConnection } from "../../../web/dashboard/app/events/connection.ts";
import { concerns, LOST } from "../../../web/dashboard/app/events/event.ts";

/** What each request gets, in order: a status, or the text of a stream that then ends. */
async function connected(answers: readonly (number | string)[], after?: string) {
  const seen: unknown[] = [];
  const asked: (string | null)[] = [];
  const delays: number[] = [];
  const connection = new EventConnection({
    url: "/events",
    after,
    onEvent: ({ type }, sequence) => seen.push(`${type} ${sequence}`),
    onStatus: (status) => seen.push(status),
    fetch: async (_url, init) => {
      asked.push(new Headers(init?.headers).get("last-event-id"));
      const answer = answers[asked.length - 1];
      if (answer === undefined) {
        connection.stop();
        throw new Error("no answer");
      }
      return typeof answer === "number" ? new Response(null, { status: answer }) : new Response(answer);
    },
    delay: async (delayMs) => void delays.push(delayMs),
  });
  await connection.run();
  return { seen, asked, delays };
}

const event = (id: number, type: string) => `id: ${id}\nevent: ${type}\ndata: {"id":"e${id}","type":"${type}"}\n\n`;

test("a lost connection goes on after the last event, also of one that has no number", async () => {
  const { seen, asked, delays } = await connected([
    `retry: 2000\nid: 4\n\n${event(5, "call.started")}event: calls.activity\ndata: {"type":"calls.activity"}\n\n`,
    event(6, "call.ended"),
    401,
  ]);
  expect(asked).toEqual([null, "5", "6"]);
  expect(seen).toEqual([
    "connecting",
    "open",
    // What was loaded before the stream was open may be old.
    "events.lost undefined",
    "call.started 5",
    "calls.activity 5",
    "lost",
    "open",
    "call.ended 6",
    "lost",
    "ended",
  ]);
  expect(delays).toEqual([2_000, 2_000]);
});

test("attempts that fail come further and further from each other", async () => {
  const { asked, delays } = await connected([503, 429, 503, 503, 503, 503], "9");
  expect(asked[0]).toBe("9");
  expect(delays).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

test("a page looks again after its own events, and after lost ones", () => {
  expect([
    concerns(["call.ended"], { id: "1", type: "call.ended" }),
    concerns(["call.ended"], { id: "1", type: "call.created" }),
    concerns(["call.ended"], LOST),
    concerns([], LOST),
  ]).toEqual([true, false, true, false]);
});
