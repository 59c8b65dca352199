import { writeFileSync } from "node:fs";
import { allTables, pagesWith } from "./pages.ts";

// `npm run docs:tables`: writes the generated tables into the pages of docs/, and prints the pages that changed.

for (const { path, name, text, current } of pagesWith(await allTables())) {
  if (current === text) continue;
  writeFileSync(path, current);
  console.log(`${name} has new tables`);
}
