import { VirtualCall } from "./virtual-call.ts";

/** A caller who asks, interrupts and falls silent, over and over, until the cap ends the call. */
export function thirtyMinutes(): VirtualCall {
  const call = new VirtualCall({
    spec: { maxDurationMs: 1_800_000, inactivityTimeoutMs: 30_000, interruptible: true },
    answer: (text) => ({
      text: `You asked about ${text}. There is a good deal to be said about that, and here it is.`,
    }),
  });
  call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  for (let round = 0; round < 30; round += 1) {
    const atMs = 5_000 + round * 58_000;
    call.says(atMs, `question number ${round}`);
    call.says(atMs + 5_000, "no something else please");
    call.coughs(atMs + 12_000, 500);
  }
  call.run(2_000_000);
  return call;
}
