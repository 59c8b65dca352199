import { type MediaMs, mediaMs } from "../core/clocks.ts";
import {
  UNSENT_FRAMES_MAX,
  UNSENT_JITTER_MS,
  UNSENT_LATE_MS,
  UNSENT_SILENT_FRAMES_MIN,
  UNTIMESTAMPED_LAG_MS_MAX,
} from "../core/limits/streams/caller-audio.ts";
import { FRAME_MS } from "../core/limits/streams/media.ts";

/** A pause of so many frames, after which no packet was early, shows a peer with DTX. */
const CONFIRMING_FRAMES = 5;
const CONFIRMING_PACKETS = 3;
/** Silence of this length that was filled in although the packets were only late shows a line with jitter. */
const MISTAKEN_MS_MAX = 2 * FRAME_MS;

/**
 * Finds the silence that a peer leaves out. Encoders with DTX (discontinuous transmission) send a packet every 400 ms
 * or none at all while nothing is said, and Opus over a WebSocket has no timestamps that would show it.
 *
 * A packet is missing for one of two reasons: the peer sends none, or the network holds it up. It is a pause where the
 * last packet was a DTX packet, or where the last frames were silence: encoders send some 200 ms of silence before they
 * stop. Where the caller was speaking it is the network, and nothing is filled in.
 *
 * The caller of this class puts the frames that are due on the bus, so that all consumers get the silence at the time
 * when it would have been sent. At most UNSENT_FRAMES_MAX are due for one pause; a longer one is a gap on the media
 * timeline, and the packet after it gets a timestamp. Silence that turns out to have been late packets stays; after
 * some of it, only longer delays count as pauses, until there is a real pause.
 *
 * `elapsedMs` is the time since the stream started, `countedMs` the length of all audio on the media timeline by then.
 */
export class UnsentSilence {
  /** The least delay of a packet: the time at which it arrives minus the end of its audio on the media timeline. */
  #delayMs = Number.POSITIVE_INFINITY;
  #packetMs = FRAME_MS;
  #isDtx = false;
  /** Frames of silence since the last voiced one, up to UNSENT_SILENT_FRAMES_MIN. */
  #silentFrames = 0;
  /** Frames that were due since the last packet, and how many of the packet that is being replaced are left. */
  #filledFrames = 0;
  #framesLeft = 0;
  /** What was filled in by mistake since the last real pause. */
  #mistakenMs = 0;
  /** How many more packets must not be early until the last pause counts as real. */
  #confirmingPackets = 0;
  #hasFilled = false;
  #tickMs = Number.NaN;
  #isTickLate = false;
  readonly #lagMsMax: number;

  /** `lagMsMax`: a packet that comes later than this follows a pause, whatever preceded it, ms. */
  constructor(lagMsMax: number = UNTIMESTAMPED_LAG_MS_MAX) {
    this.#lagMsMax = lagMsMax;
  }

  /**
   * A packet of `packetMs` arrives; `isDtx`: it says that silence follows. Returns its timestamp, which is `countedMs`
   * where it directly follows what is on the timeline; NaN for the first packet.
   */
  packet(packetMs: number, isDtx: boolean, countedMs: number, elapsedMs: number): MediaMs {
    const startMs = elapsedMs - packetMs - this.#delayMs;
    const isFirst = this.#delayMs === Number.POSITIVE_INFINITY;
    const isGap = startMs - countedMs >= (this.#filledFrames > 0 ? FRAME_MS : this.#lagMsMax);
    this.#learn(elapsedMs - packetMs - countedMs);
    this.#packetMs = packetMs;
    this.#isDtx = isDtx;
    this.#filledFrames = 0;
    this.#framesLeft = 0;
    if (isFirst) return mediaMs(Number.NaN);
    return mediaMs(isGap ? startMs : countedMs);
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
   * the peer's intervals between messages are than a frame. A pause is filled by the packet, as the peer would have
   * sent it, so that the next packet continues it.
   */
  takeFrame(slackMs: number, countedMs: number, elapsedMs: number): boolean {
    if (this.#isTickLate || this.#filledFrames === UNSENT_FRAMES_MAX) return false;
    if (!this.#isDtx && this.#silentFrames < UNSENT_SILENT_FRAMES_MIN) return false;
    if (this.#framesLeft === 0) {
      if (elapsedMs - this.#delayMs - countedMs < this.#waitMs(slackMs)) return false;
      this.#framesLeft = Math.max(1, Math.floor(this.#packetMs / FRAME_MS));
    }
    this.#framesLeft -= 1;
    this.#filledFrames += 1;
    this.#hasFilled = true;
    return true;
  }

  /** How much audio must be missing for silence to be due, ms. */
  #waitMs(slackMs: number): number {
    const packetMs = Math.max(FRAME_MS, this.#packetMs) + UNSENT_JITTER_MS;
    if (this.#filledFrames > 0) return packetMs;
    const isCautious = !this.#isDtx && this.#mistakenMs >= MISTAKEN_MS_MAX;
    return Math.max(packetMs, FRAME_MS + slackMs + UNSENT_JITTER_MS) + (isCautious ? UNSENT_LATE_MS : 0);
  }

  /** Learns from the delay of a packet: one that is early ends a pause that was none. */
  #learn(delayMs: number): void {
    const earlyMs = Math.max(0, this.#delayMs - delayMs);
    if (this.#hasFilled) this.#mistakenMs += earlyMs;
    this.#delayMs = Math.min(this.#delayMs, delayMs);
    if (this.#filledFrames >= CONFIRMING_FRAMES) this.#confirmingPackets = CONFIRMING_PACKETS;
    else if (earlyMs >= FRAME_MS) this.#confirmingPackets = 0;
    else if (this.#confirmingPackets > 0) {
      this.#confirmingPackets -= 1;
      if (this.#confirmingPackets === 0) this.#mistakenMs = 0;
    }
  }
}
