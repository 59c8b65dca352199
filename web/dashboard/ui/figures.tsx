import type { ComponentChildren } from "preact";
import { bytesText, delayText, durationText, moneyText, numberText, timeText, utcText } from "../app/format.ts";
import "./figures.css";

const NONE = (
  <span class="soft" role="img" aria-label="none">
    –
  </span>
);

/** A time, `at` in ISO 8601: in the viewer's zone, with UTC where the pointer rests on it. */
export function Time({ at, seconds = true }: { at: string | null | undefined; seconds?: boolean }) {
  if (at == null) return NONE;
  const time = new Date(at);
  return (
    <time dateTime={at} title={utcText(time)} class="figure">
      {timeText(time, new Date(), { seconds })}
    </time>
  );
}

/** `1:02.3`. */
export const Duration = ({ ms, tenths = true }: { ms: number | null | undefined; tenths?: boolean }) =>
  ms == null ? NONE : <span class="figure">{durationText(ms, { tenths })}</span>;

/** `840 ms`. */
export const Delay = ({ ms }: { ms: number | null | undefined }) =>
  ms == null ? NONE : <span class="figure">{delayText(ms)}</span>;

/** `0.01235 USD`. */
export const Money = ({ amount, currency }: { amount: number | null | undefined; currency: string }) =>
  amount == null ? NONE : <span class="figure">{moneyText(amount, currency)}</span>;

export const Count = ({ of }: { of: number | null | undefined }) =>
  of == null ? NONE : <span class="figure">{numberText(of)}</span>;

/** `1.2 MB`. */
export const Bytes = ({ of }: { of: number | null | undefined }) =>
  of == null ? NONE : <span class="figure">{bytesText(of)}</span>;

/** A text that came from outside, such as a name: in its own direction, and wrapped wherever it must. */
export const Foreign = ({ text }: { text: string | null | undefined }) =>
  text == null || text === "" ? NONE : <bdi class="foreign">{text}</bdi>;

/** An id, a number of a telephone, a piece of JSON on one line. */
export const Code = ({ children }: { children: ComponentChildren }) => <code class="code">{children}</code>;

/** A text of several lines as it is: JSON, a prompt, a request. */
export const CodeBlock = ({ text, label }: { text: string; label: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard.
  <section class="code-block" tabIndex={0} aria-label={label}>
    <pre dir="auto">{text}</pre>
  </section>
);
