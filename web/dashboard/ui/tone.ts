/** How a state is marked: see `Badge`. In a file without JSX, for logic that tests import. */
export type Tone = "neutral" | "good" | "warn" | "bad" | "active";
