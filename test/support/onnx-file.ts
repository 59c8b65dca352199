// A writer of small ONNX files (protocol buffers by hand, field numbers of onnx.proto), for models whose answers a test can compute.

const FLOAT = 1;

type Part = Uint8Array;

const varint = (value: number): Part => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Uint8Array.of(...bytes, rest);
};
const join = (...parts: readonly Part[]): Part => new Uint8Array(Buffer.concat(parts));
const integer = (field: number, value: number): Part => join(varint(field * 8), varint(value));
const bytes = (field: number, body: Part): Part => join(varint(field * 8 + 2), varint(body.length), body);
const text = (field: number, body: string): Part => bytes(field, Buffer.from(body));

/** A dimension is a number, or a name where it may be any. */
export type Dimension = number | string;

/** An input or an output of floats. */
export function floatValue(name: string, dimensions: readonly Dimension[]): Part {
  const shape = dimensions.map((each) => bytes(1, typeof each === "number" ? integer(1, each) : text(2, each)));
  const tensor = join(integer(1, FLOAT), bytes(2, join(...shape)));
  return join(text(1, name), bytes(2, bytes(1, tensor)));
}

/** A constant of floats. */
export const floatTable = (name: string, dimensions: readonly number[], values: readonly number[]): Part =>
  join(
    ...dimensions.map((each) => integer(1, each)),
    integer(2, FLOAT),
    text(8, name),
    bytes(9, new Uint8Array(Float32Array.from(values).buffer)),
  );

/** An operation of the default operator set; its attributes are integers. */
export const node = (
  operation: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Readonly<Record<string, number>> = {},
): Part =>
  join(
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, operation),
    ...Object.entries(attributes).map(([name, value]) =>
      bytes(5, join(text(1, name), integer(3, value), integer(20, 2))),
    ),
  );

/** A whole file. */
export function onnxFile(graph: {
  nodes: readonly Part[];
  tables?: readonly Part[];
  inputs: readonly Part[];
  outputs: readonly Part[];
}): Uint8Array {
  const body = join(
    ...graph.nodes.map((each) => bytes(1, each)),
    text(2, "graph"),
    ...(graph.tables ?? []).map((each) => bytes(5, each)),
    ...graph.inputs.map((each) => bytes(11, each)),
    ...graph.outputs.map((each) => bytes(12, each)),
  );
  return join(integer(1, 8), bytes(7, body), bytes(8, join(text(1, ""), integer(2, 13))));
}
