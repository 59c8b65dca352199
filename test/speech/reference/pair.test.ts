import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { MU_LAW } from "../../../src/media/g711.ts";
import type { SttEvent, TimedWord } from "../../../src/speech/contracts.ts";
import { createReferenceStt } from "../../../src/speech/reference/stt.ts";
import { createReferenceTts } from "../../../src/speech/reference/tts.ts";
import { WatermarkEncoder } from "../../../src/speech/reference/watermark/encoder.ts";
import { sttContract } from "../../contract/speech/stt.ts";
import { ttsContract } from "../../contract/speech/tts.ts";
import { settled } from "../../support/manual-clock.ts";

const tts = createReferenceTts({ children: 1, clock: systemClock });
afterAll(() => tts.close());
const stt = createReferenceStt();

ttsContract("reference TTS", async () => ({
  tts,
  voiceId: "reference/gmw/en-US",
  drive: (promise) => promise,
}));

/** `text` as watermark only, a word each 400 ms, and half a second of silence. */
function watermarkOnly(text: string): Int16Array {
  const encoder = new WatermarkEncoder(8_000);
  const words = text.split(" ");
  for (const [index, word] of words.entries()) encoder.addWord(word, 100 + 400 * index);
  return Int16Array.from([
    ...encoder.push(new Int16Array(400 * words.length * 8)),
    ...encoder.finish(),
    ...new Int16Array(4_000),
  ]);
}

sttContract("reference STT", async () => ({
  stt: createReferenceStt(),
  rateHz: 8_000,
  audio: watermarkOnly("good morning, grüß Gott"),
  text: "good morning, grüß Gott",
  play: settled,
}));

async function spoken(text: string, voiceId: string): Promise<{ samples: Int16Array; words: TimedWord[] }> {
  const samples: number[] = [];
  const words: TimedWord[] = [];
  for await (const chunk of tts.speak({ text, voiceId, language: "en" }, new AbortController().signal)) {
    expect(chunk.rateHz).toBe(8_000);
    samples.push(...chunk.samples);
    words.push(...chunk.words);
  }
  return { samples: Int16Array.from(samples), words };
}

/** The events of the STT for `samples` and silence after them, in frames of 20 ms through mu-law. */
async function transcribe(samples: Int16Array): Promise<SttEvent[]> {
  const life = new AbortController();
  const stream = stt.open({ language: "en", rateHz: 8_000 }, life.signal);
  const events: SttEvent[] = [];
  const done = (async () => {
    for await (const event of stream.events) events.push(event);
  })();
  const audio = new Int16Array(samples.length + 8_000);
  audio.set(samples);
  for (let at = 0; at < audio.length; at += 160) {
    stream.write(
      audio.subarray(at, at + 160).map((sample) => MU_LAW.decodeTable[MU_LAW.encodeTable[sample & 0xffff] ?? 0] ?? 0),
    );
    await settled();
  }
  life.abort();
  await done;
  return events;
}

const finalsOf = (events: readonly SttEvent[]): string =>
  events.flatMap((event) => (event.kind === "final" ? [event.text] : [])).join(" ");

const TEXTS: [string, string][] = [
  [
    "gmw/en-US",
    "The bakery is open from Tuesday to Saturday, from seven in the morning until half past five in the afternoon, and on " +
      "Sunday it is open from eight until noon, while on Monday the ovens stay cold and the shop is closed all day. I am a " +
      "bit of an odd one, so it is on to me to do as I do! Gluten-free bread costs $12.50 in 2026; don't ask — really...",
  ],
  ["gmw/en-GB-x-rp", "Sorry, do you make birthday cakes to order? Thank you very much, goodbye."],
  [
    "gmw/de",
    "Guten Tag, wir haben von neun bis achtzehn Uhr geöffnet, außer an Feiertagen. Womit kann ich Ihnen dienen?",
  ],
  ["roa/fr", "Bonjour, comment puis-je vous aider aujourd’hui ? Nous sommes ouverts à partir de huit heures."],
  ["roa/es", "Buenos días, ¿en qué puedo ayudarle? El pan de la abuela cuesta tres euros y medio."],
  ["roa/pt-BR", "Olá, a padaria abre às sete da manhã. O senhor não quer um pão de queijo?"],
  ["zlw/pl", "Dzień dobry, w czym mogę pomóc? Zażółć gęślą jaźń."],
  ["zle/ru", "Здравствуйте, чем я могу вам помочь сегодня? Мы открыты с девяти до шести часов."],
  ["grk/el", "Καλημέρα σας, πώς μπορώ να σας βοηθήσω σήμερα;"],
  ["trk/tr", "Günaydın, size nasıl yardımcı olabilirim? Dükkân saat yedide açılıyor."],
  ["sem/ar", "مرحبا كيف يمكنني مساعدتك اليوم"],
  ["sem/he", "שלום, איך אפשר לעזור לך היום"],
  ["inc/hi", "नमस्ते, मैं आपकी कैसे मदद कर सकता हूँ आज"],
  ["dra/ta", "வணக்கம், நான் உங்களுக்கு எப்படி உதவ முடியும்"],
  ["sit/cmn", "你好， 我能帮你什么吗？ 面包店早上七点开门。"],
  ["jpx/ja", "こんにちは、 いらっしゃいませ。 何を お探しですか"],
  ["ko", "안녕하세요, 무엇을 도와 드릴까요?"],
  ["aav/vi", "Xin chào, tôi có thể giúp gì cho bạn hôm nay"],
  ["urj/fi", "Hyvää huomenta, kuinka voin auttaa teitä tänään?"],
  ["bnt/sw", "Habari za asubuhi, naweza kukusaidia vipi leo?"],
];

describe("the reference pair", () => {
  test.each(TEXTS)("%s: the STT decodes every word of the TTS through mu-law", async (identifier, text) => {
    const { samples } = await spoken(text, `reference/${identifier}`);
    expect(finalsOf(await transcribe(samples))).toBe(text.split(/\s+/).join(" "));
  });

  test("an interrupted reply is transcribed up to the last word that had ended", async () => {
    const [identifier, text] = TEXTS[0] as [string, string];
    const { samples, words } = await spoken(text, `reference/${identifier}`);
    for (let cutMs = 300; cutMs < (samples.length * 1_000) / 8_000; cutMs += 737) {
      const transcript = finalsOf(await transcribe(samples.subarray(0, cutMs * 8)));
      const ended = words.filter((word) => word.endMs <= cutMs).map((word) => word.text);
      // A word whose watermark ends before its sound may have been decoded already.
      const next = words[ended.length]?.text ?? "";
      expect([ended.join(" "), [...ended, next].join(" ")]).toContain(transcript);
    }
  });

  test("each word makes an interim transcript, and 250 ms without a watermark a final one", async () => {
    expect(await transcribe(watermarkOnly("one two"))).toEqual([
      { kind: "interim", text: "one" },
      { kind: "final", text: "one" },
      { kind: "interim", text: "two" },
      { kind: "final", text: "two" },
    ]);
    const encoder = new WatermarkEncoder(8_000);
    for (const word of ["three", "four"]) encoder.addWord(word, 0);
    expect(await transcribe(encoder.finish())).toEqual([
      { kind: "interim", text: "three" },
      { kind: "interim", text: "three four" },
      { kind: "final", text: "three four" },
    ]);
  });

  test("the STT transcribes nothing of speech without a watermark", async () => {
    const { samples } = await spoken("Hello there.", "reference/gmw/en-US");
    const speechOnly = new WatermarkEncoder(8_000);
    expect(await transcribe(Int16Array.from([...speechOnly.push(samples), ...speechOnly.finish()]))).toEqual([]);
  });
});
