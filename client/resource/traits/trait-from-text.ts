import { numberIn } from '../../lib/exact-json.ts';

/**
 * A number once the text is one; until then the text itself, to which the schema objects.
 * @param stored its line breaks stay as they were: a text area makes all of them line feeds
 */
export function traitFromText(text: string, kind: 'text' | 'number', stored?: unknown): unknown {
  if (text === '') return undefined;
  if (kind === 'number') return numberIn(text.trim()) ?? text;
  return typeof stored === 'string' && stored.includes('\r') ? text.replaceAll(/\r?\n/g, '\r\n') : text;
}
