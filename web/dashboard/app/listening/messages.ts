// What the page and the worklet that plays a call tell each other, besides audio: an ArrayBuffer of signed 16-bit samples, the caller's
// and the agent's in turn.

/** The name under which the processor is registered. */
export const PROCESSOR = "trunkline-listen";

export const SIDES = ["caller", "agent"] as const;
export type Side = (typeof SIDES)[number];

export type ToWorklet =
  /** The rate of the audio that follows. */
  { type: "start"; rateHz: number } | { type: "mute"; side: Side; isMuted: boolean };

/** How loud both sides are: 0 for silence, 1 for full scale. A muted side is measured all the same. */
export type Levels = Readonly<Record<Side, number>>;
