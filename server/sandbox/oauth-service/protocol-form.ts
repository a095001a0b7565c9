import type { Call } from '../http/call.ts';

/** The form fields of an OAuth request; empty if the body is not a form. The first of duplicate fields counts. */
export const protocolForm = ({ headers, body }: Call): URLSearchParams =>
  new URLSearchParams((headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded') ? body : '');
