import assert from 'node:assert/strict';
import { stripVTControlCharacters } from 'node:util';
import { terminalLog } from '../../server/launcher/terminal-log.ts';
import { createLog } from '../../server/log/log.ts';

describe('the log on a terminal', () => {
  function shown(act: (log: ReturnType<typeof createLog>) => void, options = { requests: false }): string {
    const lines: string[] = [];
    const print = (line: string): void => void lines.push(`${line}\n`);
    act(createLog({ level: 'info', production: false }, terminalLog(print, options)));
    return stripVTControlCharacters(lines.join('')).replace(/^\d\d:\d\d:\d\d /gm, '');
  }

  it('has readable lines', () => {
    assert.equal(
      shown((log) => {
        log.info({ migrations: ['a', 'b', 'c', 'd'] }, 'migrations applied');
        log.warn({ variable: 'AUTH_URL', seconds: 3 }, 'something to look at');
        log.info({ audit: { action: 'login', actor: 'ada', timestamp: 'now' }, sequence: 7, tag: 'x' }, 'audit');
      }),
      'migrations applied  migrations: 4\nsomething to look at  variable: AUTH_URL, seconds: 3\naudit  action: login, actor: ada\n',
    );
  });

  it('names an error with where it came from', () => {
    assert.match(
      shown((log) => log.error({ error: Object.assign(new TypeError('secret'), { code: 'E_PLANTED' }) }, 'failed')),
      /^failed {2}error: TypeError E_PLANTED\n {4}at .*terminal-log\.test\.ts/,
    );
  });

  it('shows what a caller sent without letting it act on the terminal', () => {
    assert.equal(
      shown((log) => log.info({ target: 'a\u001b[2Jb\u009bc\u202ed' }, 'audit')),
      'audit  target: a\\u{1b}[2Jb\\u{9b}c\\u{202e}d\n',
    );
  });

  it('has requests only if they are asked for, or if they fail', () => {
    const request = (log: ReturnType<typeof createLog>): void => {
      log.writeFields('info', '"id":"1","method":"GET","route":"/","status":200', 'request');
      log.writeFields('warn', '"id":"2","method":"GET","route":"/","status":500', 'request');
    };
    assert.equal(shown(request), 'request  method: GET, route: /, status: 500\n');
    assert.match(shown(request, { requests: true }), /status: 200\n.*status: 500\n/);
  });

  it('leaves out what the launcher stores and says by itself', () => {
    assert.equal(
      shown((log) => {
        log.info({ audit: { action: 'setting_write', actor: 'command-line' } }, 'audit');
        log.info({ port: 3000 }, 'listening');
      }),
      '',
    );
  });
});
