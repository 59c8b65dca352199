import type { Schema } from "../../client/src/index.ts";
import { problemOf } from "../app/errors.ts";
import { Field } from "./field.tsx";

/** What a form says of a corpus. */
export type GivenCorpus = Pick<Schema<"Corpus">, "name" | "description" | "languageId" | "mode">;

export const EMPTY_CORPUS: GivenCorpus = { name: "", description: "", languageId: "en", mode: "search" };

/** The body of a request with the fields of a form. */
export const corpusBodyOf = ({ name, description, languageId, mode }: GivenCorpus): GivenCorpus => ({
  name: name.trim(),
  description: description.trim(),
  languageId: languageId.trim(),
  mode,
});

interface CorpusFieldsProps {
  given: GivenCorpus;
  onChange: (given: GivenCorpus) => void;
  error: unknown;
}

/** The fields of a corpus, in a new one and in a change. */
export const CorpusFields = ({ given, onChange, error }: CorpusFieldsProps) => (
  <>
    <Field label="Name" problem={problemOf(error, "name")}>
      {(control) => (
        <input
          {...control}
          required
          autocomplete="off"
          value={given.name}
          onInput={({ currentTarget: { value } }) => onChange({ ...given, name: value })}
        />
      )}
    </Field>
    <Field
      label="What it is about"
      hint="The LLM reads it where it may choose what to look up."
      problem={problemOf(error, "description")}
    >
      {(control) => (
        <textarea
          {...control}
          rows={3}
          value={given.description}
          onInput={({ currentTarget: { value } }) => onChange({ ...given, description: value })}
        />
      )}
    </Field>
    <Field
      label="Language of its documents"
      hint="A tag such as en or de-CH: it decides words, stems and sentences."
      problem={problemOf(error, "languageId")}
    >
      {(control) => (
        <input
          {...control}
          required
          autocomplete="off"
          spellcheck={false}
          value={given.languageId}
          onInput={({ currentTarget: { value } }) => onChange({ ...given, languageId: value })}
        />
      )}
    </Field>
    <Field
      label="What an agent gets of it"
      hint="All of it fits for a few thousand tokens: about four characters each in English."
      problem={problemOf(error, "mode")}
    >
      {(control) => (
        <select
          {...control}
          value={given.mode}
          onChange={({ currentTarget: { value } }) => onChange({ ...given, mode: value as GivenCorpus["mode"] })}
        >
          <option value="search">The passages that fit what was said</option>
          <option value="full">All of it, with the prompt</option>
        </select>
      )}
    </Field>
  </>
);
