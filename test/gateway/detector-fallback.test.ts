import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../src/call/parameters.ts";
import { callMs } from "../../src/core/clocks.ts";
import type { CallId } from "../../src/core/ids.ts";
import type { VoiceActivityDetection } from "../../src/media/voice-activity/detector.ts";
import { journalPath, readJournal } from "../../src/record/journal/reader.ts";
import type { JournalRecord } from "../../src/record/journal/records.ts";
import { compareJournal } from "../../src/record/replay/comparison.ts";
import { RawCaller } from "../callers/raw-caller.ts";
import { type MediaService, mediaService } from "../support/services/media-service.ts";

let service: MediaService;
afterEach(() => service.close());

/** Decides that every frame is speech while the network decides, and that none is while the fallback does. */
class ScriptedDetection implements VoiceActivityDetection {
  readonly version = "scripted-network";
  readonly fallbackVersion = "scripted-fallback";
  readonly onset = { onsetSpeechFrames: 2, onsetWindowFrames: 3, settleMs: 0 };
  readonly counts = { gateFrames: 0, networkFrames: 0, fallbackFrames: 0 };
  #isFallback = false;

  open(): ReturnType<VoiceActivityDetection["open"]> {
    return { isSpeech: () => !this.#isFallback, destroy: () => {} };
  }

  setFallback(isOn: boolean): void {
    this.#isFallback = isOn;
  }
}

async function start(detection: VoiceActivityDetection): Promise<MediaService> {
  // An object of a class has its methods in the prototype, which is not copied.
  const { version, fallbackVersion, onset, counts } = detection;
  const open: VoiceActivityDetection["open"] = (rateHz) => detection.open(rateHz);
  const setFallback: VoiceActivityDetection["setFallback"] = (isOn) => detection.setFallback(isOn);
  service = await mediaService({ voiceActivity: { version, fallbackVersion, onset, counts, open, setFallback } });
  return service;
}

async function recordsOf(callId: CallId): Promise<JournalRecord[]> {
  const records: JournalRecord[] = [];
  await readJournal(journalPath(service.directory, callId), (record) => records.push(record));
  return records;
}

const changesIn = (records: readonly JournalRecord[]): string[] =>
  records.flatMap((record) =>
    record.kind === "event" && record.event.kind === "detector-changed" ? [record.event.detector] : [],
  );

test("calls have the onset of the worker's detector, and their journals name it", async () => {
  const { url, create, ended } = await start(new ScriptedDetection());
  const { callId, token } = await create();
  const caller = await RawCaller.start(`${url}/stream/${token}`);
  caller.sendFrames(5);
  caller.hangUp();
  await ended(callId);
  const [header] = await recordsOf(callId);
  expect(header).toMatchObject({
    header: {
      detector: "scripted-network",
      parameters: { ...DEFAULT_TURN_PARAMETERS, onsetSpeechFrames: 2, onsetWindowFrames: 3, settleMs: 0 },
    },
  });
});

test("a fallback is an event of each live call and of calls that start during it, once a change", async () => {
  const { url, create, ended, gateway } = await start(new ScriptedDetection());
  const [live, later] = [await create(), await create()];
  const first = await RawCaller.start(`${url}/stream/${live.token}`);
  first.sendFrames(5);
  await first.ws.readFrame();
  gateway.setDetectorFallback(true);
  gateway.setDetectorFallback(true);
  const second = await RawCaller.start(`${url}/stream/${later.token}`);
  expect(gateway.readings().detector).toMatchObject({ version: "scripted-fallback", fallbacks: 1 });
  gateway.setDetectorFallback(false);
  expect(gateway.readings().detector).toMatchObject({ version: "scripted-network", fallbacks: 1 });
  for (const caller of [first, second]) caller.hangUp();
  for (const { callId } of [live, later]) {
    await ended(callId);
    expect(changesIn(await recordsOf(callId))).toEqual(["scripted-fallback", "scripted-network"]);
  }
});

test("a replay uses the decisions of the journal, so it needs no detector and no network", async () => {
  const { url, create, ended, gateway, directory } = await start(new ScriptedDetection());
  const { callId, token } = await create();
  const caller = await RawCaller.start(`${url}/stream/${token}`);
  caller.sendFrames(10);
  while (gateway.readings().counts.get("carrier_a")?.framesIn !== 10) await delay(1);
  gateway.setDetectorFallback(true);
  caller.sendFrames(30);
  caller.hangUp();
  await ended(callId);
  const records = await recordsOf(callId);
  const decisions = records.flatMap((record) => (record.kind === "frame-in" ? [record.isSpeech] : []));
  expect(new Set(decisions)).toEqual(new Set([true, false]));
  const { difference, setup } = await compareJournal(journalPath(directory, callId), callMs(Number.POSITIVE_INFINITY));
  expect(difference).toBeUndefined();
  expect(setup.parameters.onsetSpeechFrames).toBe(2);
});

test("a detector without a fallback stays, and no call has an event", async () => {
  service = await mediaService();
  const { url, create, ended, gateway } = service;
  const { callId, token } = await create();
  const caller = await RawCaller.start(`${url}/stream/${token}`);
  gateway.setDetectorFallback(true);
  expect(gateway.readings().detector).toMatchObject({ version: "fvad3", fallbacks: 0 });
  caller.hangUp();
  await ended(callId);
  expect(changesIn(await recordsOf(callId))).toEqual([]);
});
