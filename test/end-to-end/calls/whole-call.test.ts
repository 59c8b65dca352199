import { beforeAll, expect, test } from "vitest";
import { findMismatches } from "../../../src/cli/demo/comparison.ts";
import { callMs, millisecondsOf } from "../../../src/core/clocks.ts";
import { CARRIER_FRAME_SAMPLES } from "../../../src/core/limits/streams/media.ts";
import { mulawEncode } from "../../../src/media/g711.ts";
import { journalPath } from "../../../src/record/journal/reader.ts";
import { compareJournal } from "../../../src/record/replay/comparison.ts";
import type { Utterance } from "../../../src/simulator/callers/utterance.ts";
import { conversation, readRecording, telephone, utterance, wordsIn } from "../../callers/telephone.ts";
import { audioFound, longWords, wordsFound } from "../../support/audio/leaked-content.ts";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { allBytes } from "../../support/temporary-directory.ts";

const PROMPT = "On Monday everybody sleeps.";
const GREETING = "Hartwell bakery.";
const QUESTION = "Open on Monday?";
const GOODBYE = "Goodbye!";
/** The reference LLM's own. */
const LEAVE = "Thank you for calling. Goodbye!";
const TURNS = [
  ["agent", GREETING],
  ["user", QUESTION],
  ["agent", PROMPT],
  ["user", GOODBYE],
  ["agent", LEAVE],
];
/** Of the reference trio, which is free elsewhere: its STT has no price. */
const PRICES = JSON.stringify({
  currency: "EUR",
  reference: { inputTokensMillion: 1_000, outputTokensMillion: 2_000, charactersThousand: 10 },
});
const SPOKEN = TURNS.map(([, text]) => text).join(" ");

let recorded: Service;
let lines: Utterance[];
beforeAll(async () => {
  const spoken = Promise.all([utterance(QUESTION), utterance(GOODBYE)]);
  [recorded, lines] = await Promise.all([Service.start({ env: { PRICES } }), spoken]);
});

/** Everything that went over the wire with a voice in it, in frames of mu-law. */
function framesOf(played: Int16Array): Uint8Array[] {
  const frames = lines.flatMap((line) => [...line.frames]);
  for (let at = 0; at < played.length; at += CARRIER_FRAME_SAMPLES) {
    const frame = new Uint8Array(CARRIER_FRAME_SAMPLES);
    mulawEncode(played.subarray(at, at + CARRIER_FRAME_SAMPLES), frame);
    frames.push(frame);
  }
  return frames;
}

test.concurrent("a whole call: record, transcript and recording have what was said and what was heard", {
  retry: ifMachineStalled,
}, async () => {
  const { id, websocketUrl } = await recorded.createCall({ systemPrompt: PROMPT, greeting: GREETING });
  expect(websocketUrl).toMatch(new RegExp(`^${recorded.mediaUrl}/stream/[A-Za-z0-9_-]{64}$`));
  const { caller, violations, played } = await telephone(websocketUrl, conversation(lines));

  await recorded.ended(id);
  const record = await recorded.withRecording(id);
  expect(record).toMatchObject({ status: "ended", endReason: "agent_hangup", recording: { complete: true } });
  const transcript = await recorded.transcript(id);
  expect(transcript.map(({ role, text }) => [role, text])).toEqual(TURNS);

  const wholeMs = transcript.flatMap(({ latency }) => latency?.firstFrameMs ?? []).sort((a, b) => a - b);
  expect(wholeMs).toHaveLength(2);
  expect(record.latency).toMatchObject({
    total: { count: 2, p50Ms: wholeMs[0], p99Ms: wholeMs[1] },
    finalTranscript: { count: 2 },
    firstFrame: { count: 2 },
  });
  const [heard, llmUsage, spoken] = ["stt", "llm", "tts"].map((part) =>
    record.usage?.find(({ stage }) => stage === part),
  );
  expect(Math.abs((heard?.audioSeconds ?? 0) * 1_000 - (record.durationMs ?? 0))).toBeLessThan(1_000);
  expect(heard?.cost).toBeNull();
  expect(llmUsage?.outputTokens).toBe(`${PROMPT} ${LEAVE}`.split(" ").length);
  expect(spoken?.characters).toBe(`${GREETING}${PROMPT}${LEAVE}`.length);
  expect(spoken?.cost).toBeCloseTo((spoken?.characters ?? 0) / 100);
  expect(record.cost).toMatchObject({ currency: "EUR", complete: false });
  expect(record.cost?.total).toBeCloseTo((llmUsage?.cost ?? 0) + (spoken?.cost ?? 0));

  const answer = await recorded.recording(id);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "audio/wav"]);
  const { left, right, durationMs } = readRecording(answer.bytes);
  expect(Math.abs(durationMs - (record.durationMs ?? 0))).toBeLessThan(20);
  expect(Math.abs(Date.parse(record.endedAt ?? "") - Date.parse(record.startedAt ?? "") - durationMs)).toBeLessThan(
    1_000,
  );
  expect(wordsIn(left).join(" ")).toBe(`${QUESTION} ${GOODBYE}`);
  expect(wordsIn(right).join(" ")).toBe(`${GREETING} ${PROMPT} ${LEAVE}`);

  const script = {
    lines: lines.map(({ text }) => ({ text, interrupts: false })),
    endReason: "agent_hangup",
    stoppedMsMax: 0,
  } as const;
  const recording = { channels: 2, sampleRateHz: 8_000, durationMs };
  expect(findMismatches({ script, caller, record, transcript, recording, violations })).toEqual([]);

  // Its journal makes every command again, and the same the next time.
  const replays = [await compareJournal(journalPath(recorded.dataDir, id))];
  replays.push(await compareJournal(journalPath(recorded.dataDir, id)));
  expect(replays[0]).toMatchObject({ difference: undefined, truncated: false });
  expect(Math.round(millisecondsOf(replays[0]?.comparedUntilMs ?? callMs(0)))).toBe(record.durationMs);
  expect(replays[0]?.commands).toBeGreaterThan(15);
  expect(replays[1]).toEqual(replays[0]);

  // What is looked for below, of calls that may not store it, can be found where there is something.
  const bytes = allBytes(recorded.dataDir);
  expect(wordsFound(bytes, SPOKEN)).toEqual(longWords(SPOKEN));
  const { loud, mulaw, stereo } = audioFound(bytes, framesOf(played));
  expect(loud).toBeGreaterThan(50);
  // Silence within a frame has two codes in mu-law, and what was played knows only one.
  expect(mulaw).toBeGreaterThan(0.9 * loud);
  expect(stereo).toBe(loud);
});

// What was heard is compared above: a machine that is too slow for the audio must not change what is stored.
test.concurrent.each([
  { recordingEnabled: false, transcriptEnabled: false },
  { recordingEnabled: true, transcriptEnabled: false },
  { recordingEnabled: false, transcriptEnabled: true },
])("a whole call with %j leaves on the disk and in the log what it allows, and nothing else", {
  // Four services start and hold their calls at the same time.
  timeout: 180_000,
}, async ({ recordingEnabled, transcriptEnabled }) => {
  const service = await Service.start({ env: { LOG_LEVEL: "debug" } });
  const body = { systemPrompt: PROMPT, greeting: GREETING, recordingEnabled, transcriptEnabled };
  const { id, websocketUrl } = await service.createCall(body);
  const { played } = await telephone(websocketUrl, conversation(lines));

  expect(await service.ended(id)).toMatchObject({
    status: "ended",
    configuration: { recordingEnabled, transcriptEnabled },
  });
  if (recordingEnabled) await service.withRecording(id);
  expect((await service.recording(id)).status).toBe(recordingEnabled ? 200 : 404);
  const transcript = await service.transcript(id);
  expect(transcript[0]).toMatchObject({ role: "agent", endMs: expect.any(Number) });
  expect(new Set(transcript.map((turn) => "text" in turn))).toEqual(new Set([transcriptEnabled]));

  const replay = compareJournal(journalPath(service.dataDir, id));
  if (transcriptEnabled) expect(await replay).toMatchObject({ difference: undefined, truncated: false });
  else await expect(replay).rejects.toThrow("the words of the call are not recorded");

  const bytes = allBytes(service.dataDir);
  expect(bytes).toContain(id);
  expect(wordsFound(bytes, transcriptEnabled ? `${GREETING} ${PROMPT}` : SPOKEN)).toEqual(
    transcriptEnabled ? longWords(`${GREETING} ${PROMPT}`) : [],
  );
  expect(wordsFound(service.process.stdout + service.process.stderr, SPOKEN)).toEqual([]);
  const { loud, ...found } = audioFound(bytes, framesOf(played));
  expect(loud).toBeGreaterThan(50);
  if (!recordingEnabled) expect(found).toEqual({ mulaw: 0, base64: 0, mono: 0, stereo: 0 });
  else expect([found.mulaw > loud / 2, found.stereo > loud / 2, found.base64]).toEqual([true, true, 0]);
});
