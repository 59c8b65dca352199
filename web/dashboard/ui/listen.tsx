import { useEffect, useState } from "preact/hooks";
import { TrunklineApiError } from "../../client/src/index.ts";
import { Listening } from "../app/listening/listening.ts";
import { SIDES, type Side } from "../app/listening/messages.ts";
import { Button } from "./button.tsx";
import { ErrorNote } from "./failure.tsx";
import { Duration, Foreign } from "./figures.tsx";
import "./listen.css";

/** A call that a person listens to. */
interface Listened {
  callId: string;
  /** The caller, or what else names the call. */
  name: string;
  listening: Listening;
}

export interface ListenControl {
  listened: Listened | undefined;
  /** Begins to listen, within a click; another call is left. */
  start: (callId: string, name: string) => void;
  stop: () => void;
}

/** Listening to one call at a time, until the page is left. */
export function useListening(): ListenControl {
  const [listened, setListened] = useState<Listened>();
  useEffect(() => () => listened?.listening.stop(), [listened]);
  return {
    listened,
    start: (callId, name) => setListened({ callId, name, listening: new Listening(callId) }),
    stop: () => setListened(undefined),
  };
}

/** The call that is listened to: how loud both sides are, and what silences and ends it. Nothing where none is. */
export function ListenPanel({ control: { listened, start, stop } }: { control: ListenControl }) {
  if (listened === undefined) return null;
  const { callId, name, listening } = listened;
  const state = listening.state.value;
  const isOver = state.status === "ended" || state.status === "failed";
  const isRepeatable = state.status === "ended" ? state.end.isRepeatable : !isRefusal(state);
  return (
    <section class="listen" aria-label="Listening">
      <p class="listen-state" role="status">
        {state.status === "connecting" && "Connecting to "}
        {state.status === "listening" && "Listening to "}
        {isOver && "Listened to "}
        <Foreign text={name} />
        {state.status === "ended" && <>. {state.end.text}</>}
      </p>
      {state.status === "listening" && (
        <>
          <Elapsed sinceMs={state.sinceMs} />
          {SIDES.map((side) => (
            <SideControl key={side} side={side} listening={listening} />
          ))}
          {listening.isSuspended.value && (
            <Button kind="primary" onClick={() => void listening.resume()}>
              Let this page play sound
            </Button>
          )}
        </>
      )}
      {state.status === "failed" && <Refusal error={state.error} />}
      <div class="listen-actions">
        {isOver && isRepeatable && <Button onClick={() => start(callId, name)}>Listen again</Button>}
        <Button onClick={stop}>{isOver ? "Close" : "Stop listening"}</Button>
      </div>
    </section>
  );
}

const NOT_ALLOWED = "listening_not_allowed";

const isRefusal = (state: { status: string; error?: unknown }): boolean =>
  state.error instanceof TrunklineApiError && state.error.code === NOT_ALLOWED;

const Refusal = ({ error }: { error: unknown }) => (
  <div class="listen-refusal">
    <ErrorNote error={error} />
    {error instanceof TrunklineApiError && error.code === NOT_ALLOWED && (
      <p class="soft">
        What may not be recorded may not be listened to either, and where words are to be redacted, they are replaced
        only when the call is over.
      </p>
    )}
  </div>
);

const NAMES: Readonly<Record<Side, string>> = { caller: "Caller", agent: "Agent" };

function SideControl({ side, listening }: { side: Side; listening: Listening }) {
  const isMuted = listening.muted[side].value;
  return (
    <div class="listen-side">
      <span>
        {NAMES[side]} <span class="soft">{side === "caller" ? "left" : "right"}</span>
      </span>
      <Meter side={side} listening={listening} />
      <Button aria-pressed={isMuted} onClick={() => listening.setMuted(side, !isMuted)}>
        {side === "caller" ? "Mute the caller" : "Mute the agent"}
      </Button>
    </div>
  );
}

/** A component of its own: it is drawn ten times a second. */
function Meter({ side, listening }: { side: Side; listening: Listening }) {
  const percent = Math.round(100 * listening.levels.value[side]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers do not let the colours of a meter element be chosen alike.
    <div
      class={`listen-meter listen-${side}`}
      role="meter"
      aria-label={`${NAMES[side]}, level`}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      <div style={{ width: `${percent}%` }} />
    </div>
  );
}

function Elapsed({ sinceMs }: { sinceMs: number }) {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return <Duration ms={nowMs - sinceMs} tenths={false} />;
}
