import { expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { PARTS_FAILED_MAX } from "../../../src/core/limits/transcriptions/transcriptions.ts";
import type { TranscriptionOptions } from "../../../src/core/transcriptions/options.ts";
import type { PartKey } from "../../../src/core/transcriptions/part.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import {
  type DecodedFile,
  type FileTranscriptionOptions,
  transcribeFile,
} from "../../../src/transcription/parts/transcribe-file.ts";
import { ScriptedStt } from "../../support/transcriptions/scripted-stt.ts";
import { fileOf, soundDetection, utterances } from "../../support/transcriptions/sound-files.ts";

const makeResampler = await loadResampler();

interface Transcribed {
  done: Promise<DecodedFile>;
  requested: PartKey[];
  transcribed: PartKey[];
  progress: [doneMs: number, durationMs: number | undefined][];
}

function transcribe(
  path: string,
  stt: ScriptedStt,
  options: Partial<TranscriptionOptions> = {},
  further: Partial<FileTranscriptionOptions> = {},
): Transcribed {
  const story: Omit<Transcribed, "done"> = { requested: [], transcribed: [], progress: [] };
  const done = transcribeFile({
    path,
    options: {
      language: "en",
      channels: "separate",
      timestamps: "word",
      speakers: false,
      vocabulary: ["Trunkline"],
      ...options,
    },
    isTranscribed: () => false,
    stt,
    voiceActivity: soundDetection,
    makeResampler,
    ffmpeg: undefined,
    clock: systemClock,
    signal: new AbortController().signal,
    onRequest: async (part) => void story.requested.push(part),
    onTranscribed: async (part) => void story.transcribed.push(part),
    onProgress: (...progress) => void story.progress.push(progress),
    ...further,
  });
  return { ...story, done };
}

const namesOf = (parts: readonly PartKey[]): string[] =>
  parts.map(({ channel, startMs }) => `${channel} ${startMs}`).sort();

test("each utterance of each channel is transcribed, with what was asked for, and the progress ends at the length", async () => {
  const stt = new ScriptedStt();
  const { done, transcribed, progress } = transcribe(
    fileOf(utterances(4), [...utterances(1), ...Array(9).fill(false)]),
    stt,
  );
  expect(await done).toEqual({ durationMs: 12_000, channels: 2 });
  expect(transcribed).toHaveLength(5);
  expect(transcribed.filter(({ channel }) => channel === 1)).toHaveLength(1);
  expect(stt.requests[0]).toMatchObject({ language: "en", speakers: false, vocabulary: ["Trunkline"] });
  const doneMs = progress.map(([ms]) => ms);
  expect(doneMs).toEqual([...doneMs].sort((a, b) => a - b));
  expect(progress.at(-1)).toEqual([12_000, 12_000]);
});

test("no more parts are transcribed at once than the providers bear", async () => {
  const stt = new ScriptedStt({ capabilities: { concurrentMax: 2 } });
  await transcribe(fileOf(utterances(12)), stt).done;
  expect(stt.concurrent).toBe(2);
  expect(stt.requests).toHaveLength(12);
});

test("a part that fails does not stop the others, and another attempt asks for it alone", async () => {
  const path = fileOf(utterances(6));
  const first = transcribe(path, new ScriptedStt({ outcomes: ["ok", "fails"] }));
  await expect(first.done).rejects.toMatchObject({ code: "provider_failed" });
  expect(first.transcribed).toHaveLength(5);
  const failedMs = first.requested.find((part) => !first.transcribed.includes(part))?.startMs;
  for (const [doneMs] of first.progress) expect(doneMs).toBeLessThanOrEqual(failedMs ?? 0);
  const stored = new Set(namesOf(first.transcribed));
  const isTranscribed = (part: PartKey) => stored.has(namesOf([part])[0] ?? "");
  const second = transcribe(path, new ScriptedStt(), {}, { isTranscribed });
  await second.done;
  expect(second.requested).toHaveLength(1);
  expect(namesOf([...first.transcribed, ...second.transcribed])).toEqual(namesOf(first.requested));
});

test("where everything fails, the file is given up soon", async () => {
  const stt = new ScriptedStt({ outcomes: Array(40).fill("fails"), capabilities: { concurrentMax: 1 } });
  await expect(transcribe(fileOf(utterances(40)), stt).done).rejects.toMatchObject({ code: "provider_failed" });
  expect(stt.requests.length).toBeLessThanOrEqual(PARTS_FAILED_MAX + 1);
});

test("with speakers each channel is one part, and no longer than the providers tell them apart", async () => {
  const stt = new ScriptedStt();
  const { done, transcribed } = transcribe(fileOf(utterances(10)), stt, { speakers: true });
  await done;
  expect(transcribed).toHaveLength(1);
  expect(stt.requests[0]?.speakers).toBe(true);
  const long = transcribe(fileOf(utterances(21)), new ScriptedStt(), { speakers: true }).done;
  await expect(long).rejects.toMatchObject({
    code: "speakers_too_long",
    message: expect.stringContaining("1 minutes"),
  });
});

test("silence is transcribed without a request, and a file without audio is refused", async () => {
  const stt = new ScriptedStt();
  expect(await transcribe(fileOf(Array(5).fill(false)), stt).done).toEqual({ durationMs: 5_000, channels: 1 });
  expect(stt.requests).toEqual([]);
  await expect(transcribe(fileOf([]), stt).done).rejects.toMatchObject({
    code: "audio_unreadable",
    message: "the file has no audio",
  });
});

test("an abort ends the requests, and is the reason", async () => {
  const abort = new AbortController();
  const stt = new ScriptedStt({ outcomes: ["hangs", "hangs", "hangs"] });
  const { done } = transcribe(
    fileOf(utterances(9)),
    stt,
    {},
    {
      signal: abort.signal,
      onRequest: async () => {
        if (stt.requests.length === 2) setImmediate(() => abort.abort(new Error("cancelled")));
      },
    },
  );
  await expect(done).rejects.toThrow("cancelled");
});

test("a transcription that is over asks no provider", async () => {
  const stt = new ScriptedStt();
  const onRequest = () => Promise.reject(new Error("the transcription is over"));
  await expect(transcribe(fileOf(utterances(3)), stt, {}, { onRequest }).done).rejects.toThrow("is over");
  expect(stt.requests).toEqual([]);
});
