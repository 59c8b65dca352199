import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { SimulatedTwilio } from "../../../src/carriers/twilio/simulated.ts";
import { isoEpochMs, systemClock } from "../../../src/core/clock.ts";
import { elapsedMs } from "../../../src/core/clocks.ts";
import { CARRIER_FRAME_SAMPLES } from "../../../src/core/limits/streams/media.ts";
import { MU_LAW } from "../../../src/media/g711.ts";
import { connectPeer } from "../../../src/simulator/peers/peer-socket.ts";
import { RawCaller } from "../../callers/raw-caller.ts";
import { telephone } from "../../callers/telephone.ts";
import { OPCODE } from "../../support/network/raw-ws.ts";
import { NEW_CALL, Service, until, withStores } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

/** How long live calls may go on after SIGTERM, and what an exit may take beside that. */
const DRAIN_MS = 1_500;
const EXIT_MS_MAX = 5_000;
const GREETING = "Good day, this is the bakery.";

let service: Service;
beforeAll(async () => {
  service = await Service.start({ env: { DRAIN_MS: String(DRAIN_MS) } });
});

/** A masked text message of 256 bytes (RFC 6455, section 5.2), of which 40 are there. */
const PARTIAL_PAYLOAD = Buffer.concat([Buffer.from([0x81, 0xfe, 0x01, 0x00, 0, 0, 0, 0]), Buffer.alloc(40, 0x20)]);
/** What such a peer has sent before. */
const FRAMES = 10;

/** The ways in which a peer can vanish: what it still does to its open stream. */
const VANISHING: Readonly<Record<string, (caller: RawCaller) => void>> = {
  "a half-close by a client that goes on reading": ({ ws }) => ws.halfClose(),
  "a reset in the middle of a frame": ({ ws }) => {
    ws.write(PARTIAL_PAYLOAD);
    ws.reset();
  },
  "a close in the middle of a header": ({ ws }) => {
    ws.write(PARTIAL_PAYLOAD.subarray(0, 3));
    ws.destroy();
  },
  "a close in the middle of a payload": ({ ws }) => {
    ws.write(PARTIAL_PAYLOAD);
    ws.destroy();
  },
};

/** The service reads in order: it has read what was sent before a ping when it answers it. A reset destroys what is unread. */
async function everythingRead({ ws }: RawCaller): Promise<void> {
  ws.sendFrame({ opcode: OPCODE.ping });
  for (let frame = await ws.readFrame(); frame?.opcode !== OPCODE.pong; frame = await ws.readFrame()) {
    if (frame === undefined) throw new Error("the connection ended before the ping was answered");
  }
}

/** Less than a second on a machine that does nothing else, and always less than any deadline that would also end the call. */
const ENDED_MS_MAX = 5_000;

test("B15: a peer that disconnects in any way ends its own call at once, once, and no other call", {
  retry: ifMachineStalled,
}, async () => {
  const other = await service.createCall({ greeting: GREETING });
  const placed = telephone(other.websocketUrl, [{ do: "listen" }]);
  const calls = await Promise.all(
    Object.entries(VANISHING).map(async ([how, vanish]) => {
      const { id, websocketUrl } = await service.createCall({ greeting: GREETING });
      const caller = await RawCaller.startAt(service, websocketUrl);
      caller.sendFrames(FRAMES);
      // The agent is speaking by then.
      await caller.ws.readFrame();
      await everythingRead(caller);
      vanish(caller);
      return { how, id, vanishedAtMs: systemClock.epochMs() };
    }),
  );
  for (const { how, id, vanishedAtMs } of calls) {
    const record = await service.ended(id);
    expect(record, how).toMatchObject({
      status: "ended",
      endReason: "caller_hangup",
      recording: { channels: 2, sampleRateHz: 8_000, complete: true },
      counters: { framesIn: FRAMES },
    });
    expect(elapsedMs(vanishedAtMs, isoEpochMs(record.endedAt ?? "")), how).toBeLessThan(ENDED_MS_MAX);
    expect(record.durationMs, how).toBeGreaterThan(0);
    expect((await service.recording(id)).status, how).toBe(200);
  }
  const { caller, violations } = await placed;
  expect(caller.heard.map(({ text }) => text)).toEqual([GREETING]);
  expect(violations.size).toBe(0);
  expect(await service.ended(other.id)).toMatchObject({ endReason: "caller_hangup", recording: { complete: true } });
  for (const { how, id } of calls) {
    expect([service.logged("call ended", id).length, service.logged("call record stored", id).length], how).toEqual([
      1, 1,
    ]);
  }
});

test("C18: a call without any media and one of 50 ms each have a record", async () => {
  const [empty, short] = [await service.createCall(), await service.createCall()];
  const { caller } = await RawCaller.connect(empty.websocketUrl);
  caller.ws.destroy();
  const leg50 = await RawCaller.startAt(service, short.websocketUrl);
  leg50.sendFrames(2);
  await delay(50);
  leg50.hangUp();
  expect(await service.ended(empty.id)).toMatchObject({
    status: "ended",
    endReason: "caller_hangup",
    counters: { framesIn: 0, framesOut: 0 },
  });
  expect(await service.transcript(empty.id)).toEqual([]);
  expect(await service.ended(short.id)).toMatchObject({
    status: "ended",
    endReason: "caller_hangup",
    recording: { complete: true },
    counters: { framesIn: 2 },
  });
});

/** A call whose caller says nothing and hangs on. */
async function silentCall() {
  const { id, websocketUrl } = await service.createCall({ greeting: GREETING });
  const silence = new Uint8Array(CARRIER_FRAME_SAMPLES).fill(MU_LAW.silenceByte);
  const line = {
    clock: systemClock,
    id: randomBytes(16).toString("hex"),
    microphone: () => silence,
    earphone: () => {},
  };
  const { peer: carrier, closed } = await connectPeer(
    websocketUrl,
    (socket) => new SimulatedTwilio({ ...line, ...socket }),
  );
  return { id, carrier, closed };
}

test("K8, C18: after SIGTERM no call begins, live calls end with a goodbye at the deadline, and only their records remain", async () => {
  const waiting = await service.createCall();
  const [staying, leaving] = [await silentCall(), await silentCall()];
  await until(
    "both to be spoken to",
    10_000,
    () => staying.carrier.bufferedSamples > 0 && leaving.carrier.bufferedSamples > 0,
  );

  const signalledMs = systemClock.nowMs();
  service.process.signal("SIGTERM");
  await until("/readyz to say no", 1_000, async () => (await service.fetch("GET", "/readyz")).status === 503);
  const refusal = await service.api("POST", "/calls", NEW_CALL);
  expect([refusal.status, refusal.body]).toMatchObject([503, { error: { code: "draining" } }]);
  expect((await RawCaller.connect(waiting.websocketUrl)).status).toBe(503);
  leaving.carrier.stop();

  expect(await staying.closed).toEqual({ code: 1_001, reason: "drain_timeout" });
  const endedMs = elapsedMs(signalledMs, systemClock.nowMs());
  expect(await service.process.exited).toBe(0);
  const exitedMs = elapsedMs(signalledMs, systemClock.nowMs());
  expect(endedMs).toBeGreaterThan(DRAIN_MS - 100);
  expect(exitedMs).toBeLessThan(DRAIN_MS + EXIT_MS_MAX);
  await until("no process to be left", 1_000, () => service.process.living().length === 0);

  const records = await withStores(service.dataDir, ({ calls }, accountId) =>
    Promise.all([staying, leaving, waiting].map(({ id }) => calls.get(accountId, id))),
  );
  const complete = { status: "ended", recording: { complete: true } };
  expect(records).toMatchObject([
    { ...complete, endReason: "drain_timeout" },
    { ...complete, endReason: "caller_hangup" },
    // What was refused was not spent.
    { status: "created" },
  ]);
  const said = await withStores(service.dataDir, ({ calls }, accountId) => calls.transcript(accountId, staying.id));
  expect(said?.at(-1)).toMatchObject({
    role: "agent",
    text: "We have to end this call now. Goodbye.",
    interrupted: false,
  });
});
