import { STREAM_CONNECT_MS_MAX } from "../../../src/core/limits/phone/phone-calls.ts";
import type { World } from "./world.ts";

const CONNECT_S_MAX = STREAM_CONNECT_MS_MAX / 1_000;

interface Token {
  text: string;
  /** The connection that it is for, and when that was ordered: the call waits from then on, however late the address is. */
  connect: number;
  orderedS: number;
  untilS: number;
  isUsed: boolean;
}

/** The stream tokens of one call. */
export class StreamTokens {
  readonly #world: World;
  readonly #tokens: Token[] = [];
  #orderedS = 0;
  #hasStreamFailed = false;

  constructor(world: World) {
    this.#world = world;
  }

  /** A stream is to connect. */
  ordered(): void {
    this.#orderedS = this.#world.seconds;
  }

  issue(connect: number): void {
    const { seconds } = this.#world;
    const latest = this.#tokens.at(-1);
    const isFresh = latest !== undefined && !latest.isUsed && this.#orderedS < latest.orderedS + CONNECT_S_MAX - 0.001;
    if (isFresh && !this.#hasStreamFailed)
      this.#world.violated("one answer has one token", "another one while it waits");
    this.#hasStreamFailed = false;
    const text = `token-${this.#tokens.length + 1}`;
    this.#tokens.push({ text, connect, orderedS: this.#orderedS, untilS: seconds + CONNECT_S_MAX, isUsed: false });
  }

  /** Whether this connection has a token, used or not. */
  has(connect: number): boolean {
    return this.#tokens.at(-1)?.connect === connect;
  }

  /** The latest, if it can be redeemed. */
  get valid(): string | undefined {
    const latest = this.#tokens.at(-1);
    return latest !== undefined && this.#isValid(latest) ? latest.text : undefined;
  }

  redeem(text: string): boolean {
    const found = this.#tokens.find((token) => token.text === text);
    if (found === undefined || !this.#isValid(found)) return false;
    found.isUsed = true;
    return true;
  }

  /** For the oracle: the token of the latest stream is lost. */
  streamFailed(): void {
    this.#hasStreamFailed = true;
  }

  #isValid({ isUsed, untilS }: Token): boolean {
    return !isUsed && untilS > this.#world.seconds;
  }
}
