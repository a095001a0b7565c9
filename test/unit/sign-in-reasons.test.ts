import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { eventReason } from '../../server/events/reasons.ts';
import { redactor } from '../../server/upstream/proxy/errors.ts';
import { REASON_MAX_CHARACTERS, type SignInEventName } from '../../shared/sign-ins.ts';

const redact = redactor(['kratos']);
const reasonOf = (sentence: string, event: SignInEventName = 'LoginFailed') => eventReason(event, sentence, redact);

/** Sentences of Kratos v26.2, and codes and hints of Hydra v26.2, with the words for them. */
const [KRATOS, HYDRA] = readFileSync(new URL('../fixtures/sign-in-reasons.txt', import.meta.url), 'utf8')
  .split('[Hydra]')
  .map((part) => [...part.matchAll(/^(\w+): (.+)$/gm)].map(([, ...row]) => row));

const SECRETS = [
  'ada@example.org',
  'ory_at_w1Kq.x9',
  '1f0c2a9b-0000-4000-8000-000000000000',
  '+49 (151) 234-56 78',
  'SGVsbG8gd29ybGQsIHRoaXMgaXMgYSBzZWNyZXQ=',
  '{password: hunter2}',
  'kratos.internal',
  '"hunter two"',
  `"hunter \\"two\\" 'three'"`,
  "'hunter two or",
  `'hunter's "two' more'`,
  '“hunter two”',
  '"hunter" or " two',
  '"or"hunter two',
  `"or 'or" hunter'`,
];

describe('the reason of a failed sign-in', () => {
  for (const [rows = [], event] of [
    [KRATOS, 'LoginFailed'],
    [KRATOS, 'RegistrationFailed'],
    [HYDRA, 'OAuth2TokenExchangeError'],
  ] as const)
    it(`is a stable word for a known sentence of ${event}`, () => {
      assert.deepEqual(
        rows.map(([, sentence = '']) => [reasonOf(sentence, event), sentence]),
        rows,
      );
    });

  for (const secret of SECRETS)
    it(`does not contain ${secret}`, () => {
      for (const sentence of [`It can't be done with ${secret}.`, `${secret} is no use`, `That is ${secret}`])
        for (const part of secret.match(/[\w.]{3,}/g) ?? [])
          assert.ok(!reasonOf(sentence)?.includes(part), `${sentence}: ${reasonOf(sentence)}`);
    });

  it('keeps the words of a sentence around an apostrophe and around a quotation', () => {
    assert.equal(reasonOf("The client's clock can't be right"), "The client's clock can't be right");
    assert.equal(reasonOf('Provider "x" and "y" gave up'), 'Provider … gave up');
    assert.equal(reasonOf('One line\nand a stack'), 'One line');
  });

  it('is other for unknown sentences of registrations and settings, and without a sentence', () => {
    assert.equal(reasonOf('Ada Lovelace went away', 'RegistrationFailed'), 'other');
    assert.equal(reasonOf('Ada Lovelace went away', 'SettingsFailed'), 'other');
    assert.equal(reasonOf(' '), 'other');
    assert.equal(reasonOf('This account was disabled.', 'LoginSucceeded'), null);
  });

  it('is cut between characters', () => {
    const long = reasonOf('😀 '.repeat(240)) ?? '';
    assert.deepEqual([[...long].length, long.isWellFormed()], [REASON_MAX_CHARACTERS, true]);
  });
});
