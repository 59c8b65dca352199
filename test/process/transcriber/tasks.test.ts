import { expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import type { FromTranscriber } from "../../../src/process/transcriber/messages.ts";
import { TranscriberTasks } from "../../../src/process/transcriber/tasks.ts";
import type { StoredPart } from "../../../src/store/transcription-store.ts";
import { ScriptedStt } from "../../support/transcriptions/scripted-stt.ts";
import { fileOf, soundDetection, utterances } from "../../support/transcriptions/sound-files.ts";

const makeResampler = await loadResampler();
const OPTIONS = { language: "en", channels: "mix", timestamps: "word", speakers: false, vocabulary: [] } as const;

/** One attempt, whose parts are stored at once, as the control process does; resolves with its last message. */
function attempt(path: string, stt: ScriptedStt, parts: readonly StoredPart[] = []) {
  const stored: StoredPart[] = [];
  const ended = new Promise<FromTranscriber>((resolve) => {
    const tasks = new TranscriberTasks({
      sttOf: async () => stt,
      voiceActivity: soundDetection,
      makeResampler,
      ffmpeg: undefined,
      clock: systemClock,
      send(message) {
        if (message.kind === "completed" || message.kind === "failed") resolve(message);
        if (message.kind === "transcribed") stored.push({ ...message.part, requests: 1, outcome: message.outcome });
        if (message.kind !== "requesting" && message.kind !== "transcribed") return;
        setImmediate(() => tasks.handle({ kind: "stored", id: 1, number: message.number, isOver: false }));
      },
    });
    tasks.handle({ kind: "transcribe", id: 1, task: { path, options: OPTIONS, account: {}, parts } });
  });
  return { ended, stored };
}

async function wordsOf({ ended }: ReturnType<typeof attempt>): Promise<string[]> {
  const message = await ended;
  return message.kind === "completed" ? message.result.words.map(({ text }) => text) : [message.kind];
}

test("a file is transcribed, and what another attempt has stored is a part of the result without a request", async () => {
  const path = fileOf(utterances(3));
  const first = attempt(path, new ScriptedStt());
  expect(await wordsOf(first)).toEqual(["word-1", "word-2", "word-3"]);
  const again = new ScriptedStt();
  expect(await wordsOf(attempt(path, again, first.stored))).toEqual(["word-1", "word-2", "word-3"]);
  expect(again.requests).toEqual([]);
});

test("parts that an attempt before has cut elsewhere, for other providers, double no word", async () => {
  const path = fileOf(utterances(6));
  const long = attempt(path, new ScriptedStt({ capabilities: { partMsMin: 9_000, partMsMax: 60_000 } }));
  expect(await wordsOf(long)).toHaveLength(2);
  expect(await wordsOf(attempt(path, new ScriptedStt(), long.stored))).toHaveLength(6);
});
