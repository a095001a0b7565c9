import assert from 'node:assert/strict';
import { within } from '@testing-library/dom';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { eventually } from '../support/eventually.ts';
import { create, PASSWORD, signInAs } from '../support/identity-pages.ts';
import { lockAccounts } from '../support/locked-accounts.ts';

describe('why somebody cannot sign in', () => {
  const suite = appOfSuite();
  const somebody = async (email: string, verified = true): Promise<{ id: string; email: string }> => {
    const { id } = await create(suite, {
      schema_id: 'customer',
      traits: { email, name: { first: 'Locked', last: 'Out' } },
      credentials: { password: { config: { password: PASSWORD } } },
      verifiable_addresses: [{ value: email, via: 'email', verified, status: verified ? 'completed' : 'sent' }],
    });
    return { id, email };
  };
  const onPerson = (
    { id }: { id: string },
    work: (app: App, section: HTMLElement) => Promise<void>,
    respond: App['respond'] = () => undefined,
  ): Promise<void> =>
    suite.open(`/identities/${id}`, { respond }, async (app) =>
      work(app, await app.screen.findByRole('region', { name: 'Can they sign in?' })),
    );
  const verdictIs = (verdict: string): Promise<void> =>
    eventually(() => document.querySelector('[aria-label="Can they sign in?"] [role=status]')?.textContent, verdict);

  it('is a locked account, which can be unlocked there', async () => {
    const person = await somebody('locked-out@example.org');
    await lockAccounts(suite.dashboard, [person.email, 'somebody.else@example.org']);
    await onPerson(person, async (app, section) => {
      await verdictIs('No');
      await app.shows(`${person.email} is locked`, section);
      await app.shows(/Wrong password, 5 attempts from 203\.0\.113\.9/, section);
      assert.equal(within(within(section).getByRole('list', { name: 'Findings' })).getAllByRole('listitem').length, 1);
      await app.press(/^Unlock/, section);
      await app.press('Unlock account', await app.screen.findByRole('dialog'));
      await verdictIs('No problems found');
    });
  });

  it('is an unverified address, unless the person has signed in with it; it can be marked as verified there', async () => {
    const { id, email } = await somebody('unverified@example.org', false);
    assert.ok(await signInAs(suite, email, PASSWORD));
    await onPerson({ id }, async (app, section) => {
      await verdictIs('Yes, but their address is not verified');
      await app.press('Mark as verified…: Their address is not verified', section);
      await app.press('Mark as verified', await app.screen.findByRole('dialog'));
      await verdictIs('No problems found');
      await app.press('Undo');
      await verdictIs('Yes, but their address is not verified');
    });
  });

  it('is never guessed: the page names what could not be loaded, and retries on request', async () => {
    const respond: App['respond'] = ({ path }) =>
      /credentials$|\/sessions/.test(path) ? Response.json({ error: 'bad_gateway' }, { status: 502 }) : undefined;
    await onPerson(
      await somebody('unread@example.org'),
      async (app, section) => {
        await verdictIs('No problems found, but some data is missing');
        await eventually(() => section.textContent, /Could not be read: their credentials, their sessions\./);
        await eventually(() => section.textContent, /Last sign-in unknown: their sessions have not been loaded\./);
        app.respond = () => undefined;
        await app.press('Try again', section);
        await verdictIs('No problems found');
      },
      respond,
    );
  });
});
