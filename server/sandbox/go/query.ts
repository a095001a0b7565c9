/** Parses a query as Go does: pairs that cannot be decoded or contain a semicolon are dropped. */
export function parseQuery(search: string): URLSearchParams {
  const query = new URLSearchParams();
  for (const pair of search.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const mark = pair.indexOf('=');
    try {
      const [name, value] = mark < 0 ? [pair, ''] : [pair.slice(0, mark), pair.slice(mark + 1)];
      query.append(unescaped(name), unescaped(value));
    } catch {
      // malformed escape
    }
  }
  return query;
}

/** Encodes a query as Go does: sorted by name, spaces as `+`, everything but letters, digits and `-_.~` escaped. */
export function encodeQuery(query: URLSearchParams): string {
  const names = [...new Set(query.keys())].sort();
  return names
    .flatMap((name) => query.getAll(name).map((value) => `${queryEscape(name)}=${queryEscape(value)}`))
    .join('&');
}

const unescaped = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));

export const queryEscape = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
