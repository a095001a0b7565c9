import assert from 'node:assert/strict';
import type { Consent } from '../../client/api/consents.ts';
import {
  byClient,
  clientTitle,
  formatConsents,
  formatMemory,
  formatSignIn,
} from '../../client/features/consents/consent-groups.ts';
import { consentsSearch } from '../../client/features/consents/consents-search-params.ts';
import { formatSignOut } from '../../client/features/identities/detail/format-sign-out.ts';

const consent = (id: string, at: string, clientId = 'app', clientName = 'App'): Consent => ({
  id,
  at,
  clientId,
  clientName,
  scopes: [],
  audiences: [],
  rememberedFor: 0,
  methods: [],
});

describe('consents by client', () => {
  it('stand with the latest first, clients and consents alike, and one without a time last', () => {
    const groups = byClient([
      consent('old', '2026-01-01T00:00:00Z'),
      consent('never', ''),
      consent('other', '2026-01-02T00:00:00Z', 'other', ''),
      // Sorts last as text, but in UTC it is still the day before.
      consent('east', '2026-01-03T00:30:00+14:00', 'third'),
      consent('new', '2026-01-03T00:00:00Z'),
    ]);
    assert.deepEqual(
      groups.map(({ clientId, consents }) => [clientId, ...consents.map(({ id }) => id)]),
      [
        ['app', 'new', 'old', 'never'],
        ['third', 'east'],
        ['other', 'other'],
      ],
    );
  });

  it('are counted, and it is said when there are more', () => {
    const groups = byClient([consent('a', ''), consent('b', ''), consent('c', '', 'other')]);
    assert.equal(formatConsents(groups, true), '3 consents to 2 clients, latest first');
    assert.equal(
      formatConsents(byClient([consent('a', '')]), false),
      '1 consent to 1 client loaded so far, latest first',
    );
  });

  it('are called by the client’s name, else by its id', () => {
    assert.equal(clientTitle({ clientId: 'app', clientName: 'App' }), 'App');
    assert.equal(clientTitle({ clientId: 'app', clientName: '' }), 'app');
    assert.equal(clientTitle({ clientId: '', clientName: '' }), 'a client without a name');
  });
});

describe('what a consent says of itself', () => {
  it('is how long it is remembered', () => {
    assert.equal(formatMemory(0), 'not remembered');
    assert.equal(formatMemory(Number.POSITIVE_INFINITY), 'remembered until it is revoked');
    assert.equal(formatMemory(3_600), 'remembered for 1 hour');
    assert.equal(formatMemory(30 * 86_400), 'remembered for 30 days');
    assert.equal(formatMemory(90), 'remembered for 2 minutes');
  });

  it('is how the person had signed in, where that is known', () => {
    assert.equal(formatSignIn({ methods: ['password', 'totp'] }), 'signed in by password and authenticator app');
    assert.equal(formatSignIn({ methods: ['By hand'] }), 'signed in by By hand');
    assert.equal(formatSignIn({ methods: [] }), undefined);
  });
});

describe('the address of the consents', () => {
  it('keeps subject and client as texts, and nothing that is empty', () => {
    assert.deepEqual(consentsSearch({ subject: ' 007 ', client: 'https://app/', other: 'x' }), {
      subject: '007',
      client: 'https://app/',
    });
    assert.deepEqual(consentsSearch({ subject: '  ', client: ['x'] }), {});
  });
});

describe('signing somebody out everywhere, in words', () => {
  const waiting = { status: 'waiting' } as const;
  const running = { status: 'running' } as const;
  const done = { status: 'done', answer: '' } as const;
  const failed = { status: 'failed', error: new Error('x') } as const;
  it('says how far it has come, and never that all is done when something failed', () => {
    assert.equal(formatSignOut([waiting, waiting]), '');
    assert.equal(formatSignOut([done, running, waiting]), 'Signing out: 1 of 3 steps complete.');
    assert.equal(formatSignOut([failed, done, waiting]), 'Signing out: 2 of 3 steps complete.');
    assert.equal(formatSignOut([done, done]), 'All 2 steps are done.');
    assert.match(formatSignOut([done, failed]), /^1 of 2 steps failed: the person may still be signed in there/);
  });
});
