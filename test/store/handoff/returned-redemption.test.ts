import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { asAccountId, asCallId } from "../../../src/core/ids.ts";
import {
  REDEEM_MS_MAX,
  RETURN_RETRY_MS,
  UNRESOLVED_REDEMPTIONS_MAX,
} from "../../../src/core/limits/service/admission.ts";
import type { RedeemedCall } from "../../../src/store/call-handoff.ts";
import { HandoffServer } from "../../../src/store/handoff/control-server.ts";
import { SPEC } from "../../support/calls/stored-calls.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { handoffClient } from "../../support/services/handoff-client.ts";
import { handoffServer, NO_REDEMPTIONS } from "../../support/services/handoff-server.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { TOKEN_KEY, TOKEN_KEY_TEXT } from "../../support/tokens.ts";

const CALL: RedeemedCall = { callId: asCallId("call_1"), accountId: asAccountId("account_1"), spec: SPEC };

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
};

/**
 * A worker, and control processes that have its socket one after the other; the store answers when the test says so.
 */
async function scene() {
  const path = join(temporaryDirectory(), "control.sock");
  const clock = new ManualClock();
  const events: string[] = [];
  const nonces: string[] = [];
  const answers: ((call: RedeemedCall | undefined) => void)[] = [];
  let giveBack = async (): Promise<void> => {};
  const control = async (): Promise<HandoffServer> => {
    const server = new HandoffServer(
      handoffServer(path, {
        redemptions: {
          ...NO_REDEMPTIONS,
          redeem(_tokenHash, { nonce }) {
            nonces.push(nonce);
            events.push("redeem");
            return new Promise((resolve) => answers.push(resolve));
          },
          async returnRedemption(tokenHash, nonce) {
            await giveBack();
            events.push(`return ${tokenHash} ${nonces.indexOf(nonce)}`);
            return { callId: asCallId("call_1"), remainingMs: 1 };
          },
        },
        onWorkerConnected: (_workerId, connection) => events.push(`connection ${connection}`),
        onReturned: () => events.push("returned"),
        onEnded: (callId) => events.push(`ended ${callId}`),
      }),
    );
    await server.listen();
    onTestFinished(() => server.close());
    return server;
  };
  const server = await control();
  const worker = handoffClient(path, {
    clock,
  });
  await worker.firstAttempt;
  return {
    ...{ server, control, worker, clock, events, answers },
    failReturn: (work: () => Promise<void>) => {
      giveBack = work;
    },
  };
}

test("ADV-M5: a redemption that is answered too late begins no call, and is returned after its answer", async () => {
  const { worker, clock, events, answers } = await scene();
  const refused = worker.redeem("hash").catch((error: Error) => error.message);
  await until(() => answers.length === 1);
  clock.advance(REDEEM_MS_MAX);
  expect(await refused).toBe("the control process did not answer in time");
  answers[0]?.(CALL);
  await until(() => events.includes("returned"));
  expect(events).toEqual(["connection 1", "redeem", "return hash 0", "returned"]);
  await worker.close();
});

test("ADV-M5: a redemption whose connection broke is returned over the next one, before the search for the worker's lost calls", async () => {
  const { server, control, worker, clock, events, answers } = await scene();
  const refused = worker.redeem("hash").catch((error: Error) => error.message);
  await until(() => answers.length === 1);
  server.close();
  expect(await refused).toBe("the connection to the control process was lost");
  await control();
  clock.advance(100);
  await until(() => events.includes("connection 2"));
  expect(events).toEqual(["connection 1", "redeem", "return hash 0", "returned", "connection 2"]);
  await worker.close();
});

test("ADV-M5: a redemption that the store cannot return is returned again", async () => {
  const { worker, clock, events, answers, failReturn } = await scene();
  let failures = 0;
  failReturn(async () => {
    failures += 1;
    if (failures === 1) throw new Error("planted");
  });
  void worker.redeem("hash").catch(() => {});
  await until(() => answers.length === 1);
  clock.advance(REDEEM_MS_MAX);
  answers[0]?.(CALL);
  await until(() => failures === 1);
  clock.advance(RETURN_RETRY_MS);
  await until(() => events.includes("returned"));
  expect(failures).toBe(2);
  await worker.close();
});

test("ADV-M5: a worker with too many redemptions to return accepts no more tokens, and accepts them again when they are returned", async () => {
  const { worker, clock, events, answers } = await scene();
  const refused = Array.from({ length: UNRESOLVED_REDEMPTIONS_MAX }, (_, n) =>
    worker.redeem(`hash ${n}`).catch(() => {}),
  );
  await until(() => answers.length === UNRESOLVED_REDEMPTIONS_MAX);
  clock.advance(REDEEM_MS_MAX);
  await Promise.all(refused);
  await expect(worker.redeem("hash")).rejects.toThrow("too many redemptions are waiting to be returned");
  for (let index = 0; index < UNRESOLVED_REDEMPTIONS_MAX; index += 1) {
    answers[index]?.(undefined);
  }
  await until(() => events.filter((line) => line === "returned").length === UNRESOLVED_REDEMPTIONS_MAX);
  const next = worker.redeem("hash");
  await until(() => answers.length > UNRESOLVED_REDEMPTIONS_MAX);
  answers.at(-1)?.(CALL);
  expect(await next).toEqual(CALL);
});

test("ADV-M5: workers get the token keys when they connect, and new ones when they are rotated", async () => {
  const { server, worker } = await scene();
  expect(worker.tokenKeys.map((key) => Buffer.from(key))).toEqual([TOKEN_KEY]);
  const other = Buffer.alloc(32, 9);
  server.setTokenKeys([other.toString("base64url"), TOKEN_KEY_TEXT]);
  await until(() => worker.tokenKeys.length === 2);
  expect(worker.tokenKeys.map((key) => Buffer.from(key))).toEqual([other, TOKEN_KEY]);
});
