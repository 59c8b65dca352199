import { FRAME_MS, TICK_SLOTS } from "../../../src/core/limits/streams/media.ts";

/** A peer's turn comes every FRAME_MS, in one of TICK_SLOTS slots, so that not all have theirs at once. */
export class Slots<Peer> {
  readonly #turn: (peer: Peer, lateMs: number) => void;
  readonly #slots: Peer[][] = Array.from({ length: TICK_SLOTS }, () => []);
  #count = 0;

  /** `turn` takes a peer's turn; `lateMs` is how late it is. Until there is a peer nothing runs. */
  constructor(turn: (peer: Peer, lateMs: number) => void) {
    this.#turn = turn;
  }

  /** Peers that were added until now. */
  get count(): number {
    return this.#count;
  }

  add(peer: Peer): void {
    if (this.#count === 0) this.#start();
    this.#slots[this.#count % TICK_SLOTS]?.push(peer);
    this.#count += 1;
  }

  remove(peer: Peer): void {
    for (const peers of this.#slots) {
      const at = peers.indexOf(peer);
      if (at >= 0) peers.splice(at, 1);
    }
  }

  #start(): void {
    const startMs = performance.now();
    let slot = 0;
    const run = (): void => {
      for (; ; slot += 1) {
        const lateMs = performance.now() - startMs - (slot * FRAME_MS) / TICK_SLOTS;
        if (lateMs < 0) {
          setTimeout(run, -lateMs);
          return;
        }
        for (const peer of this.#slots[slot % TICK_SLOTS] ?? []) this.#turn(peer, lateMs);
      }
    };
    setImmediate(run);
  }
}
