import {
  DETECTOR_RECOVERY_LAG_MS_MAX,
  DETECTOR_RECOVERY_MS,
  LOOP_LAG_MS_MAX,
  LOOP_LAG_WINDOW_MS,
} from "../../core/limits/admission.ts";

/**
 * Decides when the calls of a worker use a cheaper voice activity detector: while its event loop lags, and until the
 * delay has been short for DETECTOR_RECOVERY_MS.
 */
export class DetectorFallback {
  readonly #onChange: (isOn: boolean) => void;
  #isOn = false;
  #calmMs = 0;

  /** `onChange` is called at each change; the fallback is off at first. */
  constructor(onChange: (isOn: boolean) => void) {
    this.#onChange = onChange;
  }

  /** Takes the delay of the loop after each window of LOOP_LAG_WINDOW_MS, ms. */
  measured(loopLagMs: number): void {
    this.#calmMs = loopLagMs < DETECTOR_RECOVERY_LAG_MS_MAX ? this.#calmMs + LOOP_LAG_WINDOW_MS : 0;
    if (this.#isOn ? this.#calmMs < DETECTOR_RECOVERY_MS : loopLagMs <= LOOP_LAG_MS_MAX) return;
    this.#isOn = !this.#isOn;
    this.#onChange(this.#isOn);
  }
}
