/** Elements whose content is no markup, or none that is ever shown: gone up to their end tags. */
const WITH_CONTENT = new Set('script style title textarea noscript noembed noframes iframe xmp template'.split(' '));
/** The document has its own. */
const FRAME = new Set('html head body frameset frame plaintext'.split(' '));
/** By element; those with a `*` on any. */
const ATTRIBUTES: Record<string, readonly string[]> = {
  a: ['href'],
  img: ['alt'],
  '*': ['dir', 'align', 'colspan', 'rowspan'],
};

/**
 * HTML whose tags are rewritten, with the few attributes that mean something without a style sheet or a script.
 * Browsers judge styles and handlers by the page's policy while they parse, even in a document that is never shown:
 * nothing that could be reported may reach the parser. A `<` that begins no tag stands as text.
 * @param source as it was sent; read as browsers do (HTML, 13.2.5), and in one pass, however broken
 */
export function plainMarkup(source: string): string {
  const written: string[] = [];
  let at = 0;
  while (at < source.length) {
    const open = source.indexOf('<', at);
    if (open === -1) break;
    written.push(source.slice(at, open));
    at = afterMarkup(source, open, written);
  }
  return written.join('') + source.slice(at);
}

/** Writes what begins at this `<`. @returns where to read on */
function afterMarkup(source: string, open: number, written: string[]): number {
  if (source.startsWith('<!--', open)) return after(source, '-->', open + 4);
  if (/[!?]/.test(source.charAt(open + 1))) return after(source, '>', open);
  const name = /^<\/?([a-z][a-z0-9-]*)/i.exec(source.slice(open, open + 40))?.[1]?.toLowerCase();
  if (name === undefined) {
    written.push('&lt;');
    return open + 1;
  }
  const end = tagEnd(source, open);
  const closing = source.charAt(open + 1) === '/';
  if (WITH_CONTENT.has(name)) return closing ? end : afterContent(source, name, end);
  if (!FRAME.has(name))
    written.push(closing ? `</${name}>` : `<${name}${attributesIn(source.slice(open, end), name)}>`);
  return end;
}

/** Behind the tag's `>`, which may also stand in a quoted value; a tag without an end reaches to the end of the text. */
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

function attributesIn(tag: string, name: string): string {
  const kept = [...(ATTRIBUTES[name] ?? []), ...(ATTRIBUTES['*'] ?? [])];
  const given = tag.matchAll(/([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/g);
  return [...given]
    .map(([, attribute = '', ...values]) => [
      attribute.toLowerCase(),
      values.find((value) => value !== undefined) ?? '',
    ])
    .filter(([attribute = '']) => kept.includes(attribute))
    .map(([attribute, value = '']) => ` ${attribute}="${value.replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"`)
    .join('');
}
