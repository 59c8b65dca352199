/**
 * A caller that a test moves frame by frame. Which one to take:
 *
 * - `leg` and `websocketLeg`: one connection without a socket, in virtual time. For what a connection does with messages.
 * - `RawCaller`: one stream of carrier_a on a real socket, which sends only what the test sends and reads frame by frame. For
 *   servers, processes and protocol errors; `RawCaller.ws` sends anything else, legal or not.
 * - `CountingCaller`: the same, and cheap enough for hundreds; it counts frames and knows how its stream ended. For chaos and attacks.
 * - `telephone`: a simulated carrier or WebSocket client with a person who listens and speaks, in real time. For whole conversations.
 * - `FarEnd`: the caller's side of a call without a gateway, in virtual time: `virtualCall` and the simulation (test/sim) use it.
 *
 * The benches have one of their own, `bench/generator/lean-caller.ts`: it sends what was prepared, for every wire, on a thread.
 */
export interface Caller {
  /** Sends so many frames of 20 ms of silence at once. */
  sendFrames(count: number): void;
  /** Ends the stream with a close frame; what the service still sends can be read. */
  hangUp(): void;
}
