import { useMemo } from "preact/hooks";
import { delayText, durationText, numberText } from "../../../app/format.ts";
import { useQuery } from "../../../app/use-query.ts";
import { Empty } from "../../../ui/empty.tsx";
import { VirtualRows } from "../../../ui/virtual-rows.tsx";
import { CAUSE_NAMES } from "../model/activities.ts";
import type { SilenceExplainer, SilenceExplanation } from "../model/silences.ts";
import type { Span } from "../model/types.ts";
import "./lists.css";

export interface SilenceListProps {
  readonly silences: readonly Span[];
  readonly explainer: SilenceExplainer;
  readonly selected: Span | undefined;
  readonly onSelect: (silence: Span) => void;
}

const ROW_PIXELS = 32;

/** The shortest silences that are shown, by choice, ms. */
const LEAST_MS = [500, 1_000, 2_000, 5_000] as const;

/** All silences of the call with what explains them: only those that are seen are explained. */
export function SilenceList({ silences, explainer, selected, onSelect }: SilenceListProps) {
  const { query, change } = useQuery();
  const leastMs = Number(query.least ?? 0);
  const shown = useMemo(() => silences.filter(({ startMs, endMs }) => endMs - startMs >= leastMs), [silences, leastMs]);
  return (
    <div class="call-events">
      <div class="call-events-filters">
        <label>
          At least{" "}
          <select
            class="control"
            value={query.least ?? ""}
            onChange={({ currentTarget }) => change({ least: currentTarget.value })}
          >
            <option value="">any length</option>
            {LEAST_MS.map((ms) => (
              <option key={ms} value={String(ms)}>
                {delayText(ms)}
              </option>
            ))}
          </select>
        </label>
        <span class="soft" role="status">
          {numberText(shown.length)} of {numberText(silences.length)} silences
        </span>
      </div>
      {shown.length === 0 ? (
        <Empty title="There is no such silence: one side or the other was heard." />
      ) : (
        <VirtualRows
          class="call-list"
          label="Silences"
          count={shown.length}
          estimate={() => ROW_PIXELS}
          row={(index) => {
            const silence = shown[index];
            return silence === undefined ? null : (
              <SilenceRow
                silence={silence}
                explanation={explainer.explain(silence)}
                isSelected={silence === selected}
                onSelect={() => onSelect(silence)}
              />
            );
          }}
        />
      )}
    </div>
  );
}

interface SilenceRowProps {
  readonly silence: Span;
  readonly explanation: SilenceExplanation;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}

function SilenceRow({ silence, explanation: { main, parts }, isSelected, onSelect }: SilenceRowProps) {
  const causes = [...new Set(parts.map(({ cause }) => CAUSE_NAMES[cause]))];
  return (
    <button
      type="button"
      class={`call-list-row call-silence-row${isSelected ? " call-list-selected" : ""}`}
      aria-pressed={isSelected}
      onClick={onSelect}
    >
      <span class="figure">{durationText(silence.startMs)}</span>
      <span class="number">{delayText(silence.endMs - silence.startMs)}</span>
      <span>{causes.join(", ")}</span>
      <bdi class="call-list-rest">{main.text}</bdi>
    </button>
  );
}
