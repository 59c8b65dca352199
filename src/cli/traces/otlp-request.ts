/*
 * Reads an ExportTraceServiceRequest of OTLP in protobuf, by the field numbers of opentelemetry/proto: trace/v1/trace.proto,
 * common/v1/common.proto and resource/v1/resource.proto. What is not needed is skipped.
 */

/** A span as a collector gets it. Times are ms since the Unix epoch. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  /** 1: internal, 3: client. */
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The spans of other traces that it links to, by their trace ids. */
  readonly links: readonly string[];
  readonly events: readonly { readonly name: string; readonly atMs: number }[];
  /** 2: error. */
  readonly status: number;
  readonly resource: Readonly<Record<string, unknown>>;
}

interface Field {
  readonly number: number;
  readonly value: bigint | Buffer;
}

const MALFORMED = "the request is no protobuf of OTLP";

function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined || shift > 63n) throw new Error(MALFORMED);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error(MALFORMED);
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
    else throw new Error(MALFORMED);
  }
}

const messages = (bytes: Buffer, of: number): Buffer[] =>
  [...fieldsOf(bytes)].flatMap(({ number, value }) => (number === of && typeof value !== "bigint" ? [value] : []));
const message = (bytes: Buffer, of: number): Buffer => messages(bytes, of)[0] ?? Buffer.alloc(0);
const numberOf = (bytes: Buffer, of: number): bigint => {
  const value = [...fieldsOf(bytes)].find(({ number }) => number === of)?.value;
  return typeof value === "bigint" ? value : 0n;
};
/** Nanoseconds since the epoch are too many digits for a number. */
const milliseconds = (nanoseconds: bigint): number => Number(nanoseconds / 1_000n) / 1_000;

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
    kind: Number(numberOf(bytes, 6)),
    startMs: milliseconds(numberOf(bytes, 7)),
    endMs: milliseconds(numberOf(bytes, 8)),
    attributes: attributesOf(bytes, 9),
    links: messages(bytes, 13).map((link) => message(link, 1).toString("hex")),
    events: messages(bytes, 11).map((event) => ({
      name: message(event, 2).toString("utf8"),
      atMs: milliseconds(numberOf(event, 1)),
    })),
    status: Number(numberOf(message(bytes, 15), 3)),
    resource,
  };
}

/**
 * All spans of a request: resource_spans is its field 1, of which resource is 1 and scope_spans 2, of which spans is 2. Throws for what
 * is no protobuf.
 */
export const spansIn = (request: Buffer): OtlpSpan[] =>
  messages(request, 1).flatMap((ofResource) => {
    const resource = attributesOf(message(ofResource, 1), 1);
    return messages(ofResource, 2).flatMap((ofScope) => messages(ofScope, 2).map((span) => spanOf(span, resource)));
  });
