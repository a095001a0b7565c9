import assert from 'node:assert/strict';
import {
  type Authorization,
  createCredentials,
  keyPresence,
  type StoredSecret,
} from '../../server/upstream/credentials.ts';
import type { UpstreamName } from '../../shared/upstreams.ts';

const unreadable = (): never => {
  throw new Error('no key opens it');
};
type Read = (key: string) => StoredSecret | undefined;

/** What is read now, and what is waited for. */
const sources = {
  'at hand': (read: Read) => ({ atHand: (key: string) => ({ setting: read(key) }), get: () => assert.fail('asked') }),
  'waited for': (read: Read) => ({ atHand: () => undefined, get: async (key: string) => read(key) }),
};
/** As its users ask. */
const asked = async (authorization: Authorization, name: UpstreamName): Promise<string | undefined> => {
  const known = authorization.atHand(name);
  return known === undefined ? authorization(name) : known.header;
};

for (const [how, from] of Object.entries(sources))
  describe(`the stored key of an upstream, ${how}`, () => {
    const of = (secret: StoredSecret | undefined) => asked(createCredentials(from(() => secret)), 'identity-admin');

    it('is read by its setting’s name and made a header value', async () => {
      const keys: string[] = [];
      const read = (key: string): StoredSecret => {
        keys.push(key);
        return { value: 'ory_pat_123', encrypted: true };
      };
      assert.equal(await asked(createCredentials(from(read)), 'oauth-admin'), 'Bearer ory_pat_123');
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

    it('that no key opens is the reader’s error', async () => {
      await assert.rejects(asked(createCredentials(from(unreadable)), 'oauth'), /no key opens it/);
    });
  });

for (const [how, from] of Object.entries(sources))
  describe(`whether a key is stored, ${how}`, () => {
    const held = async (read: Read) => {
      const hasKey = keyPresence(createCredentials(from(read)));
      return hasKey.atHand('identity') ?? hasKey('identity');
    };

    it('is yes for a key that cannot be used', async () => {
      assert.equal(await held(() => ({ value: 'k', encrypted: false })), true);
      assert.equal(await held(unreadable), true);
    });
  });
