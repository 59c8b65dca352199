import { argumentsOf } from "../app/json-schema.ts";
import { CodeBlock } from "./figures.tsx";
import "./schema.css";

/** The arguments of a tool, by the JSON Schema that the LLM is given; the schema itself opens below. */
export function Schema({ schema, of }: { schema: Readonly<Record<string, unknown>>; of: string }) {
  const all = argumentsOf(schema);
  return (
    <div class="schema">
      {all.length === 0 ? (
        <span class="soft">none</span>
      ) : (
        <ul class="schema-arguments">
          {all.map(({ name, type, isRequired, description }) => (
            <li key={name}>
              <code>{name}</code>{" "}
              <span class="soft">
                {type}
                {isRequired ? ", required" : ""}
              </span>
              {description !== undefined && <bdi>: {description}</bdi>}
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>
          JSON Schema<span class="hidden"> of {of}</span>
        </summary>
        <CodeBlock label={`JSON Schema of ${of}`} text={JSON.stringify(schema, undefined, 2)} />
      </details>
    </div>
  );
}
