import type { SafePart } from './safe-html.ts';

/** Longer runs without a blank, as in addresses, may break; the mark is one that no text has, for it is made visible. */
const LONG_RUN = /\S{32}(?=\S)/g;
const MARK = '\u2028';
const VOID = new Set(['br', 'hr']);
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * A whole document for a sandboxed frame. The frame has our policy, which knows no style of the mail's own: a typeface
 * goes by attribute, and colours are those of paper.
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
