import { createSocket, type Socket } from "node:dgram";
import type { Random } from "../random.ts";

/** What a network does to the datagrams of both directions. */
export interface NetworkConditions {
  /** The share of datagrams that are lost, and of those that come twice: 0 to 1. */
  lossShare: number;
  duplicateShare: number;
  /** Each datagram takes so long, and up to `jitterMs` more: later ones may overtake it. */
  delayMs: number;
  jitterMs: number;
}

const PERFECT: NetworkConditions = { lossShare: 0, duplicateShare: 0, delayMs: 0, jitterMs: 0 };
const HOST = "127.0.0.1";

/** A UDP port that passes datagrams to another one of this machine, and back, as a bad network would. */
export class LossyProxy {
  /** Changes at any time; at first the network is perfect. */
  conditions: NetworkConditions = PERFECT;
  /** What becomes of a datagram of a client before the network has it: an attacker on the way may change and add some. */
  fromClient: (datagram: Buffer) => readonly Buffer[] = (datagram) => [datagram];
  readonly counts = { passed: 0, lost: 0, duplicated: 0 };
  readonly #random: Random;
  readonly #targetPort: number;
  readonly #socket: Socket;
  /** Towards the target: one for each client, by its port. */
  readonly #upstreams = new Map<number, Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();

  private constructor(socket: Socket, targetPort: number, random: Random) {
    this.#socket = socket;
    this.#targetPort = targetPort;
    this.#random = random;
    socket.on("message", (bytes, { port }) => {
      const upstream = this.#upstreamOf(port);
      for (const datagram of this.fromClient(bytes))
        this.#pass(() => upstream.send(datagram, this.#targetPort, HOST, ignore));
    });
  }

  /** Opens a proxy of the port; what is lost depends on the `random` alone, and on the order of datagrams. */
  static open(targetPort: number, random: Random): Promise<LossyProxy> {
    const socket = createSocket("udp4");
    return new Promise((resolve, reject) => {
      socket.once("error", reject);
      socket.bind(0, HOST, () => resolve(new LossyProxy(socket, targetPort, random)));
    });
  }

  get port(): number {
    return this.#socket.address().port;
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const socket of [this.#socket, ...this.#upstreams.values()]) socket.close();
  }

  #upstreamOf(clientPort: number): Socket {
    const open = this.#upstreams.get(clientPort);
    if (open !== undefined) return open;
    const upstream = createSocket("udp4");
    upstream.on("message", (bytes) => this.#pass(() => this.#socket.send(bytes, clientPort, HOST, ignore)));
    this.#upstreams.set(clientPort, upstream);
    return upstream;
  }

  #pass(send: () => void): void {
    const { lossShare, duplicateShare } = this.conditions;
    if (this.#random.chance(lossShare)) {
      this.counts.lost += 1;
      return;
    }
    this.counts.passed += 1;
    this.#later(send);
    if (!this.#random.chance(duplicateShare)) return;
    this.counts.duplicated += 1;
    this.#later(send);
  }

  #later(send: () => void): void {
    const { delayMs, jitterMs } = this.conditions;
    if (delayMs + jitterMs === 0) {
      send();
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      send();
    }, delayMs + this.#random.between(0, jitterMs));
    this.#timers.add(timer);
  }
}

/** A datagram that cannot be sent is lost. */
const ignore = (): void => {};
