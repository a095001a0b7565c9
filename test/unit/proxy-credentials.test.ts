import assert from 'node:assert/strict';
import { createCredentials, type StoredSecret } from '../../server/upstream/credentials.ts';

describe('the stored key of an upstream', () => {
  const of = (secret: StoredSecret | undefined) => createCredentials(() => secret)('identity-admin');

  it('is read by its setting’s name and made a header value', () => {
    const asked: string[] = [];
    const authorization = createCredentials((key) => {
      asked.push(key);
      return { value: 'ory_pat_123', encrypted: true };
    });
    assert.equal(authorization('oauth-admin'), 'Bearer ory_pat_123');
    assert.deepEqual(asked, ['upstream.oauth-admin.api_key']);
  });

  it('comes at once when the reader has it at hand, else as a promise', async () => {
    const secret = { value: 'k', encrypted: true };
    assert.equal(createCredentials(() => secret)('oauth'), 'Bearer k');
    const later = createCredentials(() => Promise.resolve(secret))('oauth');
    assert.ok(later instanceof Promise);
    assert.equal(await later, 'Bearer k');
  });

  it('that is not stored gives no header', () => assert.equal(of(undefined), undefined));

  it('that is stored in plain text is an error, never a header', () => {
    assert.throws(
      () => of({ value: 'plain-secret', encrypted: false }),
      /^Error: upstream\.identity-admin\.api_key is stored in plain text$/,
    );
  });

  for (const value of ['', 'two words', 'line\nbreak', 'tail\n', 'caf\u00e9'])
    it(`${JSON.stringify(value)} cannot stand in a header: an error that does not repeat it`, () => {
      assert.throws(
        () => of({ value, encrypted: true }),
        (error: Error) => value === '' || !error.message.includes(value),
      );
    });

  it('that no key opens is the reader’s error', async () => {
    const authorization = createCredentials(() => Promise.reject(new Error('no key opens it')));
    await assert.rejects(Promise.resolve(authorization('oauth')), /no key opens it/);
  });

  it('changes with what the reader says', () => {
    let secret: StoredSecret | undefined = { value: 'old', encrypted: true };
    const authorization = createCredentials(() => secret);
    assert.equal(authorization('oauth'), 'Bearer old');
    secret = { value: 'new', encrypted: true };
    assert.equal(authorization('oauth'), 'Bearer new');
    secret = undefined;
    assert.equal(authorization('oauth'), undefined);
  });
});
