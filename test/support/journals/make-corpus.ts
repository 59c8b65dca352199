import { mkdirSync, writeFileSync } from "node:fs";
import { CORPUS, EDGE_CASE_CALLS, journalOf } from "./corpus.ts";

// Makes fixtures/journals anew. What differs afterwards is what behaves otherwise: look at it before it is kept.

mkdirSync(CORPUS, { recursive: true });
for (const call of EDGE_CASE_CALLS) writeFileSync(new URL(`${call.name}.tlj`, CORPUS), journalOf(call));
