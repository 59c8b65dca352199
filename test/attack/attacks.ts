import { API_ATTACKS } from "./api-attacks.ts";
import type { Attack } from "./attack.ts";
import { CONNECTION_ATTACKS } from "./door-attacks.ts";
import { SCHEMA_ATTACKS } from "./schema-attacks.ts";
import { STREAM_ATTACKS } from "./stream-attacks.ts";
import { TEXT_ATTACKS } from "./text-attacks.ts";

/** The attacks of the fault catalogue, each with what the service owes the others meanwhile. */
export const ATTACKS: readonly Attack[] = [
  ...API_ATTACKS,
  ...CONNECTION_ATTACKS,
  ...STREAM_ATTACKS,
  ...TEXT_ATTACKS,
  ...SCHEMA_ATTACKS,
];
