import { NO_REPLY_TURN_ID } from "../../core/ids.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import { type FrameCodec, FrameEncoder } from "../../media/frame-codec.ts";
import type { RingFrame } from "../../media/frame-ring.ts";
import { HoldMelody } from "../../media/hold-melody.ts";

/** What the caller hears during one hold, frame by frame, on whichever leg. Allocates nothing after construction. */
export class HoldAudio {
  readonly #melody: HoldMelody;
  readonly #encoder: FrameEncoder;
  readonly #frame: RingFrame;

  /** `rateHz` and `codec` are those of the agent's frames. */
  constructor(rateHz: number, codec: FrameCodec) {
    this.#melody = new HoldMelody(rateHz);
    this.#encoder = new FrameEncoder(codec, (rateHz / 1_000) * FRAME_MS);
    // The encoder's bytes are the same memory for every frame.
    this.#frame = { bytes: this.#encoder.encode(), turnId: NO_REPLY_TURN_ID };
  }

  /** The next frame, borrowed until the next call. */
  shift(): RingFrame {
    this.#melody.fill(this.#encoder.samples);
    this.#encoder.encode();
    return this.#frame;
  }
}
