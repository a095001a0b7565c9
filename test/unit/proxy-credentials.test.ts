import assert from 'node:assert/strict';
import { createCredentials, keyPresence, type StoredSecret } from '../../server/upstream/credentials.ts';

describe('the stored key of an upstream', () => {
  const of = (secret: StoredSecret | undefined) => createCredentials(async () => secret)('identity-admin');

  it('is read by its setting’s name and made a header value', async () => {
    const asked: string[] = [];
    const authorization = createCredentials(async (key) => {
      asked.push(key);
      return { value: 'ory_pat_123', encrypted: true };
    });
    assert.equal(await authorization('oauth-admin'), 'Bearer ory_pat_123');
    assert.deepEqual(asked, ['upstream.oauth-admin.api_key']);
  });

  it('that is not stored gives no header', async () => assert.equal(await of(undefined), undefined));

  it('that is stored in plain text is an error, never a header', async () => {
    await assert.rejects(
      of({ value: 'plain-secret', encrypted: false }),
      /^Error: upstream\.identity-admin\.api_key is stored in plain text$/,
    );
  });

  for (const value of ['', 'two words', 'line\nbreak', 'tail\n', 'caf\u00e9'])
    it(`${JSON.stringify(value)} cannot be sent in a header: an error that does not repeat it`, async () => {
      await assert.rejects(
        of({ value, encrypted: true }),
        (error: Error) => value === '' || !error.message.includes(value),
      );
    });

  it('that no key opens is the reader’s error', async () => {
    const authorization = createCredentials(() => Promise.reject(new Error('no key opens it')));
    await assert.rejects(authorization('oauth'), /no key opens it/);
  });

  it('changes with what the reader says', async () => {
    let secret: StoredSecret | undefined = { value: 'old', encrypted: true };
    const authorization = createCredentials(async () => secret);
    assert.equal(await authorization('oauth'), 'Bearer old');
    secret = { value: 'new', encrypted: true };
    assert.equal(await authorization('oauth'), 'Bearer new');
    secret = undefined;
    assert.equal(await authorization('oauth'), undefined);
  });
});

describe('whether a key is stored', () => {
  const held = (read: () => Promise<StoredSecret | undefined>) => keyPresence(createCredentials(read))('identity');

  it('is yes for a usable key, and no without one', async () => {
    assert.equal(await held(async () => ({ value: 'k', encrypted: true })), true);
    assert.equal(await held(async () => undefined), false);
  });

  it('is yes for a key that cannot be used', async () => {
    assert.equal(await held(async () => ({ value: 'k', encrypted: false })), true);
    assert.equal(await held(() => Promise.reject(new Error('no key opens it'))), true);
  });
});
