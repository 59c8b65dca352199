import type { TranscribedUtterance, TranscriptionResult } from "../../core/transcriptions/result.ts";

/**
 * The name of the speaker of an utterance, from `Speaker 1` on in the order in which they speak. Undefined where one channel has no
 * speakers. The same number on two channels is two speakers.
 */
export function speakerNames({
  utterances,
}: TranscriptionResult): (utterance: Pick<TranscribedUtterance, "channel" | "speaker">) => string | undefined {
  const keyOf = ({ channel, speaker }: Pick<TranscribedUtterance, "channel" | "speaker">): string =>
    `${channel}/${speaker ?? ""}`;
  const keys = [...new Set(utterances.map(keyOf))];
  const areKnown = keys.length > 1 || utterances.some(({ speaker }) => speaker !== undefined);
  return (utterance) => (areKnown ? `Speaker ${keys.indexOf(keyOf(utterance)) + 1}` : undefined);
}
