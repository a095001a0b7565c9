interface NumberKeepingJson {
  rawJSON?: (text: string) => unknown;
  isRawJSON?: (value: unknown) => boolean;
  parse: (text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown) => unknown;
}

const { rawJSON, isRawJSON, parse } = JSON as unknown as NumberKeepingJson;

/**
 * Parses JSON so that `JSON.stringify` reproduces the same numbers. JavaScript numbers keep about 16 digits; ids of
 * other systems in traits and metadata are often longer and would change. Browsers without support for this parse as
 * usual.
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  if (rawJSON === undefined || !/[\d.]{16}|\de[+-]?\d{3}/i.test(text)) return JSON.parse(text);
  return parse(text, (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined && !isKept(value, context.source)
      ? rawJSON(context.source)
      : value,
  );
}

const isKept = (value: number, source: string): boolean =>
  Number.isFinite(value) && (source.length < 16 || String(value) === source);

/** A number as it was written, if `parseExactJson` returned it; undefined for any other value. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return isRawJSON?.(value) ? JSON.stringify(value) : undefined;
}

/** The number that somebody typed, also as `.5` or `1.`; undefined if it is none. `007` is a code, not a number. */
export function numberIn(typed: string): unknown {
  if (!/^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(typed)) return undefined;
  return parseExactJson(
    typed
      .replace(/^\+/, '')
      .replace(/^(-?)\./, '$10.')
      .replace(/\.(?!\d)/, ''),
  );
}

/** The JSON of a response, parsed so; undefined if it is none. */
export const exactBody = (response: Response): Promise<unknown> =>
  response
    .text()
    .then(parseExactJson)
    .catch(() => undefined);

/** The pointer of a member, given its parent's (RFC 6901). */
export const pointerTo = (parent: string, key: string | number): string =>
  `${parent}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The reference tokens of a pointer. */
export const keysOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
