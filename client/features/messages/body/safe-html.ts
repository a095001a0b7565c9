import { visibleLines, visibleText } from '../../../format/visible-text.ts';
import { plainMarkup } from './plain-markup.ts';

/** What remains of a mail's HTML: text, and elements that only structure it. */
export type SafePart = string | { tag: string; attributes: readonly string[]; parts: readonly SafePart[] };

/** Elements that are kept. Elements in none of these lists lose their tags and keep their content. */
const KEPT = new Set(
  'p div h1 h2 h3 h4 h5 h6 br hr ul ol li dl dt dd table caption thead tbody tfoot tr th td blockquote pre code b strong i em u s small sub sup'.split(
    ' ',
  ),
);
/** Blocks with a meaning or default style of their own: replaced by a plain block. */
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
/** The only attributes that are kept, with their allowed values. None contains a URL. */
const ATTRIBUTES: Record<string, RegExp> = {
  dir: /^(?:ltr|rtl|auto)$/,
  colspan: /^[1-9]\d?$/,
  rowspan: /^[1-9]\d?$/,
  align: /^(?:left|right|center)$/,
};
/** Longer bodies are not parsed, and shown only in part. */
export const BODY_MAX_CHARACTERS = 262_144;
const HTML = 'http://www.w3.org/1999/xhtml';

/**
 * A mail's HTML without scripts, resources, overlays and links: links and images become text. It is rebuilt from an
 * allowlist, so that anything unforeseen is dropped.
 * @param source as it was sent, however broken
 * @returns undefined when it is too long or too deeply nested to be parsed quickly
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
  if (!KEPT.has(tag)) return parts;
  const attributes = Object.entries(ATTRIBUTES).flatMap(([name, allowed]) => {
    const value = element.getAttribute(name)?.trim().toLowerCase();
    return value !== undefined && allowed.test(value) ? [`${name}="${value}"`] : [];
  });
  return [{ tag, attributes, parts }];
}

/** A link's URL is shown after its text, which may claim to be another URL. */
function addressOf(link: Element): string[] {
  const address = link.getAttribute('href')?.trim() ?? '';
  return address === '' || link.textContent.trim() === address ? [] : [` (${visibleText(address)})`];
}

const inBrackets = (text: string | null): string[] =>
  text === null || text.trim() === '' ? [] : [`[${visibleText(text.trim())}]`];
