import type { HoldRequest } from "../../../src/core/calls/hold.ts";
import type { LiveOutcome } from "../../../src/core/calls/live-requests.ts";
import type { PhoneUpdate } from "../../../src/core/calls/phone-requests.ts";
import type { EndReason } from "../../../src/core/calls/reasons.ts";
import type { RecordingRequest } from "../../../src/core/calls/recording-pause.ts";
import type { CallId } from "../../../src/core/ids.ts";
import type { Attachment, AttachmentParts } from "../../../src/gateway/leg/attachment.ts";
import type { CallTap } from "../../../src/gateway/listening/call-listeners.ts";
import type { CallReading } from "../../../src/gateway/metrics/call-counters.ts";
import { CallSession, legFormatOf } from "../../../src/gateway/session.ts";
import type { CallSessionOptions } from "../../../src/gateway/session-options.ts";
import type { TransportListener } from "../../../src/gateway/transport/transport.ts";

export type ConnectionOptions = Omit<CallSessionOptions, "format" | "mayResume"> &
  AttachmentParts & {
    /** False by default. */
    mayResume?: boolean;
  };

/** The session of a call and its one leg, as the media server, the ticker and the gateway use them together. */
export class Connection implements TransportListener {
  readonly #session: CallSession;
  readonly #callId: CallId;
  #attachment: Attachment;

  constructor({ transport, wire, inbound, vad, mayResume = false, ...options }: ConnectionOptions) {
    this.#session = new CallSession({ ...options, mayResume, format: legFormatOf(wire) });
    this.#callId = options.redeemed.callId;
    this.#attachment = this.#session.attach({ transport, wire, inbound, vad });
  }

  begin(): void {
    this.#attachment.begin({ kind: "ready", callId: this.#callId, audioMs: this.#session.audioMs });
  }

  /** Another connection of the same peer takes the place of this one. */
  reconnect(parts: AttachmentParts): void {
    this.#attachment = this.#session.attach(parts);
    this.begin();
  }

  /** The peer is back, and what carries its audio is not arranged yet. */
  returned(): void {
    this.#session.clientReturned();
  }

  /** A connection of a peer that is back is closed before it had a leg. */
  closedWithoutLeg(isCut: boolean): void {
    this.#session.closedWithoutLeg("caller_hangup", isCut);
  }

  message(bytes: Uint8Array, isBinary: boolean): void {
    this.#attachment.message(bytes, isBinary);
  }

  pinged(): void {
    this.#attachment.pinged();
  }

  ponged(): void {
    this.#attachment.ponged();
  }

  closed(code: number, violated: boolean): void {
    this.#attachment.closed(code, violated);
  }

  tick(): void {
    this.#session.tick();
  }

  catchUp(): void {
    this.#session.catchUp();
  }

  phoneUpdate(update: PhoneUpdate): boolean {
    return this.#session.phoneUpdate(update);
  }

  hold(request: HoldRequest): LiveOutcome {
    return this.#session.hold(request);
  }

  changeRecording(request: RecordingRequest): LiveOutcome {
    return this.#session.changeRecording(request);
  }

  end(reason: EndReason, how?: "with a goodbye"): void {
    this.#session.end(reason, how);
  }

  setTap(tap: CallTap | undefined): void {
    this.#session.setTap(tap);
  }

  detectorChanged(detector: string): void {
    this.#session.detectorChanged(detector);
  }

  read(): CallReading {
    return this.#session.read();
  }
}
