import type { Deployment } from '../../../shared/deployment.ts';
import { DEPLOYMENT_SETTINGS } from '../deployment-settings.ts';
import { type Markup, markup } from './markup.ts';

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
