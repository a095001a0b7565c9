import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { pretendBrowser } from '../support/dom.ts';

const ATTACKS = ["o'brien", '"; touch /tmp/owned; "', '$(id)', "'; id; '", '$DASHBOARD_COOKIE'];

describe('a thing as a curl command', () => {
  let pretended: Awaited<ReturnType<typeof pretendBrowser>>;
  let curlCommand: (path: string) => string;
  before(async () => {
    pretended = pretendBrowser('https://dashboard.example.org/identities');
    ({ curlCommand } = await import('../../client/record/actions.tsx'));
  });
  after(() => pretended.close());

  /** What a shell makes of a command: the arguments that curl would get. */
  const argumentsOf = (command: string): string[] =>
    execFileSync('sh', ['-c', `curl() { for one in "$@"; do printf '%s\\0' "$one"; done; }\n${command}`], {
      env: { PATH: process.env['PATH'], DASHBOARD_COOKIE: 'the cookie' },
      encoding: 'utf8',
    })
      .split('\0')
      .slice(0, -1);

  it('asks this dashboard for it, and has a variable in place of the session', () => {
    assert.equal(
      curlCommand('/api/settings/mail.from'),
      'curl --fail-with-body https://dashboard.example.org/api/settings/mail.from \\\n  --cookie "dashboard-session=$DASHBOARD_COOKIE"',
    );
  });

  for (const attack of ATTACKS) {
    it(`gives the shell nothing to run: ${JSON.stringify(attack)}`, () => {
      // Encoded, as the app asks; and as it is, should something ever not be.
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
