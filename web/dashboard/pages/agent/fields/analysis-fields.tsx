import { Field } from "../../../ui/field.tsx";
import type { CallSettings } from "../model/definition.ts";
import { changeSetting, type Editing, problemAt } from "./editing.ts";
import { JsonArea } from "./json-area.tsx";
import { TextArea } from "./text-area.tsx";

type Analysis = NonNullable<CallSettings["analysis"]>;

const PATH = "callSettings.analysis";

/** What the LLM finds out about a call once it is over. */
export function AnalysisFields({ editing }: { editing: Editing }) {
  const { analysis } = editing.definition.callSettings;
  const set = (next: Analysis | undefined): void => changeSetting(editing, "analysis", next);
  return (
    <>
      <label class="definition-check">
        <input
          type="checkbox"
          checked={analysis !== undefined}
          onChange={({ currentTarget: { checked } }) => set(checked ? { summary: true } : undefined)}
        />
        The LLM sums up each call
      </label>
      {analysis !== undefined && (
        <>
          <Field
            label="What to pay attention to"
            problem={problemAt(editing, `${PATH}.prompt`) ?? problemAt(editing, PATH)}
          >
            {(control) => (
              <TextArea
                control={control}
                rows={2}
                value={analysis.prompt ?? ""}
                onInput={(prompt) => set(withPrompt(analysis, prompt))}
              />
            )}
          </Field>
          <Field
            label="Data to fill in, as a JSON Schema"
            hint="Of the type object. Empty: a summary alone."
            problem={problemAt(editing, `${PATH}.schema`)}
          >
            {(control) => (
              <JsonArea
                control={control}
                value={analysis.schema}
                onChange={(schema) => set(withSchema(analysis, schema))}
              />
            )}
          </Field>
        </>
      )}
    </>
  );
}

function withPrompt({ prompt: _, ...rest }: Analysis, prompt: string): Analysis {
  return prompt === "" ? rest : { ...rest, prompt };
}

/** A schema may stand beside a summary, which counts by itself where there is no schema. */
function withSchema({ schema: _, ...rest }: Analysis, schema: Record<string, unknown> | undefined): Analysis {
  return schema === undefined ? { ...rest, summary: true } : { ...rest, schema };
}
