import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { theme } from "../../../app/theme.ts";
import type { Span } from "../model/types.ts";
import { lengthOf, peakWithin, type View, viewFrom, zoomed } from "../model/viewport.ts";
import { coloursOf, contextOf, useWidth } from "./canvas.ts";
import type { Scene } from "./drawing.ts";

const HEIGHT = 28;
const PEAK_MAX = 32_767;

/** The whole call in one strip, with what of it the time line shows. For the pointer alone: keys move the time line itself. */
export function Overview({ scene, view }: { scene: Scene; view: Signal<View> }) {
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(place);
  const { durationMs } = scene.timeline;
  useEffect(() => {
    const element = canvas.current;
    if (element === null || width === 0) return;
    const frame = requestAnimationFrame(() => draw(element, scene, width));
    return () => cancelAnimationFrame(frame);
  }, [scene, width, theme.value]);

  const { startMs, endMs } = view.value;
  const perMs = width / Math.max(1, durationMs);
  const center = (event: PointerEvent): void => {
    const { left } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const atMs = (event.clientX - left) / perMs;
    view.value = viewFrom(view.value, atMs - lengthOf(view.value) / 2, durationMs);
  };
  return (
    <div
      ref={place}
      class="call-overview"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        center(event);
      }}
      onPointerMove={(event) => {
        if (event.buttons === 1) center(event);
      }}
      onDblClick={() => (view.value = zoomed(view.value, 0.25, (startMs + endMs) / 2, durationMs))}
    >
      <canvas ref={canvas} class="call-overview-canvas" style={{ height: `${HEIGHT}px` }} />
      <div
        class="call-overview-window"
        style={{ transform: `translateX(${startMs * perMs}px)`, width: `${Math.max(4, (endMs - startMs) * perMs)}px` }}
      />
    </div>
  );
}

function draw(canvas: HTMLCanvasElement, { timeline, waveform }: Scene, width: number): void {
  const context = contextOf(canvas, width, HEIGHT);
  const colours = coloursOf(canvas);
  context.clearRect(0, 0, width, HEIGHT);
  const perMs = width / Math.max(1, timeline.durationMs);
  const sides = [
    { colour: "caller", spans: timeline.callerSpeech, peaks: waveform?.caller, top: 1 },
    { colour: "agent", spans: timeline.agentSound, peaks: waveform?.agent, top: HEIGHT / 2 + 1 },
  ] as const;
  for (const { colour, spans, peaks, top } of sides) {
    context.fillStyle = colours(colour);
    const height = HEIGHT / 2 - 2;
    if (peaks === undefined) drawSpans(context, spans, perMs, top, height);
    else {
      for (let x = 0; x < width; x += 1) {
        const peak = peakWithin(peaks, waveform?.bucketMs ?? 1, x / perMs, (x + 1) / perMs);
        const length = Math.sqrt(peak / PEAK_MAX) * height;
        context.fillRect(x, top + (height - length) / 2, 1, Math.max(peak > 0 ? 1 : 0, length));
      }
    }
  }
}

function drawSpans(
  context: CanvasRenderingContext2D,
  spans: readonly Span[],
  perMs: number,
  top: number,
  height: number,
): void {
  for (const { startMs, endMs } of spans)
    context.fillRect(startMs * perMs, top + height / 4, Math.max(1, (endMs - startMs) * perMs), height / 2);
}
