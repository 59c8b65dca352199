import type { Admission } from "../../src/gateway/server/media-server.ts";
import type { TransportListener } from "../../src/gateway/transport/transport.ts";
import { FrameTimes } from "../measurement/frame-times.ts";
import { machineMonotonicMs } from "../rig/monotonic.ts";
import type { PhaseOptions } from "../rig/protocol.ts";
import type { TickClock } from "./tick-clock.ts";

/**
 * Stamps the frames of a phase on their way through the gateway, from outside: it stands between the socket and the connection,
 * and in the STT. Costs each frame a reading of the clock, which the service's CPU time bears.
 */
export class FrameStamper {
  readonly toStt: FrameTimes;
  readonly written: FrameTimes;
  /** What the ticker's run was due at that wrote the frame: see `settleDues`. */
  readonly due: FrameTimes;
  readonly #clock: TickClock;
  /** When the STT received a frame of the message that is being handled; NaN: not yet. */
  #sttMs = Number.NaN;
  #observing = false;

  /** `clock` is the one that the gateway has. */
  constructor(phase: Pick<PhaseOptions, "calls" | "framesMax" | "baseMs">, clock: TickClock) {
    this.toStt = new FrameTimes(phase);
    this.written = new FrameTimes(phase);
    this.due = new FrameTimes(phase);
    this.#clock = clock;
  }

  /** A watched call begins, or has a message that is being handled: whatever happens now happens in that call. */
  get observing(): boolean {
    return this.#observing;
  }

  /** The STT received a frame. Before the frame of a message it may receive silence for a gap: the last one counts. */
  onSttFrame(): void {
    this.#sttMs = machineMonotonicMs();
  }

  /** The same admission, with the call's frames stamped under its number in the fleet. */
  observe(admission: Admission, call: number): Admission {
    if (admission.kind === "refused") return admission;
    return {
      kind: "admitted",
      open: (transport) => {
        // Streams that begin with their socket open their STT here.
        this.#observing = true;
        const leg = admission.open({
          liveness: transport.liveness,
          get bufferedBytes() {
            return transport.bufferedBytes;
          },
          send: (message, isBinary) => {
            const sent = transport.send(message, isBinary);
            // Audio goes out as bytes, everything else as text.
            if (typeof message !== "string") {
              this.written.stamp(call, machineMonotonicMs());
              // Within a message only audio that is late is sent.
              this.due.stamp(call, this.#clock.dueMs(this.#observing));
            }
            return sent;
          },
          ping: () => transport.ping(),
          close: (code, reason) => transport.close(code, reason),
        });
        this.#observing = false;
        return this.#observed(leg, call);
      },
    };
  }

  #observed(leg: TransportListener, call: number): TransportListener {
    return {
      message: (bytes, isBinary) => {
        this.#sttMs = Number.NaN;
        this.#observing = true;
        leg.message(bytes, isBinary);
        this.#observing = false;
        if (!Number.isNaN(this.#sttMs)) this.toStt.stamp(call, this.#sttMs);
      },
      pinged: () => leg.pinged(),
      ponged: () => leg.ponged(),
      closed: (code, violated) => leg.closed(code, violated),
    };
  }
}
