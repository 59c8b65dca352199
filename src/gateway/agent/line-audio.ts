import { strict as assert } from "node:assert";
import type { Clock } from "../../core/clock.ts";
import type { CallMs, EpochMs } from "../../core/clocks.ts";
import type { JournaledLeg } from "../../record/journal/records.ts";
import { DtmfAudio } from "./dtmf-audio.ts";
import { HoldAudio } from "./hold-audio.ts";

/** The leg that sends it. */
export interface LineLeg {
  hold(holdAudio: HoldAudio): void;
  endHold(clear: boolean, nowMs: CallMs): void;
  dtmf(dtmfAudio: DtmfAudio): void;
}

export interface LineAudioOptions {
  format: Pick<JournaledLeg, "outboundRateHz" | "outboundCodec">;
  clock: Pick<Clock, "epochMs">;
  /** The caller is on hold since then, or no longer. */
  onHold: (sinceMs: EpochMs | undefined) => void;
}

/**
 * What the other end hears that is no reply: hold audio, which goes on from leg to leg, and the tones of digits, which are lost with
 * theirs. The leg is undefined while there is none.
 */
export class LineAudio {
  readonly #options: LineAudioOptions;
  #holdAudio: HoldAudio | undefined;
  #heldSinceMs: EpochMs | undefined;
  /** Undefined before the first digit on this leg. */
  #dtmfAudio: DtmfAudio | undefined;

  constructor(options: LineAudioOptions) {
    this.#options = options;
  }

  /** What every leg sends while there is a hold; undefined while there is none. */
  get holdAudio(): HoldAudio | undefined {
    return this.#holdAudio;
  }

  /** Since when the caller is on hold; undefined for one who is not. */
  get heldSinceMs(): EpochMs | undefined {
    return this.#heldSinceMs;
  }

  /** A frame of it can be sent. */
  get isReady(): boolean {
    return this.#holdAudio !== undefined || this.#dtmfAudio?.isPending === true;
  }

  /** The caller is on hold from now on. */
  held(leg: LineLeg | undefined): void {
    const { outboundRateHz, outboundCodec } = this.#options.format;
    this.#holdAudio = new HoldAudio(outboundRateHz, outboundCodec);
    this.#heldSinceMs = this.#options.clock.epochMs();
    this.#options.onHold(this.#heldSinceMs);
    leg?.hold(this.#holdAudio);
  }

  /** The hold is over; with `clear` the peer is to drop what it has not played. */
  resumed(clear: boolean, leg: LineLeg | undefined, nowMs: CallMs): void {
    this.#holdAudio = undefined;
    this.#heldSinceMs = undefined;
    this.#options.onHold(undefined);
    leg?.endHold(clear, nowMs);
  }

  /** Sends digits as tones, before anything else. The call has counted them, so that there is room. */
  sendTones(digits: string, leg: LineLeg | undefined): void {
    if (leg === undefined) return;
    const { outboundRateHz, outboundCodec } = this.#options.format;
    this.#dtmfAudio ??= new DtmfAudio(outboundRateHz, outboundCodec);
    assert.ok(this.#dtmfAudio.push(digits), "the call has counted the digits");
    leg.dtmf(this.#dtmfAudio);
  }

  /** The leg is lost; returns how many digits are lost with it. */
  legLost(): number {
    const lost = this.#dtmfAudio?.pendingDigits ?? 0;
    this.#dtmfAudio = undefined;
    return lost;
  }
}
