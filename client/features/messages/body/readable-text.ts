import type { SafePart } from './safe-html.ts';

const LINE_ALONE = new Set('p div h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table caption tr blockquote pre'.split(' '));
const PARAGRAPHS = new Set('p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre'.split(' '));
/** Stand in for breaks until the blanks between them are gone; no text has them, for unseen characters are made visible. */
const LINE = '\u2028';
const PARAGRAPH = '\u2029';

/** The same as plain text: blocks on lines of their own, entries of lists with a dot. */
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
