interface NumberKeepingJson {
  rawJSON?: (text: string) => unknown;
  parse: (text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown) => unknown;
}

const { rawJSON, parse } = JSON as unknown as NumberKeepingJson;

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
