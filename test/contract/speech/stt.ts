import { describe, expect, test } from "vitest";
import type { SpeechActivity, SpeechEdge } from "../../../src/media/voice-activity/speech-activity.ts";
import type { Stt, SttEvent } from "../../../src/speech/contracts.ts";
import { languageCode } from "../../../src/speech/languages.ts";
import { pump } from "../../../src/speech/pump.ts";
import { activityOfStream } from "../../support/speech-activity.ts";

interface SttUnderTest {
  stt: Stt;
  rateHz: number;
  /** The audio for the STT, and the expected transcripts. */
  audio: Int16Array;
  text: string;
  /** Advances the time and runs pending promises. Data over a real socket may arrive later. */
  play(ms: number): Promise<void>;
}

/** The edge that is written with a frame, in place of the segmenter's. */
type EdgeOf = (activity: SpeechActivity, isLast: boolean) => SpeechEdge;

/** What the reused activity may be after `write` has returned. */
const OTHER_SPEECH: SpeechActivity = {
  isSpeech: true,
  isSpeaking: true,
  edge: "started",
  speechFrames: 1,
  silentFrames: 0,
};

/** How long data may take over a real socket on a busy machine. */
const ARRIVAL = { timeout: 10_000, interval: 5 };

const FRAME_MS = 20;

/** The contract of every Stt. Each provider's test calls this with its own subject. */
export function sttContract(name: string, make: () => Promise<SttUnderTest>): void {
  const open = async () => {
    const subject = await make();
    const abortController = new AbortController();
    const stream = subject.stt.open({ language: "en-US", rateHz: subject.rateHz }, abortController.signal);
    const transcripts: SttEvent[] = [];
    const failures: unknown[] = [];
    const done = pump(
      stream.events,
      abortController.signal,
      (event) => transcripts.push(event),
      (error) => failures.push(error),
    );
    const activityOf = activityOfStream();
    const sendAudio = async (audio: Int16Array, edgeOf: EdgeOf = ({ edge }) => edge) => {
      const frame = new Int16Array((subject.rateHz * FRAME_MS) / 1_000);
      for (let at = 0; at < audio.length; at += frame.length) {
        const part = frame.subarray(0, Math.min(frame.length, audio.length - at));
        part.set(audio.subarray(at, at + part.length));
        const activity = { ...activityOf(part.some((sample) => sample !== 0)) };
        activity.edge = edgeOf(activity, at + frame.length >= audio.length);
        stream.write(part, activity);
        // Both were borrowed: their owners may reuse them now.
        part.fill(12_345);
        Object.assign(activity, OTHER_SPEECH);
        await subject.play(FRAME_MS);
      }
    };
    const finals = () => transcripts.flatMap((event) => (event.kind === "final" ? [event.text] : [])).join(" ");
    return { ...subject, abortController, stream, transcripts, failures, done, sendAudio, finals };
  };

  describe(`Stt contract: ${name}`, () => {
    test("accepts at least one rate without resampling", async () => {
      const { stt, rateHz } = await make();
      expect(stt.capabilities.ratesHz).toContain(rateHz);
    });

    test("emits finals, each after its interims", async () => {
      const { stt, audio, text, transcripts, failures, sendAudio, finals, abortController } = await open();
      await sendAudio(audio);
      await expect.poll(finals, ARRIVAL).toBe(text);
      let pending = "";
      for (const event of transcripts) {
        expect(event.text).not.toBe("");
        if (event.language !== undefined) expect(languageCode(event.language)).toBeDefined();
        if (stt.capabilities.interimTranscripts) expect(event.text.startsWith(pending)).toBe(true);
        pending = event.kind === "final" ? "" : event.text;
      }
      expect(transcripts.some((event) => event.kind === "interim")).toBe(stt.capabilities.interimTranscripts);
      expect(failures).toEqual([]);
      abortController.abort();
    });

    test("is deterministic for the same audio", async () => {
      const first = await open();
      await first.sendAudio(first.audio);
      await expect.poll(first.finals, ARRIVAL).toBe(first.text);
      const second = await open();
      await second.sendAudio(second.audio);
      await expect.poll(second.finals, ARRIVAL).toBe(second.text);
      expect(second.transcripts).toEqual(first.transcripts);
      first.abortController.abort();
      second.abortController.abort();
    });

    test.each<[string, EdgeOf]>([
      ["whose stream begins in its middle", ({ edge }) => (edge === "started" ? "same" : edge)],
      ["that ends only because no more frames come", (_activity, isLast) => (isLast ? "ended" : "same")],
    ])("transcribes speech %s", async (_what, edgeOf) => {
      const { audio, text, sendAudio, finals, failures, abortController } = await open();
      await sendAudio(audio, edgeOf);
      await expect.poll(finals, ARRIVAL).toBe(text);
      expect(failures).toEqual([]);
      abortController.abort();
    });

    test("transcribes speech after single sounds, which are no speech to the call", async () => {
      const { audio, text, sendAudio, finals, failures, abortController, rateHz } = await open();
      const click = new Int16Array(rateHz / 2).fill(1, 0, rateHz / 50);
      await sendAudio(click);
      await sendAudio(audio);
      await expect.poll(finals, ARRIVAL).toContain(text);
      expect(failures).toEqual([]);
      abortController.abort();
    });

    test("answers a request for an interim where it has none of its own, and its final covers the whole utterance", async () => {
      const { stt, stream, audio, text, transcripts, sendAudio, finals, abortController } = await open();
      if (stt.capabilities.interimTranscripts) return;
      expect(stream.requestInterim).toBeDefined();
      stream.requestInterim?.();
      await expect.poll(() => transcripts, ARRIVAL).toEqual([{ kind: "interim", text: "" }]);
      const spoken = audio.findLastIndex((sample) => sample !== 0);
      await sendAudio(audio.subarray(0, spoken));
      stream.requestInterim?.();
      await expect.poll(() => transcripts, ARRIVAL).toHaveLength(2);
      expect(transcripts[1]?.kind).toBe("interim");
      await sendAudio(audio.subarray(spoken));
      await expect.poll(finals, ARRIVAL).toBe(text);
      expect(transcripts).toHaveLength(3);
      abortController.abort();
      expect(() => stream.requestInterim?.()).not.toThrow();
    });

    test("emits nothing after an abort, and its events end", async () => {
      const { audio, transcripts, sendAudio, abortController, done } = await open();
      await sendAudio(audio.subarray(0, audio.length / 2));
      const before = transcripts.length;
      abortController.abort();
      await done;
      await sendAudio(audio);
      expect(transcripts).toHaveLength(before);
    });

    test("accepts frames after an abort without an error", async () => {
      const { abortController, stream } = await open();
      abortController.abort();
      expect(() => stream.write(new Int16Array(320))).not.toThrow();
    });

    test("ends at once when it was aborted before it was opened", async () => {
      const { stt, rateHz } = await make();
      const stream = stt.open({ language: "en-US", rateHz }, AbortSignal.abort());
      for await (const event of stream.events) expect.fail(`heard ${event.kind}`);
    });
  });
}
