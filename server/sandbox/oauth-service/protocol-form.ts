import type { Call } from '../http/call.ts';

/** The form of a request of the OAuth protocol; empty when the body is none. Of a field given twice the first counts. */
export const protocolForm = ({ headers, body }: Call): URLSearchParams =>
  new URLSearchParams((headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded') ? body : '');
