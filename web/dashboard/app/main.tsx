import { render } from "preact";
import "../style/tokens.css";
import "../style/base.css";
import { ROOT } from "./addresses.ts";
import { App } from "./app.tsx";
import { preloadPage } from "./pages.ts";
import { loadSession } from "./session.ts";
import { applyTheme } from "./theme.ts";

applyTheme();
// Before anything is rendered, and at the same time: the program of a page does not depend on who is signed in.
void loadSession();
preloadPage(location.pathname.slice(ROOT.length + 1));
render(<App />, document.querySelector("#app") as HTMLElement);
