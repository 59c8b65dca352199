import { delayText, durationText } from "../../../app/format.ts";
import { Button } from "../../../ui/button.tsx";
import { CAUSE_NAMES } from "../model/activities.ts";
import type { SilenceExplanation } from "../model/silences.ts";
import type { Span } from "../model/types.ts";
import "./details.css";

export interface SilenceDetailsProps {
  readonly silence: Span;
  readonly explanation: SilenceExplanation;
  readonly onSelectReply: (turnId: number) => void;
}

/** Why nothing was heard for a time, part by part. */
export function SilenceDetails({ silence, explanation, onSelectReply }: SilenceDetailsProps) {
  const { startMs, endMs } = silence;
  const { parts, main } = explanation;
  const turnId = main.turnId ?? parts.find((part) => part.turnId !== undefined)?.turnId;
  return (
    <div class="call-details">
      <h3>Why this silence?</h3>
      <p class="soft">
        {delayText(endMs - startMs)} from {durationText(startMs)} to {durationText(endMs)}
      </p>
      <ol class="call-silence-parts">
        {parts.map((part) => (
          <li key={part.startMs}>
            <span class="call-silence-length figure">{delayText(part.endMs - part.startMs)}</span>
            <span class="call-silence-bar">
              <span style={{ width: `${(100 * (part.endMs - part.startMs)) / (endMs - startMs)}%` }} />
            </span>
            <span class="call-silence-cause">{CAUSE_NAMES[part.cause]}</span>
            <bdi class="call-silence-text">{part.text}</bdi>
          </li>
        ))}
      </ol>
      {turnId !== undefined && (
        <div>
          <Button onClick={() => onSelectReply(turnId)}>Show reply {turnId}</Button>
        </div>
      )}
    </div>
  );
}
