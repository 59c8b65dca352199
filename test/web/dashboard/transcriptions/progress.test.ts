import { expect, test } from "vitest";
import { transcriptionName } from "../../../../web/dashboard/app/transcription-words.ts";
import { withProgress } from "../../../../web/dashboard/app/events/transcription-progress.ts";

test("progress is that of the latest event, of each transcription; what is none changes nothing", () => {
  const of = (id: string, doneSeconds: number) => ({ id, doneSeconds, durationSeconds: 60 });
  const event = (transcriptions: unknown) => ({ id: "", type: "transcriptions.activity", data: { transcriptions } });
  const first = withProgress(new Map(), event([of("transcription_1", 1), of("transcription_2", 2), { id: 3 }, null]));
  expect([...first.values()]).toEqual([of("transcription_1", 1), of("transcription_2", 2)]);
  const then = withProgress(first, event([of("transcription_1", 5)]));
  expect([...then.values()]).toEqual([of("transcription_1", 5), of("transcription_2", 2)]);
  expect(withProgress(then, event("none"))).toBe(then);
  expect(withProgress(then, { id: "", type: "events.lost" })).toBe(then);
});

test("a transcription is called as its file, the end of its address, or its call", () => {
  const none = { fileName: null, url: null, callId: null };
  expect(transcriptionName({ ...none, source: "upload", fileName: "meeting.mp3" })).toBe("meeting.mp3");
  expect(transcriptionName({ ...none, source: "url", url: "https://example.com/a/meeting.mp3" })).toBe("meeting.mp3");
  expect(transcriptionName({ ...none, source: "call", callId: "call_1" })).toBe("Recording of call_1");
  expect(transcriptionName({ ...none, source: "live" })).toBe("live stream");
});
