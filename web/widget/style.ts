/** Colours follow the `color-scheme` of the page, which is light where the page says nothing. */
const STYLE = `
:host {
  --accent: var(--trunkline-accent, #1f5fbf);
  --on-accent: var(--trunkline-on-accent, #ffffff);
  --ground: var(--trunkline-ground, #ffffff);
  --text: var(--trunkline-text, #16191d);
  --soft: var(--trunkline-soft, #5b6570);
  --line: var(--trunkline-line, #dde2e8);
  --field: var(--trunkline-field, #8a94a0);
  --danger: var(--trunkline-danger, #b3261e);
  --you: var(--trunkline-you, #1a7f5a);
  --radius: var(--trunkline-radius, 0.875rem);
  --inset: var(--trunkline-inset, 1.25rem);
  display: block;
  color: var(--text);
  font: 1rem/1.5 var(--trunkline-font, system-ui, sans-serif);
}
@supports (color: light-dark(#000, #fff)) {
  :host {
    --accent: var(--trunkline-accent, light-dark(#1f5fbf, #86b4ff));
    --on-accent: var(--trunkline-on-accent, light-dark(#ffffff, #0c1420));
    --ground: var(--trunkline-ground, light-dark(#ffffff, #181d23));
    --text: var(--trunkline-text, light-dark(#16191d, #e7ebef));
    --soft: var(--trunkline-soft, light-dark(#5b6570, #9aa6b2));
    --line: var(--trunkline-line, light-dark(#dde2e8, #2b333c));
    --field: var(--trunkline-field, light-dark(#8a94a0, #6d7884));
    --danger: var(--trunkline-danger, light-dark(#b3261e, #ff9a92));
    --you: var(--trunkline-you, light-dark(#1a7f5a, #6ccfa4));
  }
}
:host([hidden]), [hidden] { display: none !important }
:host([layout="headless"]) { display: none }
*, *::before, *::after { box-sizing: border-box }
p, ol { margin: 0; padding: 0 }
.hidden { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.floating {
  position: fixed;
  inset-block-end: var(--inset);
  inset-inline-end: var(--inset);
  z-index: var(--trunkline-layer, 2147483000);
  display: flex;
  flex-direction: column;
  align-items: flex-end;
  gap: 0.75rem;
  max-width: calc(100vw - 2 * var(--inset));
}
.panel {
  display: flex;
  flex-direction: column;
  width: 100%;
  max-height: var(--trunkline-height, 34rem);
  border: 1px solid var(--line);
  border-radius: var(--radius);
  background: var(--ground);
  overflow: hidden;
}
.floating .panel {
  width: min(var(--trunkline-width, 23rem), calc(100vw - 2 * var(--inset)));
  max-height: min(var(--trunkline-height, 34rem), calc(100vh - 2 * var(--inset) - 4rem));
  box-shadow: 0 1px 2px rgb(20 30 45 / 6%), 0 16px 40px -12px rgb(20 30 45 / 28%);
}
.header { display: flex; align-items: center; gap: 0.75rem; padding: 0.875rem 1rem; border-bottom: 1px solid var(--line) }
.names { flex: 1; min-width: 0 }
.heading { font-weight: 600; letter-spacing: -0.01em }
.status { color: var(--soft); font-size: 0.8125rem }
.status:empty { display: none }
.dot { flex: none; width: 0.75rem; height: 0.75rem; border-radius: 50%; background: var(--accent) }
[data-state="listening"] .dot { background: var(--you) }
[data-state="ended"] .dot, [data-state="connecting"] .dot, [data-state="held"] .dot, [data-state="reconnecting"] .dot { background: var(--field) }
[data-state="thinking"] .dot { animation: breathe 1.4s ease-in-out infinite }
@keyframes breathe { 50% { opacity: 0.35 } }
.intro, .talk { padding: 1rem }
.talk { display: flex; flex: 1; flex-direction: column; gap: 0.75rem; min-height: 0 }
.consent { margin-bottom: 1rem; color: var(--soft); font-size: 0.875rem }
.problem { padding: 0 1rem 1rem; color: var(--danger); font-size: 0.875rem }
.problem:empty { display: none }
.actions { display: flex; flex-wrap: wrap; gap: 0.5rem }
.actions > button { flex: 1 1 auto }
button {
  display: inline-flex;
  align-items: center;
  justify-content: center;
  gap: 0.5rem;
  min-height: 2.75rem;
  margin: 0;
  padding: 0.5rem 1rem;
  border: 1px solid var(--field);
  border-radius: calc(var(--radius) * 0.7);
  background: transparent;
  color: inherit;
  font: inherit;
  font-size: 0.9375rem;
  font-weight: 550;
  cursor: pointer;
}
button:hover { border-color: var(--accent) }
.start, .launcher { border-color: transparent; background: var(--accent); color: var(--on-accent) }
.start:hover, .launcher:hover { border-color: transparent; filter: brightness(1.08) }
.launcher { min-height: 3.25rem; padding: 0.5rem 1.25rem; border-radius: 3rem; box-shadow: 0 8px 24px -8px rgb(20 30 45 / 45%) }
.end { border-color: currentColor; color: var(--danger) }
.end:hover { border-color: currentColor }
.mute.on { border-color: var(--accent); color: var(--accent) }
.close, .send { flex: none; width: 2.75rem; padding: 0 }
.close { margin-inline-end: -0.5rem; border-color: transparent; color: var(--soft) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.launcher:focus-visible, .start:focus-visible { outline-color: var(--text) }
.meters { display: grid; grid-auto-columns: 1fr; grid-auto-flow: column; gap: 1rem }
.meter { display: grid; grid-template-columns: auto 1fr; align-items: center; gap: 0.5rem; color: var(--soft); font-size: 0.8125rem }
.track { height: 0.3125rem; overflow: hidden; border-radius: 1rem; background: var(--line) }
.bar { display: block; height: 100%; border-radius: inherit; background: var(--accent); transform: scaleX(0); transform-origin: left }
[dir="rtl"] .bar { transform-origin: right }
.input .bar { background: var(--you) }
.transcript { flex: 1; min-height: 9rem; margin: 0 -0.25rem; padding: 0 0.25rem; overflow-y: auto; scrollbar-width: thin }
.turns { list-style: none }
.turn + .turn { margin-top: 0.75rem }
.speaker { color: var(--accent); font-size: 0.75rem; font-weight: 600 }
.turn.user .speaker { color: var(--you) }
.words { overflow-wrap: anywhere; white-space: pre-wrap; font-size: 0.9375rem }
.sentence.generated { color: var(--soft) }
.sentence.unheard { color: var(--soft); text-decoration: line-through }
.message { display: flex; gap: 0.5rem }
.message input {
  flex: 1;
  min-width: 0;
  min-height: 2.75rem;
  padding: 0.5rem 0.75rem;
  border: 1px solid var(--field);
  border-radius: calc(var(--radius) * 0.7);
  background: transparent;
  color: inherit;
  font: inherit;
  font-size: 1rem;
}
::placeholder { color: var(--soft); opacity: 1 }
[dir="rtl"] .send svg { transform: scaleX(-1) }
@media (prefers-reduced-motion: reduce) { * { animation: none !important } }
@media (forced-colors: active) { .bar, .dot { background: CanvasText } }
`;

let sheet: CSSStyleSheet | undefined;

/** One sheet for all widgets of a page. */
export function styleSheet(): CSSStyleSheet {
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
  }
  return sheet;
}
