import { serveTasks } from "../task-processes/server.ts";
import { CompiledSchemas, compileSchema } from "./compile.ts";
import { type SchemaAnswer, type SchemaTask, schemaAnswer } from "./messages.ts";

// The program of the child in which schemas are compiled and values are checked: see checker.ts.

compileSchema({ type: "object" });
const schemas = new CompiledSchemas();
await serveTasks((task: SchemaTask): SchemaAnswer => schemaAnswer(task, schemas));
