import type { SafePart } from './safe-html.ts';

const LINE_ALONE = new Set('p div h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table caption tr blockquote pre'.split(' '));
const PARAGRAPHS = new Set('p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre'.split(' '));
/** Placeholders for line breaks until whitespace is collapsed; `visibleLines` has removed them from the text itself. */
const LINE = '\u2028';
const PARAGRAPH = '\u2029';

/** Plain text of a mail: each block on its own line, list items with a bullet. */
export const readableText = (parts: readonly SafePart[]): string =>
  parts
    .map((part) => flat(part, false))
    .join('')
    .replace(/(?<! ) *[\u2028\u2029][\u2028\u2029 ]*/g, (breaks) => (breaks.includes(PARAGRAPH) ? '\n\n' : '\n'))
    .trim();

function flat(part: SafePart, preformatted: boolean): string {
  if (typeof part === 'string') return preformatted ? part.replaceAll('\n', LINE) : part.replace(/[ \t\n\f]+/g, ' ');
  const { tag } = part;
  if (tag === 'br') return LINE;
  if (tag === 'hr') return `${PARAGRAPH}———${PARAGRAPH}`;
  const text = part.parts.map((inner) => flat(inner, preformatted || tag === 'pre')).join('');
  if (tag === 'td' || tag === 'th') return `${text} `;
  const edge = PARAGRAPHS.has(tag) ? PARAGRAPH : LINE_ALONE.has(tag) ? LINE : '';
  return `${edge}${tag === 'li' ? '• ' : ''}${text}${edge}`;
}
