import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { A_LAW_CARRIERS, CARRIER_NAMES, type CarrierName, carrierOf } from "../../../src/carriers/list.ts";
import { type CallPlan, planCall } from "../../../src/cli/call/arguments.ts";
import { callFaults } from "../../../src/cli/call/report.ts";
import { callTimeoutMs, runCall } from "../../../src/cli/call/run.ts";
import { UsageError } from "../../../src/cli/command.ts";
import { Terminal } from "../../../src/cli/terminal.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { elapsedMs } from "../../../src/core/clocks.ts";
import { A_LAW, type G711Law, MU_LAW } from "../../../src/media/g711.ts";
import { monoWav } from "../../../src/media/wav.ts";
import { TELEPHONE } from "../../../src/simulator/audio/format.ts";
import { readWav } from "../../../src/simulator/audio/wav.ts";
import type { Utterance } from "../../../src/simulator/callers/utterance.ts";
import { inboundAudio } from "../../support/audio/inbound-audio.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const NEVER = new AbortController().signal;
const LOUD = 8_000;

/** Says one thing to a WebSocket client, in frames of 16-bit PCM. */
function sayInFrames(socket: WebSocket, rateHz: number): void {
  const side = { codec: "pcm_s16le", sampleRate: rateHz };
  socket.send(JSON.stringify({ type: "ready", callId: "call_1", input: side, output: side }));
  socket.send(JSON.stringify({ type: "error", code: "unknown_type", message: "there is no such message" }));
  const frame = new Int16Array(rateHz / 50).fill(LOUD);
  for (let ms = 0; ms < 100; ms += 20) socket.send(new Uint8Array(frame.buffer));
}

/** A gateway of a carrier that sends 100 ms of audio in `law`, records what it receives, and hangs up on the DTMF digit #. */
class Gateway {
  readonly server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  readonly heard: Buffer[] = [];
  readonly keys: string[] = [];
  wire: CarrierName = "carrier_a";
  law: G711Law = MU_LAW;
  closeCode = 1_000;

  constructor() {
    this.server.on("connection", (socket) => {
      const wire = carrierOf(this.wire)?.createWire({ outboundCodec: this.law === A_LAW ? "alaw" : "mulaw" });
      const audio = inboundAudio();
      socket.on("message", (data: Buffer) => {
        const event = wire?.decode(data, audio);
        if (event?.kind === "audio") this.heard.push(Buffer.from(audio.bytes.subarray(0, audio.count)));
        if (event?.kind === "start") {
          const frame = Buffer.alloc(160, this.law.encodeTable[LOUD]);
          for (let ms = 0; ms < 100; ms += 20) socket.send(Buffer.from(wire?.encodeAudio(frame) ?? []).toString());
        }
        if (event?.kind !== "dtmf") return;
        this.keys.push(event.digit);
        if (event.digit === "#") socket.close(this.closeCode);
      });
    });
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.server.address() as AddressInfo).port}/stream/token`;
  }
}

let gateway: Gateway;
let shown = "";
beforeEach(async () => {
  shown = "";
  gateway = new Gateway();
  await once(gateway.server, "listening");
});
afterEach(() => {
  for (const socket of gateway.server.clients) socket.terminate();
  gateway.server.close();
});

const terminal = new Terminal({
  write: (text) => {
    shown += text;
  },
  colour: false,
});
/** None of these calls goes to the service of this machine. */
const NO_SERVICE = { apiUrl: "http://127.0.0.1:9", firstKeyPath: "/nowhere/first-api-key" };
const planOf = (...args: string[]): CallPlan =>
  planCall(["--url", gateway.url, ...args], { apiUrl: undefined, apiKey: undefined });
const run = (plan: CallPlan, signal = NEVER) =>
  runCall(plan, { dataDir: temporaryDirectory(), local: NO_SERVICE, clock: systemClock, terminal }, signal);

const IN_MU_LAW = CARRIER_NAMES.map((wire) => ({ wire, args: [], law: MU_LAW }));
const IN_A_LAW = CARRIER_NAMES.filter((name) => A_LAW_CARRIERS.includes(name)).map((wire) => ({
  wire,
  args: ["--agent-codec", "alaw"],
  law: A_LAW,
}));

test.each([
  ...IN_MU_LAW,
  ...IN_A_LAW,
])("a call over $wire $args: audio is recorded, DTMF is sent, the other end hangs up", async ({ wire, args, law }) => {
  gateway.wire = wire;
  gateway.law = law;
  const file = join(temporaryDirectory(), "heard.wav");
  const result = await run(planOf("--wire", wire, ...args, "--dtmf", "1#", "--record", file));
  expect(callFaults(result)).toEqual([]);
  expect(result).toMatchObject({ hungUpBy: "other-end", closeCode: 1_000, service: undefined, recordPath: file });
  expect(gateway.keys).toEqual(["1", "#"]);
  const { samples, rateHz } = readWav(readFileSync(file));
  const spoken = samples.filter((sample) => Math.abs(sample) > 8);
  expect({ rateHz, spoken: [...new Set(spoken)] }).toEqual({
    rateHz: 8_000,
    spoken: [law.decodeTable[law.encodeTable[LOUD] as number]],
  });
  expect(spoken).toHaveLength(800);
});

test("a WebSocket client types, sends DTMF and records at its own rate; messages are shown, and errors are faults", async () => {
  const file = join(temporaryDirectory(), "heard.wav");
  const texts: object[] = [];
  gateway.server.removeAllListeners("connection");
  gateway.server.on("connection", (socket) => {
    sayInFrames(socket, 24_000);
    socket.on("message", (data, isBinary) => {
      if (isBinary) return;
      const message = JSON.parse(data.toString());
      texts.push(message);
      if (message.type !== "text") return;
      socket.send(JSON.stringify({ type: "ended", reason: "agent_hangup" }));
      socket.close(1_000);
    });
  });
  const line = ["--wire", "websocket", "--rate", "24000", "--agent-rate", "24000"];
  const result = await run(planOf(...line, "--dtmf", "1", "--type", "Goodbye", "--record", file));
  expect(texts).toEqual([
    { type: "dtmf", digit: "1" },
    { type: "text", text: "Goodbye" },
  ]);
  expect(callFaults(result)).toEqual(["The other end reported the error unknown_type: there is no such message."]);
  expect(shown).toContain("the service ends the call: agent_hangup");
  const { samples, rateHz } = readWav(readFileSync(file));
  expect({ rateHz, spoken: samples.filter((sample) => sample === LOUD).length }).toEqual({
    rateHz: 24_000,
    spoken: 2_400,
  });
});

test.each([
  { args: ["--wire", "carrier_a"], law: MU_LAW },
  { args: ["--wire", "carrier_b", "--codec", "alaw"], law: A_LAW },
])("a WAV file of 44,100 Hz is played at the telephone's rate and in the transport's codec: $args", async ({
  args,
  law,
}) => {
  const file = join(temporaryDirectory(), "tone.wav");
  const samples = Int16Array.from({ length: 22_050 }, (_, i) => LOUD * Math.sin((2 * Math.PI * 400 * i) / 44_100));
  writeFileSync(file, monoWav(samples, 44_100));
  gateway.wire = args[1] === "carrier_a" ? "carrier_a" : "carrier_b";
  const result = await run(planOf(...args, "--play", file, "--hang-up-after", "3s"));
  expect(result.caller.said).toMatchObject([{ text: `[${file}]` }]);
  expect(shown).toContain(`[${file}]`);
  const heard = gateway.heard.flatMap((bytes) => [...bytes].map((code) => law.decodeTable[code] as number));
  const start = heard.findIndex((sample) => Math.abs(sample) > 100);
  const tone = heard.slice(start, start + 4_000);
  // Half a second of 400 Hz crosses zero 400 times.
  const crossings = tone.filter((sample, i) => i > 0 && sample < 0 !== (tone[i - 1] as number) < 0).length;
  expect(crossings).toBeGreaterThan(390);
  expect(crossings).toBeLessThan(410);
  expect(heard.slice(start + 4_200).every((sample) => Math.abs(sample) <= 8)).toBe(true);
});

test("a caller with a given time hangs up then, without a fault", async () => {
  const result = await run(planOf("--hang-up-after", "1500ms"));
  expect(callFaults(result)).toEqual([]);
  expect(result.hungUpBy).toBe("caller");
  expect(elapsedMs(result.startedMs, result.endedMs)).toBeGreaterThan(1_500);
});

test("the call's timeout includes the duration of the caller's speech", () => {
  const frames = Array<Uint8Array>(30_000).fill(new Uint8Array(160));
  const utterance: Utterance = { text: "ten minutes", format: TELEPHONE, frames, words: [] };
  expect(callTimeoutMs([{ do: "listen" }])).toBe(300_000);
  expect(callTimeoutMs([{ do: "listen" }, { do: "say", utterance }, { do: "press", digits: "1" }])).toBe(900_000);
});

test("an aborted call is a fault", async () => {
  gateway.closeCode = 1_011;
  const result = await run(planOf("--dtmf", "#", "--play", fileOfSilence()));
  expect(callFaults(result)).toEqual([
    "The other end hung up before everything was said.",
    "The stream was closed with 1011, not 1000.",
  ]);
});

test("all unplayable files are reported before the call", async () => {
  const none = join(temporaryDirectory(), "none.wav");
  const text = join(temporaryDirectory(), "text.wav");
  writeFileSync(text, "not audio");
  let calls = 0;
  gateway.server.on("connection", () => {
    calls += 1;
  });
  const refused = await run(planOf("--play", none, "--play", text)).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UsageError);
  expect(String(refused)).toContain(`--play ${none}: ENOENT`);
  expect(String(refused)).toContain(`--play ${text}: not a WAVE file`);
  expect(calls).toBe(0);
});

function fileOfSilence(): string {
  const file = join(temporaryDirectory(), "silence.wav");
  writeFileSync(file, monoWav(new Int16Array(800), 8_000));
  return file;
}
