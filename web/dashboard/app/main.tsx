import { render } from "preact";
import "../style/tokens.css";
import "../style/base.css";
import { ROOT } from "./addresses.ts";
import { App } from "./app.tsx";
import { preloadPage } from "./pages.ts";
import { loadSession } from "./session.ts";
import { applyTheme } from "./theme.ts";

/** So long the first paint waits for what was asked for with the document: it is mostly there, and the page is painted once. */
const START_MS_MAX = 100;

async function start(): Promise<void> {
  applyTheme();
  // At the same time: the program of a page does not depend on who is signed in.
  const wanted = Promise.all([loadSession(), preloadPage(location.pathname.slice(ROOT.length + 1))]);
  await Promise.race([wanted, new Promise((resolve) => setTimeout(resolve, START_MS_MAX))]);
  render(<App />, document.querySelector("#app") as HTMLElement);
}

void start();
