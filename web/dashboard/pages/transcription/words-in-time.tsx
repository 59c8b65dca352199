import { computed } from "@preact/signals";
import { useCallback, useMemo, useState } from "preact/hooks";
import { api } from "../../app/api.ts";
import { durationText } from "../../app/format.ts";
import { useResource } from "../../app/use-resource.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Playback } from "../../ui/playback.ts";
import { Player } from "../../ui/player.tsx";
import { VirtualRows } from "../../ui/virtual-rows.tsx";
import { audioUrl, recordingUrl } from "./audio.ts";
import type { Transcription } from "./index.tsx";
import { neighbourMs, type Result, type Row, rowAt, rowsOf, soundingSegment } from "./rows.ts";
import "./transcription.css";

/** What was said, in time with the audio: the word that sounds is marked, and a click on a word plays from there. */
export function WordsInTime({ of, result }: { of: Transcription; result: Result }) {
  const url = useAudioUrl(of);
  const playback = useMemo(() => new Playback(), [of.id]);
  const rows = useMemo(() => rowsOf(result), [result]);
  if (rows.length === 0) return <Empty title="Nothing was said in it." />;
  return (
    <>
      {url === undefined ? (
        <p class="soft">Its audio is not kept, so that it cannot be played.</p>
      ) : (
        <Player playback={playback} url={url} durationMs={result.durationMs} label="Audio" />
      )}
      <Rows rows={rows} result={result} playback={playback} isPlayable={url !== undefined} />
    </>
  );
}

/** Where its audio can be played; of a call that is its recording, of which no copy is kept. */
function useAudioUrl({ id, hasAudio, callId }: Transcription): string | undefined {
  const call = useResource(`recording of ${callId ?? ""}`, async (signal) =>
    callId === null ? undefined : await api.get("/calls/{id}", { path: { id: callId }, signal }),
  );
  if (hasAudio) return audioUrl(id);
  const recording = call.status === "ready" ? call.value?.recording : undefined;
  return callId === null || recording == null ? undefined : recordingUrl(callId);
}

interface RowsProps {
  rows: readonly Row[];
  result: Result;
  playback: Playback;
  isPlayable: boolean;
}

const LINE_PIXELS = 22;
const CHARS_A_LINE = 72;

function Rows({ rows, result, playback, isPlayable }: RowsProps) {
  const [isFollowing, setFollowing] = useState(true);
  const current = useMemo(() => computed(() => rowAt(rows, playback.atMs.value)), [rows, playback]);
  const playFrom = useCallback(
    (atMs: number): void => {
      playback.seek(atMs);
      setFollowing(true);
      if (!playback.isPlaying.value) playback.toggle();
    },
    [playback],
  );
  const row = useCallback(
    (index: number) => {
      const one = rows[index];
      return one === undefined ? null : (
        <Utterance row={one} playback={playback} onPlay={isPlayable ? playFrom : undefined} />
      );
    },
    [rows, playback, playFrom, isPlayable],
  );
  const estimate = (index: number): number => {
    const chars = rows[index]?.segments.reduce((sum, { text }) => sum + text.length, 0) ?? 0;
    return LINE_PIXELS * Math.max(1, Math.ceil(chars / CHARS_A_LINE)) + 12;
  };
  const toNeighbour = (direction: 1 | -1): void => {
    const atMs = neighbourMs(result.words, playback.atMs.value, direction);
    if (atMs === undefined) return;
    playback.seek(atMs);
    setFollowing(true);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the region within takes the focus, and these are its keys.
    <div
      class="transcription-rows"
      onKeyDown={({ key }) => {
        if (isPlayable && key === "ArrowRight") toNeighbour(1);
        if (isPlayable && key === "ArrowLeft") toNeighbour(-1);
      }}
    >
      {isPlayable && <p class="soft">A click on a word plays from there; the arrow keys go from word to word.</p>}
      <VirtualRows
        class="transcription-list"
        label="What was said, in time"
        count={rows.length}
        estimate={estimate}
        shown={isFollowing && current.value >= 0 ? current.value : undefined}
        onScrolled={() => setFollowing(false)}
        row={row}
      />
      {!isFollowing && isPlayable && (
        <div class="transcription-follow">
          <Button onClick={() => setFollowing(true)}>Follow the audio</Button>
        </div>
      )}
    </div>
  );
}

interface UtteranceProps {
  row: Row;
  playback: Playback;
  onPlay: ((atMs: number) => void) | undefined;
}

/** It is rendered again only when another of its words sounds. */
function Utterance({ row, playback, onPlay }: UtteranceProps) {
  const sounding = useMemo(() => computed(() => soundingSegment(row, playback.atMs.value)), [row, playback]);
  const isCurrent = useMemo(
    () => computed(() => row.startMs <= playback.atMs.value && playback.atMs.value < row.endMs),
    [row, playback],
  );
  const at = durationText(row.startMs);
  return (
    <div class={`transcription-row${isCurrent.value && onPlay !== undefined ? " transcription-current" : ""}`}>
      {onPlay === undefined ? (
        <span class="transcription-time figure">{at}</span>
      ) : (
        <button
          type="button"
          class="transcription-time figure"
          aria-label={`Play from ${at}`}
          onClick={() => onPlay(row.startMs)}
        >
          {at}
        </button>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard has the button beside it and the arrow keys. */}
      <p
        class="transcription-text"
        dir="auto"
        onClick={({ target }) => {
          const startMs = target instanceof HTMLElement ? target.dataset.startMs : undefined;
          if (startMs !== undefined) onPlay?.(Number(startMs));
        }}
      >
        {row.speaker !== "" && <b class="transcription-speaker">{row.speaker}</b>}
        {row.segments.map(({ text, word }, index) =>
          word === undefined ? (
            text
          ) : (
            <span
              key={index}
              class={`transcription-word${index === sounding.value ? " transcription-sounding" : ""}`}
              data-start-ms={word.startMs}
            >
              {text}
            </span>
          ),
        )}
      </p>
    </div>
  );
}
