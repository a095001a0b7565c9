import assert from 'node:assert/strict';
import { within } from '@testing-library/dom';
import fc from 'fast-check';
import { Window } from 'happy-dom';
import { asMessage } from '../../client/api/messages.ts';
import {
  isHtml,
  plainMarkup,
  readableText,
  safeDocument,
  safeParts,
} from '../../client/features/messages/message-html.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { eventually } from '../support/eventually.ts';
import { MESSAGES_PATH, type MessageItem, messageItem } from '../support/faulting-upstream.ts';
import { filterBy } from '../support/identity-dom.ts';
import { seeded } from '../support/seeded.ts';

const failing = (error: unknown) => ({ id: 'x', status: 'failed', error, created_at: '2026-01-31T09:00:00Z' });

describe('the list of messages', () => {
  const suite = appOfSuite({ people: 400 });
  let stored: MessageItem[];
  before(async () => {
    await suite.indexReady();
    stored = await suite.read(`${MESSAGES_PATH}?page_size=500`);
  });
  const onList = (work: (app: App) => Promise<void>, query = ''): Promise<void> =>
    suite.open(`/messages${query}`, { heading: 'Messages' }, work);
  const pagesRequested = (): string[] =>
    suite.upstream.requests.map(({ path }) => path).filter((path) => path.startsWith('/admin/courier/messages?'));
  const reads = (text: RegExp): Promise<void> => eventually(() => document.querySelector('main')?.textContent, text);
  const search = async (app: App, text: string): Promise<void> => {
    await app.fill('Recipient', text);
    await app.user.keyboard('{Enter}');
  };

  it('shows recipient, kind and status, but no subject, because that may contain a code', () =>
    onList(async () => {
      const [latest] = stored;
      await eventually(() => document.querySelector('tr[data-row="0"]')?.textContent, /Sending/);
      const text = document.querySelector('tbody')?.textContent ?? '';
      assert.ok(text.includes(latest?.recipient ?? assert.fail()));
      for (const { subject } of stored) assert.ok(subject === '' || !text.includes(subject), subject);
    }));

  for (const [role, action] of [
    ['support', /^Send recovery link…/],
    ['admin', /^Create recovery code…/],
  ] as const)
    it(`names people, and reads content from the identity service only for administrators: ${role}`, () => {
      const { id } = stored[0] ?? assert.fail();
      const recovery_addresses = [{ id, value: 'ada@example.org', via: 'email' }];
      const identity = {
        id,
        schema_id: 'customer',
        state: 'active',
        traits: { name: 'Ada Moreno' },
        recovery_addresses,
      };
      const failure = { id, status: 'queued', recipient: '+15550100', template_type: 'x', send_count: 2 };
      const message = { ...failure, identity: { id, name: 'Ada Moreno' } };
      const respond: App['respond'] = async ({ path }) => {
        if (path.includes('/admin/identities/')) return Response.json(identity);
        if (path.startsWith('/api/messages')) return Response.json({ messages: [message], ...message });
        if (path.includes('/courier/')) return Response.json(failure);
        if (path !== '/api/auth/session') return undefined;
        const { user } = await suite.read<{ user: object }>(path);
        return Response.json({ user: { ...user, role } });
      };
      return suite.open('/messages', { heading: 'Messages', respond }, async (app) => {
        const readsContent = (): boolean => app.requests.some(({ path }) => path.includes('/courier/'));
        const person = await app.screen.findByRole('link', { name: /^Ada Moreno/ });
        assert.deepEqual([person.getAttribute('href'), readsContent()], [`/identities/${id}`, false]);
        await app.user.click(await app.screen.findByRole('link', { name: 'x' }));
        await app.press(action);
        await app.screen.findByRole('dialog', { name: /for Ada Moreno|Send Ada Moreno a recovery link/ });
        await app.shows('Failed 2 times, will retry');
        assert.equal(readsContent(), role === 'admin');
      });
    });

  it('is filtered by template and time, and says how far back it searched', () => {
    const page = { messages: [], total: 0, newest: { messages: 500, since: '2026-01-30T09:05:00Z' } };
    const respond: App['respond'] = ({ path }) => (path.startsWith('/api/messages?') ? Response.json(page) : undefined);
    const address = '/messages?template=login_code_valid&created=2026-01-31..2026-01-31';
    return suite.open(address, { heading: 'Messages', respond }, async (app) => {
      await reads(/About: Sign-in code.*on 31 Jan 2026.*Only the newest 500 are searched, back to 30 Jan/);
      assert.match(app.requests.map(({ path }) => path).join(' '), /template=login_code_valid&from=[^&]*T[^&]*&to=/);
    });
  });

  it('is filtered by status and complete recipient', () => {
    const { recipient } = stored.find(({ status }) => status === 'abandoned') ?? assert.fail();
    return onList(async (app) => {
      await filterBy(app, 'Status', 'Abandoned');
      await reads(/\d+ messages? match/);
      assert.equal(app.address(), '/messages?status=abandoned');
      await search(app, recipient);
      await reads(/1 message matches/);
      assert.equal(app.address(), `/messages?status=abandoned&recipient=${encodeURIComponent(recipient)}`);
      assert.match(pagesRequested().at(-1) ?? '', /recipient=.*status=abandoned/);
    });
  });

  it('finds people by part of an address, filters by a single match, and offers a choice of several', () => {
    const { recipient } = stored.find(({ status }) => status === 'abandoned') ?? assert.fail();
    return onList(async (app) => {
      await app.shows(/Anything else finds people by any part of a name/);
      await search(app, recipient.toUpperCase());
      await reads(/1 message matches/);
      assert.equal(app.address(), `/messages?recipient=${encodeURIComponent(recipient)}`);
      await search(app, 'example');
      await app.shows('No exact match');
      await app.screen.findByRole('button', { name: /^All \d+ people$/ });
      const [first] = within(app.screen.getByRole('main')).getAllByRole('button', { name: /@/ });
      await app.user.click(first ?? assert.fail());
      await eventually(() => app.address(), /^\/messages\?recipient=[^&]+%40[^&]+$/);
    });
  });

  it('accepts a recipient that is not in the index, and suggests lower case if nothing is found', () =>
    suite.open(
      '/messages',
      {
        heading: 'Messages',
        respond({ path }) {
          if (path.includes('recipient=gone%40'))
            return Response.json({ messages: [messageItem({ recipient: 'gone@x.org' })] });
          const isSearch = path.startsWith('/api/identities/search?q=');
          return isSearch ? Response.json({ identities: [], index: { complete: false } }) : undefined;
        },
      },
      async (app) => {
        await search(app, ' gone@x.org ');
        await reads(/1 message matches/);
        await search(app, 'Nobody@x.org');
        await app.shows('No message to this recipient');
        await app.shows(/Identities are still being indexed/);
        await app.press('Search in lower case');
        await eventually(() => app.address(), '/messages?recipient=nobody%40x.org');
      },
    ));
});

describe('a message', () => {
  const suite = appOfSuite();
  const onMessage = (message: MessageItem, work: (app: App) => Promise<void>, query = ''): Promise<void> =>
    suite.open(
      `/messages/${message.id}${query}`,
      { respond: ({ path }) => (path.endsWith(message.id) ? Response.json(message) : undefined) },
      async (app) => {
        await app.screen.findByRole('region', { name: 'Delivery' });
        await work(app);
      },
    );

  it('shows its delivery attempts with their errors, but no names of mail servers, even as JSON', () => {
    const reasons = ['dial tcp 10.9.8.7:1025: connection refused', 'lookup smtp.corp.example: no such host'];
    const dispatches = reasons.map((reason, n) => ({ ...failing({ code: 500, reason }), id: `${n}` }));
    return onMessage(messageItem({ status: 'abandoned', send_count: 2, dispatches }), async (app) => {
      await app.shows(/^The courier gave up after 2 attempts/);
      await app.shows('dial tcp …: connection refused');
      await app.screen.findByRole('link', { name: 'Find this person' });
      await app.user.click(await app.screen.findByRole('link', { name: 'JSON' }));
      await app.screen.findByRole('region', { name: 'Message as JSON' });
      assert.doesNotMatch(document.body.innerHTML, /10\.9\.8\.7|smtp\.corp/);
    });
  });

  it('is shown as plain text, with invisible characters made visible', () =>
    onMessage(
      messageItem({ subject: 'Your \u202ecode', body: 'Line 1\r\n<script>alert(1)</script> \u202eX' }),
      async (app) => {
        const body = await app.screen.findByRole('region', { name: 'Body as text' });
        await eventually(() => body.textContent, 'Line 1\n<script>alert(1)</script> ⟨U+202E⟩X');
        await app.shows(/Your ⟨U\+202E⟩code/);
        assert.ok(!app.screen.queryByRole('button', { name: 'Formatted' }));
      },
      '?as=formatted',
    ));
});

describe('the reason for a failed delivery', () => {
  for (const [reason, displayed] of [
    ['dial tcp 127.0.0.1:1025: connect: connection refused', 'dial tcp …: connect: connection refused'],
    ['dial tcp: lookup smtp.corp.example on 10.0.0.2:53: no such host', 'dial tcp: lookup … on …: no such host'],
    ['dial tcp [::1]:25: i/o timeout', 'dial tcp …: i/o timeout'],
    ['post https://key:secret@mail.example/send: EOF', 'post … EOF'],
    ['dial tcp mailhog:1025: refused', 'dial tcp …: refused'],
    ['550 5.1.1 Recipient address rejected: User unknown', '550 5.1.1 Recipient address rejected: User unknown'],
  ] as const)
    it(`is displayed without the name of the mail server: ${reason}`, () => {
      const dispatches = [failing({ code: 500, reason, deep: [{ reason }] })];
      const { deliveries, document } = asMessage(messageItem({ dispatches }));
      assert.equal(deliveries[0]?.reason, displayed);
      if (displayed !== reason) assert.ok(!JSON.stringify(document).includes(reason));
    });
});

const parser = new new Window().DOMParser() as unknown as DOMParser;
const partsOf = (html: string) => safeParts(html, parser) ?? assert.fail('not parsed');
const textOf = (html: string): string => readableText(partsOf(html));
const bodyOf = (html: string): string =>
  /<font face="[^"]*">(.*)<\/font><\/body><\/html>$/s.exec(safeDocument(partsOf(html)))?.[1] ?? assert.fail(html);

const ALLOWED =
  /<\/?(?:p|div|h[1-6]|br|wbr|hr|ul|ol|li|dl|dt|dd|table|caption|thead|tbody|tfoot|tr|th|td|blockquote|pre|code|b|strong|i|em|u|s|small|sub|sup)(?: (?:dir|align)="[a-z]+"| (?:col|row)span="\d{1,2}")*>/g;
/** Returns whether the markup contains only structure and text. */
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

/** Matches markup that the content security policy does not report when the browser parses it. */
const UNREPORTED = /<\/?[a-z][a-z0-9-]*(?: (?:href|alt|dir|align|colspan|rowspan)="[^"<]*")*>/g;
const messages = fc.array(
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

describe('an HTML message', () => {
  for (const html of HOSTILE)
    it(`keeps only structure and text: ${html}`, () => {
      assert.ok(isHarmless(bodyOf(`<p>before</p>${html}<p>after</p>`)), bodyOf(html));
    });

  for (const html of HOSTILE)
    it(`is harmless even if all of its markup reaches the parser: ${html}`, () => {
      const unfiltered = parser.parseFromString(html, 'text/html');
      const markup = safeDocument(safeParts('', { parseFromString: () => unfiltered }) ?? []);
      assert.ok(isHarmless(markup.replace(/^.*?<font[^>]*>|<\/font><\/body><\/html>$/gs, '')), markup);
      if (html.startsWith('<script>')) assert.ok(!markup.includes('alert'));
    });

  it('keeps only structure and text, whatever markup it combines', () =>
    fc.assert(
      fc.property(messages, (pieces) => isHarmless(bodyOf(pieces.join('')))),
      seeded(200),
    ));

  it('reaches the parser without styles, handlers and code, whatever markup it combines', () =>
    fc.assert(
      fc.property(messages, (pieces) => {
        const markup = plainMarkup(pieces.join('')) ?? assert.fail('too deep');
        assert.ok(!markup.replaceAll(UNREPORTED, '').includes('<'), markup);
        assert.doesNotMatch(markup, /<(?:script|style|base|iframe) |<(?:script|style)>/);
      }),
      seeded(500),
    ));

  it('reaches the parser with properly nested elements, whatever markup it combines', () =>
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...HOSTILE), nested)), (pieces) => {
        const open: string[] = [];
        for (const [, slash, name = ''] of plainMarkup(pieces.join(''))?.matchAll(/<(\/?)([a-z][a-z0-9-]*)/g) ?? []) {
          if (slash === '/') assert.equal(open.pop(), name);
          else if (!['br', 'img', 'input', 'meta', 'link', 'base', 'embed', 'source', 'track'].includes(name))
            open.push(name);
          assert.ok(open.length <= 200);
          assert.ok(open.filter((element) => ['a', 'b', 'i', 'font'].includes(element)).length <= 8);
        }
      }),
      seeded(500),
    ));

  it('is not parsed if its length or depth would occupy a browser for seconds', () => {
    const parsed: string[] = [];
    const recordingParser = {
      parseFromString: (markup: string) => {
        parsed.push(markup);
        return parser.parseFromString('', 'text/html');
      },
    };
    assert.equal(safeParts('<div>'.repeat(201), recordingParser), undefined);
    assert.equal(safeParts('<b><div>'.repeat(20_000), recordingParser), undefined);
    assert.equal(safeParts(`<p>${'a'.repeat(262_144)}`, recordingParser), undefined);
    assert.deepEqual(parsed, []);
    assert.notEqual(safeParts('<div>'.repeat(200), recordingParser), undefined);
    assert.notEqual(safeParts('<div><table></div></table>'.repeat(8_000), recordingParser), undefined);
    assert.ok(!parsed.join('').includes('<div><table><div>'));
  });

  for (const [source, markup] of [
    ['<p style="a>b" DIR=rtl onclick=x>y</P>', '<p dir="rtl">y</p>'],
    ["<a HREF='x?a=\"1' style=y>z", '<a href="x?a=&quot;1">z'],
    ['a < b <3 <', 'a &lt; b &lt;3 &lt;'],
    ['<style>p{}</style >a<!-- <p> -->b<!doctype html>c', 'abc'],
    ['<img src=x alt="a<b">', '<img alt="a&lt;b">'],
  ] as const)
    it(`reaches the parser in a canonical form: ${source}`, () => assert.equal(plainMarkup(source), markup));

  for (const [circumstance, html, text] of [
    ['without code, styles and fields', '<style>p{}</style><p>Hi</p><script>x</script><input value="y">', 'Hi'],
    [
      'with the URL of a link',
      '<p>Go <a href="https://evil.example/?a=1">to your bank</a></p>',
      'Go to your bank (https://evil.example/?a=1)',
    ],
    ['with descriptions of pictures', '<p><img src="https://a.example/x.png" alt="Logo"><img src="y"></p>', '[Logo]'],
    [
      'with line breaks and spaces as in a browser',
      '<h1>A</h1>\n\n<p>b\n   c<br>d</p><ul><li>e</li><li>f</li></ul>',
      'A\n\nb c\nd\n\n• e\n• f',
    ],
    ['with a line for each table row', '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a b\nc'],
    ['with invisible characters made visible', '<p>Ada\u202egnp.exe</p>', 'Ada⟨U+202E⟩gnp.exe'],
  ] as const)
    it(`is converted to text ${circumstance}`, () => assert.equal(textOf(html), text));

  it('allows line breaks within long words such as URLs, so that they fit in a narrow frame', () => {
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
