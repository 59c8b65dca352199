import { beforeAll, expect, test } from "vitest";
import {
  A_LAW_CARRIERS,
  CARRIER_NAMES,
  CARRIERS,
  type CarrierName,
  UNORDERED_CARRIERS,
} from "../../../src/carriers/list.ts";
import type { StreamCodec, StreamRateHz } from "../../../src/core/calls/spec.ts";
import type { AudioFormat } from "../../../src/simulator/audio/format.ts";
import type { Utterance } from "../../../src/simulator/callers/utterance.ts";
import { formatsOf, type SimulatedLine } from "../../../src/simulator/lines.ts";
import { connectionOf } from "../../../src/simulator/service/api-calls.ts";
import { conversation, readRecording, telephone, utterance, wordsIn } from "../../callers/telephone.ts";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

// Every wire, codec and rate there is: one short call each, some of them at a time.

const PROMPT = "On Monday everybody sleeps.";
const GREETING = "Hartwell bakery.";
const QUESTION = "Open on Monday?";
const GOODBYE = "Goodbye!";
/** The reference LLM's own. */
const LEAVE = "Thank you for calling. Goodbye!";
const OF_AGENT = [GREETING, PROMPT, LEAVE];
const OF_CALLER = [QUESTION, GOODBYE];
/** What an STT emits of both, word by word. */
const PARTIALS = ["Open", "Open on", "Open on Monday?", "Goodbye!"];

/** As many as leave the machine enough of its time that all of them sound in time. */
const CALLS_AT_ONCE = 6;
/** All of them together take about a minute. */
const CALLS_MS_MAX = 120_000;

const websocket = (
  codec: StreamCodec,
  inputRateHz: StreamRateHz,
  outputRateHz: StreamRateHz,
  shuffleSeed?: number,
): [string, SimulatedLine] => {
  const name = `websocket, ${codec} at ${inputRateHz} Hz in and ${outputRateHz} Hz out`;
  const line = { wire: "websocket", format: { codec, inputRateHz, outputRateHz } } as const;
  return shuffleSeed === undefined ? [name, line] : [`${name}, in fragments`, { ...line, shuffleSeed }];
};

/** The last of a carrier's lines is out of order where it can be. */
function linesOf(wire: CarrierName): [string, SimulatedLine][] {
  const hasALaw = A_LAW_CARRIERS.includes(wire);
  const lines: [string, SimulatedLine][] = hasALaw
    ? [
        [`${wire} in mu-law`, { wire, codecs: { inbound: "mulaw", outbound: "mulaw" } }],
        [`${wire} in A-law`, { wire, codecs: { inbound: "alaw", outbound: "alaw" } }],
        [`${wire}, in A-law in and mu-law out`, { wire, codecs: { inbound: "alaw", outbound: "mulaw" } }],
        [`${wire}, in mu-law in and A-law out`, { wire, codecs: { inbound: "mulaw", outbound: "alaw" } }],
      ]
    : [[wire, { wire }]];
  if (!UNORDERED_CARRIERS.includes(wire)) return lines;
  return lines.map(([name, line], at) =>
    at === lines.length - 1 ? [`${name}, out of order`, { ...line, shuffleSeed: 7 }] : [name, line],
  );
}

const LINES: readonly [string, SimulatedLine][] = [
  ...CARRIER_NAMES.flatMap(linesOf),
  websocket("pcm_s16le", 8_000, 8_000),
  websocket("pcm_s16le", 16_000, 16_000),
  websocket("pcm_s16le", 24_000, 24_000),
  websocket("pcm_s16le", 48_000, 48_000),
  websocket("pcm_s16le", 8_000, 48_000),
  websocket("pcm_s16le", 48_000, 8_000),
  websocket("pcm_s16le", 16_000, 24_000, 1),
  websocket("pcm_s16le", 24_000, 16_000, 2),
  websocket("mulaw", 8_000, 8_000),
  websocket("mulaw", 8_000, 8_000, 3),
  websocket("alaw", 8_000, 8_000),
  websocket("opus", 8_000, 8_000),
  websocket("opus", 16_000, 16_000),
  websocket("opus", 24_000, 24_000),
  websocket("opus", 48_000, 48_000),
  websocket("opus", 48_000, 8_000),
];

/** By the law that carriers were asked to expect. */
let services: { mulaw: Service; alaw: Service };

const serviceOf = (line: SimulatedLine): Service =>
  line.wire !== "websocket" && line.codecs?.outbound === "alaw" ? services.alaw : services.mulaw;

const A_LAW_OUT = Object.fromEntries(
  CARRIERS.flatMap(({ outboundCodec }) => (outboundCodec === undefined ? [] : [[outboundCodec.variable, "pcma"]])),
);

/** The lines of the caller, which are spoken once for each format. */
const spoken = new Map<string, Promise<Utterance[]>>();
function linesIn(format: AudioFormat): Promise<Utterance[]> {
  const key = `${format.codec} ${format.rateHz}`;
  const lines = spoken.get(key) ?? Promise.all(OF_CALLER.map((text) => utterance(text, format)));
  spoken.set(key, lines);
  return lines;
}

/** For a carrier this contradicts all that it has, and counts for nothing. */
const CONTRADICTION = { codec: "opus", inputSampleRate: 48_000, outputSampleRate: 24_000 };

async function call(line: SimulatedLine) {
  const service = serviceOf(line);
  const { id, websocketUrl } = await service.createCall({
    systemPrompt: PROMPT,
    greeting: GREETING,
    websocket: CONTRADICTION,
    ...connectionOf(line),
  });
  const understood: string[] = [];
  const placed = await telephone(websocketUrl, conversation(await linesIn(formatsOf(line).inbound)), {
    line,
    notice: (notice) => {
      if (notice.kind === "word" && notice.who === "agent") understood.push(notice.word);
    },
  });
  return { service, id, understood, ...placed, record: await service.ended(id) };
}

type Called = Awaited<ReturnType<typeof call>>;
const calls = new Map<SimulatedLine, Promise<Called>>();
beforeAll(async () => {
  const formats = LINES.map(([, line]) => formatsOf(line).inbound);
  const [mulaw, alaw] = await Promise.all([
    Service.start(),
    Service.start({ env: A_LAW_OUT }),
    // Before the calls, which have better things to wait for.
    ...formats.map(linesIn),
  ]);
  services = { mulaw, alaw };
  const waiting = LINES.map(([, line]) => line);
  const talk = async (): Promise<void> => {
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
      const called = call(line);
      calls.set(line, called);
      // Its own test shows whether it went well.
      await called.catch(() => {});
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, talk));
}, CALLS_MS_MAX);

test.for(LINES)(
  "a whole call over %s: every word arrives in both directions and is in the recording",
  {
    retry: ifMachineStalled,
  },
  async ([, line], { task }) => {
    const isRetried = (task.result?.retryCount ?? 0) > 0;
    const called = isRetried ? call(line) : calls.get(line);
    if (called === undefined) throw new Error("the calls were not placed");
    const { service, id, caller, understood, violations, serviceErrors, serviceMessages, record } = await called;
    expect({ violations: [...violations], serviceErrors }).toEqual({ violations: [], serviceErrors: [] });
    expect(caller.heard.map(({ text }) => text)).toEqual(OF_AGENT);
    expect(understood.join(" ")).toBe(OF_AGENT.join(" "));

    expect(record).toMatchObject({ endReason: "agent_hangup", recording: { complete: true } });
    const transcript = await service.transcript(id);
    expect(transcript.map(({ text }) => text)).toEqual([GREETING, QUESTION, PROMPT, GOODBYE, LEAVE]);
    expect(await partialsOf(service, id)).toEqual(PARTIALS);
    const { left, right, rateHz } = readRecording((await service.recording(id)).bytes);
    expect(wordsIn(left, rateHz).join(" ")).toBe(OF_CALLER.join(" "));
    expect(wordsIn(right, rateHz).join(" ")).toBe(OF_AGENT.join(" "));
    expect(service.logged("call ended", id)).toMatchObject([{ malformed: 0, duplicateAudio: 0, carrierErrors: 0 }]);

    if (line.wire !== "websocket") return;
    const finals = serviceMessages.flatMap((message) =>
      message.type === "transcript" && message.final ? [message] : [],
    );
    expect(finals.filter(({ role }) => role === "agent").map(({ text }) => text)).toEqual(OF_AGENT);
    expect(finals.filter(({ role }) => role === "user").map(({ text }) => text)).toEqual(OF_CALLER);
    expect([serviceMessages.at(0), serviceMessages.at(-1)]).toMatchObject([
      { type: "ready", callId: id },
      { type: "ended", reason: "agent_hangup" },
    ]);
  },
);

/** The service's interim transcripts before the caller was done. */
async function partialsOf(service: Service, callId: string): Promise<unknown[]> {
  interface Event {
    kind: string;
    text?: string;
  }
  const { body } = await service.api<{ data: Event[] }>("GET", `/calls/${callId}/events?limit=1000`);
  return body.data.filter(({ kind }) => kind === "stt-interim").map(({ text }) => text);
}
