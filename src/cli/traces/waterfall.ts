import { printable } from "../terminal.ts";
import type { OtlpSpan } from "./otlp-request.ts";

const NAME_CHARS = 26;
const BAR_CHARS = 40;

/** A trace as lines of text: each span of the first level with its own scale, and under it a bar for each span below. */
export function waterfall(call: OtlpSpan, spans: readonly OtlpSpan[]): string[] {
  const { "trunkline.call.id": id = "", "trunkline.call.end_reason": reason = "" } = call.attributes;
  const head = `${printable(String(id))}  ${call.name}, ${lasted(call)}, ${printable(String(reason))}, trace ${call.traceId}`;
  const turns = spans.filter(({ parentSpanId }) => parentSpanId === call.spanId).sort(byStart);
  return [
    head,
    ...turns.flatMap((turn) => {
      const below = spans.filter(({ parentSpanId }) => parentSpanId === turn.spanId).sort(byStart);
      return [`  ${title(turn, call)}`, ...below.map((span) => `    ${bar(span, turn)}`)];
    }),
  ];
}

const byStart = (one: OtlpSpan, other: OtlpSpan): number => one.startMs - other.startMs || one.endMs - other.endMs;

const lasted = ({ startMs, endMs }: OtlpSpan): string => `${endMs - startMs} ms`;

const title = (turn: OtlpSpan, call: OtlpSpan): string =>
  `${printable(turn.name)}, ${lasted(turn)}, at ${turn.startMs - call.startMs} ms`;

function bar(span: OtlpSpan, turn: OtlpSpan): string {
  const msPerChar = Math.max(1, turn.endMs - turn.startMs) / BAR_CHARS;
  const from = Math.min(BAR_CHARS - 1, Math.floor((span.startMs - turn.startMs) / msPerChar));
  const chars = Math.max(1, Math.min(BAR_CHARS - from, Math.round((span.endMs - span.startMs) / msPerChar)));
  const drawn = `${" ".repeat(from)}${"█".repeat(chars)}`.padEnd(BAR_CHARS);
  const failed = span.status === 2 ? ` ${printable(String(span.attributes["error.type"] ?? "failed"))}` : "";
  return `${printable(span.name).padEnd(NAME_CHARS)} ${drawn} ${lasted(span)}${failed}`;
}
