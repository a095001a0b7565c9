interface NumberKeepingJson {
  rawJSON?: (text: string) => unknown;
  parse: (text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown) => unknown;
}

const { rawJSON, parse } = JSON as unknown as NumberKeepingJson;

/**
 * Parses JSON so that `JSON.stringify` gives the same numbers again. A number in JavaScript keeps some 16 digits; ids
 * of other systems in traits and metadata are often longer, and would come out as another id. Browsers that cannot
 * keep them parse as usual.
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
