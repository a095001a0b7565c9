import assert from 'node:assert/strict';
import { createSigner, derivedKeys, keyBytes } from '../../server/crypto/signer.ts';
import { type Session, sessionTokens } from '../../server/session/session-token.ts';

const KEY = 'a-signing-key-of-more-than-thirty-two-bytes';
const OTHER = 'another-key-of-more-than-thirty-two-bytes!!';
const NOW = 1_800_000_000_000;
const session: Session = {
  identityId: '9f425a8d-7efc-4768-8f23-7647a74fdf13',
  email: 'ada@example.com',
  role: 'viewer',
  deployment: 'customer',
  issuedAt: NOW / 1000,
  expiresAt: NOW / 1000 + 60,
  sessionId: 'b0c1c0de-0000-4000-8000-000000000000',
  epoch: 0,
};
const tokens = (key = KEY, deployment: Session['deployment'] = 'customer', now = () => NOW, previous?: string) =>
  sessionTokens(createSigner(keyBytes({ current: key, previous })), deployment, now);

describe('session token', () => {
  const token = tokens().issue(session);

  it('is base64url of JSON and of an HMAC-SHA256, and reads back as issued', () => {
    assert.match(token, /^[\w-]+\.[\w-]{43}$/);
    assert.deepEqual(tokens().read(token), session);
  });

  it('with any single character changed is no session', () => {
    const reader = tokens();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
    for (let index = 0; index < token.length; index += 1)
      for (const character of alphabet) {
        if (character === token[index]) continue;
        assert.equal(
          reader.read(token.slice(0, index) + character + token.slice(index + 1)),
          undefined,
          `${index} ${character}`,
        );
      }
  });

  it('of other parts than it was signed with is no session', () => {
    const [payload = '', tag = ''] = token.split('.');
    const edited = Buffer.from(JSON.stringify({ ...session, role: 'admin' })).toString('base64url');
    for (const value of [`${edited}.${tag}`, payload, `${payload}.`, `.${tag}`, `${token}.x`, `e30.${token}`, '', '.'])
      assert.equal(tokens().read(value), undefined, value);
  });

  it('is no session from the second it expires, also once it was remembered', () => {
    let now = NOW;
    const reader = tokens(KEY, 'customer', () => now);
    assert.ok(reader.read(token));
    now = session.expiresAt * 1000 - 1;
    assert.ok(reader.read(token));
    now = session.expiresAt * 1000;
    assert.equal(reader.read(token), undefined);
  });

  it('with an unknown role is not a session, however well it is signed', () => {
    for (const role of ['owner', 'Admin', '', undefined, ['admin']]) {
      const signed = tokens().issue({ ...session, role: role as Session['role'] });
      assert.equal(tokens().read(signed), undefined, String(role));
    }
  });

  it('of the other deployment is no session under the same key', () => {
    assert.equal(tokens(KEY, 'workforce').read(token), undefined);
  });

  it('under another key is no session, under a previous key it is', () => {
    assert.equal(tokens(OTHER).read(token), undefined);
    const rotated = tokens(OTHER, 'customer', () => NOW, KEY);
    assert.deepEqual(rotated.read(token), session);
    assert.equal(rotated.read(`${token.split('.')[0]}.${'A'.repeat(43)}`), undefined);
  });

  it('cannot be made with a key derived for another purpose', () => {
    const forger = sessionTokens(createSigner(derivedKeys({ current: KEY }, 'login-cookie')), 'customer', () => NOW);
    assert.equal(tokens().read(forger.issue(session)), undefined);
  });
});
