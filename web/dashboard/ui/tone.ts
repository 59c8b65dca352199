/** How a state is marked. */
export type Tone = "neutral" | "good" | "warn" | "bad" | "active";
