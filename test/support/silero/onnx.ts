// Reads the constants of an ONNX model: as much of its Protocol Buffers as that takes.
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto

/** A tensor of 32-bit floats; `name` is the output of the node that it is the value of. */
export interface FloatTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

const MODEL = { graph: 7 };
const GRAPH = { node: 1 };
const NODE = { output: 2, attribute: 5 };
const ATTRIBUTE = { tensor: 5, graph: 6 };
const TENSOR = { dims: 1, dataType: 2, rawData: 9 };
const FLOAT = 1;

/** All constants of 32-bit floats in the model, also those of sub-graphs. Throws a RangeError where the file is cut off. */
export function readFloatTensors(model: Uint8Array): FloatTensor[] {
  return messagesOf(model, MODEL.graph).flatMap(tensorsOfGraph);
}

function tensorsOfGraph(graph: Uint8Array): FloatTensor[] {
  return messagesOf(graph, GRAPH.node).flatMap((node) => {
    const name = new TextDecoder().decode(messagesOf(node, NODE.output)[0]);
    return messagesOf(node, NODE.attribute).flatMap((attribute) => [
      ...messagesOf(attribute, ATTRIBUTE.tensor).flatMap((tensor) => floatTensor(name, tensor)),
      ...messagesOf(attribute, ATTRIBUTE.graph).flatMap(tensorsOfGraph),
    ]);
  });
}

function floatTensor(name: string, bytes: Uint8Array): FloatTensor[] {
  const [raw] = messagesOf(bytes, TENSOR.rawData);
  if (raw === undefined || numbersOf(bytes, TENSOR.dataType)[0] !== FLOAT) return [];
  const view = new DataView(raw.buffer, raw.byteOffset, raw.length);
  const values = Float32Array.from({ length: raw.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
  return [{ name, shape: numbersOf(bytes, TENSOR.dims), values }];
}

interface Field {
  readonly field: number;
  readonly value: number | Uint8Array;
}

const messagesOf = (message: Uint8Array, wanted: number): Uint8Array[] =>
  fieldsOf(message).flatMap(({ field, value }) => (field === wanted && typeof value !== "number" ? [value] : []));

const numbersOf = (message: Uint8Array, wanted: number): number[] =>
  fieldsOf(message).flatMap(({ field, value }) => (field === wanted && typeof value === "number" ? [value] : []));

const WIRE_TYPE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 };

function fieldsOf(message: Uint8Array): Field[] {
  const reader = new Reader(message);
  const fields: Field[] = [];
  while (!reader.atEnd) {
    const key = reader.varint();
    const field = key >>> 3;
    const wireType = key & 7;
    if (wireType === WIRE_TYPE.varint) fields.push({ field, value: reader.varint() });
    else if (wireType === WIRE_TYPE.bytes) fields.push({ field, value: reader.bytes(reader.varint()) });
    else if (wireType === WIRE_TYPE.fixed64) reader.bytes(8);
    else if (wireType === WIRE_TYPE.fixed32) reader.bytes(4);
    else throw new RangeError(`ONNX: wire type ${wireType} of field ${field} is none of Protocol Buffers 3`);
  }
  return fields;
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  bytes(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError(`ONNX: a field of ${length} bytes at ${this.#at} is cut off`);
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  /** Numbers of more than 53 bits lose digits: none that is read here has so many. */
  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const [byte] = this.bytes(1) as unknown as [number];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }
}
