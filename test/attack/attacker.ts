import { ATTACKS } from "./attacks/attacks.ts";
import { type AttackerMessage, type AttackRequest, READY } from "./messages.ts";

// The attackers' process: what it does to its own loop must not be taken for what it does to the service.

process.on("disconnect", () => process.exit(0));
process.once("message", ({ attack, target, size }: AttackRequest) => {
  const send = (message: AttackerMessage): void => void process.send?.(message);
  const ready = (): Promise<void> =>
    new Promise((resolve) => {
      process.once("message", () => resolve());
      send(READY);
    });
  ATTACKS[attack]?.run(target, size, ready).then(
    (outcome) => send({ outcome }),
    (error: unknown) => send({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
