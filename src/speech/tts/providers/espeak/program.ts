/**
 * The program of the eSpeak child processes. pool.ts starts it, and protocol.ts describes its pipes. No other file
 * imports it, and only this file imports the GPL-licensed eSpeak. It handles one request at a time and blocks on its
 * pipes: standard input for requests, descriptor 3 for frames. It ends when its input ends.
 */
import { readSync, writeSync } from "node:fs";
import type { Espeak, EspeakVoice } from "@echogarden/espeak-ng-emscripten";
import type { TimedWord } from "../../../contracts.ts";
import { WatermarkEncoder } from "../../../reference/watermark/encoder.ts";
import { WATERMARK_RATE_HZ } from "../../../reference/watermark/modulation.ts";
import { encodeFrame, type ProgramFrame, STOP, type SynthesisRequest, UNACKNOWLEDGED_FRAMES_MAX } from "./protocol.ts";
import { WordTimeline } from "./word-timeline.ts";

const INPUT = 0;
const OUTPUT = 3;
/** The first audio is sent at once. Later audio is collected to frames of at least this length. */
const FRAME_MS_MIN = 400;

/** Reads exactly `count` bytes; undefined when the input has ended. */
function read(count: number): Buffer | undefined {
  const bytes = Buffer.alloc(count);
  for (let have = 0; have < count; ) {
    const got = readSync(INPUT, bytes, have, count - have, null);
    if (got === 0) return undefined;
    have += got;
  }
  return bytes;
}

function write(frame: ProgramFrame): void {
  const bytes = encodeFrame(frame);
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(OUTPUT, bytes, sent);
}

/** Sends one request's audio and counts the frames without an acknowledgement. */
class AudioOutput {
  readonly #rateHz: number;
  #chunks: Int16Array[] = [];
  #samples = 0;
  #isFirst = true;
  #unacknowledged = 0;
  #stopped = false;

  constructor(rateHz: number) {
    this.#rateHz = rateHz;
  }

  /** Returns false if the request was cancelled. */
  add(samples: Int16Array, timeline: WordTimeline): boolean {
    if (this.#stopped) return false;
    this.#chunks.push(samples);
    this.#samples += samples.length;
    const isEnough = this.#samples * 1_000 >= FRAME_MS_MIN * this.#rateHz;
    if (isEnough || (this.#isFirst && this.#samples > 0)) this.#send(timeline.takeAligned());
    return !this.#stopped;
  }

  end(timeline: WordTimeline): void {
    const words = timeline.takeAligned();
    if (!this.#stopped && (this.#samples > 0 || words.length > 0)) this.#send(words);
    this.#awaitAcknowledgements(0);
  }

  #send(words: TimedWord[]): void {
    if (words.length > 0) write({ kind: "words", words });
    write({ kind: "audio", rateHz: this.#rateHz, samples: this.#collected() });
    this.#isFirst = false;
    this.#unacknowledged += 1;
    this.#awaitAcknowledgements(UNACKNOWLEDGED_FRAMES_MAX);
  }

  #collected(): Int16Array {
    const samples = new Int16Array(this.#samples);
    let at = 0;
    for (const chunk of this.#chunks) {
      samples.set(chunk, at);
      at += chunk.length;
    }
    this.#chunks = [];
    this.#samples = 0;
    return samples;
  }

  #awaitAcknowledgements(unacknowledgedMax: number): void {
    for (; this.#unacknowledged > unacknowledgedMax; this.#unacknowledged -= 1) {
      const acknowledgement = read(1) ?? process.exit();
      if (acknowledgement[0] === STOP) this.#stopped = true;
    }
  }
}

function speak(espeak: Espeak, encoder: WatermarkEncoder, request: SynthesisRequest): void {
  if (espeak.set_voice(request.voice) !== 0) {
    write({ kind: "end", failed: "no such voice" });
    return;
  }
  const { watermark } = request;
  const timeline = new WordTimeline(
    request.text,
    watermark ? (word, startMs) => encoder.addWord(word, startMs) : undefined,
  );
  const output = new AudioOutput(watermark ? WATERMARK_RATE_HZ : espeak.get_samplerate());
  let synthesizedSamples = 0;
  espeak.synthesize(timeline.markup, (samples, events) => {
    for (const event of events) timeline.take(event);
    synthesizedSamples += samples.length;
    return !output.add(watermark ? encoder.push(samples) : samples, timeline);
  });
  timeline.finish((synthesizedSamples * 1_000) / espeak.get_samplerate());
  if (watermark) output.add(encoder.finish(), timeline);
  output.end(timeline);
  write({ kind: "end" });
}

async function load(): Promise<Espeak> {
  try {
    const { default: loadEspeak } = await import("@echogarden/espeak-ng-emscripten");
    const ignore = (): void => {};
    const { eSpeakNGWorker } = await loadEspeak({ print: ignore, printErr: ignore });
    return new eSpeakNGWorker();
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    write({ kind: "unusable", missing, reason: error instanceof Error ? error.message : String(error) });
    process.exit(1);
  }
}

/** A voice's first language is its own; the others are languages it can substitute. */
const toProgramVoice = ({ identifier, name, languages }: EspeakVoice) => ({
  identifier,
  name: name.trim(),
  language: languages[0]?.name ?? "",
});

// A signal to all processes of the service starts a drain, during which calls still need speech. This process ends when
// its input ends.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
const espeak = await load();
const encoder = new WatermarkEncoder(espeak.get_samplerate());
write({ kind: "ready", voices: espeak.list_voices().map(toProgramVoice) });
for (let head = read(4); head !== undefined; head = read(4)) {
  const json = read(head.readUInt32LE());
  if (json !== undefined) speak(espeak, encoder, JSON.parse(json.toString("utf8")));
}
