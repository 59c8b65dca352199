/** Time, which tests replace. */
export interface Clock {
  nowMs(): number;
  /** Runs `task` once; returns what cancels it. */
  after(delayMs: number, task: () => void): () => void;
}

export const browserClock: Clock = {
  nowMs: () => performance.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};
