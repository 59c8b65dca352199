import { readFileSync } from "node:fs";
import { Tensor } from "onnxruntime-web/wasm";
import { TrunklineError } from "../../../core/errors.ts";
import { openSessions } from "./onnx.ts";
import { logMel, MEL_BINS, MEL_HOP_SAMPLES, MEL_RATE_HZ } from "./spectrum/log-mel.ts";

/** A model of the end of a turn: it hears whether the caller has finished. */
export interface TurnModel {
  /**
   * How probable it is, 0 to 1, that the caller's turn ends with `samples` (16,000 Hz, -1 to 1; borrowed until the promise settles). The
   * last 8 s count; silence precedes less.
   */
  probability(samples: Float32Array): Promise<number>;
}

/** What the model hears, and so what is worth giving it. */
export const TURN_MODEL_SAMPLES = 8 * MEL_RATE_HZ;
const FRAMES = TURN_MODEL_SAMPLES / MEL_HOP_SAMPLES;
const INPUT = "input_features";
/** As Hugging Face's feature extractor has it, which the model was trained with. */
const VARIANCE_MIN = 1e-7;

/**
 * Loads an ONNX file of the form of Pipecat's smart-turn v3: the input `input_features` is Whisper's log-mel spectrum of 8 s, [1, 80, 800],
 * and the first output one probability. Throws `bad_configuration`, in one line, for a file that is missing or has another form.
 */
export async function loadTurnModel(path: string): Promise<TurnModel> {
  try {
    const file = readFileSync(path);
    const { turn } = await openSessions({ turn: () => file });
    if (turn.inputNames.length !== 1 || turn.inputNames[0] !== INPUT)
      throw new Error(`its inputs are ${turn.inputNames.join(", ")}`);
    const [output = ""] = turn.outputNames;
    const model: TurnModel = {
      probability: async (samples) => {
        const spectrum = logMel(normalized(samples), FRAMES);
        const outputs = await turn.run({ [INPUT]: new Tensor("float32", spectrum, [1, MEL_BINS, FRAMES]) }, [output]);
        const [probability] = (outputs[output] as Tensor).data as Float32Array;
        if (probability === undefined || !(probability >= 0 && probability <= 1))
          throw new Error(`its output ${JSON.stringify(output)} is ${probability}`);
        return probability;
      },
    };
    // A file whose form does not fit fails here and not in a call.
    await model.probability(new Float32Array(0));
    return model;
  } catch (error) {
    throw new TrunklineError("bad_configuration", "caller", `turn model ${path}: ${reasonOf(error)}; ${FORM}`, {
      cause: error,
    });
  }
}

const FORM = `it must be an ONNX file with the input ${INPUT} [1, ${MEL_BINS}, ${FRAMES}] and one probability as its output, such as smart-turn v3`;

/** The last 8 s, preceded by silence where there is less, with a mean of 0 and a variance of 1. */
function normalized(samples: Float32Array): Float32Array {
  const last = samples.subarray(Math.max(0, samples.length - TURN_MODEL_SAMPLES));
  const window = new Float32Array(TURN_MODEL_SAMPLES);
  window.set(last, TURN_MODEL_SAMPLES - last.length);
  let sum = 0;
  let squares = 0;
  for (const sample of last) {
    sum += sample;
    squares += sample * sample;
  }
  const mean = sum / TURN_MODEL_SAMPLES;
  const scale = 1 / Math.sqrt(squares / TURN_MODEL_SAMPLES - mean * mean + VARIANCE_MIN);
  for (let i = 0; i < window.length; i += 1) window[i] = ((window[i] as number) - mean) * scale;
  return window;
}

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " ").trim();
