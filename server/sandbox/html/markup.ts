/** A piece of HTML that is safe to include in a page. */
export interface Markup {
  readonly markup: string;
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (value: string): string => value.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);

/** Tagged template that escapes every value except other markup. */
export function markup(parts: TemplateStringsArray, ...values: (string | Markup | readonly Markup[])[]): Markup {
  const filled = values.map((value) => {
    if (typeof value === 'string') return escaped(value);
    return 'markup' in value ? value.markup : value.map((item) => item.markup).join('');
  });
  return { markup: parts.map((part, index) => part + (filled[index] ?? '')).join('') };
}
