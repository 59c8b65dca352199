/** What we use of a native module that may not be installed, so that the project compiles without it. */
declare module "@discordjs/opus" {
  /** An encoder and a decoder of one rate and count of channels; each is made at its first use, and throws when it cannot be. */
  export interface NativeOpus {
    /** Ends the process unless `pcm` is exactly 2.5, 5, 10, 20, 40 or 60 ms of signed 16-bit samples. */
    encode(pcm: Uint8Array): Uint8Array;
    /** Signed 16-bit samples, in memory of their own. An empty packet gives 5,760 made-up samples. Throws for a corrupted one. */
    decode(packet: Uint8Array): Uint8Array;
    /** Opus's own numbers (`opus_defines.h`); of those that get a value rather than set one, each writes to a wild address. */
    applyEncoderCTL(control: number, value: number): void;
    applyDecoderCTL(control: number, value: number): void;
  }
  export interface OpusPackage {
    readonly OpusEncoder: new (rateHz: number, channels: number) => NativeOpus;
  }
  const opus: OpusPackage;
  // biome-ignore lint/style/noDefaultExport: the package has no other export.
  export default opus;
}
