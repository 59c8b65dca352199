/** The clock of Opus in RTP (RFC 7587). */
const TICKS_PER_MS = 48;

/** How far RTP timestamp `a` is after `b`, over the wrap at 2^32; negative when it is before. */
const ticksAfter = (a: number, b: number): number => (a - b) | 0;

/**
 * What of the agent's audio was played, by the RTP timestamps that the browser says it plays. Holds the marks until their audio
 * was played, and knows when audio may be heard again after a `clear`.
 */
export class RtpPlayout {
  #marks: { name: string; rtpTimestamp: number }[] = [];
  #playedTicks = 0;
  /** The packet that was played last. */
  #last: number | undefined;
  /** Where the audio that was cleared ends. */
  #clearedTo: number | undefined;
  #isClosed = false;

  /** How much was played, without what was cleared. */
  get playedMs(): number {
    return this.#playedTicks / TICKS_PER_MS;
  }

  /** Whether the next `observe` may change something. */
  get isWaiting(): boolean {
    return this.#last === undefined || this.#marks.length > 0 || this.#isClosed;
  }

  /** Audio that was cleared must not be heard yet. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The packet with this timestamp is being played. Returns the marks whose audio was played. */
  observe(rtpTimestamp: number): string[] {
    this.#count(rtpTimestamp);
    if (this.#clearedTo !== undefined && ticksAfter(rtpTimestamp, this.#clearedTo) >= 0) this.#isClosed = false;
    const played = this.#marks.filter((mark) => ticksAfter(rtpTimestamp, mark.rtpTimestamp) >= 0);
    this.#marks = this.#marks.filter((mark) => !played.includes(mark));
    return played.map(({ name }) => name);
  }

  mark(name: string, rtpTimestamp: number): void {
    this.#marks.push({ name, rtpTimestamp });
  }

  /** Drops the marks; audio before `rtpTimestamp` that was not played does not count. Returns how much was played. */
  clear(rtpTimestamp: number): number {
    this.#marks = [];
    this.#clearedTo = rtpTimestamp;
    this.#isClosed = true;
    return this.playedMs;
  }

  /** Audio may be heard, wherever playback is. */
  reopen(): void {
    this.#isClosed = false;
  }

  #count(rtpTimestamp: number): void {
    const last = this.#last ?? rtpTimestamp;
    const isCleared = this.#clearedTo !== undefined && ticksAfter(this.#clearedTo, last) > 0;
    const from = isCleared ? (this.#clearedTo as number) : last;
    this.#playedTicks += Math.max(0, ticksAfter(rtpTimestamp, from));
    if (this.#last === undefined || ticksAfter(rtpTimestamp, last) > 0) this.#last = rtpTimestamp;
  }
}
