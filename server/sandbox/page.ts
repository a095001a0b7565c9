import type { Response } from 'express';
import type { Deployment } from '../../shared/upstreams.ts';
import { DEPLOYMENT_SETTINGS } from './deployment-settings.ts';

/** A piece of HTML that is safe to include in a page. */
export interface Markup {
  readonly markup: string;
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (value: string): string => value.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);

/** Tagged template that escapes every value except other markup. */
export function markup(parts: TemplateStringsArray, ...values: (string | Markup | readonly Markup[])[]): Markup {
  const filled = values.map((value) => {
    if (typeof value === 'string') return escaped(value);
    return 'markup' in value ? value.markup : value.map((item) => item.markup).join('');
  });
  return { markup: parts.map((part, index) => part + (filled[index] ?? '')).join('') };
}

export const alert = (problem: string | undefined): Markup =>
  problem === undefined ? markup`` : markup`<p class="alert" id="problem" role="alert">${problem}</p>`;

/** The attributes of a field that the message is about. */
export const invalid = (problem: string | undefined): Markup =>
  problem === undefined ? markup`` : markup` aria-invalid="true" aria-describedby="problem"`;

/**
 * The accent of each deployment, as [light, dark]; white text on the first and near-black on the second meet WCAG AA.
 */
const ACCENTS: Record<Deployment, readonly [string, string]> = {
  customer: ['#4338ca', '#a5b4fc'],
  workforce: ['#0f766e', '#5eead4'],
};

/** The stylesheet of the sandbox's pages, on a route of its own so that the policy needs no inline styles. */
export const stylesheet = (deployment: Deployment): string => `
:root {
  color-scheme: light dark;
  --accent: light-dark(${ACCENTS[deployment].join(', ')});
  --on-accent: light-dark(#fff, #0b1120);
  --page: light-dark(#f4f5f8, #101218);
  --card: light-dark(#fff, #191c24);
  --text: light-dark(#1b1f2a, #eceef3);
  --muted: light-dark(#565e70, #a7afc0);
  --line: light-dark(#868ea1, #767f93);
  --rule: light-dark(#dfe2e9, #2c313d);
  --danger: light-dark(#b42318, #ffa39a);
  --danger-ground: light-dark(#fdf0ee, #3a1b18);
}
*, *::before, *::after { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; place-items: center; padding: 1.5rem 1rem;
  background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main { width: 100%; max-width: 25rem; }
.card {
  background: var(--card); border: 1px solid var(--rule); border-top: 4px solid var(--accent);
  border-radius: .75rem; padding: 1.75rem 1.5rem; box-shadow: 0 1px 2px #0000000f, 0 8px 24px #0000000f;
}
.badge {
  display: inline-block; margin: 0 0 1rem; padding: .125rem .625rem; border: 1px solid var(--accent); border-radius: 1rem;
  color: var(--accent); font-size: .8125rem; font-weight: 600;
}
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; }
.lead { margin: .375rem 0 1.5rem; color: var(--muted); }
label { display: block; margin: 1rem 0 .25rem; font-size: .875rem; font-weight: 600; }
input {
  width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit; color: inherit; background: var(--card);
  border: 1px solid var(--line); border-radius: .5rem;
}
input[aria-invalid="true"] { border-color: var(--danger); }
.actions { display: grid; gap: .625rem; margin-top: 1.5rem; }
button, .button {
  display: block; width: 100%; min-height: 2.75rem; padding: .5rem 1rem; font: inherit; font-weight: 600; text-align: center;
  text-decoration: none; cursor: pointer; border: 1px solid var(--accent); border-radius: .5rem;
  background: var(--accent); color: var(--on-accent);
}
button.quiet, .button.quiet { background: transparent; border-color: transparent; color: var(--muted); }
button:hover, .button:hover { filter: brightness(1.08); }
button.quiet:hover, .button.quiet:hover { color: var(--text); border-color: var(--rule); filter: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.alert {
  margin: 0 0 1rem; padding: .625rem .875rem; border-left: 4px solid var(--danger); border-radius: .375rem;
  background: var(--danger-ground); color: var(--danger); font-size: .9375rem;
}
.aside { margin: .75rem 0 0; text-align: center; font-size: .9375rem; }
.aside a, .lead a { color: var(--accent); }
.note { margin: 1.25rem .25rem 0; color: var(--muted); font-size: .875rem; }
.card .note { margin: 1.5rem 0 0; padding-top: 1rem; border-top: 1px solid var(--rule); }
.note p { margin: 0 0 .375rem; }
.note ul { margin: 0; padding-left: 1.25rem; }
code { font: .9375em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
`;

/** Where the pages' stylesheet is served on the same port. */
export const STYLESHEET_PATH = '/sandbox.css';

export interface Page {
  headers: Record<string, string>;
  body: string;
}

/**
 * A page of the sandbox under a strict policy.
 * @param formTargets origins the form may lead to, including redirects (Chromium checks the whole chain)
 */
export function page(
  deployment: Deployment,
  title: string,
  content: Markup,
  formTargets: readonly string[] = [],
): Page {
  const document = markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · ${DEPLOYMENT_SETTINGS[deployment].title} sandbox</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLESHEET_PATH}">
</head>
<body>
<main>
<div class="card">
<p class="badge">${DEPLOYMENT_SETTINGS[deployment].title} · sandbox</p>
${content}
</div>
<div class="note"><p>This is the local sandbox: an OAuth 2.0 server and an identity store on this machine, with fictitious people.</p></div>
</main>
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    'img-src data:',
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy.join('; '),
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    },
    body: document.markup,
  };
}

export function sendPage(res: Response, status: number, { headers, body }: Page): void {
  res.status(status).set(headers).send(body);
}
