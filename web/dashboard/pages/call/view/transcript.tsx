import { computed } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import { delayText, durationText } from "../../../app/format.ts";
import { Button } from "../../../ui/button.tsx";
import type { Playback } from "../../../ui/playback.ts";
import { VirtualRows } from "../../../ui/virtual-rows.tsx";
import type { TranscriptRow } from "../model/transcript-rows.ts";
import { firstIndex } from "../model/viewport.ts";
import "./transcript.css";

export interface TranscriptProps {
  readonly rows: readonly TranscriptRow[];
  readonly playback: Playback;
  readonly turnId: number | undefined;
  readonly onSelectReply: (turnId: number) => void;
  readonly onSeek: (atMs: number) => void;
}

const LINE_PIXELS = 20;
const CHARS_A_LINE = 64;

/** What was said, in time with the recording: it follows what is played, and a click goes there. */
export function Transcript({ rows, playback, turnId, onSelectReply, onSeek }: TranscriptProps) {
  const [isFollowing, setFollowing] = useState(true);
  const current = useMemo(
    () => computed(() => firstIndex(rows, ({ startMs }) => startMs > playback.atMs.value) - 1),
    [rows, playback],
  );
  const estimate = (index: number): number => {
    const row = rows[index];
    const chars =
      row === undefined ? 0 : row.kind === "turn" ? (row.text ?? "").length + row.unheard.length : row.text.length;
    return LINE_PIXELS * Math.max(1, Math.ceil(chars / CHARS_A_LINE)) + 12;
  };
  const shown = isFollowing && current.value >= 0 ? current.value : undefined;
  return (
    <div class="call-transcript">
      <VirtualRows
        class="call-transcript-rows"
        label="What was said, in time"
        count={rows.length}
        estimate={estimate}
        shown={shown}
        onScrolled={() => setFollowing(false)}
        row={(index) => {
          const row = rows[index];
          if (row === undefined) return null;
          const choose = (): void => {
            onSeek(row.startMs);
            setFollowing(true);
            if (row.turnId !== undefined) onSelectReply(row.turnId);
          };
          return (
            <Row
              row={row}
              isCurrent={index === current.value}
              isSelected={row.turnId !== undefined && row.turnId === turnId}
              onChoose={choose}
            />
          );
        }}
      />
      {!isFollowing && (
        <div class="call-transcript-follow">
          <Button onClick={() => setFollowing(true)}>Follow the recording</Button>
        </div>
      )}
    </div>
  );
}

const ROLES = { agent: "Agent", user: "Caller" } as const;

interface RowProps {
  readonly row: TranscriptRow;
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  readonly onChoose: () => void;
}

function Row({ row, isCurrent, isSelected, onChoose }: RowProps) {
  const marks = `${isCurrent ? " call-transcript-current" : ""}${isSelected ? " call-transcript-selected" : ""}`;
  const at = durationText(row.startMs);
  const who = row.kind === "turn" ? ROLES[row.role] : "Note";
  return (
    <div
      class={`call-transcript-row call-transcript-${row.kind === "turn" ? row.role : "note"}${marks}`}
      aria-current={isCurrent || undefined}
    >
      <button
        type="button"
        class="call-transcript-time figure"
        onClick={onChoose}
        aria-label={`${who} at ${at}: go there`}
      >
        {at}
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the button beside it does the same. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the same. */}
      <div class="call-transcript-words" onClick={onChoose}>
        {row.kind === "note" ? <bdi>{row.text}</bdi> : <Words row={row} />}
      </div>
    </div>
  );
}

function Words({ row }: { row: Extract<TranscriptRow, { kind: "turn" }> }) {
  const { role, text, unheard, isInterrupted, isApproximate, delayMs } = row;
  return (
    <>
      <span class="call-transcript-role">{ROLES[role]}</span>
      {delayMs !== undefined && (
        <span class="call-transcript-delay figure" title="From the caller's last sound to the first frame of the reply">
          {delayText(delayMs)}
        </span>
      )}
      <bdi class="call-transcript-text">{text ?? "The words are not stored."}</bdi>
      {unheard !== "" && (
        <>
          {" "}
          <del class="call-transcript-unheard" dir="auto">
            <span class="hidden">Not heard: </span>
            {unheard}
          </del>
        </>
      )}
      {isInterrupted && <span class="call-transcript-mark"> interrupted</span>}
      {isApproximate && <span class="call-transcript-mark soft"> end is an estimate</span>}
    </>
  );
}
