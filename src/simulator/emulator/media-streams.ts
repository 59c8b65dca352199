import type { CarrierName } from "../../carriers/list.ts";
import type { Clock } from "../../core/clock.ts";
import type { G711Codec } from "../../media/g711.ts";
import { loadOpus } from "../../media/opus/load.ts";
import { simulatePeer } from "../lines.ts";
import type { SimulatedPeer, Violation } from "../peers/peer.ts";
import { connectPeer, type PeerSocket } from "../peers/peer-socket.ts";
import type { SeededIds } from "./ids.ts";
import type { Leg } from "./network.ts";

/** What a person says and hears, 20 ms at a time in mu-law, as long as the leg has a stream. */
export interface PersonOnLine {
  /** What the person says now; undefined for nothing. */
  frame(): Uint8Array | undefined;
  /** What the person hears; valid until it returns. */
  played(frame: Uint8Array, atMs: number): void;
}

/** Who is at the other end of a leg, and hangs up by the function that is given. `outboundCodec` is that of what the person hears. */
export type PersonOf = (leg: Leg, hangUp: () => void, outboundCodec: G711Codec) => PersonOnLine;

/** Audio of the leg to and from an address of the customer. */
export interface StreamOrder {
  readonly leg: Leg;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly accountId: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Of the audio to the person. */
  readonly outboundCodec: G711Codec;
  readonly clientState?: string;
  /** `streamId`: as the carrier names it. */
  onStarted(streamId: string): void;
  /** `failed`: it was refused, or there was no connection. `stopped`: either side ended it. */
  onEnded(how: "failed" | "stopped"): void;
}

export interface MediaStreamsOptions {
  readonly carrier: CarrierName;
  readonly clock: Clock;
  readonly ids: SeededIds;
  readonly personOf: PersonOf;
  hangUp(leg: Leg): void;
}

/** The streams of an emulated carrier, at most one of a leg. */
export class MediaStreams {
  readonly #options: MediaStreamsOptions;
  readonly #people = new Map<Leg, PersonOnLine>();
  /** How often each leg was to get a stream. */
  readonly #orders = new Map<Leg, number>();
  readonly #open = new Map<Leg, { stop: () => void; peer?: SimulatedPeer }>();
  readonly #violations = new Map<Leg, Map<Violation, number>>();

  constructor(options: MediaStreamsOptions) {
    this.#options = options;
  }

  has(leg: Leg): boolean {
    return this.#open.has(leg);
  }

  /** How often the customer broke the protocol in the leg's streams that have ended, by kind. */
  violationsOf(leg: Leg): ReadonlyMap<Violation, number> {
    return this.#violations.get(leg) ?? new Map();
  }

  /** Connects a stream of the leg, in place of the one that it has. */
  async open(order: StreamOrder): Promise<void> {
    const { leg, url, headers } = order;
    this.stop(leg);
    const count = (this.#orders.get(leg) ?? 0) + 1;
    this.#orders.set(leg, count);
    if (count === leg.person.failsStream) {
      order.onEnded("failed");
      return;
    }
    const abort = new AbortController();
    const entry: { stop: () => void; peer?: SimulatedPeer } = { stop: () => abort.abort() };
    this.#open.set(leg, entry);
    const opus = await loadOpus();
    const create = (socket: PeerSocket): SimulatedPeer => this.#peerOf(order, opus, socket);
    try {
      const { peer, closed } = await connectPeer(url, create, abort.signal, undefined, headers);
      entry.peer = peer;
      entry.stop = () => peer.stop();
      if (abort.signal.aborted) peer.stop();
      else if ("streamId" in peer) order.onStarted(String(peer.streamId));
      await closed;
      this.#forget(leg, entry);
      order.onEnded("stopped");
    } catch {
      this.#forget(leg, entry);
      order.onEnded(abort.signal.aborted ? "stopped" : "failed");
    }
  }

  /** Ends the stream of a leg, if it has one. */
  stop(leg: Leg): void {
    this.#open.get(leg)?.stop();
  }

  stopAll(): void {
    for (const { stop } of this.#open.values()) stop();
  }

  /** The person pressed a digit. */
  pressDigit(leg: Leg, digit: string): void {
    this.#open.get(leg)?.peer?.pressDigit(digit);
  }

  #forget(leg: Leg, entry: { stop: () => void; peer?: SimulatedPeer }): void {
    if (this.#open.get(leg) === entry) this.#open.delete(leg);
    for (const [kind, count] of entry.peer?.violations ?? []) {
      const counts = this.#violations.get(leg) ?? new Map<Violation, number>();
      this.#violations.set(leg, counts.set(kind, (counts.get(kind) ?? 0) + count));
    }
  }

  #peerOf(order: StreamOrder, opus: Awaited<ReturnType<typeof loadOpus>>, socket: PeerSocket): SimulatedPeer {
    const { leg, accountId, parameters, outboundCodec, clientState } = order;
    const { carrier, clock, ids } = this.#options;
    const person = this.#personOn(leg, outboundCodec);
    const line = { wire: carrier, codecs: { inbound: "mulaw", outbound: outboundCodec }, parameters } as const;
    const { hex: id, from, to } = leg;
    return simulatePeer(line, {
      ...socket,
      clock,
      id: ids.hex(32),
      opus,
      call: { id, accountId, from, to, ...(clientState !== undefined && { clientState }) },
      microphone: () => person.frame(),
      earphone: (frame, _samples, atMs) => person.played(frame, atMs),
      onServiceMessage: () => {},
    });
  }

  #personOn(leg: Leg, outboundCodec: G711Codec): PersonOnLine {
    const { personOf, hangUp } = this.#options;
    const person = this.#people.get(leg) ?? personOf(leg, () => hangUp(leg), outboundCodec);
    this.#people.set(leg, person);
    return person;
  }
}

const SILENCE = new Uint8Array(160).fill(0xff);

/** Someone who says nothing and stays. */
export const silentPerson: PersonOf = () => ({ frame: () => SILENCE, played: () => {} });
