import type { Place } from './question.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const isId = (part: unknown): part is string => typeof part === 'string' && UUID.test(part);

/** Where a page begins: after a row, and without the one that stood first because it was asked for by its whole identifier. */
export interface PageStart extends Place {
  first?: string | undefined;
}

/** The `page_token` of the page after a row. */
export const tokenOf = ({ value, id, first }: PageStart): string =>
  tokenOfParts([value, id, ...(first === undefined ? [] : [first])]);

/** @returns undefined for what is not a token of ours */
export function placeIn(token: string): PageStart | undefined {
  const [value, id, first, ...rest] = partsIn(token);
  if (!(typeof value === 'string' || Number.isSafeInteger(value)) || !isId(id) || rest.length > 0) return undefined;
  if (first !== undefined && !isId(first)) return undefined;
  return { value: value as Place['value'], id, ...(first !== undefined && { first }) };
}

/** A `page_token` that is made of these. */
export const tokenOfParts = (parts: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url');

/** What a token was made of; anyone may have made it, so that each part has to be checked. None if it is no token. */
export function partsIn(token: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}
