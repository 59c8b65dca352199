import { CompiledSchemas, compileSchema } from "./schema-check.ts";
import { type SchemaAnswer, type SchemaTask, schemaAnswer } from "./schema-tasks.ts";
import { serveTasks } from "./task-server.ts";

// The program of the child in which schemas are compiled and values are checked: see schema-checks.ts.

compileSchema({ type: "object" });
const schemas = new CompiledSchemas();
await serveTasks((task: SchemaTask): SchemaAnswer => schemaAnswer(task, schemas));
