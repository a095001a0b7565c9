import assert from 'node:assert/strict';
import { waitFor } from '@testing-library/dom';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';

const REVERSED = 'Ada\u202egnp.exe';
const PERSON = {
  id: '00000000-0000-4000-8000-00000000000a',
  schema_id: 'customer',
  traits: { email: 'reversed\u202e@example.org', name: { first: REVERSED, last: '<b>Old</b>' } },
  state: 'active',
  created_at: '2024-01-01T00:00:00Z',
  updated_at: '2024-01-01T00:00:00Z',
};

const page = (...identities: object[]): Response =>
  Response.json({
    identities,
    next_page_token: null,
    has_more: false,
    total: identities.length,
    index: { complete: true, identities: identities.length, as_of: '2024-01-01T00:00:00Z' },
  });

describe('hostile data of an identity', () => {
  const suite = appOfSuite();
  /** Asserts that no character reverses the text after it. */
  const isReadable = (): void =>
    assert.doesNotMatch(`${document.title}\n${document.body.textContent}`, /.{0,40}\u202e.{0,40}/);

  const withPerson = (path: string, work: (app: App) => Promise<void>): Promise<void> =>
    suite.open(
      path,
      {
        respond: ({ path: requested }) =>
          requested.startsWith('/api/identities/search')
            ? page(PERSON)
            : requested.endsWith(`/admin/identities/${PERSON.id}`)
              ? Response.json(PERSON)
              : undefined,
      },
      work,
    );

  it('is displayed as plain text, with invisible characters made visible, in headings, tab titles and dialogs', () =>
    withPerson(`/identities/${PERSON.id}`, async (app) => {
      const heading = await app.screen.findByRole('heading', { level: 1, name: /Ada⟨U\+202E⟩gnp\.exe <b>Old<\/b>/ });
      assert.equal(heading.querySelectorAll('bdi').length, 1);
      assert.equal(heading.querySelectorAll('b').length, 0);
      await waitFor(() => assert.match(document.title, /U\+202E/));
      await app.press('More actions');
      await app.user.click(await app.screen.findByRole('menuitem', { name: /^Delete/ }));
      await app.shows(/U\+202E/, await app.screen.findByRole('dialog'));
      isReadable();
    }));

  it('is displayed as plain text, with invisible characters made visible, in a list', () =>
    withPerson('/identities', async (app) => {
      await app.shows(/Ada⟨U\+202E⟩gnp\.exe/);
      isReadable();
    }));

  it('does not break a list, even if traits and dates are missing or malformed', () =>
    suite.open(
      '/identities',
      {
        respond: ({ path }) =>
          path.startsWith('/api/identities/search')
            ? page(
                { ...PERSON, traits: { email: 'whole@example.org' } },
                { ...PERSON, id: '00000000-0000-4000-8000-000000000001', traits: null, created_at: null },
                { id: '00000000-0000-4000-8000-000000000002' },
                {
                  ...PERSON,
                  id: '00000000-0000-4000-8000-000000000003',
                  traits: { email: 7, name: ['x'] },
                  updated_at: '0001-01-01T00:00:00Z',
                },
              )
            : undefined,
      },
      async (app) => {
        await app.shows('whole@example.org');
        await waitFor(() => assert.equal(document.querySelectorAll('tr[data-row]').length, 4));
        const text = document.querySelector('tbody')?.textContent ?? '';
        assert.doesNotMatch(text, /5\d years ago|2,0\d\d years ago/);
        assert.match(text, /unknown/);
      },
    ));
});
