import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { unavailable } from "../../core/errors.ts";
import { TELEPHONE } from "../../simulator/audio/format.ts";
import { readWav } from "../../simulator/audio/wav.ts";
import { recordedUtterance, type Utterance } from "../../simulator/callers/utterance.ts";
import type { ScriptedLine } from "./comparison.ts";
import type { Scenario } from "./scenario.ts";

/** Recordings of a person who reads a novel; fixtures/README.md has their origin. The build reads them where the sources do. */
const CLIPS = new URL("../../../fixtures/librivox/", import.meta.url);

interface Clip extends ScriptedLine {
  file: string;
}

const clip = (number: string, text: string, interrupts = false): Clip => ({
  file: `sense_and_sensibility_01_austen_64kb-${number}.wav`,
  text,
  interrupts,
});

const LINES: readonly Clip[] = [
  clip(
    "0870",
    "And Mister John Dashwood had then leisure to consider how much there might be prudently in his power to do for them.",
  ),
  clip("0880", "He was not an ill-disposed young man."),
  clip("0890", "Unless to be rather cold-hearted and rather selfish is to be ill-disposed."),
  clip("0920", "Had he married a more amiable woman, he might have been made still more respectable than he was."),
  clip("0930", "He might even have been made amiable himself.", true),
];

/**
 * The demo with `--human`: a person, recorded, calls a guide to the novel and reads to it. Each line shares words with one
 * sentence of the prompt, by which the reference LLM finds it; the fourth answer is long, so that the caller can interrupt it.
 */
export const HUMAN: Scenario = {
  systemPrompt: `You are the telephone guide to Jane Austen's novel Sense and Sensibility. The caller reads to you from its first chapter.
John Dashwood promised his dying father to do everything in his power for his sisters.
A young man with good intentions, and nothing worse, is all that the narrator calls him here.
Cold hearted and selfish: with one small word, unless, the narrator says it after all.
The woman is Fanny Dashwood, respectable and in love with money, who talks her husband down from three thousand pounds to five \
hundred for each sister, then to fifty now and then, and at last to presents of fish and game whenever they are in season.
Amiable is high praise in this novel, and Edward Ferrars earns it.`,
  greeting: "Good evening. Which page are you reading?",
  lines: LINES,
  interruptAfterWords: 9,
  endReason: "caller_hangup",
  wrongWordsMax: 2,
  // The reply is paused at the first sound. Words interrupt it, of which the local STT is sure after two passes; on a busy machine
  // the reply may have resumed by then, and the final transcript interrupts it, after the 3 s of the line.
  stoppedMsMax: 5_000,
  stt: "local",
  hangUpAfterMs: 90_000,
  speak: async () => await Promise.all(LINES.map(readClip)),
};

async function readClip({ file, text }: Clip): Promise<Utterance> {
  const path = fileURLToPath(new URL(file, CLIPS));
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw unavailable(`the recording ${path} cannot be read: run the demo in a checkout of the repository`, error);
  }
  return await recordedUtterance(text, readWav(bytes), TELEPHONE);
}
