/** Elements whose content is not markup or is never shown: removed up to their end tags. */
const WITH_CONTENT = new Set(
  'script style title textarea noscript noembed noframes iframe xmp template svg math'.split(' '),
);
/** Tags removed because the document that shows the mail has its own. */
const FRAME = new Set('html head body frameset frame plaintext'.split(' '));
/** Elements without content and end tag. */
const VOID = new Set('area base br col embed hr image img input link meta param source track wbr'.split(' '));
/** Elements whose end tag is optional, each with the open elements that its start tag closes. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  p: ['p'],
  li: ['li'],
  dt: ['dt', 'dd'],
  dd: ['dt', 'dd'],
  tr: ['tr', 'td', 'th'],
  td: ['td', 'th'],
  th: ['td', 'th'],
};
/** Formatting elements: a parser reopens unclosed ones in every following block. */
const REOPENED = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '));
const REOPENED_MAX = 8;
/** A parser may search all open elements for each tag, so this limits its run time. */
const DEPTH_MAX = 200;
/** Allowed attributes by element; `*` is any element. */
const ATTRIBUTES: Record<string, readonly string[]> = {
  a: ['href'],
  img: ['alt'],
  '*': ['dir', 'align', 'colspan', 'rowspan'],
};

/**
 * Rewrites HTML with the few attributes that mean something without styles and scripts. Browsers check styles and
 * handlers against the page's policy while parsing, even in a document that is never shown, so nothing that could be
 * reported may reach the parser. A `<` that does not begin a tag becomes text. Elements are properly nested, so that
 * parsing takes linear time.
 * @param source as it was sent, however broken; tokenized like in browsers (HTML, 13.2.5), in one pass
 * @returns undefined when elements are nested deeper than in any real mail
 */
export function plainMarkup(source: string): string | undefined {
  const written: string[] = [];
  const open: string[] = [];
  let at = 0;
  while (at < source.length) {
    const tag = source.indexOf('<', at);
    if (tag === -1) break;
    written.push(source.slice(at, tag));
    at = afterMarkup(source, tag, written, open);
    if (open.length > DEPTH_MAX) return undefined;
  }
  return written.join('') + source.slice(at);
}

/** Writes whatever begins at this `<`. @returns the index to continue at */
function afterMarkup(source: string, at: number, written: string[], open: string[]): number {
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
  if (closing) end(name, written, open);
  else begin(name, source.slice(at, behind), written, open);
  return behind;
}

function begin(name: string, tag: string, written: string[], open: string[]): void {
  if (REOPENED.has(name) && open.filter((other) => REOPENED.has(other)).length === REOPENED_MAX) return;
  for (let last = open.at(-1); last !== undefined && ENDS[name]?.includes(last); last = open.at(-1))
    end(last, written, open);
  written.push(`<${name}${attributesIn(tag, name)}>`);
  if (!VOID.has(name)) open.push(name);
}

/** Closes the innermost open element of this name with everything inside it, if there is one. */
function end(name: string, written: string[], open: string[]): void {
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

/** The sticky expression reads each character once, so this takes linear time. */
function attributesIn(tag: string, name: string): string {
  const kept = [...(ATTRIBUTES[name] ?? []), ...(ATTRIBUTES['*'] ?? [])];
  const given = tag.matchAll(/[\s"'<>/=]*([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/gy);
  return [...given]
    .map(([, attribute = '', ...values]) => [attribute.toLowerCase(), values.find((value) => value !== undefined)])
    .filter(([attribute = '', value]) => value !== undefined && kept.includes(attribute))
    .map(([attribute, value = '']) => ` ${attribute}="${value.replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"`)
    .join('');
}
