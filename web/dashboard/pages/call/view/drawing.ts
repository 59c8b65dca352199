import { durationText } from "../../../app/format.ts";
import type { Condition } from "../model/conditions.ts";
import type { SentenceLanes } from "../model/lanes.ts";
import type { ToolRun } from "../model/replies.ts";
import type { Timeline } from "../model/timeline.ts";
import type { Span } from "../model/types.ts";
import { lengthOf, peakWithin, ticksOf, type View, visibleIn } from "../model/viewport.ts";
import type { Waveform } from "./call-data.ts";
import type { Colours } from "./canvas.ts";

/** The rows of the time line from top to bottom, each with its height in pixels. */
export const ROWS = [
  { name: "ruler", title: "", height: 20 },
  { name: "caller", title: "Caller", height: 44 },
  { name: "agent", title: "Agent", height: 44 },
  { name: "generated", title: "Generated", height: 18 },
  { name: "sent", title: "Sent", height: 18 },
  { name: "heard", title: "Heard", height: 18 },
  { name: "silence", title: "Silence", height: 18 },
  { name: "tools", title: "Tools", height: 18 },
  { name: "line", title: "Line", height: 18 },
] as const;
export type RowName = (typeof ROWS)[number]["name"];
export const TIME_LINE_HEIGHT = ROWS.reduce((sum, { height }) => sum + height, 0);

/** A tool run with the reply that it is of. */
export interface PlacedTool extends Span {
  readonly run: ToolRun;
  readonly turnId: number;
}

/** What of a call is drawn; each list is in the order of its starts. */
export interface Scene {
  readonly timeline: Timeline;
  readonly silences: readonly Span[];
  readonly lanes: Readonly<Record<"generated" | "sent" | "heard", readonly PlacedLane[]>>;
  readonly tools: readonly PlacedTool[];
  readonly waveform: Waveform | undefined;
}

/** One bar of a lane. */
export interface PlacedLane extends Span {
  readonly lanes: SentenceLanes;
  /** It goes on, and the next reply is drawn there. */
  readonly isCut: boolean;
}

/** What is marked. */
export interface Selection {
  readonly turnId: number | undefined;
  readonly silence: Span | undefined;
}

/** How long something may be that begins before the view and reaches into it, ms: longer ones are cut at its edge. */
const OVERLAP_MS = 120_000;

/** Sorts what is drawn into rows: once for each time line. */
export function sceneOf(timeline: Timeline, silences: readonly Span[], waveform: Waveform | undefined): Scene {
  const tools = timeline.replies.flatMap(({ tools: runs, turnId }) =>
    runs.map((run) => ({ run, turnId, startMs: run.startMs, endMs: run.endMs ?? timeline.durationMs })),
  );
  return {
    timeline,
    silences,
    waveform,
    lanes: {
      generated: lane(timeline.lanes, "generated"),
      sent: lane(timeline.lanes, "sent"),
      heard: lane(timeline.lanes, "heard"),
    },
    tools: tools.sort(byStart),
  };
}

const byStart = (a: Span, b: Span): number => a.startMs - b.startMs;

/** What was generated and never sent would lie under the next reply: it is cut there. */
function lane(all: readonly SentenceLanes[], name: "generated" | "sent" | "heard"): PlacedLane[] {
  const bars = all.flatMap((lanes) => {
    const span = lanes[name];
    return span === undefined ? [] : [{ lanes, ...span, isCut: false }];
  });
  bars.sort(byStart);
  return bars.map((bar, at) => {
    const next = bars.slice(at + 1, at + 8).find(({ lanes }) => lanes.turnId !== bar.lanes.turnId);
    if (next === undefined || next.startMs >= bar.endMs) return bar;
    return { ...bar, endMs: Math.max(bar.startMs, next.startMs), isCut: true };
  });
}

/** Draws what `view` shows of a scene, `width` pixels wide. */
export class TimeLineDrawing {
  readonly #context: CanvasRenderingContext2D;
  readonly #view: View;
  readonly #width: number;
  readonly #colours: Colours;
  readonly #pixelsPerMs: number;

  constructor(context: CanvasRenderingContext2D, view: View, width: number, colours: Colours) {
    this.#context = context;
    this.#view = view;
    this.#width = width;
    this.#colours = colours;
    this.#pixelsPerMs = width / lengthOf(view);
    context.font = `11px ${colours("font")}`;
    context.textBaseline = "middle";
  }

  draw(scene: Scene, selection: Selection): void {
    const { timeline, waveform, lanes } = scene;
    this.#context.clearRect(0, 0, this.#width, TIME_LINE_HEIGHT);
    this.#drawSelection(scene, selection);
    this.#drawRuler();
    this.#drawWave("caller", timeline.callerSpeech, waveform?.caller, waveform?.bucketMs);
    this.#drawWave("agent", timeline.agentSound, waveform?.agent, waveform?.bucketMs);
    for (const bar of this.#visible(lanes.generated)) this.#drawGenerated(bar);
    for (const name of ["sent", "heard"] as const) {
      for (const bar of this.#visible(lanes[name])) this.#drawBar(name, bar, this.#colours(name));
    }
    for (const bar of this.#visible(lanes.heard)) this.#drawEndOfHeard(bar);
    for (const silence of this.#visible(scene.silences)) this.#drawSilence(silence);
    for (const tool of this.#visible(scene.tools)) this.#drawTool(tool);
    for (const condition of timeline.conditions) this.#drawCondition(condition);
  }

  #visible<T extends Span>(items: readonly T[]): readonly T[] {
    return visibleIn(items, this.#view, OVERLAP_MS);
  }

  #x(atMs: number): number {
    return (atMs - this.#view.startMs) * this.#pixelsPerMs;
  }

  /** A rectangle within a row, cut at the edges of the view. Returns where it is; undefined where it is not seen. */
  #rectangle(name: RowName, { startMs, endMs }: Span, inset = 2): Rectangle | undefined {
    const left = Math.max(-1, this.#x(startMs));
    const right = Math.min(this.#width + 1, this.#x(endMs));
    if (right < 0 || left > this.#width || endMs < startMs) return undefined;
    const { top, height } = rowPlace(name);
    return { x: left, y: top + inset, width: Math.max(1, right - left), height: height - 2 * inset };
  }

  #drawSelection({ timeline }: Scene, { turnId, silence }: Selection): void {
    const spans = [
      ...(silence === undefined ? [] : [silence]),
      ...timeline.lanes
        .filter((lanes) => lanes.turnId === turnId)
        .flatMap(({ generated }) => (generated === undefined ? [] : [generated])),
    ];
    const startMs = Math.min(...spans.map((span) => span.startMs));
    const endMs = Math.max(...spans.map((span) => span.endMs));
    if (spans.length === 0 || endMs < this.#view.startMs || startMs > this.#view.endMs) return;
    this.#context.fillStyle = this.#colours("accent-soft");
    const { top } = rowPlace("caller");
    this.#context.fillRect(
      this.#x(startMs),
      top,
      Math.max(2, (endMs - startMs) * this.#pixelsPerMs),
      TIME_LINE_HEIGHT - top,
    );
  }

  #drawRuler(): void {
    const context = this.#context;
    const { top, height } = rowPlace("ruler");
    const isFine = lengthOf(this.#view) < 20_000;
    for (const tickMs of ticksOf(this.#view, this.#width, 72)) {
      const x = Math.round(this.#x(tickMs)) + 0.5;
      context.strokeStyle = this.#colours("line");
      context.beginPath();
      context.moveTo(x, top + height - 6);
      context.lineTo(x, TIME_LINE_HEIGHT);
      context.stroke();
      context.fillStyle = this.#colours("text-soft");
      context.fillText(durationText(tickMs, { tenths: isFine }), x + 3, top + height / 2);
    }
  }

  /** The peaks of one side; where there are none, its speech as blocks. */
  #drawWave(
    name: "caller" | "agent",
    sounds: readonly Span[],
    peaks: readonly number[] | undefined,
    bucketMs: number | undefined,
  ): void {
    const context = this.#context;
    const { top, height } = rowPlace(name);
    const middle = top + height / 2;
    context.fillStyle = this.#colours(name);
    for (const span of this.#visible(sounds)) {
      const place = this.#rectangle(name, span, peaks === undefined ? 12 : height / 2 - 1);
      if (place === undefined) continue;
      context.globalAlpha = peaks === undefined ? 0.55 : 1;
      fill(context, place);
      context.globalAlpha = 1;
    }
    if (peaks === undefined || bucketMs === undefined) return;
    context.beginPath();
    for (let x = 0; x < this.#width; x += 1) {
      const fromMs = this.#view.startMs + x / this.#pixelsPerMs;
      const peak = peakWithin(peaks, bucketMs, fromMs, fromMs + 1 / this.#pixelsPerMs);
      if (peak === 0) continue;
      // Speech is seldom louder than half of full scale; the root shows what is quiet, too.
      const length = Math.max(1, Math.sqrt(peak / PEAK_MAX) * (height - 6));
      context.rect(x, middle - length / 2, 1, length);
    }
    context.fill();
  }

  /** The whole sentence as an outline with its words; what was not heard of it is hatched. */
  #drawGenerated(bar: PlacedLane): void {
    const place = this.#rectangle("generated", bar);
    if (place === undefined) return;
    const context = this.#context;
    context.fillStyle = this.#colours("generated");
    context.globalAlpha = bar.lanes.heardPart === "none" ? 0.25 : 0.45;
    fill(context, place);
    context.globalAlpha = 1;
    this.#drawText(bar.lanes.segment.text, place, this.#colours("text"));
    if (!bar.isCut) return;
    context.fillStyle = this.#colours("text-soft");
    context.fillText("…", place.x + place.width - 10, place.y + place.height / 2);
  }

  #drawBar(name: "sent" | "heard", bar: PlacedLane, colour: string): void {
    const place = this.#rectangle(name, bar);
    if (place === undefined) return;
    this.#context.fillStyle = colour;
    this.#context.globalAlpha = name === "sent" ? 0.55 : 0.7;
    fill(this.#context, place);
    this.#context.globalAlpha = 1;
  }

  /** A mark where the caller heard no more of a sentence. */
  #drawEndOfHeard({ endMs, lanes }: PlacedLane): void {
    if (lanes.heardPart !== "part") return;
    const x = Math.round(this.#x(endMs));
    const { top } = rowPlace("generated");
    const { top: bottom, height } = rowPlace("heard");
    this.#context.fillStyle = this.#colours("bad");
    this.#context.fillRect(x - 1, top, 2, bottom + height - top);
  }

  #drawSilence(silence: Span): void {
    const place = this.#rectangle("silence", silence, 3);
    if (place === undefined) return;
    this.#context.strokeStyle = this.#colours("line-strong");
    this.#context.strokeRect(place.x + 0.5, place.y + 0.5, Math.max(1, place.width - 1), place.height - 1);
    this.#drawText(secondsText(lengthOf(silence)), place, this.#colours("text-soft"));
  }

  #drawTool(tool: PlacedTool): void {
    const place = this.#rectangle("tools", tool);
    if (place === undefined) return;
    this.#context.fillStyle = this.#colours(tool.run.failed === true ? "bad-soft" : "warn-soft");
    fill(this.#context, place);
    this.#context.fillStyle = this.#colours(tool.run.failed === true ? "bad" : "warn");
    this.#context.fillRect(place.x, place.y, 2, place.height);
    this.#drawText(tool.run.name, place, this.#colours(tool.run.failed === true ? "bad" : "warn"));
  }

  #drawCondition(condition: Condition): void {
    const place = this.#rectangle("line", condition);
    if (place === undefined) return;
    this.#context.fillStyle = this.#colours("ground-strong");
    fill(this.#context, place);
    this.#context.fillStyle = this.#colours("line-strong");
    this.#context.fillRect(place.x, place.y, 2, place.height);
    this.#drawText(CONDITIONS[condition.kind], place, this.#colours("text"));
  }

  /** As much of a text as fits into a rectangle. */
  #drawText(text: string, { x, y, width, height }: Rectangle, colour: string): void {
    const from = Math.max(0, x);
    const room = x + width - from - 8;
    if (room < 14 || text === "") return;
    // Wider than any that fits: measuring all of a long text is slow.
    const chars = text.slice(0, Math.ceil(room / 4));
    const context = this.#context;
    let shown = chars;
    while (shown.length > 1 && context.measureText(shown).width > room)
      shown = shown.slice(0, Math.floor(shown.length * 0.85));
    context.fillStyle = colour;
    context.fillText(shown.length < text.length ? `${shown.slice(0, -1)}…` : shown, from + 4, y + height / 2 + 0.5);
  }
}

const CONDITIONS: Readonly<Record<Condition["kind"], string>> = {
  hold: "hold",
  transfer: "transfer",
  detached: "stream lost",
  network: "no audio",
  "recording-paused": "recording paused",
};

/** The peak of full scale. */
const PEAK_MAX = 32_767;

interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const fill = (context: CanvasRenderingContext2D, { x, y, width, height }: Rectangle): void =>
  context.fillRect(x, y, width, height);

const secondsText = (ms: number): string => (ms < 950 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`);

/** Where a row is, in pixels from the top. */
function rowPlace(name: RowName): { top: number; height: number } {
  let top = 0;
  for (const row of ROWS) {
    if (row.name === name) return { top, height: row.height };
    top += row.height;
  }
  throw new Error(`no row ${name}`);
}

/** The row at so many pixels from the top. */
export const rowAt = (y: number): RowName | undefined =>
  ROWS.find(({ name, height }) => {
    const { top } = rowPlace(name);
    return y >= top && y < top + height;
  })?.name;

/** What is at a time in a row; what is longest comes last. */
export function hitOf(scene: Scene, row: RowName, atMs: number): Hit | undefined {
  const within = ({ startMs, endMs }: Span): boolean => atMs >= startMs && atMs <= endMs;
  switch (row) {
    case "generated":
    case "sent":
    case "heard": {
      const bar = scene.lanes[row].find(within);
      return bar && { kind: "sentence", lanes: bar.lanes };
    }
    case "silence": {
      const silence = scene.silences.find(within);
      return silence && { kind: "silence", silence };
    }
    case "tools": {
      const tool = scene.tools.find(within);
      return tool && { kind: "tool", tool };
    }
    case "line": {
      const condition = scene.timeline.conditions.find(within);
      return condition && { kind: "condition", condition };
    }
    case "agent": {
      const sound = scene.timeline.agentSound.find(within);
      return sound && sound.turnId > 0 ? { kind: "reply", turnId: sound.turnId } : undefined;
    }
    default:
      return undefined;
  }
}

export type Hit =
  | { readonly kind: "sentence"; readonly lanes: SentenceLanes }
  | { readonly kind: "silence"; readonly silence: Span }
  | { readonly kind: "tool"; readonly tool: PlacedTool }
  | { readonly kind: "condition"; readonly condition: Condition }
  | { readonly kind: "reply"; readonly turnId: number };
