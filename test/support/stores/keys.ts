import { Keyring, sealingKeyOf } from "../../../src/store/sealing/seal.ts";

/** The keys that seal the secrets of services under test. */
export const SEALING_KEYS = new Keyring([sealingKeyOf(Buffer.alloc(32, 9))]);
