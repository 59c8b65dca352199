import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/failure.tsx";
import { Field } from "../ui/field.tsx";
import { HOME } from "./addresses.ts";
import { nextPageOf } from "./query.ts";
import { sessionState, signIn } from "./session.ts";
import "./sign-in.css";

export function SignIn() {
  const { query, route } = useLocation();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const isSignedIn = sessionState.value.status === "signed-in";
  useEffect(() => {
    document.title = "Sign in · Trunkline";
  }, []);
  useEffect(() => {
    if (isSignedIn) route(nextPageOf(query.next, HOME), true);
  }, [isSignedIn]);

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    setBusy(true);
    setError(undefined);
    try {
      await signIn(String(given.get("email")), String(given.get("password")));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };

  return (
    <main class="sign-in" id="content">
      <p class="sign-in-brand">Trunkline</p>
      <h1>Sign in</h1>
      <form onSubmit={(event) => void submit(event)}>
        <Field label="Email">
          {(field) => <input {...field} name="email" type="email" autocomplete="username" required />}
        </Field>
        <Field label="Password">
          {(field) => <input {...field} name="password" type="password" autocomplete="current-password" required />}
        </Field>
        <ErrorNote error={error} />
        <Button kind="primary" type="submit" isBusy={isBusy}>
          Sign in
        </Button>
      </form>
      <p class="sign-in-help">
        A forgotten password: an owner makes a link that sets another one, or the operator does with{" "}
        <code>npm run users -- reset</code>.
      </p>
    </main>
  );
}
