import { strict as assert } from "node:assert";
import { TURN_TEXT_CHARS_MAX } from "../../core/limits/calls/calls.ts";
import type { Stt, SttEvent, SttStream } from "../contracts.ts";
import { EventQueue } from "../event-queue.ts";
import { WATERMARK_DECODER_RATES_HZ, WatermarkDecoder } from "./watermark/decoder.ts";

/** An utterance ends when the audio has had no watermark for this long, in the audio's own time. */
const UTTERANCE_GAP_MS = 250;

/**
 * The reference STT. It decodes the words that the reference TTS puts into its speech as an audio watermark, from the
 * audio alone, through G.711 and resampling. It recognises nothing else; words whose audio was lost are missing. Every
 * word makes an interim transcript. The same audio makes the same events, regardless of its timing. A test instrument
 * for demos, tests and load runs.
 */
export function createReferenceStt(): Stt {
  return {
    provider: "reference",
    capabilities: { ratesHz: WATERMARK_DECODER_RATES_HZ, interimTranscripts: true, anyLanguage: true },
    open: ({ rateHz }, signal) => openStream(rateHz, signal),
  };
}

function openStream(rateHz: number, signal: AbortSignal): SttStream {
  const decoderRateHz = WATERMARK_DECODER_RATES_HZ.find((rate) => rate === rateHz);
  assert.ok(decoderRateHz !== undefined);
  const events = new EventQueue<SttEvent>(signal);
  let text = "";
  const finish = (): void => {
    if (text !== "") events.push({ kind: "final", text });
    text = "";
  };
  const decoder = new WatermarkDecoder(decoderRateHz, UTTERANCE_GAP_MS, {
    onWord(word) {
      // Words without a pause must not make the text grow without a bound.
      if (text.length + word.length >= TURN_TEXT_CHARS_MAX) finish();
      text = text === "" ? word : `${text} ${word}`;
      events.push({ kind: "interim", text });
    },
    onQuiet: finish,
  });
  return {
    write(frame) {
      if (!signal.aborted) decoder.write(frame);
    },
    events,
  };
}
