/** A number once the text is one; until then the text itself, to which the schema objects. */
export function traitFromText(text: string, kind: 'text' | 'number'): unknown {
  if (text === '') return undefined;
  return kind === 'number' && String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text;
}
