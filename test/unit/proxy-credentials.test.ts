import assert from 'node:assert/strict';
import { createCredentials, keyPresence, type StoredSecret } from '../../server/upstream/credentials.ts';

const unreadable = async (): Promise<never> => {
  throw new Error('no key opens it');
};

describe('the stored key of an upstream', () => {
  const of = (secret: StoredSecret | undefined) => createCredentials({ get: async () => secret })('identity-admin');

  it('is read by its setting’s name and made a header value', async () => {
    const keys: string[] = [];
    const authorization = createCredentials({
      async get(key) {
        keys.push(key);
        return { value: 'ory_pat_123', encrypted: true };
      },
    });
    assert.equal(await authorization('oauth-admin'), 'Bearer ory_pat_123');
    assert.deepEqual(keys, ['upstream.oauth-admin.api_key']);
  });

  it('that is not stored gives no header', async () => assert.equal(await of(undefined), undefined));

  it('that is stored in plain text is an error, never a header', async () => {
    await assert.rejects(
      of({ value: 'plain-secret', encrypted: false }),
      /^Error: upstream\.identity-admin\.api_key is stored in plain text$/,
    );
  });

  for (const value of ['', 'two words', 'line\nbreak', 'caf\u00e9'])
    it(`${JSON.stringify(value)} cannot be sent in a header: an error that does not repeat it`, async () => {
      await assert.rejects(
        of({ value, encrypted: true }),
        (error: Error) => value === '' || !error.message.includes(value),
      );
    });

  it('that cannot be decrypted is the reader’s error', async () => {
    await assert.rejects(createCredentials({ get: unreadable })('oauth'), /no key opens it/);
  });
});

describe('whether a key is stored', () => {
  it('is yes for a key that cannot be used', async () => {
    assert.equal(
      await keyPresence(createCredentials({ get: async () => ({ value: 'k', encrypted: false }) }))('identity'),
      true,
    );
    assert.equal(await keyPresence(createCredentials({ get: unreadable }))('identity'), true);
  });
});
