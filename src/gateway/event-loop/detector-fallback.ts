import {
  DETECTOR_RECOVERY_LAG_SHARE,
  DETECTOR_RECOVERY_MS,
  LOOP_LAG_WINDOW_MS,
} from "../../core/limits/service/admission.ts";

/**
 * Decides when the calls of a worker use a cheaper voice activity detector: while its event loop lags, and until the
 * delay has been short for DETECTOR_RECOVERY_MS.
 */
export class DetectorFallback {
  readonly #loopLagMsMax: number;
  readonly #onChange: (isOn: boolean) => void;
  #isOn = false;
  #calmMs = 0;

  /** `loopLagMsMax`: more is lag. `onChange` is called at each change; the fallback is off at first. */
  constructor(loopLagMsMax: number, onChange: (isOn: boolean) => void) {
    this.#loopLagMsMax = loopLagMsMax;
    this.#onChange = onChange;
  }

  /** Takes the delay of the loop after each window of LOOP_LAG_WINDOW_MS, ms. */
  measured(loopLagMs: number): void {
    const isCalm = loopLagMs < DETECTOR_RECOVERY_LAG_SHARE * this.#loopLagMsMax;
    this.#calmMs = isCalm ? this.#calmMs + LOOP_LAG_WINDOW_MS : 0;
    if (this.#isOn ? this.#calmMs < DETECTOR_RECOVERY_MS : loopLagMs <= this.#loopLagMsMax) return;
    this.#isOn = !this.#isOn;
    this.#onChange(this.#isOn);
  }
}
