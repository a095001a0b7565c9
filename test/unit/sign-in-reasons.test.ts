import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { eventReason } from '../../server/events/reasons.ts';
import { redactor } from '../../server/upstream/proxy/errors.ts';
import { REASON_MAX_CHARACTERS, type SignInEventName } from '../../shared/sign-ins.ts';

const redact = redactor(['kratos']);
const reasonOf = (sentence: string, event: SignInEventName = 'LoginFailed') => eventReason(event, sentence, redact);

/** Sentences of Kratos v26.2, and codes and hints of Hydra v26.2, with the words for them; and secrets. */
const [KRATOS = '', HYDRA = '', SECRETS = ''] = readFileSync(
  new URL('../fixtures/sign-in-reasons.txt', import.meta.url),
  'utf8',
).split(/\n\[(?:Hydra|Secrets)\]\n/);

describe('the reason of a failed sign-in', () => {
  for (const [table, event] of [
    [KRATOS, 'LoginFailed'],
    [KRATOS, 'RegistrationFailed'],
    [HYDRA, 'OAuth2TokenExchangeError'],
  ] as const)
    it(`is a stable word for a known sentence of ${event}`, () => {
      const rows = [...table.matchAll(/^(\w+): (.+)$/gm)].map(([, ...row]) => row);
      assert.ok(rows.length > 9);
      assert.deepEqual(
        rows.map(([, sentence = '']) => [reasonOf(sentence, event), sentence]),
        rows,
      );
    });

  for (const secret of SECRETS.trim().split('\n'))
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
