import assert from 'node:assert/strict';
import { redactor } from '../../server/upstream/proxy/errors.ts';

describe('the redaction of an upstream’s error message', () => {
  const redact = redactor(['kratos', 'hydra.internal', '127.0.0.1', '[::1]']);

  const secrets = [
    'ada@corp.example',
    'Ada.Lovelace+x@mail.corp.example',
    'ada@localhost',
    '9f425a8d-7efc-4768-8f23-7647a74fdf13',
    '9F425A8D7EFC47688F237647A74FDF13',
    'http://kratos:4434/admin',
    'https://user:secret@hydra.internal/x?y=z',
    'postgres://u:p@db:5432/ory?sslmode=off',
    '10.1.2.3',
    '10.1.2.3:4434',
    '[::1]:4434',
    'fe80::1%eth0',
    '2001:db8::8a2e:370:7334',
    '::ffff:10.0.0.1',
    'kratos-db:5432',
    'localhost:4434',
    'hydra.internal',
    'db-1.svc.cluster.local',
    'ory_at_abc.def-ghi',
    'ory_pat_x',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
    'Bearer abc',
    'dGhpcyBpcyBhIHNlY3JldCB0b2tlbg==',
    '0123456789abcdef0123',
    '+4915112345678',
    '{"op":"replace","path":"/traits/email","value":"x"}',
  ];
  for (const secret of secrets)
    it(`removes ${secret}`, () => {
      const parts = secret
        .split(/[^\w+]+/)
        .filter((piece) => piece.length > 3 && !/^(?:https?|postgres|Bearer)$/.test(piece));
      for (const frame of ['%', 'before % after', '(%)', '"%"', 'x=%; y', '%.']) {
        const result = redact(frame.replace('%', secret));
        for (const part of parts) assert.ok(!result.includes(part), result);
        if (frame.startsWith('before')) assert.match(result, /^before .* after$/);
      }
      // The limit on the length must not leave the first half of the secret.
      for (let half = 1; half < secret.length; half += 1) {
        const before = 'word '.repeat(102).slice(0, 511 - half);
        assert.match(redact(`${before} ${secret} after`), /^(?:word )*(?:w|wo|wor|word)(?: …?| Bearer)?$/);
      }
    });

  it('removes a host after `lookup`, and configured hosts even as plain words', () => {
    assert.equal(
      redact('dial tcp: lookup dbhost on 10.0.0.2:53: no such host'),
      'dial tcp: lookup … on …: no such host',
    );
    assert.equal(redact('no route to Kratos today'), 'no route to … today');
  });

  it('removes a value that a schema refused', () => {
    assert.equal(
      redact('I[#/traits/username] "alice" is not valid "username"'),
      'I[#/traits/username] … is not valid "username"',
    );
  });

  const explanations = [
    'The page token is invalid, do not craft your own page tokens',
    'This identity conflicts with another identity that already exists.',
    'I[#/traits/bar] S[#/properties/traits/properties/bar/type] expected string, but got number',
    'I[#/traits] S[#/properties/traits/additionalProperties] additionalProperties "none" not allowed',
    "The supplied state ('blocked') was not valid. Valid states are ('active', 'inactive').",
    'patch includes denied path: /credentials',
    'strconv.Atoi: parsing "abc": invalid syntax',
    "When token_endpoint_auth_method is 'private_key_jwt', either jwks or jwks_uri must be set.",
    'Field client_secret must contain a secret that is at least 6 characters long.',
  ];
  it('preserves the words that explain the error', () => {
    for (const text of explanations) assert.equal(redact(text), text.replace('strconv.Atoi', '…'));
  });

  it('returns one line of at most 512 characters, without control characters', () => {
    assert.equal(redact('a\r\nb\u0000c\td'), 'a b c d');
    assert.equal(redact(`\n ${'word '.repeat(1000)}`), 'word '.repeat(102).trim());
  });

  it('removes a refused value or JSON even if it is longer than the part that is read', () => {
    const words = 'Ada Lovelace '.repeat(60);
    assert.equal(redact(`I[#/traits/name] "${words}" is not valid "name"`), 'I[#/traits/name]');
    assert.equal(redact(`unknown member in {"name":["${words}"]}`), 'unknown member in');
    assert.equal(redact(`parsing "${'a-'.repeat(4_000)}": invalid syntax`), 'parsing');
  });
});
