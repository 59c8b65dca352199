import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { type OtlpSpan, spansIn } from "./otlp-request.ts";
import { waterfall } from "./waterfall.ts";

export interface TraceListenPlan {
  /** 0 for any free port. */
  port: number;
  /** Ends after so many traces. */
  count: number;
}

export interface TraceOutput {
  print: (line: string) => void;
  note: (line: string) => void;
}

/** The longest request, and the most spans of traces that are not complete; the oldest traces are forgotten beyond that. */
const BODY_BYTES_MAX = 64 * 1024 * 1024;
const SPANS_MAX = 200_000;

/** Receives traces on a port of this machine, and prints each as a waterfall once it is complete, until `signal` aborts or the count. */
export async function listenForTraces(
  plan: TraceListenPlan,
  signal: AbortSignal,
  { print, note }: TraceOutput,
): Promise<void> {
  let printed = 0;
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const traces = new OpenTraces((call, spans) => {
    for (const line of waterfall(call, spans)) print(line);
    printed += 1;
  });
  const server = createServer((request, response) => {
    const receive = async (): Promise<void> => {
      const status = await answerTo(request, traces);
      if (status !== 200) note(`a request was answered with ${status}: it is no protobuf of OTLP, or too long`);
      response.writeHead(status, { "Content-Type": "application/x-protobuf" });
      // A sender without an answer would send its spans again.
      response.end(() => printed >= plan.count && finish());
    };
    void receive();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(plan.port, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  note(`listening on port ${port} for traces: OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:${port}; end with Ctrl-C`);
  await finished;
  server.close();
  server.closeAllConnections();
}

async function answerTo(request: IncomingMessage, traces: OpenTraces): Promise<number> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) return 413;
      chunks.push(chunk);
    }
    const body = Buffer.concat(chunks);
    const isZipped = request.headers["content-encoding"] === "gzip";
    traces.take(spansIn(isZipped ? gunzipSync(body, { maxOutputLength: BODY_BYTES_MAX }) : body));
    return 200;
  } catch {
    return 400;
  }
}

/** Spans of traces whose first span has not come yet: it is the last that is sent. */
class OpenTraces {
  readonly #onComplete: (call: OtlpSpan, spans: readonly OtlpSpan[]) => void;
  readonly #spans = new Map<string, OtlpSpan[]>();
  #count = 0;

  constructor(onComplete: (call: OtlpSpan, spans: readonly OtlpSpan[]) => void) {
    this.#onComplete = onComplete;
  }

  take(spans: readonly OtlpSpan[]): void {
    for (const span of spans) {
      const known = this.#spans.get(span.traceId) ?? [];
      if (span.parentSpanId === "") {
        this.#forget(span.traceId);
        this.#onComplete(span, known);
        continue;
      }
      known.push(span);
      this.#spans.set(span.traceId, known);
      this.#count += 1;
    }
    for (const [oldest] of this.#spans) {
      if (this.#count <= SPANS_MAX) return;
      this.#forget(oldest);
    }
  }

  #forget(traceId: string): void {
    this.#count -= this.#spans.get(traceId)?.length ?? 0;
    this.#spans.delete(traceId);
  }
}
