import { expect, test } from "vitest";
import type { StreamMessage } from "../../../web/dashboard/app/events/event.ts";
import { SharedConnection } from "../../../web/dashboard/app/events/shared-connection.ts";
import { settled } from "../../support/manual-clock.ts";

const REQUEST = { url: "/events", csrfToken: "token" };

/** A service whose streams stay open until they are given up. */
function openService() {
  const streams: { signal: AbortSignal; token: string | null; send: (data: object) => void }[] = [];
  const connection = new SharedConnection(async (_url, init = {}) => {
    const signal = init.signal as AbortSignal;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const send = (data: object): void =>
          controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(data)}\n\n`));
        signal.addEventListener("abort", () => controller.error(new Error("given up")));
        streams.push({ signal, token: new Headers(init.headers).get("x-csrf-token"), send });
      },
    });
    return new Response(body);
  });
  return { connection, streams };
}

/** A tab, and what it was sent, in short. */
function tab() {
  const seen: string[] = [];
  const postMessage = (message: StreamMessage): void => {
    if (message.kind === "status") seen.push(message.status);
    else seen.push(`${message.event.type} ${JSON.stringify(message.event.data)}`);
  };
  return { seen, postMessage };
}

const activity = { id: "call_1", state: "listening" };
/** Of a tab that may have loaded something before the stream was open. */
const LOOK_AGAIN = "events.lost undefined";
const NOTHING = 'calls.activity {"calls":[]}';

test("tabs share one stream, and one that comes later knows what the calls do", async () => {
  const { connection, streams } = openService();
  const [first, second] = [tab(), tab()];
  connection.join(first, REQUEST);
  await settled();
  streams[0]?.send({ type: "calls.activity", data: { calls: [activity] } });
  await settled();
  connection.join(second, REQUEST);
  await settled();
  expect([streams.length, streams[0]?.token]).toEqual([1, "token"]);
  const known = `calls.activity ${JSON.stringify({ calls: [activity] })}`;
  expect(first.seen).toEqual(["connecting", NOTHING, "open", LOOK_AGAIN, known]);
  expect(second.seen).toEqual(["open", known]);
  connection.leave(first);
  connection.leave(second);
});

test("the stream ends with the last tab, and begins anew, knowing nothing, with the next", async () => {
  const { connection, streams } = openService();
  const [first, second, third] = [tab(), tab(), tab()];
  connection.join(first, REQUEST);
  connection.join(second, REQUEST);
  await settled();
  streams[0]?.send({ type: "calls.activity", data: { calls: [activity] } });
  await settled();
  connection.leave(first);
  expect(streams[0]?.signal.aborted).toBe(false);
  connection.leave(second);
  expect(streams[0]?.signal.aborted).toBe(true);
  await settled();
  connection.join(third, REQUEST);
  await settled();
  expect([streams.length, third.seen]).toEqual([2, ["connecting", NOTHING, "open", LOOK_AGAIN]]);
  connection.leave(third);
});
