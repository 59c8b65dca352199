import { computed, type ReadonlySignal, type Signal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { delayText, durationText } from "../../../app/format.ts";
import { theme } from "../../../app/theme.ts";
import { Button } from "../../../ui/button.tsx";
import type { Playback } from "../../../ui/playback.ts";
import type { Span } from "../model/types.ts";
import { lengthOf, panned, type View, viewFrom, wholeCall, zoomed } from "../model/viewport.ts";
import { coloursOf, contextOf, useWidth } from "./canvas.ts";
import {
  type Hit,
  hitOf,
  ROWS,
  rowAt,
  type Scene,
  type Selection,
  TIME_LINE_HEIGHT,
  TimeLineDrawing,
} from "./drawing.ts";
import { Overview } from "./overview.tsx";
import "./time-line.css";

export interface TimeLineProps {
  readonly scene: Scene;
  /** The call has a recording, whose waveform is there or will be. */
  readonly hasRecording: boolean;
  readonly view: Signal<View>;
  readonly playback: Playback;
  readonly selection: Selection;
  readonly onSelectReply: (turnId: number) => void;
  readonly onSelectSilence: (silence: Span) => void;
}

const ZOOM_STEP = 1.6;
/** A pointer that moves less than this was a click. */
const CLICK_PIXELS = 4;

/** The call in time: drawn on a canvas, of which everything is in the lists of the page too. */
export function TimeLine(props: TimeLineProps) {
  const { scene, view, playback } = props;
  const { durationMs } = scene.timeline;
  const [hint, setHint] = useState("");
  const zoom = (factor: number): void => {
    const { startMs, endMs } = view.value;
    const playing = playback.atMs.value;
    const around = playing > startMs && playing < endMs ? playing : (startMs + endMs) / 2;
    view.value = zoomed(view.value, factor, around, durationMs);
  };
  return (
    <section class="call-time-line" aria-label="Time line">
      <div class="call-time-line-tools">
        <Legend hasRecording={props.hasRecording} />
        <span class="call-time-line-buttons">
          <Button kind="quiet" aria-label="Zoom out" onClick={() => zoom(ZOOM_STEP)}>
            −
          </Button>
          <Button kind="quiet" aria-label="Zoom in" onClick={() => zoom(1 / ZOOM_STEP)}>
            +
          </Button>
          <Button kind="quiet" onClick={() => (view.value = wholeCall(durationMs))}>
            Whole call
          </Button>
        </span>
      </div>
      <div class="call-time-line-body">
        <ol class="call-time-line-rows" aria-hidden="true">
          {ROWS.map(({ name, title, height }) => (
            <li key={name} style={{ height: `${height}px` }}>
              {title}
            </li>
          ))}
        </ol>
        <Plot {...props} onHint={setHint} onZoom={zoom} />
      </div>
      <Overview scene={scene} view={view} />
      <p class="call-time-line-hint soft">
        {hint || "Ctrl and wheel zoom, Shift and wheel move. Click anything to see why it is so."}
      </p>
    </section>
  );
}

const Legend = ({ hasRecording }: { hasRecording: boolean }) => (
  <ul class="call-time-line-legend">
    <li class="call-time-line-generated">generated</li>
    <li class="call-time-line-sent">sent</li>
    <li class="call-time-line-heard">heard</li>
    <li class="call-time-line-end">the caller heard no more</li>
    {!hasRecording && <li class="soft">Speech as blocks: there is no recording.</li>}
  </ul>
);

interface PlotProps extends TimeLineProps {
  readonly onHint: (hint: string) => void;
  readonly onZoom: (factor: number) => void;
}

function Plot(props: PlotProps) {
  const { scene, view, playback, onHint } = props;
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(place);
  useDrawing(canvas, width, props);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const element = place.current;
    return element === null ? undefined : pointAndWheel(element, latest);
  }, []);
  const playhead = useMemo(() => computed(() => playheadShift(playback.atMs.value, view.value)), [playback, view]);
  const label = `The call of ${durationText(scene.timeline.durationMs)} in time. Arrow keys move, plus and minus zoom, 0 shows the whole call. The lists below have everything that is drawn here.`;
  return (
    <div
      ref={place}
      class="call-time-line-plot"
      role="application"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move and zoom it.
      tabIndex={0}
      onKeyDown={(event) => onKey(event, props)}
      onPointerLeave={() => onHint("")}
    >
      <canvas ref={canvas} class="call-time-line-canvas" style={{ height: `${TIME_LINE_HEIGHT}px` }} />
      <Playhead position={playhead} />
    </div>
  );
}

/** Where the playhead is, in its own width, which is that of the plot; out of sight where the view does not have it. */
function playheadShift(atMs: number, view: View): string {
  if (atMs < view.startMs || atMs > view.endMs) return "translateX(-101%)";
  return `translateX(${(100 * (atMs - view.startMs)) / lengthOf(view)}%)`;
}

/** Moved without drawing anything else. */
function Playhead({ position }: { position: ReadonlySignal<string> }) {
  const element = useRef<HTMLDivElement>(null);
  useSignalEffect(() => {
    if (element.current !== null) element.current.style.transform = position.value;
  });
  return <div ref={element} class="call-time-line-playhead" />;
}

/** Draws on the next frame whenever anything that is seen changes. */
function useDrawing(
  canvas: { current: HTMLCanvasElement | null },
  width: number,
  { scene, view, selection }: Pick<TimeLineProps, "scene" | "view" | "selection">,
): void {
  const [scheme, setScheme] = useState(0);
  useEffect(() => {
    const media = matchMedia("(prefers-color-scheme: dark)");
    const onChange = (): void => setScheme((count) => count + 1);
    media.addEventListener("change", onChange);
    return () => media.removeEventListener("change", onChange);
  }, []);
  const { value: shown } = view;
  const { value: chosen } = theme;
  useEffect(() => {
    const element = canvas.current;
    if (element === null || width === 0) return;
    const frame = requestAnimationFrame(() => {
      const context = contextOf(element, width, TIME_LINE_HEIGHT);
      new TimeLineDrawing(context, shown, width, coloursOf(element)).draw(scene, selection);
    });
    return () => cancelAnimationFrame(frame);
  }, [scene, shown, selection.turnId, selection.silence, width, scheme, chosen]);
}

function onKey(event: KeyboardEvent, { scene, view, playback, onZoom }: PlotProps): void {
  const { durationMs } = scene.timeline;
  const actions: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => (view.value = panned(view.value, -0.15, durationMs)),
    ArrowRight: () => (view.value = panned(view.value, 0.15, durationMs)),
    Home: () => (view.value = viewFrom(view.value, 0, durationMs)),
    End: () => (view.value = viewFrom(view.value, durationMs, durationMs)),
    "+": () => onZoom(1 / ZOOM_STEP),
    "=": () => onZoom(1 / ZOOM_STEP),
    "-": () => onZoom(ZOOM_STEP),
    "0": () => (view.value = wholeCall(durationMs)),
    " ": () => playback.toggle(),
  };
  const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key];
  if (action === undefined) return;
  event.preventDefault();
  action();
}

/** Wheel, drag and click. Returns what takes the listeners away. */
function pointAndWheel(element: HTMLElement, latest: { current: PlotProps }): () => void {
  const until = new AbortController();
  const { signal } = until;
  const timeAt = ({ clientX }: MouseEvent): number => {
    const { left, width } = element.getBoundingClientRect();
    const view = latest.current.view.value;
    return view.startMs + ((clientX - left) / width) * lengthOf(view);
  };
  let grabbed: { x: number; view: View; isDragged: boolean } | undefined;
  const onWheel = (event: WheelEvent): void => {
    const { scene, view } = latest.current;
    const { durationMs } = scene.timeline;
    const across = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      view.value = zoomed(view.value, 2 ** (event.deltaY / 240), timeAt(event), durationMs);
    } else if (across !== 0) {
      event.preventDefault();
      view.value = panned(view.value, across / element.clientWidth, durationMs);
    }
  };
  const onMove = (event: PointerEvent): void => {
    const { scene, view, onHint } = latest.current;
    if (grabbed === undefined) {
      onHint(hintOf(hitAt(event), timeAt(event)));
      return;
    }
    const moved = event.clientX - grabbed.x;
    if (Math.abs(moved) < CLICK_PIXELS && !grabbed.isDragged) return;
    grabbed.isDragged = true;
    view.value = panned(grabbed.view, -moved / element.clientWidth, scene.timeline.durationMs);
  };
  const hitAt = (event: MouseEvent): Hit | undefined => {
    const row = rowAt(event.clientY - element.getBoundingClientRect().top);
    return row && hitOf(latest.current.scene, row, timeAt(event));
  };
  const onUp = (event: PointerEvent): void => {
    const wasDragged = grabbed?.isDragged;
    grabbed = undefined;
    if (wasDragged !== false) return;
    const atMs = timeAt(event);
    latest.current.playback.seek(atMs);
    choose(hitAt(event), latest.current);
  };
  element.addEventListener("wheel", onWheel, { signal, passive: false });
  element.addEventListener("pointermove", onMove, { signal });
  element.addEventListener("pointerup", onUp, { signal });
  element.addEventListener("pointercancel", () => (grabbed = undefined), { signal });
  element.addEventListener(
    "pointerdown",
    (event) => {
      if (event.button !== 0) return;
      grabbed = { x: event.clientX, view: latest.current.view.value, isDragged: false };
      element.setPointerCapture(event.pointerId);
    },
    { signal },
  );
  return () => until.abort();
}

function choose(hit: Hit | undefined, { onSelectReply, onSelectSilence }: PlotProps): void {
  switch (hit?.kind) {
    case "sentence":
      onSelectReply(hit.lanes.turnId);
      return;
    case "tool":
      onSelectReply(hit.tool.turnId);
      return;
    case "reply":
      onSelectReply(hit.turnId);
      return;
    case "silence":
      onSelectSilence(hit.silence);
      return;
    default:
      return;
  }
}

/** What is under the pointer, in one line. */
function hintOf(hit: Hit | undefined, atMs: number): string {
  const at = durationText(Math.max(0, atMs));
  switch (hit?.kind) {
    case "sentence": {
      const { segment, generatedMs, sentMs, heardMs } = hit.lanes;
      return `${at} · ${segment.text} · generated ${delayText(generatedMs)}, sent ${delayText(sentMs)}, heard ${delayText(heardMs)}`;
    }
    case "silence":
      return `${at} · silence of ${delayText(lengthOf(hit.silence))}: click to see why`;
    case "tool":
      return `${at} · tool ${hit.tool.run.name}, ${delayText(lengthOf(hit.tool))}`;
    case "condition":
      return `${at} · ${hit.condition.text}`;
    default:
      return at;
  }
}
