import { render } from "preact";
import "../style/tokens.css";
import "../style/base.css";
import { App } from "./app.tsx";
import { applyTheme } from "./theme.ts";

applyTheme();
render(<App />, document.querySelector("#app") as HTMLElement);
