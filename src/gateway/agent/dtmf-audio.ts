import { NO_REPLY_TURN_ID } from "../../core/ids.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import { DtmfTones } from "../../media/dtmf-tones.ts";
import { type FrameCodec, FrameEncoder } from "../../media/frame-codec.ts";
import type { RingFrame } from "../../media/frame-ring.ts";

/** The tones of the digits that the agent sends on one leg, frame by frame. Allocates nothing after construction. */
export class DtmfAudio {
  readonly #tones: DtmfTones;
  readonly #encoder: FrameEncoder;
  readonly #frame: RingFrame;

  /** `rateHz` and `codec` are those of the agent's frames. */
  constructor(rateHz: number, codec: FrameCodec) {
    this.#tones = new DtmfTones(rateHz);
    this.#encoder = new FrameEncoder(codec, (rateHz / 1_000) * FRAME_MS);
    // The encoder's bytes are the same memory for every frame.
    this.#frame = { bytes: this.#encoder.encode(), turnId: NO_REPLY_TURN_ID };
  }

  /** Tones are to be sent. */
  get isPending(): boolean {
    return this.#tones.pendingDigits > 0;
  }

  /** Digits whose tones are not sent to their end. */
  get pendingDigits(): number {
    return this.#tones.pendingDigits;
  }

  /** See `DtmfTones.push`. */
  push(digits: string): boolean {
    return this.#tones.push(digits);
  }

  /** The next frame, borrowed until the next call. */
  shift(): RingFrame {
    this.#tones.fill(this.#encoder.samples);
    this.#encoder.encode();
    return this.#frame;
  }
}
