/** A vector of length 1, as whole numbers from -127 to 127, each of which stands for itself times `scale`. */
export interface QuantizedVector {
  readonly scale: number;
  readonly values: Int8Array;
}

const VALUE_MAX = 127;

/** Scales a vector to length 1 and rounds its numbers. Undefined for one without a direction: zeros, or numbers that are none. */
export function quantized(vector: readonly number[] | Float32Array): QuantizedVector | undefined {
  let squares = 0;
  let largest = 0;
  for (const value of vector) {
    squares += value * value;
    largest = Math.max(largest, Math.abs(value));
  }
  const length = Math.sqrt(squares);
  if (!(length > 0 && Number.isFinite(length))) return undefined;
  const values = new Int8Array(vector.length);
  for (let at = 0; at < values.length; at++) values[at] = Math.round(((vector[at] ?? 0) / largest) * VALUE_MAX);
  return { scale: largest / length / VALUE_MAX, values };
}
