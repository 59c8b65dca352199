import { beforeAll, expect, test } from "vitest";
import { isSpeech } from "../../../src/simulator/callers/utterance.ts";
import type { Voice } from "../../../src/speech/contracts.ts";
import { readRecording, telephone } from "../../callers/telephone.ts";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

/** With the voices as they come, eSpeak's, and an STT that transcribes whatever language these speak. */
let service: Service;
beforeAll(async () => {
  service = await Service.start({ env: { TTS: "espeak", STT: "reference" } });
});

const voicedMs = (samples: Int16Array): number => samples.filter(isSpeech).length / 8;

test("an installation without API keys has voices of over 50 languages", async () => {
  const voices = (await service.api<{ data: Voice[] }>("GET", "/voices")).body.data;
  expect(voices).toContainEqual({
    id: "espeak/gmw/en-US",
    name: "English (America)",
    language: "en-US",
    provider: "espeak",
  });
  const { data } = (await service.api<{ data: { code: string; name: string }[] }>("GET", "/languages")).body;
  const languages = new Set(data.map(({ code }) => code.split("-")[0]));
  expect(languages.size).toBeGreaterThan(50);
  expect(data).toContainEqual(expect.objectContaining({ code: "pt-BR", name: "Brazilian Portuguese" }));
});

test("its greeting is heard by the caller, and is in the recording", { retry: ifMachineStalled }, async () => {
  const call = { voice: "espeak/gmw/en-US", greeting: "Good day, bakery." };
  const { id, websocketUrl } = await service.createCall(call);
  const { caller, played, violations } = await telephone(websocketUrl, [{ do: "listen" }]);
  expect(caller.finished).toBe(true);
  expect(violations.size).toBe(0);
  expect(voicedMs(played)).toBeGreaterThan(300);

  expect(await service.ended(id)).toMatchObject({ status: "ended", endReason: "caller_hangup" });
  expect(await service.transcript(id)).toMatchObject([{ role: "agent", text: call.greeting, interrupted: false }]);
  const { left, right } = readRecording((await service.recording(id)).bytes);
  expect(voicedMs(left)).toBe(0);
  expect(Math.abs(voicedMs(right) - voicedMs(played))).toBeLessThan(50);
});
