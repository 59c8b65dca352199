import { type MediaMs, mediaMs } from "../core/clocks.ts";
import { UNSENT_FRAMES_MAX, UNSENT_LATE_MS, UNSENT_SILENT_FRAMES_MIN } from "../core/limits/caller-audio.ts";
import { FRAME_MS } from "../core/limits/media.ts";

/**
 * Finds the silence that a peer leaves out. Encoders with DTX (discontinuous transmission) send a packet every 400 ms
 * or none at all while nothing is said, and Opus over a WebSocket has no timestamps that would show it.
 *
 * A late packet has one of two reasons: the peer sends none, or the network holds it up. It is a pause where the last
 * packet was a DTX packet, or where the last frames were silence: encoders send some 200 ms of silence before they
 * stop. Where the caller was speaking it is the network, and nothing is filled in.
 *
 * The caller of this class puts the frames that are due on the bus, so that all consumers get the silence at the time
 * when it would have been sent. At most UNSENT_FRAMES_MAX are due for one pause; a longer one is a gap on the media
 * timeline, and the packet after it gets a timestamp.
 *
 * `elapsedMs` is the time since the stream started, `countedMs` the length of all audio on the media timeline by then.
 */
export class UnsentSilence {
  /** The least delay of a packet: the time at which audio arrives minus its position on the media timeline. */
  #delayMs = Number.POSITIVE_INFINITY;
  #packetMs = FRAME_MS;
  #isDtx = false;
  /** Frames of silence since the last voiced one, up to UNSENT_SILENT_FRAMES_MIN. */
  #silentFrames = 0;
  /** Frames that were due since the last packet. */
  #filledFrames = 0;
  #tickMs = Number.NaN;
  #isTickLate = false;

  /**
   * A packet of `packetMs` arrives; `isDtx`: it says that silence follows. Returns its timestamp, NaN where it directly
   * follows what is on the timeline.
   */
  packet(packetMs: number, isDtx: boolean, countedMs: number, elapsedMs: number): MediaMs {
    const startMs = elapsedMs - packetMs - this.#delayMs;
    const isGap = this.#filledFrames > 0 && startMs - countedMs >= FRAME_MS;
    this.#delayMs = Math.min(this.#delayMs, elapsedMs - packetMs - countedMs);
    this.#packetMs = packetMs;
    this.#isDtx = isDtx;
    this.#filledFrames = 0;
    return mediaMs(isGap ? startMs : Number.NaN);
  }

  /** The last frame on the timeline was classified. */
  classified(isSpeech: boolean): void {
    // Frames that were filled in say nothing about the peer.
    if (this.#filledFrames > 0) return;
    this.#silentFrames = isSpeech ? 0 : Math.min(UNSENT_SILENT_FRAMES_MIN, this.#silentFrames + 1);
  }

  /** Begins a tick, of which there is one every FRAME_MS. After a late one, packets may wait unread. */
  tick(elapsedMs: number): void {
    this.#isTickLate = elapsedMs - this.#tickMs > 2 * FRAME_MS;
    this.#tickMs = elapsedMs;
  }

  /**
   * Whether a frame of silence is due at this tick; the caller puts it on the timeline. `slackMs` is how much longer
   * the peer's intervals between messages are than a frame.
   */
  takeFrame(slackMs: number, countedMs: number, elapsedMs: number): boolean {
    if (this.#isTickLate || this.#filledFrames === UNSENT_FRAMES_MAX) return false;
    if (!this.#isDtx && this.#silentFrames < UNSENT_SILENT_FRAMES_MIN) return false;
    const missingMs = elapsedMs - this.#delayMs - countedMs;
    const waitMs = this.#filledFrames === 0 ? UNSENT_LATE_MS + slackMs : 0;
    if (missingMs < Math.max(FRAME_MS, this.#packetMs) + waitMs) return false;
    this.#filledFrames += 1;
    return true;
  }
}
