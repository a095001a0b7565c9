/** A number as soon as it is one; until then what is typed, which the schema then objects to. */
export function traitFromText(text: string, kind: 'text' | 'number'): unknown {
  if (text === '') return undefined;
  return kind === 'number' && String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text;
}
