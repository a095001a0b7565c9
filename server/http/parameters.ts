import type { IncomingMessage } from 'node:http';
import {
  PAGE_SIZE_DEFAULT,
  PAGE_SIZE_MAX,
  PAGE_TOKEN_MAX_CHARACTERS,
  SEARCH_MAX_CHARACTERS,
} from '../../shared/identities.ts';
import { decodeReason, REASON_HEADER } from '../../shared/reason.ts';
import { ApiError, badRequest } from './errors.ts';

const REASON = REASON_HEADER.toLowerCase();

/** The operator's reason in a request; it counts only with a session. */
export const reasonOf = ({ headers }: IncomingMessage): string | undefined => decodeReason(headers[REASON]);

/** One entity tag of a list, weak or strong (RFC 9110, section 8.8.3). */
const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/** Suffixes that compressing reverse proxies (Apache, Jetty, Caddy and others) add to a tag. */
const ADDED = ['', '-gzip', '--gzip', ';gzip', '-br', ';br', '-zstd', ';zstd', '-deflate'];

/**
 * Evaluates `If-Match` for a resource that exists (RFC 9110, section 13.1.1): whether it lists the resource's tag.
 * Proxies that compress a response weaken its tag or add a suffix, and the client sends that back: such a tag still
 * identifies one version, so it matches. Without the header everything matches; a malformed one matches nothing.
 * @throws 400 for an empty header
 */
export function ifMatch(header: string | undefined): (tag: string) => boolean {
  if (header === undefined || header.trim() === '*') return () => true;
  if (header.trim() === '') throw badRequest('If-Match', 'must not be empty');
  const parts = header.split(',').map((part) => part.trim());
  const tags = new Set(
    parts.every((part) => ENTITY_TAG.test(part)) ? parts.map((part) => part.replace(/^W\//, '')) : [],
  );
  return (tag) => ADDED.some((added) => tags.has(`${tag.slice(0, -1)}${added}"`));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;

/** Parses the query parameter `page_size`. @throws 400 `invalid_page_size` */
export function pageSizeParameter(value: unknown): number {
  if (value === undefined) return PAGE_SIZE_DEFAULT;
  // Digits only: no sign, space, fraction or exponent.
  const size = typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : 0;
  if (size < 1 || size > PAGE_SIZE_MAX) throw new ApiError('invalid_page_size');
  return size;
}

/** Parses the query parameter `page_token`. @throws 400 `invalid_page_token` */
export const pageTokenParameter = (value: unknown): string | undefined =>
  textParameter(value, PAGE_TOKEN_MAX_CHARACTERS, () => new ApiError('invalid_page_token'));

/**
 * Parses a text parameter without control characters; an empty one counts as absent. Characters are Unicode code
 * points. A repeated parameter is an array and is refused.
 */
export function textParameter(value: unknown, maxCharacters: number, refusal: () => ApiError): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string' || CONTROL_CHARACTERS.test(value) || [...value].length > maxCharacters) throw refusal();
  return value;
}

/** RFC 3339, section 5.6; a date alone is its midnight in UTC. */
const TIME =
  /^(\d{4}-\d\d-\d\d)(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/i;

const END_OF_YEARS = '9999-12-31T23:59:59.999Z';

/**
 * Parses a query parameter that is a time.
 * @returns the time in UTC with milliseconds: `2026-01-31T09:00:00.000Z`
 * @throws 400 that names the parameter
 */
export function timeParameter(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const day = TIME.exec(text)?.[1];
  // Date turns 31 February into 3 March. A year before 100 is a mistake.
  if (day === undefined || day < '0100' || !new Date(day).toJSON()?.startsWith(day))
    throw badRequest(name, 'must be a time such as 2026-01-31T09:00:00Z');
  const time = new Date(text.toUpperCase()).toISOString();
  // A fifth digit and its sign would sort before all other years.
  return time.startsWith('+') ? END_OF_YEARS : time;
}

/** Like `textParameter`. @throws 400 that names the parameter */
export const namedParameter = (name: string, value: unknown, max = SEARCH_MAX_CHARACTERS): string | undefined =>
  textParameter(value, max, () =>
    badRequest(name, `must be one string of at most ${max} characters without control characters`),
  );

/** False if it is absent. @throws 400 that names the parameter */
export function booleanParameter(name: string, text: string | undefined): boolean {
  if (text !== undefined && text !== 'true' && text !== 'false') throw badRequest(name, 'must be true or false');
  return text === 'true';
}

/** @throws 400 that names the parameter and the allowed texts */
export function choiceParameter<T extends string>(
  name: string,
  text: string | undefined,
  allowed: readonly T[],
): T | undefined {
  const known = allowed.find((one) => one === text);
  if (text !== undefined && known === undefined) throw badRequest(name, `must be one of ${allowed.join(', ')}`);
  return known;
}
