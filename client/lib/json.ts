/** Missing in TypeScript's types, and in older browsers. */
declare global {
  interface JSON {
    rawJSON?(text: string): unknown;
    isRawJSON?(value: unknown): boolean;
    parse(text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown): unknown;
  }
}

const { rawJSON, isRawJSON } = JSON;

/**
 * Parses JSON so that `JSON.stringify` reproduces the same numbers. JavaScript numbers have about 16 digits; ids from
 * other systems in traits and metadata are often longer and would change. Older browsers fall back to plain parsing.
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  if (rawJSON === undefined || !/[\d.]{16}|\de[+-]?\d{3}/i.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined && !isExact(value, context.source)
      ? rawJSON(context.source)
      : value,
  );
}

const isExact = (value: number, source: string): boolean =>
  Number.isFinite(value) && (source.length < 16 || String(value) === source);

/** The source text of a number from `parseExactJson`; undefined for other values. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return isRawJSON?.(value) ? JSON.stringify(value) : undefined;
}

/** Parses a typed number, also `.5` or `1.`; otherwise undefined. `007` is a code, not a number. */
export function numberIn(typed: string): unknown {
  if (!/^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(typed)) return undefined;
  return parseExactJson(
    typed
      .replace(/^\+/, '')
      .replace(/^(-?)\./, '$10.')
      .replace(/\.(?!\d)/, ''),
  );
}

/** The exact JSON of a response; undefined if the body is not JSON. */
export const exactBody = (response: Response): Promise<unknown> =>
  response
    .text()
    .then(parseExactJson)
    .catch(() => undefined);

/** The pointer of a member within its parent (RFC 6901). */
export const pointerTo = (parent: string, key: string | number): string =>
  `${parent}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
