import type { ComponentChildren } from "preact";
import type { Tone } from "./tone.ts";
import "./badge.css";

export type { Tone };

/** Shapes, because not everyone sees the colours. */
const SHAPES: Readonly<Record<Tone, string>> = { neutral: "○", good: "●", warn: "▲", bad: "■", active: "◆" };

/** A state, by word, shape and colour. */
export const Badge = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <span class={`badge badge-${tone}`}>
    <span class="badge-shape" aria-hidden="true">
      {SHAPES[tone]}
    </span>
    {children}
  </span>
);
