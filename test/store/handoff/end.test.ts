import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { asAccountId, asCallId } from "../../../src/core/ids.ts";
import {
  type ControlMessage,
  HANDOFF_PROTOCOL_VERSION,
  LineParser,
  toLine,
  type WorkerMessage,
} from "../../../src/store/handoff/messages.ts";
import { SPEC } from "../../support/calls/stored-calls.ts";
import { handoffClient } from "../../support/services/handoff-client.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

test("a call that arrives in one chunk with the request to end it exists when the request is handled", async () => {
  const path = join(temporaryDirectory(), "control.sock");
  const server = createServer((socket) => {
    closers.push(() => socket.destroy());
    socket.write(toLine({ kind: "welcome", protocol: HANDOFF_PROTOCOL_VERSION }));
    const parser = new LineParser<WorkerMessage>();
    socket.setEncoding("utf8").on("data", (text: string) =>
      parser.push(text, (message) => {
        if (message.kind !== "redeem") return;
        const answers: ControlMessage[] = [
          {
            kind: "redeemed",
            id: message.id,
            call: { callId: asCallId("call_1"), accountId: asAccountId("account_1"), spec: SPEC },
          },
          { kind: "end-call", callId: asCallId("call_1"), reason: "transferred" },
        ];
        socket.write(answers.map(toLine).join(""));
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  closers.push(() => server.close());
  const open = new Set<string>();
  const endRequest = new Promise<{ callId: string; reason: string; isOpen: boolean }>((resolve) => {
    const handoff = handoffClient(path, {
      onEndRequested: (callId, reason) => resolve({ callId, reason, isOpen: open.has(callId) }),
    });
    closers.push(() => void handoff.close());
    const redeem = async (): Promise<string> => {
      // Not connected until the connection is established.
      const call = await handoff.redeem("hash").catch(() => undefined);
      if (call !== undefined) return call.callId;
      await new Promise((again) => setImmediate(again));
      return await redeem();
    };
    // As many steps after the answer as the gateway and the server take, and some more.
    void redeem()
      .then((callId) => [callId])
      .then(async ([callId = ""]) => open.add(await callId));
  });
  expect(await endRequest).toEqual({ callId: "call_1", reason: "transferred", isOpen: true });
});
