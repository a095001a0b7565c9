import { visibleLines, visibleText } from '../../lib/visible-text.ts';

/** A body without any of these tags is plain text, even if it contains angle brackets. */
const MARKUP =
  /<(?:!doctype\s+html|\/?(?:html|head|body|table|tr|td|div|span|p|br|a|img|h[1-6]|ul|ol|li|b|strong|i|em|center|font|style)(?:\s[^<>]*)?\/?)>/i;

export const isHtml = (body: string): boolean => MARKUP.test(body);

/** A mail's HTML reduced to text and structural elements. */
export type SafePart = string | { tag: string; attributes: readonly string[]; parts: readonly SafePart[] };

/** Allowed elements. An element in none of these lists loses its tags but keeps its content. */
const ALLOWED = new Set(
  'p div h1 h2 h3 h4 h5 h6 br hr ul ol li dl dt dd table caption thead tbody tfoot tr th td blockquote pre code b strong i em u s small sub sup'.split(
    ' ',
  ),
);
/** Blocks with a meaning or style of their own, which become plain blocks. */
const BLOCKS = new Set(
  'address article aside center details dialog fieldset figcaption figure footer form header hgroup legend main nav section summary'.split(
    ' ',
  ),
);
/** Removed with their content: code, styles, embedded resources, form fields. */
const DROPPED = new Set(
  'script style template noscript head title link meta base iframe frame frameset object embed applet param audio video source track canvas map area svg math input select textarea button datalist output progress meter'.split(
    ' ',
  ),
);
/** Allowed attributes and values; none can contain a URL. */
const SAFE_ATTRIBUTES: Record<string, RegExp> = {
  dir: /^(?:ltr|rtl|auto)$/,
  colspan: /^[1-9]\d?$/,
  rowspan: /^[1-9]\d?$/,
  align: /^(?:left|right|center)$/,
};
/** Longer bodies are not parsed and appear only in part. */
export const BODY_MAX_CHARACTERS = 262_144;
const HTML = 'http://www.w3.org/1999/xhtml';

/**
 * Rebuilds a mail's HTML from an allowlist, without scripts, resources or overlays; links and images become text.
 * @param source the HTML as sent, however broken
 * @returns undefined if the HTML is too long or too deeply nested to parse quickly
 */
export function safeParts(
  source: string,
  parser: Pick<DOMParser, 'parseFromString'> = new DOMParser(),
): SafePart[] | undefined {
  const markup = source.length > BODY_MAX_CHARACTERS ? undefined : plainMarkup(source);
  if (markup === undefined) return undefined;
  const { body } = parser.parseFromString(markup, 'text/html');
  return body === null ? [] : partsIn(body);
}

const partsIn = (parent: Node): SafePart[] => [...parent.childNodes].flatMap(partsOf);

function partsOf(node: Node): SafePart[] {
  if (node.nodeType === node.TEXT_NODE) return [visibleLines(node.nodeValue ?? '')];
  if (node.nodeType !== node.ELEMENT_NODE) return [];
  const element = node as Element;
  const tag = element.localName.toLowerCase();
  if (element.namespaceURI !== HTML || DROPPED.has(tag)) return [];
  if (tag === 'img') return inBrackets(element.getAttribute('alt'));
  const parts = partsIn(element);
  if (tag === 'a') return [...parts, ...addressOf(element)];
  if (BLOCKS.has(tag)) return [{ tag: 'div', attributes: [], parts }];
  if (!ALLOWED.has(tag)) return parts;
  const attributes = Object.entries(SAFE_ATTRIBUTES).flatMap(([name, allowed]) => {
    const value = element.getAttribute(name)?.trim().toLowerCase();
    return value !== undefined && allowed.test(value) ? [`${name}="${value}"`] : [];
  });
  return [{ tag, attributes, parts }];
}

/** Adds a link's URL after its text, because the text may claim a different URL. */
function addressOf(link: Element): string[] {
  const address = link.getAttribute('href')?.trim() ?? '';
  return address === '' || link.textContent.trim() === address ? [] : [` (${visibleText(address)})`];
}

const inBrackets = (text: string | null): string[] =>
  text === null || text.trim() === '' ? [] : [`[${visibleText(text.trim())}]`];

const LINE_ALONE = new Set('p div h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table caption tr blockquote pre'.split(' '));
const PARAGRAPHS = new Set('p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre'.split(' '));
/**
 * Placeholders for line breaks while whitespace is collapsed. `visibleLines` has removed these characters from the
 * mail.
 */
const LINE = '\u2028';
const PARAGRAPH = '\u2029';

/** Converts a mail to plain text: each block on its own line, list items with a bullet. */
export const readableText = (parts: readonly SafePart[]): string =>
  parts
    .map((part) => textOf(part, false))
    .join('')
    .replace(/(?<! ) *[\u2028\u2029][\u2028\u2029 ]*/g, (breaks) => (breaks.includes(PARAGRAPH) ? '\n\n' : '\n'))
    .trim();

function textOf(part: SafePart, preformatted: boolean): string {
  if (typeof part === 'string') return preformatted ? part.replaceAll('\n', LINE) : part.replace(/[ \t\n\f]+/g, ' ');
  const { tag } = part;
  if (tag === 'br') return LINE;
  if (tag === 'hr') return `${PARAGRAPH}———${PARAGRAPH}`;
  const text = part.parts.map((inner) => textOf(inner, preformatted || tag === 'pre')).join('');
  if (tag === 'td' || tag === 'th') return `${text} `;
  const edge = PARAGRAPHS.has(tag) ? PARAGRAPH : LINE_ALONE.has(tag) ? LINE : '';
  return `${edge}${tag === 'li' ? '• ' : ''}${text}${edge}`;
}

/** Lets long words such as URLs break at `LINE`. */
const LONG_RUN = /\S{32}(?=\S)/g;
const WITHOUT_CONTENT = new Set(['br', 'hr']);
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * A complete document for a sandboxed frame. The frame inherits the page's CSP, which forbids inline styles: an
 * attribute sets the font, and the colours are the browser's light ones.
 */
export const safeDocument = (parts: readonly SafePart[]): string =>
  `<!doctype html><html><head><meta charset="utf-8"><meta name="color-scheme" content="light"><title>Message</title></head><body><font face="system-ui, sans-serif">${parts.map(markupOf).join('')}</font></body></html>`;

function markupOf(part: SafePart): string {
  if (typeof part === 'string') {
    const text = part.replace(LONG_RUN, `$&${LINE}`).replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
    return text.replaceAll(LINE, '<wbr>');
  }
  const opening = `<${[part.tag, ...part.attributes].join(' ')}>`;
  return WITHOUT_CONTENT.has(part.tag) ? opening : `${opening}${part.parts.map(markupOf).join('')}</${part.tag}>`;
}

/** Elements removed with their content, which is not markup or is never visible. */
const WITH_CONTENT = new Set(
  'script style title textarea noscript noembed noframes iframe xmp template svg math'.split(' '),
);
/** Tags removed because the surrounding document has its own. */
const FRAME = new Set('html head body frameset frame plaintext'.split(' '));
const VOID = new Set('area base br col embed hr image img input link meta param source track wbr'.split(' '));
/** Elements with an optional end tag, each with the open elements that its start tag closes. */
const CLOSES: Readonly<Record<string, readonly string[]>> = {
  p: ['p'],
  li: ['li'],
  dt: ['dt', 'dd'],
  dd: ['dt', 'dd'],
  tr: ['tr', 'td', 'th'],
  td: ['td', 'th'],
  th: ['td', 'th'],
};
/** Limited in number, because a parser reopens unclosed formatting elements in every following block. */
const FORMATTING = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '));
const FORMATTING_MAX = 8;
/** Limits parsing time: a parser may search all open elements for each tag. */
const DEPTH_MAX = 200;
/** Allowed attributes by element; `*` is any element. */
const ATTRIBUTES: Record<string, readonly string[]> = {
  a: ['href'],
  img: ['alt'],
  '*': ['dir', 'align', 'colspan', 'rowspan'],
};

/**
 * Rewrites HTML with only the attributes that matter without styles and scripts. Even in a document that is never
 * rendered, browsers check styles and handlers against the page's CSP, so nothing that triggers a violation report may
 * reach the parser. A `<` that does not begin a tag becomes text. Elements are properly nested, so that parsing takes
 * linear time.
 * @param source the HTML as sent, however broken; tokenized in one pass as in browsers (HTML, 13.2.5)
 * @returns undefined if elements are nested deeper than in any real mail
 */
export function plainMarkup(source: string): string | undefined {
  const written: string[] = [];
  const open: string[] = [];
  let at = 0;
  while (at < source.length) {
    const tag = source.indexOf('<', at);
    if (tag === -1) break;
    written.push(source.slice(at, tag));
    at = writeMarkup(source, tag, written, open);
    if (open.length > DEPTH_MAX) return undefined;
  }
  return written.join('') + source.slice(at);
}

/** Writes the markup that begins at this `<`. @returns the index to continue at */
function writeMarkup(source: string, at: number, written: string[], open: string[]): number {
  if (source.startsWith('<!--', at)) return after(source, '-->', at + 4);
  if (/[!?]/.test(source.charAt(at + 1))) return after(source, '>', at);
  const name = /^<\/?([a-z][a-z0-9-]*)/i.exec(source.slice(at, at + 40))?.[1]?.toLowerCase();
  if (name === undefined) {
    written.push('&lt;');
    return at + 1;
  }
  const behind = tagEnd(source, at);
  const closing = source.charAt(at + 1) === '/';
  if (WITH_CONTENT.has(name)) return closing ? behind : afterContent(source, name, behind);
  if (FRAME.has(name)) return behind;
  if (closing) closeElement(name, written, open);
  else openElement(name, source.slice(at, behind), written, open);
  return behind;
}

function openElement(name: string, tag: string, written: string[], open: string[]): void {
  if (FORMATTING.has(name) && open.filter((other) => FORMATTING.has(other)).length === FORMATTING_MAX) return;
  for (let last = open.at(-1); last !== undefined && CLOSES[name]?.includes(last); last = open.at(-1))
    closeElement(last, written, open);
  written.push(`<${name}${attributesIn(tag, name)}>`);
  if (!VOID.has(name)) open.push(name);
}

/** Closes the innermost open element with this name, if any, and everything inside it. */
function closeElement(name: string, written: string[], open: string[]): void {
  const from = open.lastIndexOf(name);
  if (from !== -1) for (const inner of open.splice(from).reverse()) written.push(`</${inner}>`);
}

/** The index after the tag's `>`, skipping quoted values; an unclosed tag extends to the end of the text. */
function tagEnd(source: string, open: number): number {
  const mark = /=\s*["']|>/g;
  mark.lastIndex = open;
  for (let found = mark.exec(source); found !== null; found = mark.exec(source)) {
    if (found[0] === '>') return mark.lastIndex;
    const closed = source.indexOf(found[0].slice(-1), mark.lastIndex);
    if (closed === -1) break;
    mark.lastIndex = closed + 1;
  }
  return source.length;
}

function afterContent(source: string, name: string, from: number): number {
  const end = new RegExp(`</${name}`, 'gi');
  end.lastIndex = from;
  return end.exec(source) === null ? source.length : tagEnd(source, end.lastIndex);
}

function after(source: string, mark: string, from: number): number {
  const found = source.indexOf(mark, from);
  return found === -1 ? source.length : found + mark.length;
}

/** Takes linear time, because the sticky expression reads each character once. */
function attributesIn(tag: string, name: string): string {
  const allowed = [...(ATTRIBUTES[name] ?? []), ...(ATTRIBUTES['*'] ?? [])];
  const found = tag.matchAll(/[\s"'<>/=]*([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/gy);
  return [...found]
    .map(([, attribute = '', ...values]) => [attribute.toLowerCase(), values.find((value) => value !== undefined)])
    .filter(([attribute = '', value]) => value !== undefined && allowed.includes(attribute))
    .map(([attribute, value = '']) => ` ${attribute}="${value.replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"`)
    .join('');
}
