import { expect, test } from "vitest";
import type { OtlpSpan } from "../../../src/cli/traces/otlp-request.ts";
import { waterfall } from "../../../src/cli/traces/waterfall.ts";
import { exampleIn } from "../../support/docs/blocks.ts";

const STARTED = 1_767_225_600_000;

const span = (spanId: string, parentSpanId: string, name: string, startMs: number, endMs: number): OtlpSpan => ({
  ...{
    traceId: "a",
    spanId,
    parentSpanId,
    name,
    kind: 1,
    attributes: {},
    links: [],
    events: [],
    status: 0,
    resource: {},
  },
  startMs: STARTED + startMs,
  endMs: STARTED + endMs,
});

test("a turn is drawn as docs/observability.md shows it", () => {
  const at = 5_230;
  const below = [
    ["agent speech", 1_980, 4_100],
    ["caller speech", 0, 1_200],
    ["stt", 0, 1_310],
    ["end of turn", 1_200, 1_620],
    ["chat gpt-4o-mini", 1_350, 1_800],
    ["tts", 1_720, 2_600],
    ["first frame sent", 1_900, 1_905],
    ["first frame heard", 1_905, 1_980],
  ] as const;
  const turn = span("turn", "call", "turn", at, at + 4_100);
  const spans = [turn, ...below.map(([name, from, to]) => span(name, "turn", name, at + from, at + to))];
  const [, ...drawn] = waterfall(span("call", "", "call", 0, 20_000), spans);
  expect(drawn.join("\n")).toBe(exampleIn("docs/observability.md", "One turn", "text").trimEnd());
});

test("a span that reaches beyond its turn is drawn within it, and a name cannot control the terminal", () => {
  const turn = span("turn", "call", "turn", 0, 100);
  const lines = waterfall(span("call", "", "call", 0, 100), [turn, span("x", "turn", "a\u001b[31m", 90, 500)]);
  expect(lines[2]).not.toContain("\u001b");
  expect(lines[2]).toContain("█".repeat(4));
  expect(lines[2]).not.toContain("█".repeat(5));
});
