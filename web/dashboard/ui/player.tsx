import { useEffect, useRef } from "preact/hooks";
import { durationText } from "../app/format.ts";
import { Button } from "./button.tsx";
import type { Playback } from "./playback.ts";
import "./player.css";

export interface PlayerProps {
  readonly playback: Playback;
  /** The address of the recording. */
  readonly url: string;
  readonly durationMs: number;
  /** What is played, for those who do not see the page. */
  readonly label?: string;
}

const STEP_MS = 5_000;
const RATES = [0.75, 1, 1.25, 1.5, 2] as const;

/** Plays a recording; of a call the caller is heard left, the agent right. */
export function Player({ playback, url, durationMs, label = "Recording" }: PlayerProps) {
  const audio = useRef<HTMLAudioElement>(null);
  useEffect(() => (audio.current === null ? undefined : playback.attach(audio.current)), [playback, url]);
  const isPlaying = playback.isPlaying.value;
  const failure = playback.failure.value;
  return (
    <section class="player" aria-label={label}>
      {/* biome-ignore lint/a11y/useMediaCaption: the transcript beside it follows what is played. */}
      <audio ref={audio} src={url} preload="metadata" />
      <Button kind="primary" onClick={() => playback.toggle()}>
        {isPlaying ? "Pause" : "Play"}
      </Button>
      <Button aria-label="−5 s: 5 seconds back" onClick={() => playback.seek(playback.atMs.value - STEP_MS)}>
        −5 s
      </Button>
      <Button
        aria-label="+5 s: 5 seconds on"
        onClick={() => playback.seek(Math.min(durationMs, playback.atMs.value + STEP_MS))}
      >
        +5 s
      </Button>
      <Position playback={playback} durationMs={durationMs} />
      <label class="player-rate">
        <span class="hidden">Speed</span>
        <select
          class="control"
          value={String(playback.rate.value)}
          onChange={({ currentTarget }) => playback.setRate(Number(currentTarget.value))}
        >
          {RATES.map((rate) => (
            <option key={rate} value={String(rate)}>
              {rate}×
            </option>
          ))}
        </select>
      </label>
      {failure !== undefined && <p role="alert">The recording cannot be played: {failure}.</p>}
    </section>
  );
}

/** A component of its own: it is rendered on every frame. */
function Position({ playback, durationMs }: Pick<PlayerProps, "playback" | "durationMs">) {
  const atMs = Math.min(durationMs, playback.atMs.value);
  return (
    <>
      <input
        class="player-position"
        type="range"
        min={0}
        max={Math.ceil(durationMs)}
        step={100}
        value={atMs}
        aria-label="Position"
        aria-valuetext={durationText(atMs)}
        onInput={({ currentTarget }) => playback.seek(Number(currentTarget.value))}
      />
      <span class="figure">
        {durationText(atMs)} / {durationText(durationMs)}
      </span>
    </>
  );
}
