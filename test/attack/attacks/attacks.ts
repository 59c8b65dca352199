import { API_ATTACKS } from "./api.ts";
import type { Attack } from "./attack.ts";
import { CONNECTION_ATTACKS } from "./connections.ts";
import { SCHEMA_ATTACKS } from "./schemas.ts";
import { STREAM_ATTACKS } from "./streams.ts";
import { TEXT_ATTACKS } from "./texts.ts";

/** The attacks of the fault catalogue, each with what the service owes the others meanwhile. */
export const ATTACKS: readonly Attack[] = [
  ...API_ATTACKS,
  ...CONNECTION_ATTACKS,
  ...STREAM_ATTACKS,
  ...TEXT_ATTACKS,
  ...SCHEMA_ATTACKS,
];
