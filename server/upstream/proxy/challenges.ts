import type { IncomingMessage } from 'node:http';

/** What passes of a `WWW-Authenticate` header. */
export type ChallengeRule = (value: string) => string | undefined;

/** Quotes that match, or a browser could see another challenge than we do. */
const WELL_FORMED = /^(?:[^"]|"(?:[^"\\]|\\.)*")*$/;
const PARTS = /(?:[^",]|"(?:[^"\\]|\\.)*")+/g;
/** A scheme stands alone or before a space; a parameter's name before `=`. */
const SCHEME = /^([\w!#$%&'*+.^`|~-]+)(?:\s+(?![\s=])|$)/;
/** For these, browsers open a dialog of their own, under the dashboard's address. */
const WITH_DIALOG = new Set(['basic', 'digest', 'negotiate', 'ntlm']);

/** Several challenges may share a line, separated like their parameters (RFC 9110, section 11.6.1). */
function challengesIn(value: string): { scheme: string; text: string }[] {
  const challenges: { scheme: string; text: string }[] = [];
  if (!WELL_FORMED.test(value)) return challenges;
  for (const part of value.match(PARTS) ?? []) {
    const text = part.trim();
    const scheme = SCHEME.exec(text)?.[1];
    const last = challenges.at(-1);
    if (scheme !== undefined) challenges.push({ scheme: scheme.toLowerCase(), text });
    else if (last !== undefined && text !== '') last.text += `, ${text}`;
  }
  return challenges;
}

function forAdmin(value: string): string | undefined {
  const bearer = challengesIn(value).find(({ scheme }) => scheme === 'bearer');
  const error = /\berror="([\w.-]{1,64})"/.exec(bearer?.text ?? '')?.[1];
  return bearer && (error === undefined ? 'Bearer' : `Bearer error="${error}"`);
}

function forBrowser(value: string): string | undefined {
  const passing = challengesIn(value).filter(({ scheme }) => !WITH_DIALOG.has(scheme));
  return passing.length === 0 ? undefined : passing.map(({ text }) => text).join(', ');
}

/** On public prefixes OAuth 2.0 clients need every challenge (RFC 6749, section 5.2). */
export const challengeRule = (admin: boolean, { headers }: IncomingMessage): ChallengeRule =>
  admin ? forAdmin : headers['sec-fetch-mode'] === undefined ? (value) => value : forBrowser;
