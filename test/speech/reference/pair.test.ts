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

const voice = createReferenceTts({ children: 1, clock: systemClock });
afterAll(() => voice.close());
const ear = createReferenceStt();

ttsContract("reference voice", async () => ({
  tts: voice,
  voiceId: "reference/gmw/en-US",
  drive: (promise) => promise,
}));

/** `text` as data alone, a word each 400 ms, and half a second of silence. */
function dataOnly(text: string): Int16Array {
  const encoder = new WatermarkEncoder(8_000);
  const words = text.split(" ");
  for (const [index, word] of words.entries()) encoder.addWord(word, 100 + 400 * index);
  return Int16Array.from([
    ...encoder.push(new Int16Array(400 * words.length * 8)),
    ...encoder.finish(),
    ...new Int16Array(4_000),
  ]);
}

sttContract("reference ear", async () => ({
  stt: createReferenceStt(),
  rateHz: 8_000,
  audio: dataOnly("good morning, grüß Gott"),
  text: "good morning, grüß Gott",
  play: settled,
}));

async function spoken(text: string, voiceId: string): Promise<{ samples: Int16Array; words: TimedWord[] }> {
  const samples: number[] = [];
  const words: TimedWord[] = [];
  for await (const chunk of voice.speak({ text, voiceId, language: "en" }, new AbortController().signal)) {
    expect(chunk.rateHz).toBe(8_000);
    samples.push(...chunk.samples);
    words.push(...chunk.words);
  }
  return { samples: Int16Array.from(samples), words };
}

/** What the ear hears in `samples`, in frames of 20 ms through mu-law, and the silence behind them. */
async function heard(samples: Int16Array): Promise<SttEvent[]> {
  const life = new AbortController();
  const stream = ear.open({ language: "en", rateHz: 8_000 }, life.signal);
  const events: SttEvent[] = [];
  const done = (async () => {
    for await (const event of stream.events) events.push(event);
  })();
  const line = new Int16Array(samples.length + 8_000);
  line.set(samples);
  for (let at = 0; at < line.length; at += 160) {
    stream.write(
      line.subarray(at, at + 160).map((sample) => MU_LAW.decodeTable[MU_LAW.encodeTable[sample & 0xffff] ?? 0] ?? 0),
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
  test.each(TEXTS)("%s: the ear hears every word of the voice through mu-law", async (identifier, text) => {
    const { samples } = await spoken(text, `reference/${identifier}`);
    expect(finalsOf(await heard(samples))).toBe(text.split(/\s+/).join(" "));
  });

  test("an answer that is cut is heard up to the last word that had ended", async () => {
    const [identifier, text] = TEXTS[0] as [string, string];
    const { samples, words } = await spoken(text, `reference/${identifier}`);
    for (let cutMs = 300; cutMs < (samples.length * 1_000) / 8_000; cutMs += 737) {
      const told = finalsOf(await heard(samples.subarray(0, cutMs * 8)));
      const ended = words.filter((word) => word.endMs <= cutMs).map((word) => word.text);
      // A word whose data is over before its sound is may have been heard already.
      const next = words[ended.length]?.text ?? "";
      expect([ended.join(" "), [...ended, next].join(" ")]).toContain(told);
    }
  });

  test("each word makes a partial, and 250 ms of quiet a final", async () => {
    expect(await heard(dataOnly("one two"))).toEqual([
      { kind: "interim", text: "one" },
      { kind: "final", text: "one" },
      { kind: "interim", text: "two" },
      { kind: "final", text: "two" },
    ]);
    const encoder = new WatermarkEncoder(8_000);
    for (const word of ["three", "four"]) encoder.addWord(word, 0);
    expect(await heard(encoder.finish())).toEqual([
      { kind: "interim", text: "three" },
      { kind: "interim", text: "three four" },
      { kind: "final", text: "three four" },
    ]);
  });

  test("the ear hears nothing in speech that carries no words", async () => {
    const { samples } = await spoken("Hello there.", "reference/gmw/en-US");
    const speechOnly = new WatermarkEncoder(8_000);
    expect(await heard(Int16Array.from([...speechOnly.push(samples), ...speechOnly.finish()]))).toEqual([]);
  });
});
