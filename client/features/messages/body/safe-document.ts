import type { SafePart } from './safe-html.ts';

/** Long words such as URLs may break. `visibleLines` has removed the mark from the text itself. */
const LONG_RUN = /\S{32}(?=\S)/g;
const MARK = '\u2028';
const VOID = new Set(['br', 'hr']);
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * A complete document for a sandboxed frame. The frame inherits our policy, which forbids inline styles: the font is
 * set by an attribute, and the colours are the browser's light ones.
 */
export const safeDocument = (parts: readonly SafePart[]): string =>
  `<!doctype html><html><head><meta charset="utf-8"><meta name="color-scheme" content="light"><title>Message</title></head><body><font face="system-ui, sans-serif">${parts.map(markup).join('')}</font></body></html>`;

function markup(part: SafePart): string {
  if (typeof part === 'string') {
    const text = part.replace(LONG_RUN, `$&${MARK}`).replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
    return text.replaceAll(MARK, '<wbr>');
  }
  const opening = `<${[part.tag, ...part.attributes].join(' ')}>`;
  return VOID.has(part.tag) ? opening : `${opening}${part.parts.map(markup).join('')}</${part.tag}>`;
}
