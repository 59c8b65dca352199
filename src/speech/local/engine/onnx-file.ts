import { strict as assert } from "node:assert";

/** A table of numbers in a model file. */
export interface Table {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float32Array;
}

interface Edited {
  /** The new file. */
  readonly model: Uint8Array;
  /** What the new input held. */
  readonly table: Table;
}

// Field numbers of onnx.proto.
const MODEL_GRAPH = 7;
const GRAPH = { initializer: 5, input: 11, output: 12 } as const;
const TENSOR = { dims: 1, dataType: 2, name: 8, rawData: 9 } as const;
const VALUE = { name: 1, type: 2 } as const;
const DATA_TYPE_FLOAT = 1;

/**
 * Makes a constant table of a model an input of it, so that every pass can give as many of its rows as it needs, and leaves the outputs
 * out that are not in `outputs`. `file` is an ONNX file; it is read and not changed. Throws when it has no such table.
 *
 * Whisper's encoder adds its table of 1,500 positions to the audio, and so takes 30 s of audio, no less. With the table as an input
 * an utterance of 3 s costs a tenth.
 */
export function tableAsInput(file: Uint8Array, tableName: string, outputs: readonly string[]): Edited {
  const graph = fieldsOf(file).find((field) => field.number === MODEL_GRAPH);
  if (graph === undefined) throw new Error("no ONNX file: it has no graph");
  let table: Table | undefined;
  const kept = fieldsOf(graph.data).filter(({ number, data }) => {
    if (number === GRAPH.output) return outputs.includes(nameOf(data, VALUE.name));
    if (number !== GRAPH.initializer || nameOf(data, TENSOR.name) !== tableName) return true;
    table = tableOf(data);
    return false;
  });
  if (table === undefined) throw new Error(`no table ${JSON.stringify(tableName)} in the ONNX file`);
  const input = message(GRAPH.input, valueInfo(tableName, table.columns));
  const body = concat([...kept.map(({ raw }) => raw), input]);
  const model = concat(
    fieldsOf(file).map((field) => (field.number === MODEL_GRAPH ? message(MODEL_GRAPH, body) : field.raw)),
  );
  return { model, table };
}

/** `ValueInfoProto` of a float tensor with any number of rows. */
function valueInfo(name: string, columns: number): Uint8Array {
  const rows = message(1, message(2, Buffer.from("rows")));
  const shape = concat([rows, message(1, concat([varint((1 << 3) | 0), varint(columns)]))]);
  const tensor = concat([varint((1 << 3) | 0), varint(DATA_TYPE_FLOAT), message(2, shape)]);
  return concat([message(VALUE.name, Buffer.from(name)), message(VALUE.type, message(1, tensor))]);
}

function tableOf(tensor: Uint8Array): Table {
  const fields = fieldsOf(tensor);
  const dims = fields.filter(({ number }) => number === TENSOR.dims).flatMap(integersOf);
  const type = fields.find(({ number }) => number === TENSOR.dataType)?.integer;
  const raw = fields.find(({ number }) => number === TENSOR.rawData)?.data;
  const [rows = 0, columns = 0] = dims;
  if (dims.length !== 2 || type !== DATA_TYPE_FLOAT || raw?.length !== 4 * rows * columns)
    throw new Error("the table in the ONNX file is not one of 32-bit floats");
  // A copy: the bytes in the file need not be aligned.
  return { rows, columns, values: new Float32Array(new Uint8Array(raw).buffer) };
}

const nameOf = (data: Uint8Array, number: number): string =>
  Buffer.from(fieldsOf(data).find((field) => field.number === number)?.data ?? []).toString();

/** A field of a protobuf message; `raw` includes its tag. `data` is empty but for a field of a length of its own. */
interface Field {
  readonly number: number;
  readonly integer: number;
  readonly data: Uint8Array;
  readonly raw: Uint8Array;
}

const WIRE = { varint: 0, eightBytes: 1, length: 2, fourBytes: 5 } as const;

function fieldsOf(bytes: Uint8Array): Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at;
    let value: number;
    [value, at] = readVarint(bytes, at);
    const number = Math.floor(value / 8);
    const wire = value % 8;
    let integer = 0;
    let data = bytes.subarray(at, at);
    if (wire === WIRE.varint) [integer, at] = readVarint(bytes, at);
    else if (wire === WIRE.length) {
      [value, at] = readVarint(bytes, at);
      data = bytes.subarray(at, at + value);
      at += value;
    } else if (wire === WIRE.fourBytes) at += 4;
    else if (wire === WIRE.eightBytes) at += 8;
    else throw new Error("no ONNX file: it is no protobuf");
    if (at > bytes.length) throw new Error("the ONNX file is truncated");
    fields.push({ number, integer, data, raw: bytes.subarray(start, at) });
  }
  return fields;
}

/** Repeated integers are either a field each, or packed into one. */
function integersOf({ integer, data }: Field): number[] {
  if (data.length === 0) return [integer];
  const integers: number[] = [];
  for (let at = 0; at < data.length; ) {
    let value: number;
    [value, at] = readVarint(data, at);
    integers.push(value);
  }
  return integers;
}

/** Its value, and the position after it. Integers beyond 2^53, such as negative ones, lose their lowest bits: they are copied raw. */
function readVarint(bytes: Uint8Array, from: number): [number, number] {
  let value = 0;
  for (let at = from, scale = 1; at < bytes.length; at += 1, scale *= 128) {
    const byte = bytes[at] as number;
    value += (byte & 127) * scale;
    if (byte < 128) return [value, at + 1];
  }
  throw new Error("the ONNX file is truncated");
}

function varint(value: number): Uint8Array {
  assert.ok(Number.isInteger(value) && value >= 0, "a whole number");
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Uint8Array.from([...bytes, rest]);
}

const message = (number: number, body: Uint8Array): Uint8Array =>
  concat([varint(number * 8 + WIRE.length), varint(body.length), body]);

const concat = (parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
