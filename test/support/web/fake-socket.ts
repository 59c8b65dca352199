const FORMAT = { codec: "pcm_s16le", sampleRate: 16_000 };
/** How a browser reports a socket that broke. */
export const LOST = { code: 1_006, reason: "" };

/** A WebSocket of a page, whose other end is scripted. */
export class FakeSocket {
  binaryType = "blob";
  bufferedAmount = 0;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  isClosed = false;
  readonly url: string;
  readonly sent: unknown[] = [];

  constructor(url: string) {
    this.url = url;
  }

  send(data: string | ArrayBuffer): void {
    this.sent.push(typeof data === "string" ? JSON.parse(data) : data.byteLength);
  }

  close(): void {
    this.isClosed = true;
  }

  opens(): this {
    this.onopen?.();
    return this;
  }

  tells(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }

  isReady(resumeUrl?: string): this {
    this.opens().tells({ type: "ready", callId: "call_1", input: FORMAT, output: FORMAT, resumeUrl });
    return this;
  }

  isLost(close = LOST): void {
    this.onclose?.(close);
  }
}
