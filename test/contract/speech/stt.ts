import { describe, expect, test } from "vitest";
import type { Stt, SttEvent } from "../../../src/speech/contracts.ts";
import { languageCode } from "../../../src/speech/languages.ts";
import { pump } from "../../../src/speech/pump.ts";

export interface SttUnderTest {
  stt: Stt;
  rateHz: number;
  /** The audio for the STT, and the expected transcripts. */
  audio: Int16Array;
  text: string;
  /** Advances the time and runs pending promises. Data over a real socket may arrive later. */
  play(ms: number): Promise<void>;
}

/** How long data may take over a real socket on a busy machine. */
const ARRIVAL = { timeout: 10_000, interval: 5 };

const FRAME_MS = 20;

/** The contract of every Stt. Each provider's test calls this with its own subject. */
export function sttContract(name: string, make: () => Promise<SttUnderTest>): void {
  const open = async () => {
    const subject = await make();
    const life = new AbortController();
    const stream = subject.stt.open({ language: "en-US", rateHz: subject.rateHz }, life.signal);
    const heard: SttEvent[] = [];
    const failures: unknown[] = [];
    const done = pump(
      stream.events,
      life.signal,
      (event) => heard.push(event),
      (error) => failures.push(error),
    );
    const hear = async (audio: Int16Array) => {
      const frame = new Int16Array((subject.rateHz * FRAME_MS) / 1_000);
      for (let at = 0; at < audio.length; at += frame.length) {
        const piece = frame.subarray(0, Math.min(frame.length, audio.length - at));
        piece.set(audio.subarray(at, at + piece.length));
        stream.write(
          piece,
          piece.some((sample) => sample !== 0),
        );
        piece.fill(12_345); // The frame was borrowed: its owner may reuse it now.
        await subject.play(FRAME_MS);
      }
    };
    const finals = () => heard.flatMap((event) => (event.kind === "final" ? [event.text] : [])).join(" ");
    return { ...subject, life, stream, heard, failures, done, hear, finals };
  };

  describe(`Stt contract: ${name}`, () => {
    test("accepts at least one rate without resampling", async () => {
      const { stt, rateHz } = await make();
      expect(stt.capabilities.ratesHz).toContain(rateHz);
    });

    test("emits finals, each after its interims", async () => {
      const { stt, audio, text, heard, failures, hear, finals, life } = await open();
      await hear(audio);
      await expect.poll(finals, ARRIVAL).toBe(text);
      let pending = "";
      for (const event of heard) {
        expect(event.text).not.toBe("");
        if (event.language !== undefined) expect(languageCode(event.language)).toBeDefined();
        if (stt.capabilities.interimTranscripts) expect(event.text.startsWith(pending)).toBe(true);
        pending = event.kind === "final" ? "" : event.text;
      }
      expect(heard.some((event) => event.kind === "interim")).toBe(stt.capabilities.interimTranscripts);
      expect(failures).toEqual([]);
      life.abort();
    });

    test("is deterministic for the same audio", async () => {
      const first = await open();
      await first.hear(first.audio);
      await expect.poll(first.finals, ARRIVAL).toBe(first.text);
      const second = await open();
      await second.hear(second.audio);
      await expect.poll(second.finals, ARRIVAL).toBe(second.text);
      expect(second.heard).toEqual(first.heard);
      first.life.abort();
      second.life.abort();
    });

    test("emits nothing after an abort, and its events end", async () => {
      const { audio, heard, hear, life, done } = await open();
      await hear(audio.subarray(0, audio.length / 2));
      const before = heard.length;
      life.abort();
      await done;
      await hear(audio);
      expect(heard).toHaveLength(before);
    });

    test("accepts frames after an abort without an error", async () => {
      const { life, stream } = await open();
      life.abort();
      expect(() => stream.write(new Int16Array(320))).not.toThrow();
    });

    test("ends at once when it was aborted before it was opened", async () => {
      const { stt, rateHz } = await make();
      const stream = stt.open({ language: "en-US", rateHz }, AbortSignal.abort());
      for await (const event of stream.events) expect.fail(`heard ${event.kind}`);
    });
  });
}
