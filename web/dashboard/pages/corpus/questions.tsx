import { useEffect, useState } from "preact/hooks";
import type { Schema } from "../../../client/src/index.ts";
import { api } from "../../app/api.ts";
import { delayText } from "../../app/format.ts";
import { useQuery } from "../../app/use-query.ts";
import { useResource } from "../../app/use-resource.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorNote, Failure } from "../../ui/failure.tsx";
import { Field } from "../../ui/field.tsx";
import { Foreign } from "../../ui/figures.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Progress } from "../../ui/progress.tsx";
import { type Corpus, PASSAGES_DEFAULT, PASSAGES_MAX, type Question, questionOf, sharesOfBest } from "./model.ts";
import "./corpus.css";

type Passage = Schema<"Passage">;

/** Asks the corpus as an agent would, and shows what the agent would be given. The question is in the address. */
export function Questions({ corpus }: { corpus: Corpus }) {
  const { query, change } = useQuery();
  const question = questionOf(query);
  const [text, setText] = useState(query.question ?? "");
  const [count, setCount] = useState(String(question?.passagesMax ?? PASSAGES_DEFAULT));
  /** The same question is asked again, too. */
  const [asked, setAsked] = useState(0);
  useEffect(() => setText(query.question ?? ""), [query.question]);
  const ask = (event: Event): void => {
    event.preventDefault();
    change({ question: text.trim(), passages: count === String(PASSAGES_DEFAULT) ? undefined : count });
    setAsked(asked + 1);
  };
  return (
    <div class="corpus-part">
      <form class="corpus-question" onSubmit={ask}>
        <Field label="Question">
          {(control) => (
            <input
              {...control}
              required
              autocomplete="off"
              dir="auto"
              value={text}
              placeholder="how long is the guarantee?"
              onInput={({ currentTarget: { value } }) => setText(value)}
            />
          )}
        </Field>
        <Field label="Passages">
          {(control) => (
            <input
              {...control}
              class="control corpus-count"
              type="number"
              min={1}
              max={PASSAGES_MAX}
              required
              value={count}
              onInput={({ currentTarget: { value } }) => setCount(value)}
            />
          )}
        </Field>
        <Button kind="primary" type="submit">
          Ask
        </Button>
      </form>
      {question === undefined ? (
        <Empty title="Nothing is asked yet.">
          <p>Ask as a caller would: the passages are those that an agent with this corpus would be given.</p>
        </Empty>
      ) : (
        <Answer key={`${asked} ${JSON.stringify(question)}`} corpus={corpus} question={question} />
      )}
    </div>
  );
}

interface AnswerData {
  passages: readonly Passage[];
  tookMs: number;
  roundTripMs: number;
}

function Answer({ corpus, question }: { corpus: Corpus; question: Question }) {
  const answer = useResource(
    `question ${corpus.id} ${JSON.stringify(question)}`,
    async (signal): Promise<AnswerData> => {
      const beganMs = performance.now();
      const { passages, tookMs } = await api.post("/corpora/{id}/query", {
        path: { id: corpus.id },
        body: { text: question.text, passagesMax: question.passagesMax },
        signal,
      });
      return { passages, tookMs, roundTripMs: performance.now() - beganMs };
    },
  );
  if (answer.status === "loading") return <Loading what="the passages" />;
  if (answer.status === "failed") return <Failure error={answer.error} onRetry={answer.reload} />;
  const { passages, tookMs, roundTripMs } = answer.value;
  const shares = sharesOfBest(passages.map(({ score }) => score));
  return (
    <>
      <ErrorNote error={answer.error} />
      <p class="soft" role="status">
        {passages.length === 1 ? "1 passage" : `${passages.length} passages`}; the index took {delayText(tookMs)}, with
        the way to this browser {delayText(roundTripMs)}.
      </p>
      {passages.length === 0 && (
        <Empty title="No passage fits.">
          <p>An agent would be given nothing. Other words may be in the documents, or none of them is ready yet.</p>
        </Empty>
      )}
      <ol class="corpus-passages">
        {passages.map((passage, at) => (
          <li key={`${passage.documentId} ${passage.ordinal}`} class="corpus-passage">
            <PassageHead passage={passage} share={shares[at] ?? 0} />
            <p class="corpus-text" dir="auto">
              {passage.text}
            </p>
          </li>
        ))}
      </ol>
    </>
  );
}

function PassageHead({ passage, share }: { passage: Passage; share: number }) {
  const { documentId, documentName, headings, page, score } = passage;
  return (
    <p class="corpus-passage-head">
      <a href={`?document=${encodeURIComponent(documentId)}`}>
        <Foreign text={documentName} />
      </a>
      {headings.length > 0 && (
        <span class="soft">
          <Foreign text={headings.join(" › ")} />
        </span>
      )}
      {page !== null && <span class="soft figure">page {page}</span>}
      <span class="corpus-score figure">
        score {score.toFixed(2)}
        <Progress label="Score, of the best" done={share} total={100} />
      </span>
    </p>
  );
}
