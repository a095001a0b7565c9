import assert from 'node:assert/strict';
import { within } from '@testing-library/dom';
import { asMessage } from '../../client/api/messages.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { eventually } from '../support/eventually.ts';
import { filterBy } from '../support/identity-dom.ts';
import { indexReady } from '../support/index-ready.ts';
import { MESSAGES, type SentMessage, sentMessage } from '../support/listed-pages.ts';

const failing = (error: unknown) => ({ id: 'x', status: 'failed', error, created_at: '2026-01-31T09:00:00Z' });

describe('the list of messages', () => {
  const suite = appOfSuite({ people: 400 });
  let stored: SentMessage[];
  before(async () => {
    await indexReady(suite.dashboard, suite.sessions.admin);
    const response = await suite.dashboard.call(`${MESSAGES}?page_size=500`, { session: suite.sessions.admin });
    stored = (await response.json()) as SentMessage[];
  });
  const onList = (work: (app: App) => Promise<void>, query = ''): Promise<void> =>
    suite.open(`/messages${query}`, { heading: 'Messages' }, work);
  const pagesRequested = (): string[] =>
    suite.upstream.seen.map(({ path }) => path).filter((path) => path.startsWith('/admin/courier/messages?'));
  const reads = (text: RegExp): Promise<void> => eventually(() => document.querySelector('main')?.textContent, text);
  const search = async (app: App, text: string): Promise<void> => {
    await app.fill('Recipient', text);
    await app.user.keyboard('{Enter}');
  };

  it('shows recipient, kind and status, but no subject, which may contain a code', () =>
    onList(async () => {
      const [latest] = stored;
      await eventually(() => document.querySelector('tr[data-row="0"]')?.textContent, /Sending/);
      const text = document.querySelector('tbody')?.textContent ?? '';
      assert.ok(text.includes(latest?.recipient ?? assert.fail()));
      for (const { subject } of stored) assert.ok(subject === '' || !text.includes(subject), subject);
    }));

  it('is filtered by status and whole recipient', () => {
    const { recipient } = stored.find(({ status }) => status === 'abandoned') ?? assert.fail();
    return onList(async (app) => {
      await filterBy(app, 'Status', 'Abandoned');
      await reads(/\d+ messages? match/);
      assert.equal(app.address(), '/messages?status=abandoned');
      await search(app, recipient);
      await reads(/1 message matches/);
      assert.equal(app.address(), `/messages?status=abandoned&recipient=${encodeURIComponent(recipient)}`);
      assert.match(pagesRequested().at(-1) ?? '', /status=abandoned&recipient=/);
    });
  });

  it('finds a person by name or part of an address: filters by an only address, and offers a choice of several', () => {
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

  it('accepts a recipient that is not in the index, and says what must match if nothing is found', () =>
    suite.open(
      '/messages',
      {
        heading: 'Messages',
        respond({ path }) {
          if (path.includes('recipient=gone%40')) return Response.json([sentMessage({ recipient: 'gone@x.org' })]);
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

describe('the list of messages without an index', () => {
  const suite = appOfSuite({ env: { IDENTITY_INDEX: 'off' } });

  it('accepts only whole recipients, and says so', () =>
    suite.open('/messages?recipient=Ada', { heading: 'Messages' }, async (app) => {
      await app.shows(/The index of identities is off.* cannot be found by name or e-mail/);
      await app.shows('No message to this recipient');
    }));
});

describe('a message', () => {
  const suite = appOfSuite();
  const onMessage = (message: SentMessage, work: (app: App) => Promise<void>, query = ''): Promise<void> =>
    suite.open(`/messages/${message.id}${query}`, { respond: given(message) }, async (app) => {
      await app.screen.findByRole('region', { name: 'Delivery' });
      await work(app);
    });
  const given =
    (message: SentMessage): App['respond'] =>
    ({ path }) =>
      path.endsWith(message.id) ? Response.json(message) : undefined;

  it('shows its attempts with their errors, but no mail server names, not even as JSON', () => {
    const reasons = ['dial tcp 10.9.8.7:1025: connection refused', 'lookup smtp.corp.example: no such host'];
    const dispatches = reasons.map((reason, n) => ({ ...failing({ code: 500, reason }), id: `${n}` }));
    return onMessage(sentMessage({ status: 'abandoned', send_count: 2, dispatches }), async (app) => {
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
      sentMessage({ subject: 'Your \u202ecode', body: 'Line 1\r\n<script>alert(1)</script> \u202eX' }),
      async (app) => {
        const body = await app.screen.findByRole('region', { name: 'Body as text' });
        await eventually(() => body.textContent, 'Line 1\n<script>alert(1)</script> ⟨U+202E⟩X');
        await app.shows(/Your ⟨U\+202E⟩code/);
        assert.ok(!app.screen.queryByRole('button', { name: 'Formatted' }));
      },
      '?as=formatted',
    ));
});

describe('a message of the courier', () => {
  for (const [reason, shown] of [
    ['dial tcp 127.0.0.1:1025: connect: connection refused', 'dial tcp …: connect: connection refused'],
    ['dial tcp: lookup smtp.corp.example on 10.0.0.2:53: no such host', 'dial tcp: lookup … on …: no such host'],
    ['dial tcp [::1]:25: i/o timeout', 'dial tcp …: i/o timeout'],
    ['post https://key:secret@mail.example/send: EOF', 'post … EOF'],
    ['dial tcp mailhog:1025: refused', 'dial tcp …: refused'],
    ['550 5.1.1 Recipient address rejected: User unknown', '550 5.1.1 Recipient address rejected: User unknown'],
  ] as const)
    it(`says why it failed, without naming the mail server: ${reason}`, () => {
      const dispatches = [failing({ code: 500, reason, deep: [{ reason }] })];
      const { deliveries, document } = asMessage(sentMessage({ dispatches }));
      assert.equal(deliveries[0]?.reason, shown);
      if (shown !== reason) assert.ok(!JSON.stringify(document).includes(reason));
    });
});
