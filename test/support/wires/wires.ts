import { carriersUnderTest } from "./carriers.ts";
import { websocketsUnderTest } from "./websockets.ts";
import type { WireUnderTest } from "./wire-under-test.ts";

/** Every dialect, in each codec that it can bring. */
export const wiresUnderTest = (): WireUnderTest[] => [...carriersUnderTest(), ...websocketsUnderTest()];
