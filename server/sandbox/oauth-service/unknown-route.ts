import { type Answer, html, json, text } from '../http/answer.ts';
import type { Call } from '../http/call.ts';

const REASON = 'The requested route does not exist. Make sure you are using the right path, domain, and port.';

/** Hydra's 404 on the public port: an HTML page unless the client accepts something else. */
export function unknownRoute({ headers }: Call): Answer {
  const accept = headers.accept ?? '';
  if (accept.includes('application/json'))
    return json(404, { error: { code: 404, message: 'Not Found', reason: REASON } });
  if (accept.includes('text/plain')) return text(404, `Error 404 - ${REASON}`);
  return html(
    404,
    `<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Not found</title></head>\n<body><h1>Not found</h1><p>${REASON}</p></body>\n</html>\n`,
  );
}
