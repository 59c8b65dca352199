import { REDACTION_LABELS, type RedactableText, type RedactionKind } from "../redaction/kinds.ts";
import { findRedactions, withoutSpans } from "../redaction/redaction.ts";
import { wordsOf } from "../text/words.ts";
import type { TranscribedUtterance, TranscribedWord, TranscriptionResult } from "./result.ts";

const LABELS = Object.values(REDACTION_LABELS).map((label) => label.replaceAll(/[[\]]/g, "\\$&"));
/** A label with the signs around it. */
const LABEL = new RegExp(`([\\p{Ps}\\p{Pi}]*(?:${LABELS.join("|")})[^\\s\\p{L}\\p{N}\\p{Ps}]*)`, "u");

/** The words of a text as `wordsOf` divides it, where a label is one word. */
export const labelledWordsOf = (text: string, language: string): string[] =>
  text.split(LABEL).flatMap((part, at) => (at % 2 === 1 ? [part] : wordsOf(part, language)));

/** A word and where it is in the text of its speaker's words. */
interface PlacedWord {
  readonly word: TranscribedWord;
  readonly from: number;
  readonly to: number;
}

/** A result without what must not be kept: labels stand in its text, in its utterances, and as words in place of those words. */
export function redactedResult(result: TranscriptionResult, kinds: readonly RedactionKind[]): TranscriptionResult {
  const speakers = wordsBySpeaker(result.words);
  const utterances = result.utterances.map((utterance) => ({ speaker: speakerOf(utterance), text: utterance.text }));
  const spoken = [...speakers].map(([speaker, words]): RedactableText => {
    return { speaker: `words ${speaker}`, text: words.map(({ word }) => word.text).join(" ") };
  });
  const whole: RedactableText = { speaker: "text", text: result.text };
  // Together, so that a number that is found in one of them is found in all.
  const rules = { kinds, languages: [result.language], values: [] };
  const [ofWhole = [], ...others] = findRedactions([whole, ...utterances, ...spoken], rules);
  const ofWords = others.slice(utterances.length);
  const words = [...speakers.values()].flatMap((placed, at) => withoutWords(placed, ofWords[at] ?? []));
  return {
    ...result,
    text: withoutSpans(result.text, ofWhole),
    utterances: result.utterances.map((utterance, at) => ({
      ...utterance,
      text: withoutSpans(utterance.text, others[at] ?? []),
    })),
    words: words.sort((a, b) => a.startMs - b.startMs || a.channel - b.channel),
  };
}

const speakerOf = ({ channel, speaker }: Pick<TranscribedUtterance, "channel" | "speaker">): string =>
  `${channel} ${speaker ?? ""}`;

function wordsBySpeaker(words: readonly TranscribedWord[]): ReadonlyMap<string, readonly PlacedWord[]> {
  const speakers = new Map<string, PlacedWord[]>();
  for (const word of words) {
    const placed = speakers.get(speakerOf(word)) ?? [];
    const from = (placed.at(-1)?.to ?? -1) + 1;
    placed.push({ word, from, to: from + word.text.length });
    speakers.set(speakerOf(word), placed);
  }
  return speakers;
}

/** The words with one label, over all of its time, for each span. */
function withoutWords(
  placed: readonly PlacedWord[],
  spans: readonly { readonly kind: RedactionKind; readonly from: number; readonly to: number }[],
): TranscribedWord[] {
  const kept: TranscribedWord[] = [];
  let at = 0;
  let labelled = -1;
  for (const { word, from, to } of placed) {
    while (at < spans.length && (spans[at]?.to ?? 0) <= from) at += 1;
    const span = spans[at];
    if (span === undefined || span.from >= to) kept.push(word);
    else if (labelled === at) kept.splice(-1, 1, { ...(kept.at(-1) as TranscribedWord), endMs: word.endMs });
    else {
      labelled = at;
      kept.push({ ...word, text: REDACTION_LABELS[span.kind] });
    }
  }
  return kept;
}
