/**
 * Reads an ExportTraceServiceRequest of OTLP, protobuf, by the field numbers of opentelemetry/proto: trace/v1/trace.proto,
 * common/v1/common.proto and resource/v1/resource.proto. Only what the tests look at.
 */
export interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  /** 1: internal, 3: client. */
  kind: number;
  startMs: number;
  endMs: number;
  attributes: Record<string, unknown>;
  events: { name: string; atMs: number }[];
  /** 2: error. */
  status: number;
  resource: Record<string, unknown>;
}

type Field = { number: number; value: bigint | Buffer };

function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined) throw new Error("a varint ends early");
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error("a field ends early");
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const number = tag >> 3;
    const wireType = tag & 7;
    if (wireType === 0) yield { number, value: varint() };
    else if (wireType === 1) yield { number, value: take(8).readBigUInt64LE() };
    else if (wireType === 2) yield { number, value: take(Number(varint())) };
    else if (wireType === 5) yield { number, value: BigInt(take(4).readUInt32LE()) };
    else throw new Error(`unknown wire type ${wireType}`);
  }
}

const messages = (bytes: Buffer, number: number): Buffer[] =>
  [...fieldsOf(bytes)].flatMap((field) => (field.number === number ? [field.value as Buffer] : []));
const message = (bytes: Buffer, number: number): Buffer => messages(bytes, number)[0] ?? Buffer.alloc(0);
const number = (bytes: Buffer, of: number): bigint =>
  [...fieldsOf(bytes)].find((field) => field.number === of)?.value as bigint;
const milliseconds = (nanoseconds: bigint): number => Number(nanoseconds) / 1e6;

/** AnyValue: string 1, bool 2, int 3, double 4. */
function anyValue(bytes: Buffer): unknown {
  for (const { number: kind, value } of fieldsOf(bytes)) {
    if (kind === 1) return (value as Buffer).toString("utf8");
    if (kind === 2) return value === 1n;
    if (kind === 3) return Number(BigInt.asIntN(64, value as bigint));
    if (kind === 4) {
      const double = Buffer.alloc(8);
      double.writeBigUInt64LE(value as bigint);
      return double.readDoubleLE();
    }
  }
  return undefined;
}

/** Repeated KeyValue: key 1, value 2. */
const attributesOf = (bytes: Buffer, of: number): Record<string, unknown> =>
  Object.fromEntries(
    messages(bytes, of).map((pair) => [message(pair, 1).toString("utf8"), anyValue(message(pair, 2))]),
  );

function spanOf(bytes: Buffer, resource: Record<string, unknown>): OtlpSpan {
  return {
    traceId: message(bytes, 1).toString("hex"),
    spanId: message(bytes, 2).toString("hex"),
    parentSpanId: message(bytes, 4).toString("hex"),
    name: message(bytes, 5).toString("utf8"),
    kind: Number(number(bytes, 6)),
    startMs: milliseconds(number(bytes, 7)),
    endMs: milliseconds(number(bytes, 8)),
    attributes: attributesOf(bytes, 9),
    events: messages(bytes, 11).map((event) => ({
      name: message(event, 2).toString("utf8"),
      atMs: milliseconds(number(event, 1)),
    })),
    status: Number(number(message(bytes, 15), 3) ?? 0n),
    resource,
  };
}

/** All spans of a request: resource_spans 1, of which resource 1 and scope_spans 2, of which spans 2. */
export const spansIn = (request: Buffer): OtlpSpan[] =>
  messages(request, 1).flatMap((ofResource) => {
    const resource = attributesOf(message(ofResource, 1), 1);
    return messages(ofResource, 2).flatMap((ofScope) => messages(ofScope, 2).map((span) => spanOf(span, resource)));
  });
