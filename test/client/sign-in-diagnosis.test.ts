import assert from 'node:assert/strict';
import { within } from '@testing-library/dom';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { becomes } from '../support/becomes.ts';
import { recordedExchanges } from '../support/contract-replay-files.ts';
import { create, PASSWORD } from '../support/identity-pages.ts';
import { indexIsRead, READING_MS } from '../support/index-is-read.ts';
import { MESSAGES } from '../support/listed-pages.ts';
import { lockAccounts } from '../support/locked-accounts.ts';

describe('why somebody cannot sign in', () => {
  const suite = appOfSuite({ people: 20 });
  before(async function () {
    this.timeout(READING_MS + 30_000);
    await indexIsRead(suite.dashboard, suite.sessions.admin);
  });
  let made = 0;

  async function somebody(more: object = {}): Promise<{ id: string; email: string }> {
    made += 1;
    const email = `locked-out-${made}@example.org`;
    const { id } = await create(suite, {
      schema_id: 'customer',
      traits: { email, name: { first: 'Locked', last: `Out ${made}` } },
      credentials: { password: { config: { password: PASSWORD } } },
      verifiable_addresses: [{ value: email, via: 'email', verified: true, status: 'completed' }],
      ...more,
    });
    return { id, email };
  }
  const onPerson = (
    { id }: { id: string },
    work: (app: App, section: HTMLElement) => Promise<void>,
    respond?: App['respond'],
  ): Promise<void> =>
    suite.open(`/identities/${id}`, respond ? { respond } : {}, async (app) =>
      work(app, await app.screen.findByRole('region', { name: 'Can they sign in?' })),
    );
  const verdictIs = (verdict: string): Promise<void> =>
    becomes(() => document.querySelector('[aria-label="Can they sign in?"] [role=status]')?.textContent, verdict);

  it('is a locked account, which is unlocked there', async () => {
    const person = await somebody();
    await lockAccounts(suite.dashboard, [person.email, 'somebody.else@example.org']);
    await onPerson(person, async (app, section) => {
      await verdictIs('No');
      await app.shows(`${person.email} is locked`, section);
      await app.shows(/Wrong password, 5 attempts from 203\.0\.113\.9/, section);
      assert.equal(
        within(within(section).getByRole('list', { name: 'What was found' })).getAllByRole('listitem').length,
        1,
      );
      await app.press(/^Unlock/, section);
      await app.press('Unlock', await app.screen.findByRole('dialog'));
      await verdictIs('Nothing is wrong that this platform knows');
    });
  });

  it('is a mail that the courier gave up, in its words, without the name of the mail server', async () => {
    const person = await somebody();
    // As a real Kratos recorded it, but for these members.
    const recorded = recordedExchanges().find(
      ({ request: { method, path }, response }) =>
        method === 'GET' && path.startsWith('/admin/courier/messages/<uuid') && response.status === 200,
    );
    const [id, at] = ['11111111-2222-4333-8444-555555555555', new Date().toISOString()];
    const reason = '550 5.1.1 Recipient address rejected: mail.internal.example:25 knows no such user';
    const error = { code: 500, message: reason };
    const message = {
      ...(recorded?.response.json as object),
      id,
      recipient: person.email,
      status: 'abandoned',
      send_count: 3,
      created_at: at,
      dispatches: [{ id, message_id: id, status: 'failed', error, created_at: at, updated_at: at }],
    };
    await onPerson(
      person,
      async (_, section) => {
        await verdictIs('Perhaps not');
        await becomes(() => section.textContent, /The last message to them was not delivered/);
        await becomes(() => section.textContent, /“550 5\.1\.1 Recipient address rejected/);
        assert.doesNotMatch(section.textContent ?? '', /mail\.internal/);
        const help = within(section).getByRole('link', { name: /^The message/ });
        assert.equal(help.getAttribute('href'), `/messages/${id}`);
      },
      ({ path }) => {
        if (!path.startsWith(MESSAGES)) return undefined;
        if (path.includes(id)) return Response.json(message);
        return Response.json(path.includes(encodeURIComponent(person.email)) ? [message] : []);
      },
    );
  });

  it('may be another identifier that looks like theirs, which is searched for only on request', async () => {
    const person = await somebody();
    const twin = person.email.replace('out', 'outt');
    await create(suite, { schema_id: 'customer', traits: { email: twin, name: { first: 'Twin', last: 'Else' } } });
    await onPerson(person, async (app, section) => {
      await verdictIs('Nothing is wrong that this platform knows');
      assert.ok(!app.requests.some(({ path }) => path.startsWith('/api/identities/search')));
      await app.press('Look for similar identifiers', section);
      const list = await within(section).findByRole('list', { name: 'Similar identifiers' });
      const link = await within(list).findByRole('link', { name: twin });
      assert.ok(!list.textContent?.includes(person.email));
      await app.user.click(link);
      await app.screen.findByRole('heading', { level: 1, name: 'Twin Else' });
    });
  });

  it('is not guessed: what could not be read is named, and read again on request', async () => {
    const respond: App['respond'] = ({ path }) =>
      /credentials$|\/sessions/.test(path) ? Response.json({ error: 'bad_gateway' }, { status: 502 }) : undefined;
    await onPerson(
      await somebody(),
      async (app, section) => {
        await verdictIs('Nothing is wrong in what could be asked');
        await becomes(() => section.textContent, /Could not be asked: their credentials, their sessions\./);
        await becomes(() => section.textContent, /Last sign-in unknown: their sessions could not be read\./);
        app.respond = () => undefined;
        await app.press('Ask again', section);
        await verdictIs('Nothing is wrong that this platform knows');
      },
      respond,
    );
  });
});
