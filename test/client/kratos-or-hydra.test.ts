import assert from 'node:assert/strict';
import { waitFor } from '@testing-library/dom';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { addressesOf } from '../support/every-page.ts';
import { createPerson } from '../support/identity-pages.ts';

/** What needs an identity service or an OAuth server: names in navigation, palette and overview, routes, and APIs. */
const PEOPLE = {
  api: /^\/api\/identit/,
  names: ['Identities', 'Sessions', 'Messages', 'Schemas', 'New identity', 'Export identities', 'Session map'],
  paths: ['/identities', '/identities/new', '/identities/$id', '/sessions', '/messages', '/schemas/$id'],
};
const APPLICATIONS = {
  api: /^\/api\/oauth/,
  names: ['Clients', 'Consents', 'Introspect', 'New client', 'Clients by grant'],
  paths: ['/oauth/clients', '/oauth/clients/$id', '/oauth/consents', '/oauth/introspect'],
};
const SHAPES: [title: string, upstreams: string, has: (typeof PEOPLE)[], lacks: (typeof PEOPLE)[]][] = [
  ['Kratos and Hydra', 'identity identity-admin oauth oauth-admin', [PEOPLE, APPLICATIONS], []],
  ['Kratos alone', 'identity-admin', [PEOPLE], [APPLICATIONS]],
  ['Hydra alone, beside the Kratos of the other deployment', 'iam-identity-admin oauth', [APPLICATIONS], [PEOPLE]],
];

describe('the app of a deployment with', () => {
  const suite = appOfSuite({ people: 12 });
  const requestsOf = ({ requests }: App, parts: readonly { api: RegExp }[]) =>
    requests.filter(({ path }) => parts.some(({ api }) => api.test(path)));

  for (const [title, upstreams, has, lacks] of SHAPES) {
    it(`${title} offers nothing about what it lacks, and requests nothing of it`, () =>
      suite.open('/dashboard', { upstreams, heading: 'Overview' }, async (app) => {
        const labels = (role: string): (string | null | undefined)[] =>
          app.screen.getAllByRole(role).map((one) => (one.querySelector('bdi, a > span') ?? one).textContent);
        // A widget that all have: the layout has loaded.
        await app.shows('Security posture');
        const names = [...labels('link'), ...labels('heading')];
        await app.user.keyboard('{Control>}k{/Control}');
        await app.screen.findByRole('listbox', { name: 'Suggestions' });
        names.push(...labels('option'));
        for (const name of has.flatMap((part) => part.names)) assert.ok(names.includes(name), name);
        for (const name of lacks.flatMap((part) => part.names)) assert.ok(!names.includes(name), name);
        await app.user.keyboard('com{Enter}');
        await app.shows(/^Found: /);
        assert.deepEqual(requestsOf(app, lacks), []);
      }));

    it(`${title} has exactly the pages of what it has`, async () => {
      const addressOf = await addressesOf(suite);
      for (const part of [PEOPLE, APPLICATIONS])
        for (const path of part.paths)
          await suite.open(addressOf(path), { upstreams }, async (app) => {
            await waitFor(() => assert.equal(document.querySelectorAll('[aria-busy=true]').length, 0));
            const isUnknown = app.screen.queryByRole('heading', { name: 'Page not found' }) !== null;
            assert.equal(isUnknown, lacks.includes(part), path);
            assert.deepEqual(requestsOf(app, lacks), []);
          });
    });
  }

  it('Kratos alone leaves the OAuth server out of a person’s tabs, timeline and sign-out', async () => {
    const { id } = await createPerson(suite);
    const upstreams = 'identity-admin';
    await suite.open(`/identities/${id}/consents`, { upstreams, heading: 'Page not found' }, async () => {});
    await suite.open(`/identities/${id}/history`, { upstreams }, async (app) => {
      await app.shows(/all that could be loaded/);
      assert.equal(app.screen.queryAllByText(/consents?\b/i).length, 0);
      await app.press('More actions');
      await app.user.click(await app.screen.findByRole('menuitem', { name: /^Sign out everywhere/ }));
      const dialog = await app.screen.findByRole('dialog', { name: /everywhere\?$/ });
      assert.doesNotMatch(dialog.textContent ?? '', /OAuth|consent|application/i);
      await app.press('Sign out everywhere', dialog);
      await app.shows(/^Signed out .+ everywhere$/);
      assert.deepEqual(requestsOf(app, [APPLICATIONS]), []);
    });
  });
});
