import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { RedeemedCall } from "../../../src/store/call-handoff.ts";
import { HandoffServer } from "../../../src/store/handoff/control-server.ts";
import { HANDOFF_PROTOCOL_VERSION, toLine } from "../../../src/store/handoff/messages.ts";
import { SPEC } from "../../contract/store/calls.ts";
import { settled } from "../../support/manual-clock.ts";
import { handoffServer } from "../../support/services/handoff-server.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const LOAD = { callCount: 0, callsMax: 1, loopLagMs: 0, acceptsCalls: true };

let server: HandoffServer | undefined;
afterEach(() => server?.close());

test("ADV-M5: a token whose worker died while it was redeemed is given back, with the nonce of that redemption", async () => {
  const path = join(temporaryDirectory(), "control.sock");
  let dies = (): void => {};
  let redeemed = (_call: RedeemedCall): void => {};
  const told: unknown[] = [];
  const gone = new Promise<void>((resolve) => {
    server = new HandoffServer(
      handoffServer(path, {
        redemptions: {
          redeem: () => {
            dies();
            return new Promise((answer) => {
              redeemed = answer;
            });
          },
          async returnRedemption(tokenHash, nonce) {
            told.push(["given back", tokenHash, nonce]);
            return { callId: "call_1", remainingMs: 5 };
          },
        },
        onWorkerDisconnected: () => resolve(),
        onRedeemed: (callId) => told.push(["redeemed", callId]),
        onReturned: (call) => told.push(["returned", call]),
        onEnded: (callId) => told.push(["ended", callId]),
      }),
    );
  });
  await server?.listen();
  const worker = connect(path);
  dies = () => worker.destroy();
  worker.write(
    toLine({
      kind: "hello",
      protocol: HANDOFF_PROTOCOL_VERSION,
      workerId: "worker-1",
      connection: 1,
      callIds: [],
      load: LOAD,
      spends: [],
      returned: [],
    }),
  );
  worker.write(toLine({ kind: "redeem", id: 1, tokenHash: "hash", nonce: "nonce" }));
  // By then it has been looked for calls of the dead worker, and this one was none.
  await gone;
  redeemed({ callId: "call_1", accountId: "account_1", spec: SPEC });
  await settled();
  expect(told).toEqual([
    ["redeemed", "call_1"],
    ["given back", "hash", "nonce"],
    ["returned", { callId: "call_1", remainingMs: 5 }],
  ]);
});
