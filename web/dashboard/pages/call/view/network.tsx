import { durationText, numberText } from "../../../app/format.ts";
import { Count, Duration } from "../../../ui/figures.tsx";
import type { Condition } from "../model/conditions.ts";
import type { Call } from "../model/types.ts";
import { lengthOf } from "../model/viewport.ts";
import { Fact } from "./call-facts.tsx";
import "./lists.css";

interface NetworkProps {
  readonly call: Call;
  /** Stretches in which no audio of the caller came. */
  readonly gaps: readonly Condition[];
  readonly onSeek: (atMs: number) => void;
}

/** What is known of the network of the call, and each stretch in which it brought nothing. */
export function Network({ call: { network }, gaps, onSeek }: NetworkProps) {
  return (
    <>
      <dl class="call-facts">
        <Fact name="Times without audio of the caller">
          <Count of={gaps.length} />
          {gaps.length > 0 && (
            <>
              , <Duration ms={gaps.reduce((sum, gap) => sum + lengthOf(gap), 0)} /> in all
            </>
          )}
        </Fact>
        <Fact name="Loss in, out">
          <Percent of={network?.lossInPercent} />, <Percent of={network?.lossOutPercent} />
        </Fact>
        <Fact name="Jitter in, out">
          <Ms of={network?.jitterInMs} />, <Ms of={network?.jitterOutMs} />
        </Fact>
        <Fact name="Round trip">
          <Ms of={network?.roundTripMs} />
        </Fact>
      </dl>
      {gaps.length > 0 && (
        <ul class="call-list call-gaps" aria-label="Stretches without audio of the caller">
          {gaps.map((gap) => (
            <li key={gap.startMs}>
              <button type="button" class="call-list-row call-gap-row" onClick={() => onSeek(gap.startMs)}>
                <span class="figure">{durationText(gap.startMs)}</span>
                <span class="call-list-rest">{gap.text}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const NOT_MEASURED = <span class="soft">not measured</span>;
const Percent = ({ of }: { of: number | null | undefined }) =>
  of == null ? NOT_MEASURED : <span>{numberText(of)} %</span>;
const Ms = ({ of }: { of: number | null | undefined }) =>
  of == null ? NOT_MEASURED : <span>{numberText(of)} ms</span>;
