// What the page and the worklet tell each other, besides audio: an ArrayBuffer of signed 16-bit samples, in both directions.

/** The name under which the processor is registered. */
export const PROCESSOR = "trunkline-audio";
/** The processor's inputs: the microphone, and the agent's audio where WebRTC plays it. */
export const MICROPHONE_INPUT = 0;
export const AGENT_INPUT = 1;

export type ToWorklet =
  /** Audio travels through the worklet from here on, at these rates; nothing was played so far. */
  | { type: "stream"; inputHz: number; outputHz: number }
  /** No more audio travels through the worklet. */
  | { type: "stop" }
  | { type: "mark"; name: string }
  | { type: "clear" };

export type FromWorklet =
  | { type: "mark"; name: string }
  | { type: "cleared"; playedMs: number }
  | { type: "levels"; input: number; output: number };
