import assert from 'node:assert/strict';
import { draftOf, draftProblems, EMPTY_DRAFT } from '../../client/features/connections/provider-draft.ts';
import {
  moved,
  type ProviderDraft,
  type Step,
  stepsToRemove,
  stepsToSave,
} from '../../client/features/connections/provider-steps.ts';
import {
  missing,
  type StoredProvider,
  storedOrder,
  storedProviders,
} from '../../client/features/connections/stored-providers.ts';
import type { Setting } from '../../shared/settings.ts';

const setting = (key: string, value: string, encrypted = false): Setting => ({
  key,
  value,
  encrypted,
  category: 'social',
  updated_at: '2026-01-31T09:00:00.000Z',
});
const STORED = [
  setting('social.github.client_id', 'v1.cipher', true),
  setting('social.github.enabled', 'false'),
  setting('social.google.client_id', 'the-id'),
  setting('social.google.client_secret', 'v1.cipher', true),
  setting('social.google.display_name', 'Google'),
  setting('social.google.enabled', 'true'),
  setting('social.google.note', 'of somebody else'),
  setting('social.No Name.client_id', 'odd'),
  setting('social.order', ' google , gone,google'),
];
const google = (): StoredProvider => storedProviders(STORED)[0] ?? assert.fail('no provider');
/** `social.google.enabled=true`, `-social.google.enabled`. */
const written = (steps: readonly Step[]): string[] =>
  steps.map(({ change }) => ('save' in change ? `${change.save.key}=${change.save.value}` : `-${change.remove}`));
const NEW: ProviderDraft = {
  name: 'slack',
  clientId: 'id',
  clientSecret: 'secret',
  displayName: 'Slack',
  scopes: '',
  enabled: true,
};

describe('the stored social providers', () => {
  it('are read from their settings in the stored order, without ciphertext and without odd names', () => {
    const [first, second, ...rest] = storedProviders(STORED);
    assert.deepEqual([first?.name, second?.name, rest.length], ['google', 'github', 0]);
    assert.deepEqual(
      { ...first, stored: [...(first?.stored ?? [])].sort() },
      {
        name: 'google',
        stored: ['client_id', 'client_secret', 'display_name', 'enabled'],
        clientId: 'the-id',
        displayName: 'Google',
        scopes: '',
        enabled: true,
      },
    );
    assert.equal(second?.clientId, '');
    assert.deepEqual(storedOrder(STORED), ['google', 'gone']);
  });

  it('say what they lack', () =>
    assert.deepEqual(storedProviders(STORED).map(missing), [undefined, 'It has no client secret yet.']));
});

describe('the steps of a provider', () => {
  it('enable a new one last, with its secret encrypted', () => {
    const steps = stepsToSave(NEW, undefined, ['google', 'gone']);
    assert.deepEqual(written(steps), [
      'social.slack.client_id=id',
      'social.slack.client_secret=secret',
      'social.slack.display_name=Slack',
      'social.order=google,gone,slack',
      'social.slack.enabled=true',
    ]);
    const encrypted = steps.map(({ change }) => 'save' in change && change.save.encrypted);
    assert.deepEqual(encrypted, [undefined, true, undefined, undefined, undefined]);
  });

  it('write nothing for a draft that changes nothing: a blank secret keeps the stored one', () =>
    assert.deepEqual(stepsToSave(draftOf(google()), google(), storedOrder(STORED)), []));

  it('disable one while its credentials change', () => {
    const draft = { ...draftOf(google()), clientId: 'new', clientSecret: 'newer' };
    assert.deepEqual(written(stepsToSave(draft, google(), ['google'])), [
      'social.google.enabled=false',
      'social.google.client_id=new',
      'social.google.client_secret=newer',
      'social.google.enabled=true',
    ]);
  });

  it('leave one enabled whose name alone changes, and delete what is emptied', () => {
    const draft = { ...draftOf(google()), displayName: ' ', scopes: 'openid' };
    assert.deepEqual(written(stepsToSave(draft, google(), ['google'])), [
      '-social.google.display_name',
      'social.google.scopes=openid',
    ]);
  });

  it('disable first what is to be disabled, once', () => {
    const draft = { ...draftOf(google()), enabled: false, clientId: 'new' };
    assert.deepEqual(written(stepsToSave(draft, google(), ['google'])), [
      'social.google.enabled=false',
      'social.google.client_id=new',
    ]);
  });

  it('remove `enabled` first, then the secret, and take the name out of the order', () => {
    assert.deepEqual(written(stepsToRemove(google(), ['gone', 'google'])), [
      '-social.google.enabled',
      '-social.google.client_secret',
      '-social.google.client_id',
      '-social.google.display_name',
      'social.order=gone',
    ]);
    assert.equal(written(stepsToRemove(google(), ['google'])).at(-1), '-social.order');
  });

  it('move one among those that exist and keep the names of others', () => {
    assert.deepEqual(moved(['a', 'b', 'c'], ['a', 'gone'], 'c', -1), ['a', 'c', 'b', 'gone']);
    assert.deepEqual(moved(['a', 'b'], [], 'a', -1), ['a', 'b']);
  });
});

describe('the form of a provider', () => {
  it('wants a name, a client id, and a secret where it is to be enabled', () => {
    assert.deepEqual(Object.keys(draftProblems(EMPTY_DRAFT, undefined, false)), ['name', 'clientId', 'clientSecret']);
    assert.deepEqual(draftProblems({ ...NEW, clientSecret: '', enabled: false }, undefined, false), {});
    assert.deepEqual(Object.keys(draftProblems({ ...NEW, name: 'No Name' }, undefined, false)), ['name']);
  });

  it('does not write over another one, but goes on with one that it began', () => {
    const taken = { ...NEW, name: 'google' };
    assert.deepEqual(Object.keys(draftProblems(taken, google(), false)), ['name']);
    assert.deepEqual(draftProblems(taken, google(), true), {});
  });
});
