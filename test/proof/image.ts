import type { Proof } from "./proof.ts";
export async function proveImage(_proof: Proof): Promise<void> {}
