import { useEffect, useState } from "preact/hooks";
import { ErrorBoundary, LocationProvider, Route, Router, useLocation } from "preact-iso";
import { Failure } from "../ui/failure.tsx";
import { Loading } from "../ui/loading.tsx";
import { HOME, ROOT, SIGN_IN } from "./addresses.ts";
import { connectEvents } from "./events/use-events.ts";
import { Navigation } from "./navigation.tsx";
import { NoSuchPage } from "./no-such-page.tsx";
import { PAGES } from "./pages.ts";
import { followOtherTabs, loadSession, type Session, sessionState } from "./session.ts";
import { SignIn } from "./sign-in.tsx";
import "./way-back.ts";
import "./app.css";

export function App() {
  useEffect(followOtherTabs, []);
  return (
    <LocationProvider scope={`${ROOT}/`}>
      <Gate />
    </LocationProvider>
  );
}

/** Leads those who are not signed in to the sign-in page, and the others from there to where they were. */
function Gate() {
  const { path, url, route } = useLocation();
  const state = sessionState.value;
  const isAtSignIn = path === SIGN_IN;
  const isAtRoot = path === "/" || path === ROOT;
  useEffect(() => {
    if (state.status === "signed-out" && !isAtSignIn) {
      route(isAtRoot ? SIGN_IN : `${SIGN_IN}?next=${encodeURIComponent(url)}`, true);
    }
    if (state.status === "signed-in" && isAtRoot) route(HOME, true);
  }, [state.status, isAtSignIn, isAtRoot]);

  if (state.status === "loading") return <Loading what="the dashboard" />;
  if (state.status === "failed") {
    return (
      <main class="page" id="content">
        <Failure error={state.error} onRetry={() => void loadSession()} />
      </main>
    );
  }
  if (isAtSignIn) return <SignIn />;
  if (state.status === "signed-out" || isAtRoot) return null;
  // Nothing that one person has loaded is shown to the next.
  return <Shell key={state.session.user.id} session={state.session} />;
}

function Shell({ session }: { session: Session }) {
  const [failure, setFailure] = useState<Error>();
  useEffect(() => connectEvents(session.csrfToken), [session.csrfToken]);
  return (
    <div class="app">
      <a class="app-skip" href="#content">
        Skip to the content
      </a>
      <Navigation session={session} />
      <main class="app-content" id="content">
        {failure === undefined ? (
          <ErrorBoundary onError={setFailure}>
            <Router onRouteChange={() => setFailure(undefined)}>
              {PAGES.map(({ path, component }) => (
                <Route key={path} path={`${ROOT}/${path}`} component={component} />
              ))}
              <Route default component={NoSuchPage} />
            </Router>
          </ErrorBoundary>
        ) : (
          <Failure error={failure} onRetry={() => location.reload()} />
        )}
      </main>
    </div>
  );
}
