import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { simulateBrowser } from '../support/dom.ts';
import { ofSuite } from '../support/of-suite.ts';

const ATTACKS = ["o'brien", '"; touch /tmp/owned; "', '$(id)', "'; id; '", '$DASHBOARD_COOKIE'];

describe('the curl command of a record', () => {
  ofSuite(() => simulateBrowser('https://dashboard.example.org/identities'));
  let curlCommand: (path: string) => string;
  before(async () => {
    ({ curlCommand } = await import('../../client/record/actions.tsx'));
  });

  /** Returns the arguments that a shell passes to curl. */
  const argumentsOf = (command: string): string[] =>
    execFileSync('sh', ['-c', `curl() { for argument in "$@"; do printf '%s\\0' "$argument"; done; }\n${command}`], {
      env: { PATH: process.env['PATH'], DASHBOARD_COOKIE: 'the cookie' },
      encoding: 'utf8',
    })
      .split('\0')
      .slice(0, -1);

  it('requests the record from this dashboard, with a variable in place of the session', () => {
    assert.equal(
      curlCommand('/api/settings/mail.from'),
      'curl --fail-with-body https://dashboard.example.org/api/settings/mail.from \\\n  --cookie "dashboard-session=$DASHBOARD_COOKIE"',
    );
  });

  for (const attack of ATTACKS) {
    it(`quotes text so that the shell passes it to curl unchanged: ${JSON.stringify(attack)}`, () => {
      // The app encodes the text in its paths. The quotes must suffice even if the encoding is ever forgotten.
      for (const path of [`/api/settings/${encodeURIComponent(attack)}`, `/api/settings/${attack}`]) {
        assert.deepEqual(argumentsOf(curlCommand(path)), [
          '--fail-with-body',
          `https://dashboard.example.org${path}`,
          '--cookie',
          'dashboard-session=the cookie',
        ]);
      }
    });
  }
});
