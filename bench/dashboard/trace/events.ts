/** An event of Chromium's trace, as far as it is read: see "Trace Event Format". Times in µs. */
export interface TraceEvent {
  name: string;
  /** X: complete; M: metadata; others are instants or parts. */
  ph: string;
  ts: number;
  dur?: number;
  pid: number;
  tid: number;
  args?: { name?: string };
}

/** What is traced to find out what a page's main thread does. */
export const TRACED: readonly string[] = [
  "devtools.timeline",
  "disabled-by-default-devtools.timeline",
  "devtools.timeline.frame",
  "disabled-by-default-devtools.timeline.frame",
  "v8.execute",
];

const MAIN_THREAD = "CrRendererMain";

/** The events of the main thread of the page that did most, in the order of time. */
export function mainThreadEvents(events: readonly TraceEvent[]): TraceEvent[] {
  const threads = events.filter(
    ({ ph, name, args }) => ph === "M" && name === "thread_name" && args?.name === MAIN_THREAD,
  );
  const of = ({ pid, tid }: TraceEvent): TraceEvent[] =>
    events.filter((event) => event.pid === pid && event.tid === tid && event.ph !== "M");
  const busyUs = (own: readonly TraceEvent[]): number => own.reduce((sum, { dur = 0 }) => sum + dur, 0);
  const [busiest] = threads.map(of).sort((one, other) => busyUs(other) - busyUs(one));
  return (busiest ?? []).sort((one, other) => one.ts - other.ts);
}
