import { CompiledSchemas, compileSchema } from "./schema-check.ts";
import { type SchemaAnswer, type SchemaTask, schemaAnswer } from "./schema-tasks.ts";
import { serveTasks } from "./thread-tasks.ts";

// The body of the thread in which schemas are compiled and values are checked: see schema-checks.ts.

compileSchema({ type: "object" });
const schemas = new CompiledSchemas();
serveTasks((task: SchemaTask): SchemaAnswer => schemaAnswer(task, schemas));
