/** The parts of the WebAssembly interface that are used here. Node has them; the types of its oldest version do not. */
declare namespace WebAssembly {
  class Memory {
    /** Replaced when the memory grows. */
    readonly buffer: ArrayBuffer;
    /** Adds pages of 65,536 bytes. Throws a RangeError when there is no memory for them. */
    grow(pages: number): number;
  }
  class Global {
    readonly value: number;
  }
  function instantiate(bytes: Uint8Array): Promise<{ readonly instance: { readonly exports: object } }>;
}
