import { readArguments, runCommand } from "../../src/cli/command.ts";
import { countFound, speakSentences, throughOpus } from "../../test/support/audio/opus-watermark.ts";

const HELP = `The rates, bit rates and packet lengths of a client's Opus encoder at which the reference STT understands the reference TTS.

  npm run bench:opus-watermark

Prints the table of docs/codecs.md in Markdown: the words found, by bit rate. Takes about two minutes. The exit code is 0 when
the table is printed, 2 for a usage error.
`;

const RATES_HZ = [8_000, 16_000, 24_000, 48_000] as const;
const APPLICATIONS = ["voip", "audio"] as const;
const PACKETS_MS = [20, 60] as const;
/** Undefined: what libopus chooses. */
const BITRATES_BPS = [undefined, 16_000, 20_000, 24_000, 32_000, 48_000, 64_000] as const;

async function run(args: readonly string[]): Promise<number> {
  readArguments(args, {});
  const spoken = await speakSentences();
  const cell = (rateHz: (typeof RATES_HZ)[number], options: object, frameMs: 20 | 60): string => {
    const { words, bitsPerS } = throughOpus({ rateHz, channels: 1, frameMs, ...options }, spoken);
    return `${countFound(words, spoken.words)} (${(bitsPerS / 1_000).toFixed(0)})`;
  };
  console.log(`Words found of ${spoken.words.length}, and in parentheses the kbit/s that it took.\n`);
  const titles = BITRATES_BPS.map((bps) => (bps === undefined ? "default" : `${bps / 1_000} kbit/s`));
  console.log(`| rate | application | packet | ${titles.join(" | ")} |`);
  console.log(`| ---: | --- | ---: |${" ---: |".repeat(titles.length)}`);
  for (const rateHz of RATES_HZ) {
    for (const application of APPLICATIONS) {
      for (const frameMs of PACKETS_MS) {
        const cells = BITRATES_BPS.map((bps) =>
          cell(rateHz, { application, ...(bps === undefined ? {} : { bitrateBps: bps }) }, frameMs),
        );
        console.log(`| ${rateHz} Hz | ${application} | ${frameMs} ms | ${cells.join(" | ")} |`);
      }
    }
  }
  return 0;
}

await runCommand({ help: HELP, example: "npm run bench:opus-watermark", run });
