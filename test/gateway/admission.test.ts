import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { upgradeAuthentication } from "../../src/carriers/authentication.ts";
import { asAccountId, asCallId } from "../../src/core/ids.ts";
import { REDEMPTIONS_MAX, REFUSAL_MS_MIN } from "../../src/core/limits/service/admission.ts";
import { mintToken } from "../../src/core/stream-token.ts";
import { AdmissionGate } from "../../src/gateway/admission.ts";
import type { Transport } from "../../src/gateway/transport/transport.ts";
import type { CallHandoff, RedeemedCall } from "../../src/store/call-handoff.ts";
import { SPEC } from "../support/calls/virtual-call.ts";
import { DEFAULT_LIVENESS } from "../support/configuration/liveness.ts";
import { ManualClock, settled } from "../support/manual-clock.ts";
import { memoryLog } from "../support/memory-log.ts";
import { NOOP_LEG } from "../support/stubs/noop-leg.ts";

const KEY = new Uint8Array(32).fill(7);
const TOKEN = mintToken(KEY);
const NO_HEADERS = {};
const SOCKET: Transport = {
  liveness: DEFAULT_LIVENESS,
  bufferedBytes: 0,
  send: () => true,
  ping: () => {},
  close: () => {},
};
const REDEEMED: RedeemedCall = { callId: asCallId("call_1"), accountId: asAccountId("account_1"), spec: SPEC };

/** A gate whose redemptions are answered by `redeem`; counts what it reports. */
function gate(redeem: CallHandoff["redeem"], tokenKeys: readonly Uint8Array[] = [KEY]) {
  const clock = new ManualClock();
  const redemptions: string[] = [];
  const refusals: number[] = [];
  const opened: string[] = [];
  const settledAt: number[] = [];
  const admissions = new AdmissionGate({
    handoff: { tokenKeys, redeem },
    metrics: { redemption: (outcome) => redemptions.push(outcome), upgradeRefused: (status) => refusals.push(status) },
    clock,
    log: memoryLog().log,
    mediaUrl: () => "wss://media.example",
    authentication: upgradeAuthentication({}),
    prepare: async () => ({ error: "no call begins" }),
    open: ({ callId }) => {
      opened.push(callId);
      return NOOP_LEG;
    },
    onSettled: () => settledAt.push(admissions.pending),
  });
  return { admissions, clock, redemptions, refusals, opened, settledAt };
}

test("a redeemed token is admitted, and stays pending until its leg is opened", async () => {
  const { admissions, redemptions, opened, settledAt } = gate(async () => REDEEMED);
  const admission = await admissions.admit(TOKEN, NO_HEADERS, false);
  expect([admission.kind, admissions.pending, redemptions]).toEqual(["admitted", 1, ["redeemed"]]);
  if (admission.kind === "admitted") admission.open(SOCKET);
  expect([opened, settledAt, admissions.pending]).toEqual([["call_1"], [0], 0]);
});

test("those who redeem a token get the address and the headers that may be signed, and decide by them", async () => {
  const given: unknown[] = [];
  const { admissions } = gate(async (tokenHash, _only, proof) => {
    given.push([tokenHash, proof]);
    return REDEEMED;
  });
  const headers = { "x-twilio-signature": "signature" };
  await admissions.admit(TOKEN, headers, false);
  const tokenHash = createHash("sha256").update(TOKEN).digest("hex");
  expect(given).toEqual([[tokenHash, { url: `wss://media.example/stream/${TOKEN}`, headers }]]);
});

test("an unknown token gets 401 after REFUSAL_MS_MIN, an unsigned one too, without a redemption", async () => {
  for (const [token, outcome] of [
    [TOKEN, "refused"],
    [mintToken(new Uint8Array(32)), "unsigned"],
  ] as const) {
    const { admissions, clock, redemptions, refusals } = gate(async () => undefined);
    const admission = admissions.admit(token, NO_HEADERS, false);
    let isDone = false;
    void admission.then(() => {
      isDone = true;
    });
    await clock.play(REFUSAL_MS_MIN - 1);
    expect(isDone).toBe(false);
    await clock.play(1);
    expect(await admission).toEqual({ kind: "refused", status: 401 });
    expect([redemptions, refusals, admissions.pending]).toEqual([[outcome], [401], 0]);
  }
});

test("a gate without token keys, one that is closed, and one whose redemption fails answer 503 at once", async () => {
  const busy = { kind: "refused", status: 503 };
  expect(await gate(async () => REDEEMED, []).admissions.admit(TOKEN, NO_HEADERS, false)).toEqual(busy);
  const closed = gate(async () => REDEEMED);
  closed.admissions.close();
  expect(await closed.admissions.admit(TOKEN, NO_HEADERS, false)).toEqual(busy);
  const failing = gate(() => Promise.reject(new Error("planted")));
  expect(await failing.admissions.admit(TOKEN, NO_HEADERS, false)).toEqual(busy);
  expect([failing.redemptions, failing.admissions.pending]).toEqual([["failed"], 0]);
});

test("beyond REDEMPTIONS_MAX pending admissions further ones get 503", async () => {
  const { admissions, refusals } = gate(() => new Promise(() => {}));
  for (let count = 0; count < REDEMPTIONS_MAX; count += 1) void admissions.admit(TOKEN, NO_HEADERS, false);
  await settled();
  expect(admissions.pending).toBe(REDEMPTIONS_MAX);
  expect(await admissions.admit(TOKEN, NO_HEADERS, false)).toEqual({ kind: "refused", status: 503 });
  expect(refusals).toEqual([503]);
});
