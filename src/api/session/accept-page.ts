import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { PASSWORD_CHARS_MIN } from "../../core/limits/accounts/people.ts";

const STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --line: #8c959f; --ground: #ffffff; --accent: #0757ba; --on-accent: #ffffff }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e9ed; --line: #6b7683; --ground: #14181d; --accent: #7ab7ff; --on-accent: #14181d }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 system-ui, sans-serif }
main { max-width: 26rem; margin: 0 auto; padding: 3rem 1.25rem }
h1 { margin: 0 0 1rem; font-size: 1.5rem }
label { display: block; margin: 1rem 0 .25rem }
input, button { width: 100%; padding: .6rem; border: 1px solid var(--line); border-radius: .25rem; font: inherit; color: inherit; background: transparent }
a { color: var(--accent) }
button { margin-top: 1.5rem; border-color: var(--accent); background: var(--accent); color: var(--on-accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
`;

// The token leaves the address at once, so that neither the history nor a picture of the screen has it.
const SCRIPT = `
const token = location.hash.slice(1);
history.replaceState(null, "", location.pathname);
const form = document.querySelector("form");
const message = document.querySelector("[role=status]");
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { password, again } = form.elements;
  if (password.value !== again.value) {
    message.textContent = "The two passwords differ.";
    return;
  }
  const answer = await fetch("session/accept", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token, password: password.value }),
  }).catch(() => undefined);
  const body = await answer?.json().catch(() => undefined);
  message.textContent = answer?.ok
    ? "You are signed in as " + body.user.email + "."
    : (body?.error.message ?? "The service does not answer. Try again.");
  if (!answer?.ok) return;
  form.remove();
  document.querySelector("#next").hidden = false;
});
`;

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const CONTENT_POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Choose a password · Trunkline</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Choose a password</h1>
<form>
<label for="password">Password, at least ${PASSWORD_CHARS_MIN} characters</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${PASSWORD_CHARS_MIN}" required>
<label for="again">The same again</label>
<input id="again" name="again" type="password" autocomplete="new-password" required>
<button>Set the password</button>
</form>
<p role="status"></p>
<p id="next" hidden><a href="../">Go to the dashboard</a></p>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;

/** `GET /dashboard/accept`: where one-time links lead. The page is the same for every link; its script reads the token. */
export function acceptPage(fastify: FastifyInstance): void {
  fastify.get("/dashboard/accept", { schema: { hide: true } }, async (_request, reply) =>
    reply
      .type("text/html; charset=utf-8")
      .headers({ "content-security-policy": CONTENT_POLICY, "referrer-policy": "no-referrer" })
      .send(PAGE),
  );
}
