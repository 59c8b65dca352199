import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { asAccountId, asCallId, asWorkerId } from "../../../src/core/ids.ts";
import type { RedeemedCall } from "../../../src/store/call-handoff.ts";
import { HandoffServer } from "../../../src/store/handoff/control-server.ts";
import {
  type ControlMessage,
  HANDOFF_PROTOCOL_VERSION,
  LineParser,
  toLine,
} from "../../../src/store/handoff/messages.ts";
import { SPEC } from "../../support/calls/stored-calls.ts";
import { settled } from "../../support/manual-clock.ts";
import { handoffServer, NO_REDEMPTIONS } from "../../support/services/handoff-server.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const LOAD = { callCount: 0, callsMax: 1, loopLagMs: 0, acceptsCalls: true };

const HELLO = {
  kind: "hello",
  protocol: HANDOFF_PROTOCOL_VERSION,
  connection: 1,
  callIds: [],
  load: LOAD,
  spends: [],
  returned: [],
} as const;

let server: HandoffServer | undefined;
afterEach(() => server?.close());

test("ADV-M5: a redemption whose worker died meanwhile is returned, with the nonce of that redemption", async () => {
  const path = join(temporaryDirectory(), "control.sock");
  let dies = (): void => {};
  let redeemed = (_call: RedeemedCall): void => {};
  const events: unknown[] = [];
  const gone = new Promise<void>((resolve) => {
    server = new HandoffServer(
      handoffServer(path, {
        redemptions: {
          ...NO_REDEMPTIONS,
          redeem: () => {
            dies();
            return new Promise((answer) => {
              redeemed = answer;
            });
          },
          async returnRedemption(tokenHash, nonce) {
            events.push(["return", tokenHash, nonce]);
            return { callId: asCallId("call_1"), remainingMs: 5 };
          },
        },
        onWorkerDisconnected: () => resolve(),
        onRedeemed: (callId) => events.push(["redeemed", callId]),
        onReturned: (call) => events.push(["returned", call]),
        onEnded: (callId) => events.push(["ended", callId]),
      }),
    );
  });
  await server?.listen();
  const worker = connect(path);
  dies = () => worker.destroy();
  worker.write(toLine({ ...HELLO, workerId: asWorkerId("worker-1") }));
  worker.write(toLine({ kind: "redeem", id: 1, tokenHash: "hash", nonce: "nonce" }));
  // The search for the dead worker's calls is over by then, and did not find this call.
  await gone;
  redeemed({ callId: asCallId("call_1"), accountId: asAccountId("account_1"), spec: SPEC });
  await settled();
  expect(events).toEqual([
    ["redeemed", "call_1"],
    ["return", "hash", "nonce"],
    ["returned", { callId: "call_1", remainingMs: 5 }],
  ]);
});

test("A token that was redeemed is not redeemed again by this process, also where the database has lost the redemption", async () => {
  const path = join(temporaryDirectory(), "control.sock");
  let calls = 0;
  server = new HandoffServer(
    handoffServer(path, {
      redemptions: {
        ...NO_REDEMPTIONS,
        async redeem() {
          calls += 1;
          return { callId: asCallId(`call_${calls}`), accountId: asAccountId("account_1"), spec: SPEC };
        },
        // The database does not know the nonce any more.
        returnRedemption: async () => undefined,
      },
    }),
  );
  await server.listen();
  const worker = connect(path);
  const answers: ControlMessage[] = [];
  const parser = new LineParser<ControlMessage>();
  worker.setEncoding("utf8").on("data", (text: string) => parser.push(text, (message) => answers.push(message)));
  worker.write(toLine({ ...HELLO, workerId: asWorkerId("worker-1") }));
  const answer = (kind: ControlMessage["kind"]): Promise<ControlMessage> =>
    vi.waitFor(() => {
      const found = answers.findIndex((message) => message.kind === kind);
      expect(found).toBeGreaterThanOrEqual(0);
      return answers.splice(found, 1)[0] as ControlMessage;
    });
  // Also of two at once the store is asked for one.
  for (const [id, nonce] of [
    [1, "first"],
    [2, "second"],
  ] as const)
    worker.write(toLine({ kind: "redeem", id, tokenHash: "hash", nonce }));
  expect(await answer("redeemed")).toMatchObject({ id: 1, call: { callId: "call_1" } });
  expect(await answer("redeemed")).toMatchObject({ id: 2, call: null });
  // The one that led to no call is forgotten.
  worker.write(toLine({ kind: "return", tokenHash: "hash", nonce: "first" }));
  await answer("returned");
  worker.write(toLine({ kind: "redeem", id: 3, tokenHash: "hash", nonce: "third" }));
  expect(await answer("redeemed")).toMatchObject({ id: 3, call: { callId: "call_2" } });
  worker.destroy();
});
