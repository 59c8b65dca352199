import { setPriority } from "node:os";
import { ATTACKS, type Outcome, type Size, type Target } from "./attacks.ts";

// The attackers' process: what it does to its own loop must not be taken for what it does to the service, and it has the processor
// only where nobody else wants it.

/** An attack by its place in the list. */
export interface Order {
  attack: number;
  target: Target;
  size: Size;
}

export type Told = { outcome: Outcome } | { error: string };

const NICE = 10;

setPriority(NICE);
process.on("disconnect", () => process.exit(0));
process.on("message", ({ attack, target, size }: Order) => {
  const tell = (told: Told): void => void process.send?.(told);
  ATTACKS[attack]?.run(target, size).then(
    (outcome) => tell({ outcome }),
    (error: unknown) => tell({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
