import { beforeAll, expect, test } from "vitest";
import { codecsOf, type Line } from "../../src/cli/simulated/line.ts";
import type { Utterance } from "../../src/cli/simulated/utterance.ts";
import type { G711Codec } from "../../src/media/g711.ts";
import { Service } from "../support/service.ts";
import { conversation, readRecording, telephone, utterance, wordsIn } from "../support/telephone.ts";

const PROMPT = "On Monday everybody sleeps.";
const GREETING = "Hartwell bakery.";
const QUESTION = "Open on Monday?";
const GOODBYE = "Goodbye!";
/** The reference brain's own. */
const LEAVE = "Thank you for calling. Goodbye!";

/** By the law that carrier_b was told to expect of us. */
let services: { mulaw: Service; alaw: Service };
/** What the caller says, in each law. */
let spoken: { mulaw: Utterance[]; alaw: Utterance[] };
beforeAll(async () => {
  const say = (codec: G711Codec) => Promise.all([utterance(QUESTION, codec), utterance(GOODBYE, codec)]);
  const [mulaw, alaw, mulawLines, alawLines] = await Promise.all([
    Service.start(),
    Service.start({ env: { CARRIER_B_OUTBOUND_CODEC: "pcma" } }),
    say("mulaw"),
    say("alaw"),
  ]);
  services = { mulaw, alaw };
  spoken = { mulaw: mulawLines, alaw: alawLines };
});

const LINES: readonly [string, Line][] = [
  ["carrier_a", { wire: "carrier_a" }],
  ["carrier_b in mu-law", { wire: "carrier_b", codecs: { inbound: "mulaw", outbound: "mulaw" } }],
  ["carrier_b in A-law", { wire: "carrier_b", codecs: { inbound: "alaw", outbound: "alaw" } }],
  ["carrier_b, in A-law in and mu-law out", { wire: "carrier_b", codecs: { inbound: "alaw", outbound: "mulaw" } }],
  [
    "carrier_b, in mu-law in and A-law out, out of order",
    { wire: "carrier_b", codecs: { inbound: "mulaw", outbound: "alaw" }, shuffleSeed: 7 },
  ],
  ["carrier_c", { wire: "carrier_c" }],
];

test.concurrent.each(
  LINES,
)("a whole call over %s: every word arrives both ways, and the recording holds them", async (_, line) => {
  const { inbound, outbound } = codecsOf(line);
  const service = services[outbound];
  const { id, websocketUrl } = await service.createCall({
    systemPrompt: PROMPT,
    greeting: GREETING,
    connectionType: line.wire,
    // It contradicts every carrier, and counts for none.
    websocket: { codec: "opus", inputSampleRate: 48_000, outputSampleRate: 24_000 },
  });
  const { caller, violations } = await telephone(websocketUrl, conversation(spoken[inbound]), { line });
  expect([...violations]).toEqual([]);
  expect(caller.heard.map(({ text }) => text)).toEqual([GREETING, PROMPT, LEAVE]);

  expect(await service.ended(id)).toMatchObject({ endReason: "agent_hangup", recording: { complete: true } });
  const transcript = await service.transcript(id);
  expect(transcript.map(({ text }) => text)).toEqual([GREETING, QUESTION, PROMPT, GOODBYE, LEAVE]);
  const { left, right } = readRecording((await service.recording(id)).bytes);
  expect(wordsIn(left).join(" ")).toBe(`${QUESTION} ${GOODBYE}`);
  expect(wordsIn(right).join(" ")).toBe(`${GREETING} ${PROMPT} ${LEAVE}`);
  expect(service.logged("call ended", id)).toMatchObject([{ malformed: 0, duplicateAudio: 0, carrierErrors: 0 }]);
});
