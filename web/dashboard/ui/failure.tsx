import { shownErrorOf } from "../app/errors.ts";
import { Button } from "./button.tsx";
import "./failure.css";

/** Why a page or a part of it could not be loaded, with a way to try again. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div class="failure">
      <ErrorNote error={error} />
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** What the service said of a request that it refused: for forms and actions. Nothing where there is no error. */
export function ErrorNote({ error }: { error: unknown }) {
  const shown = error === undefined ? undefined : shownErrorOf(error);
  // The element is there before its text, or screen readers would not read it.
  return (
    <div role="alert" class={shown === undefined ? undefined : "error-note"}>
      {shown !== undefined && (
        <>
          <p>{shown.message}</p>
          {shown.details.length > 0 && (
            <ul>
              {shown.details.map(({ field, message }) => (
                <li key={field + message}>
                  {field !== "" && <code>{field}</code>} {message}
                </li>
              ))}
            </ul>
          )}
          {(shown.code !== undefined || shown.requestId !== undefined) && (
            <p class="error-note-ids">
              <code>{[shown.code, shown.requestId].filter((part) => part !== undefined).join(" · ")}</code>
            </p>
          )}
        </>
      )}
    </div>
  );
}
