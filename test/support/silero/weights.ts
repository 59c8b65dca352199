import { strict as assert } from "node:assert";
import { type FloatTensor, readFloatTensors } from "./onnx.ts";

/** What `struct weights` of network.c has. */
const BINS = 65;
const BINS_PADDED = 68;
const COSINE_BINS = 80;
const SINE_BINS = 64;
const FRAME_SAMPLES = 128;
const BLOCK = 16;
const BLOCK_OF_ONE = 32;

/** The 8 kHz branch: the `else` branch of the model's `If` on the rate. */
const BRANCH = "If_0_else_branch__Inline_0__";

/** Rows of a matrix: one for each output of a layer. */
type Rows = readonly (readonly number[])[];

/**
 * The contents of weights.f32, from silero_vad_v5.onnx: the constants of its 8 kHz branch in the order of `struct weights` of network.c,
 * little-endian. Throws an AssertionError where the model has other layers.
 */
export function packWeights(model: Uint8Array): Uint8Array {
  const constants = new Constants(readFloatTensors(model));
  const filters = constants.rows("stft.forward_basis_buffer", [2 * BINS, 1, FRAME_SAMPLES]);
  assertSymmetric(filters);
  const folded = filters.map((filter) => filter.slice(1, FRAME_SAMPLES / 2 + 1));
  const lstm = constants.rows("decoder.rnn.weight_ih", [512, 128]);
  const hidden = constants.rows("decoder.rnn.weight_hh", [512, 128]);
  const lstmBias = constants.values("decoder.rnn.bias_ih", [512]);
  const hiddenBias = constants.values("decoder.rnn.bias_hh", [512]);
  return littleEndian([
    ...inBlocks(BLOCK, withEmptyRows(folded.slice(0, BINS), COSINE_BINS)),
    ...inBlocks(BLOCK, folded.slice(BINS, BINS + SINE_BINS)),
    ...inBlocks(BLOCK, constants.convolution(0, [128, BINS, 3], [0, 1, 2], BINS_PADDED)),
    ...constants.bias(0, 128),
    ...inBlocks(BLOCK, constants.convolution(1, [64, 128, 3], [0, 1, 2])),
    ...constants.bias(1, 64),
    ...inBlocks(BLOCK_OF_ONE, constants.convolution(2, [64, 64, 3], [1, 2])),
    ...constants.bias(2, 64),
    ...inBlocks(BLOCK_OF_ONE, constants.convolution(3, [128, 64, 3], [1])),
    ...constants.bias(3, 128),
    ...inBlocks(
      BLOCK_OF_ONE,
      lstm.map((row, i) => [...row, ...(hidden[i] as readonly number[])]),
    ),
    ...lstmBias.map((bias, i) => bias + (hiddenBias[i] as number)),
    ...constants.values("decoder.decoder.2.weight", [1, 128, 1]),
    ...constants.values("decoder.decoder.2.bias", [1]),
  ]);
}

class Constants {
  readonly #tensors: ReadonlyMap<string, FloatTensor>;

  constructor(tensors: readonly FloatTensor[]) {
    this.#tensors = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  }

  values(name: string, shape: readonly number[]): number[] {
    const tensor = this.#tensors.get(BRANCH + name);
    assert.deepEqual(tensor?.shape, shape, `${name} of the 8 kHz branch is ${shape.join(" x ")}`);
    return [...(tensor as FloatTensor).values];
  }

  /** One row for each index of the first dimension. */
  rows(name: string, shape: readonly number[]): number[][] {
    const values = this.values(name, shape);
    const length = values.length / (shape[0] as number);
    return Array.from({ length: shape[0] as number }, (_, i) => values.slice(i * length, (i + 1) * length));
  }

  /** The weights of an encoder's layer: each row has, for each tap of `taps`, those of all channels, and zeros to `channelsPadded`. */
  convolution(
    layer: number,
    shape: [number, number, number],
    taps: readonly number[],
    channelsPadded = shape[1],
  ): Rows {
    const [, channels, tapsOfAll] = shape;
    return this.rows(`encoder.${layer}.reparam_conv.weight`, shape).map((row) =>
      taps.flatMap((tap) =>
        Array.from({ length: channelsPadded }, (_, channel) =>
          channel < channels ? (row[channel * tapsOfAll + tap] as number) : 0,
        ),
      ),
    );
  }

  bias(layer: number, length: number): number[] {
    return this.values(`encoder.${layer}.reparam_conv.bias`, [length]);
  }
}

/** network.c adds or subtracts the two samples that have the same factor, and multiplies once: that must be exact. */
function assertSymmetric(filters: Rows): void {
  for (const [filter, factors] of filters.entries()) {
    const sign = filter < BINS ? 1 : -1;
    assert.equal(factors[0], 0, `filter ${filter} has a first sample`);
    for (let i = 1; i < FRAME_SAMPLES; i += 1) {
      assert.ok(
        factors[i] === sign * (factors[FRAME_SAMPLES - i] as number),
        `filter ${filter} is not symmetric at ${i}`,
      );
    }
  }
  for (const bin of [BINS, 2 * BINS - 1])
    assert.ok(
      filters[bin]?.every((factor) => factor === 0),
      `filter ${bin}`,
    );
}

const withEmptyRows = (rows: Rows, count: number): Rows =>
  Array.from({ length: count }, (_, i) => rows[i] ?? (rows[0] as readonly number[]).map(() => 0));

/** The matrix in blocks of so many rows, each column by column. */
function inBlocks(blockRows: number, rows: Rows): number[] {
  assert.equal(rows.length % blockRows, 0);
  const columns = (rows[0] as readonly number[]).length;
  const values: number[] = [];
  for (let first = 0; first < rows.length; first += blockRows) {
    for (let column = 0; column < columns; column += 1) {
      for (let row = first; row < first + blockRows; row += 1) values.push(rows[row]?.[column] as number);
    }
  }
  return values;
}

function littleEndian(values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  for (const [i, value] of values.entries()) view.setFloat32(4 * i, value, true);
  return new Uint8Array(view.buffer);
}
