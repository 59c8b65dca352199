import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import type { RedeemedCall } from "../../src/store/hand-off.ts";
import { toLine } from "../../src/store/ipc-messages.ts";
import { IpcServer } from "../../src/store/ipc-server.ts";
import { SPEC } from "../contract/call-store-contract.ts";
import { settled } from "../support/manual-clock.ts";
import { memoryLog } from "../support/memory-log.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const LOAD = { callCount: 0, callsMax: 1, loopLagMs: 0, takesCalls: true };

let server: IpcServer | undefined;
afterEach(() => server?.close());

test("a call whose worker died while its token was redeemed is over, though no worker ever had it", async () => {
  const path = join(temporaryDirectory(), "control.sock");
  let dies = (): void => {};
  let redeemed = (_call: RedeemedCall): void => {};
  const ended: string[] = [];
  const gone = new Promise<void>((resolve) => {
    server = new IpcServer({
      path,
      clock: systemClock,
      log: memoryLog().log,
      redeem: () => {
        dies();
        return new Promise((answer) => {
          redeemed = answer;
        });
      },
      onWorker: () => {},
      onLoad: () => {},
      onSpends: () => {},
      onWorkerGone: () => resolve(),
      onStreamStarted: () => {},
      onEnded: (callId) => ended.push(callId),
    });
  });
  await server?.listen();
  const worker = connect(path);
  dies = () => worker.destroy();
  worker.write(toLine({ kind: "hello", workerId: "worker-1", callIds: [], load: LOAD, spends: [] }));
  worker.write(toLine({ kind: "redeem", id: 1, tokenHash: "hash" }));
  // By then it has been looked for calls of the dead worker, and this one was none.
  await gone;
  redeemed({ callId: "call_1", accountId: "account_1", spec: SPEC });
  await settled();
  expect(ended).toEqual(["call_1"]);
});
