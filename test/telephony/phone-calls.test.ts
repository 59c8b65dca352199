import { afterEach, describe, expect, test } from "vitest";
import type { NewCarrier } from "../../src/store/telephony/carrier-store.ts";
import type { PhoneCallEvent } from "../../src/telephony/machine/events.ts";
import { PhoneService } from "../support/telephony/phone-service.ts";

let service: PhoneService;
afterEach(() => service.close());

const RINGING: PhoneCallEvent = { kind: "notice", notice: { kind: "ringing", carrierCallId: "CA1" } };
const ANSWERED: PhoneCallEvent = {
  kind: "notice",
  notice: { kind: "answered", carrierCallId: "CA1", awaitsInstruction: true },
};
const ended = (outcome: "busy" | "completed"): PhoneCallEvent => ({
  kind: "notice",
  notice: { kind: "ended", carrierCallId: "CA1", outcome, code: "486", price: { amount: 0.02, currency: "USD" } },
});

describe("an outbound call", () => {
  test("takes a slot, is dialled once, rings, is answered with a stream, and is live", async () => {
    service = await PhoneService.open();
    const callId = await service.place();
    expect(service.capacity.callsOfAccount(service.accountId)).toBe(1);
    await service.work();
    expect(service.operations).toEqual(["dial"]);
    expect(await service.recordOf(callId)).toMatchObject({ status: "ringing", carrierCallId: "CA1" });
    expect(service.tokens).toHaveLength(0);

    const handled = await service.phoneCalls.handle(callId, ANSWERED);
    const access = await service.phoneCalls.accessOf(service.carrier && { carrierId: service.carrier.id });
    const instruction = handled && access && (await service.phoneCalls.instructionOf(handled, access));
    expect(instruction).toMatchObject({
      kind: "stream",
      stream: { url: `wss://media.example/carrier_a/${service.tokens[0]}`, callId },
    });
    expect(await service.attach(callId)).toBe(true);
    expect(await service.phaseOf(callId)).toBe("live");
  });

  test("is not answered twice: the same webhook gets the same stream, also from another process", async () => {
    service = await PhoneService.open();
    const callId = await service.place();
    await service.work();
    await service.phoneCalls.handle(callId, ANSWERED);
    await service.restart();
    const handled = await service.phoneCalls.handle(callId, ANSWERED);
    const access = await service.phoneCalls.accessOf({ carrierId: service.carrier.id });
    const instruction = handled && access && (await service.phoneCalls.instructionOf(handled, access));
    expect(service.tokens).toHaveLength(1);
    expect(instruction).toMatchObject({ stream: { url: `wss://media.example/carrier_a/${service.tokens[0]}` } });
  });

  test("whose stream connects while no process is there to learn of it goes on, however late the worker reports", async () => {
    service = await PhoneService.open();
    const callId = await service.place();
    await service.work();
    await service.phoneCalls.handle(callId, ANSWERED);
    await service.redeem();
    await service.restart();
    await service.tick(callId);
    await service.work();
    expect(await service.phaseOf(callId)).toBe("live");
    expect(service.operations).toEqual(["dial"]);
  });

  test("whose stream does not connect hears so, and ends", async () => {
    service = await PhoneService.open({ script: { connect: { kind: "done", value: undefined } } });
    const callId = await service.place();
    await service.work();
    await service.phoneCalls.handle(callId, ANSWERED);
    await service.tick(callId);
    await service.work();
    expect((await service.recordOf(callId))?.endReason).toBe("token_expired");
    expect(service.operations).toHaveLength(2);
  });

  test("that is busy ends so, with the carrier's code and price, and frees its slot", async () => {
    service = await PhoneService.open();
    const callId = await service.place();
    await service.work();
    await service.phoneCalls.handle(callId, RINGING);
    await service.phoneCalls.handle(callId, ended("busy"));
    expect(await service.recordOf(callId)).toMatchObject({
      status: "ended",
      endReason: "busy",
      phone: { carrierCode: "486" },
      carrierPrice: { amount: 0.02, currency: "USD" },
    });
    expect(service.capacity.callsOfAccount(service.accountId)).toBe(0);
  });

  test("that is answered after its end gets no token", async () => {
    service = await PhoneService.open();
    const callId = await service.place();
    await service.work();
    await service.phoneCalls.handle(callId, ended("completed"));
    await service.phoneCalls.handle(callId, ANSWERED);
    expect(service.tokens).toHaveLength(0);
    expect((await service.recordOf(callId))?.endReason).toBe("caller_hangup");
  });

  test("is not sent again by a job that runs twice: the carrier is asked what became of it", async () => {
    const none = { kind: "done", value: { calls: [], isComplete: true } } as const;
    service = await PhoneService.open({ script: { dial: { kind: "uncertain", status: 0 }, find_call: none } });
    const callId = await service.place();
    const [job] = await service.claim();
    if (job === undefined) throw new Error("no job");
    // The process dies after the mark, and no process has the answer.
    await service.phoneCalls.handle(callId, { kind: "dial-due", attempt: 1 });
    await service.restart();
    await service.run(job);
    await service.work();
    expect(service.operations.filter((operation) => operation === "dial")).toHaveLength(0);
    expect(await service.phaseOf(callId)).toBe("asking");
    while ((await service.phaseOf(callId)) !== "over") {
      await service.tick(callId);
      await service.work();
    }
    expect((await service.recordOf(callId))?.endReason).toBe("carrier_failed");
    expect(service.operations.filter((operation) => operation === "dial")).toHaveLength(0);
  });

  test("of which the carrier's lists say nothing certain ends as unknown", async () => {
    const others = {
      kind: "done",
      value: { calls: [{ carrierCallId: "CA9", isLive: true }], isComplete: true },
    } as const;
    service = await PhoneService.open({ script: { dial: { kind: "uncertain", status: 500 }, find_call: others } });
    const callId = await service.place();
    await service.work();
    while ((await service.phaseOf(callId)) !== "over") {
      await service.tick(callId);
      await service.work();
    }
    expect((await service.recordOf(callId))?.endReason).toBe("unknown");
    expect(service.operations.filter((operation) => operation === "dial")).toHaveLength(1);
  });

  test("that the carrier does not take at present is dialled later, without a slot meanwhile", async () => {
    service = await PhoneService.open({ script: { dial: { kind: "busy", afterMs: 5_000 } } });
    const callId = await service.place();
    await service.work();
    expect(await service.phaseOf(callId)).toBe("queued");
    expect(service.capacity.callsOfAccount(service.accountId)).toBe(0);
    service.client.answer({ dial: { kind: "done", value: { carrierCallId: "CA1" } } });
    await service.tick(callId);
    await service.work();
    expect(service.operations).toEqual(["dial", "dial"]);
    expect(await service.phaseOf(callId)).toBe("ringing");
  });

  test("without a slot waits, and ends in the end", async () => {
    service = await PhoneService.open({ slots: 0 });
    const callId = await service.place();
    await service.work();
    expect(await service.phaseOf(callId)).toBe("queued");
    service.clock.stall(20 * 60_000);
    await service.phoneCalls.handle(callId, { kind: "tick" });
    expect((await service.recordOf(callId))?.endReason).toBe("no_capacity");
    expect(service.operations).toEqual([]);
  });

  test("that waits asks for a slot less and less often, and stores one event each time", async () => {
    service = await PhoneService.open({ slots: 0 });
    const callId = await service.place();
    const delays: number[] = [];
    for (let tries = 0; tries < 6; tries += 1) {
      const { dueAtMs = 0 } = (await service.stores.phoneCalls.get(callId)) ?? {};
      delays.push(Number(dueAtMs) - Number(service.clock.epochMs()));
      await service.tick(callId);
    }
    expect(delays).toEqual([1_000, 2_000, 5_000, 10_000, 10_000, 10_000]);
    const events = await service.stores.phoneCalls.events(service.accountId, callId, { from: 0, limit: 50 });
    expect(events?.map(({ event }) => event)).toEqual(Array(7).fill({ kind: "tick" }));
  });

  test("beyond the carrier's own limit waits", async () => {
    service = await PhoneService.open({ carrier: { maxConcurrentCalls: 1 } });
    const [first, second] = [await service.place(), await service.place("+12025550124")];
    expect([await service.phaseOf(first), await service.phaseOf(second)]).toEqual(["dialling", "queued"]);
  });

  test("from a number that places one call a second waits its turn", async () => {
    service = await PhoneService.open({ carrier: { callsPerSecond: 1 } });
    const [first, second] = [await service.place(), await service.place("+12025550124")];
    expect([await service.phaseOf(first), await service.phaseOf(second)]).toEqual(["dialling", "queued"]);
    await service.tick(second);
    expect(await service.phaseOf(second)).toBe("dialling");
  });

  test("that is hung up before it is dialled is never dialled", async () => {
    service = await PhoneService.open();
    const callId = await service.place();
    expect(await service.phoneCalls.request(callId, { kind: "hang_up" }, "api_hangup")).toEqual({ kind: "accepted" });
    await service.work();
    expect(service.operations).toEqual([]);
    expect((await service.recordOf(callId))?.endReason).toBe("api_hangup");
  });
});

describe("a live call", () => {
  async function liveCall(script = {}, carrier: Partial<NewCarrier> = {}) {
    service = await PhoneService.open({ script, carrier });
    const callId = await service.place();
    await service.work();
    await service.phoneCalls.handle(callId, ANSWERED);
    await service.attach(callId);
    return callId;
  }

  test("is transferred: first the worker learns of it, then the carrier", async () => {
    const callId = await liveCall({ transfer: { kind: "done", value: undefined } });
    await service.phoneCalls.request(callId, { kind: "transfer", target: "+12025550199" }, "agent_hangup");
    await service.clock.play(0);
    expect(service.updates).toMatchObject([{ kind: "transferring", target: "+12025550199" }]);
    await service.clock.play(10);
    await service.work();
    expect(service.operations).toEqual(["dial", "transfer"]);
    expect(service.client.asked.at(-1)?.text).toContain(encodeURIComponent("+12025550199").replace("%2B", ""));
  });

  const PLIVO = {
    carrier: "carrier_c",
    publicCredentials: { authId: "MAXXXXXXXXXXXXXXXXXX" },
    credentials: { authId: "MAXXXXXXXXXXXXXXXXXX", authToken: "WkRVMk1qVTVNVEV4TWpNME5UWTNPRGt3TVRJek5EVTI" },
  } as const;

  test.each([
    ["is asked for again", PLIVO, ["dial", "transfer", "transfer"], "transfer-failed", "live"],
    ["is not repeated, and may be going on", {}, ["dial", "transfer"], "transferring", "transferring"],
  ] as const)("whose transfer has an uncertain answer %s: the first carries it out only at the end of the stream", async (_, carrier, operations, update, phase) => {
    const callId = await liveCall({ transfer: { kind: "uncertain", status: 502 } }, carrier);
    await service.phoneCalls.request(callId, { kind: "transfer", target: "+12025550199" }, "agent_hangup");
    await service.clock.play(10);
    await service.work();
    service.clock.stall(2_000);
    await service.work();
    expect(service.operations).toEqual(operations);
    expect([service.updates.at(-1)?.kind, await service.phaseOf(callId)]).toEqual([update, phase]);
  });

  test("whose accepted transfer waits for the end of the stream has its worker asked again, also by another process, until the stream is gone", async () => {
    const callId = await liveCall({ transfer: { kind: "done", value: undefined } }, PLIVO);
    await service.phoneCalls.request(callId, { kind: "transfer", target: "+12025550199" }, "agent_hangup");
    await service.clock.play(10);
    service.isWorkerThere = false;
    await service.work();
    await service.tick(callId);
    await service.restart();
    service.isWorkerThere = true;
    await service.tick(callId);
    await service.phoneCalls.handle(callId, { kind: "media-lost" });
    await service.tick(callId);
    const asked = service.updates.filter(({ kind }) => kind === "end-leg");
    expect(asked).toHaveLength(3);
  });

  test("that comes back gets an address of the same call, and the agent knows why", async () => {
    const callId = await liveCall({ transfer: { kind: "done", value: undefined } });
    await service.phoneCalls.request(callId, { kind: "transfer", target: "+12025550199" }, "agent_hangup");
    await service.clock.play(10);
    await service.work();
    await service.phoneCalls.handle(callId, { kind: "media-lost" });
    const handled = await service.phoneCalls.handle(callId, {
      kind: "notice",
      notice: { kind: "transfer", carrierCallId: "CA1", outcome: "busy" },
      transfer: 1,
    });
    await handled?.informed;
    const access = await service.phoneCalls.accessOf({ carrierId: service.carrier.id });
    const instruction = handled && access && (await service.phoneCalls.instructionOf(handled, access));
    expect(service.updates.at(-1)).toMatchObject({ kind: "transfer-failed", outcome: "busy" });
    expect(instruction).toMatchObject({ kind: "stream", stream: { url: "wss://media.example/resume/2", callId } });
    expect(service.tokens).toHaveLength(1);
    await service.phoneCalls.handle(callId, { kind: "media-attached" });
    expect(await service.phaseOf(callId)).toBe("live");
  });

  test("has digits of a program sent by the carrier, or by its worker as tones where the carrier takes none", async () => {
    const request = { kind: "send_dtmf", digits: "42#" } as const;
    const onTwilio = await liveCall();
    expect(await service.phoneCalls.request(onTwilio, request, "api_hangup")).toEqual({ kind: "accepted" });
    await service.clock.play(10);
    expect([service.operations, service.updates]).toEqual([["dial"], [{ kind: "send-dtmf", digits: "42#" }]]);
    service.isWorkerThere = false;
    expect(await service.phoneCalls.request(onTwilio, request, "api_hangup")).toEqual({
      ...{ kind: "refused", isInvalid: false },
      reason: expect.stringContaining("the call has no media stream"),
    });
    expect(JSON.stringify(service.log.lines)).toContain("digits were not sent");
    expect(JSON.stringify(service.log.lines)).not.toContain("42#");
    await service.close();
    const onPlivo = await liveCall({ send_dtmf: { kind: "done", value: undefined } }, PLIVO);
    await service.phoneCalls.request(onPlivo, request, "api_hangup");
    await service.clock.play(10);
    expect([service.operations, service.updates]).toEqual([["dial", "send_dtmf"], []]);
  });

  test("is not transferred where the worker does not have it", async () => {
    const callId = await liveCall();
    service.isWorkerThere = false;
    await service.phoneCalls.request(callId, { kind: "transfer", target: "+12025550199" }, "agent_hangup");
    await service.clock.play(10);
    await service.work();
    expect(service.operations).toEqual(["dial"]);
    expect(await service.phaseOf(callId)).toBe("live");
  });

  test.each([
    ["+19005551234", "premium-rate numbers are not called"],
    ["+4930123456", "numbers of this country are not called"],
    ["911", "the target is neither a number in E.164 nor a SIP address"],
    ["sip:a@b.example\r\nX: y", "the target is neither a number in E.164 nor a SIP address"],
  ])("is not transferred to %j", async (target, reason) => {
    const callId = await liveCall();
    const outcome = await service.phoneCalls.request(callId, { kind: "transfer", target }, "agent_hangup");
    expect(outcome).toEqual({ kind: "refused", reason, isInvalid: true });
  });

  test("whose record ends is hung up at the carrier", async () => {
    const callId = await liveCall();
    await service.phoneCalls.handle(callId, { kind: "record-ended", reason: "agent_hangup" });
    await service.work();
    expect(service.operations).toEqual(["dial", "hang_up"]);
  });

  test("is hung up again until the carrier has done it", async () => {
    const callId = await liveCall({ hang_up: { kind: "uncertain", status: 502 } });
    await service.phoneCalls.handle(callId, { kind: "record-ended", reason: "agent_hangup" });
    await service.work();
    service.client.answer({ hang_up: { kind: "gone" } });
    service.clock.stall(2_000);
    await service.work();
    expect(service.operations).toEqual(["dial", "hang_up", "hang_up"]);
    service.clock.stall(60_000);
    await service.work();
    expect(service.operations).toHaveLength(3);
  });

  test("is hung up also when its record was deleted meanwhile, until a carrier that was away for ten minutes has done it", async () => {
    const callId = await liveCall({ hang_up: { kind: "busy", isUnreachable: true } });
    await service.phoneCalls.handle(callId, { kind: "record-ended", reason: "agent_hangup" });
    await service.endRecord(callId);
    expect(await service.phoneCalls.needsCarrier(callId)).toBe(false);
    expect(await service.stores.calls.remove(service.accountId, callId)).toBe(true);
    for (let seconds = 0; seconds < 600; seconds += 60) {
      await service.work();
      service.clock.stall(60_000);
    }
    const asked = service.operations.filter((operation) => operation === "hang_up").length;
    expect(asked).toBeGreaterThan(5);
    service.client.answer({ hang_up: { kind: "done", value: undefined } });
    for (let minutes = 0; minutes < 10; minutes += 1) {
      service.clock.stall(60_000);
      await service.work();
    }
    expect(service.operations.filter((operation) => operation === "hang_up")).toHaveLength(asked + 1);
  });

  test("is hung up by a job of the earlier version, which does not name the carrier; one of a deleted call is dead, and not lost in silence", async () => {
    const callId = await liveCall();
    await service.phoneCalls.handle(callId, { kind: "record-ended", reason: "agent_hangup" });
    const [job] = await service.claim();
    if (job === undefined) throw new Error("no job");
    const { carrierId: _, ...payload } = job.payload as { carrierId: string };
    await service.jobs.run({ ...job, payload });
    expect(service.operations).toEqual(["dial", "hang_up"]);
    await service.endRecord(callId);
    await service.stores.calls.remove(service.accountId, callId);
    await expect(service.jobs.run({ ...job, payload })).rejects.toMatchObject({ retry: "never" });
  });

  test("needs its carrier until it is over there, whatever its record says", async () => {
    const callId = await liveCall();
    await service.endRecord(callId);
    expect(await service.phoneCalls.needsCarrier(callId)).toBe(true);
    await service.phoneCalls.handle(callId, { kind: "record-ended", reason: "agent_hangup" });
    expect(await service.phoneCalls.needsCarrier(callId)).toBe(false);
  });

  test("has no token, no number and no credential in the log, and no token in its journal", async () => {
    const callId = await liveCall({ transfer: { kind: "done", value: undefined } });
    await service.phoneCalls.request(callId, { kind: "transfer", target: "+12025550199" }, "agent_hangup");
    await service.clock.play(10);
    await service.work();
    const journal = JSON.stringify(
      await service.stores.phoneCalls.events(service.accountId, callId, { from: 0, limit: 100 }),
    );
    const log = service.log.lines.join("\n");
    for (const token of service.tokens) expect(journal + log).not.toContain(token);
    expect(log).not.toContain("+1202555");
    expect(log).toContain(callId);
  });
});
