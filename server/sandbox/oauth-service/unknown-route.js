import { html, json, text } from '../http/answer.js';

const REASON = 'The requested route does not exist. Make sure you are using the right path, domain, and port.';
/** What the OAuth service's public port answers where nothing is: a page unless the caller asks for something else. */
export function unknownRoute({ headers }) {
  const accept = headers.accept ?? '';
  if (accept.includes('application/json'))
    return json(404, { error: { code: 404, message: 'Not Found', reason: REASON } });
  if (accept.includes('text/plain')) return text(404, `Error 404 - ${REASON}`);
  return html(
    404,
    `<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Not found</title></head>\n<body><h1>Not found</h1><p>${REASON}</p></body>\n</html>\n`,
  );
}
