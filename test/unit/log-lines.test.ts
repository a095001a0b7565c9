import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { terminalLog } from '../../server/launcher/terminal-log.ts';
import { boundedLines, createLog, fileWriter } from '../../server/log.ts';

describe('the log to a reader who stops reading', () => {
  const LINE = `${'x'.repeat(99)}\n`;

  it('drops lines beyond its limit, and logs their number once there is room', async () => {
    const out = new PassThrough({ highWaterMark: 1000 });
    const lines = boundedLines(out, { maxWaiting: 5_000 });
    for (let index = 0; index < 1_000; index += 1) lines.write(LINE);
    assert.ok(out.writableLength + out.readableLength < 8_000, `${out.writableLength} bytes wait`);
    const read: string[] = [];
    out.on('data', (chunk: Buffer) => read.push(chunk.toString()));
    await new Promise((resolve) => lines.flush(() => setImmediate(resolve)));
    const received = read.join('').split('\n').filter(Boolean);
    const dropped = Number(
      JSON.parse(received.find((line) => line.startsWith('{')) ?? assert.fail('no count')).dropped,
    );
    assert.equal(dropped + received.length - 1, 1_000);
  });
});

describe('the log to a file', () => {
  it('writes each line once when the disk has room again, also a line that was written in part', async () => {
    let written = '';
    let attempts = 0;
    const out = fileWriter((bytes, done) => {
      attempts += 1;
      if (attempts % 3 === 0) return void setImmediate(done, Object.assign(new Error(), { code: 'ENOSPC' }), 0);
      const part = bytes.subarray(0, 7);
      written += part;
      setImmediate(done, null, part.length);
    }, 1);
    for (const line of ['first line\n', 'second line\n', 'third\n']) out.write(line);
    await new Promise<void>((resolve) => out.end(resolve));
    assert.equal(written, 'first line\nsecond line\nthird\n');
  });
});

describe('the log in blocks', () => {
  const line = (level: number): string => `{"level":${level},"msg":"${'x'.repeat(80)}"}\n`;
  function blocks(block: { characters: number; ms: number }) {
    const written: string[] = [];
    const write: Writable['_write'] = (text, _encoding, done) => {
      written.push(text);
      done();
    };
    return { lines: boundedLines(new Writable({ decodeStrings: false, write }), { block }), written };
  }
  const NEVER = { characters: 1_000_000, ms: 2 ** 31 - 1 };

  it('writes its lines once the first of them is old enough', async () => {
    const { lines, written } = blocks({ ...NEVER, ms: 5 });
    lines.write(line(30));
    lines.write(line(30));
    assert.deepEqual(written, []);
    while (written.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    assert.deepEqual(written, [line(30) + line(30)]);
  });

  it('writes a warning or an error, and all lines before it, at once', () => {
    for (const level of [40, 50, 60]) {
      const { lines, written } = blocks(NEVER);
      lines.write(line(30));
      assert.deepEqual(written, []);
      lines.write(line(level));
      assert.deepEqual(written, [line(30) + line(level)]);
    }
  });
});

describe('the log on a terminal', () => {
  it('escapes control characters that a caller sent', () => {
    const lines: string[] = [];
    const log = createLog(
      { level: 'info', production: false },
      terminalLog((line) => void lines.push(line)),
    );
    log.info({ target: 'a\u001b[2Jb\u009bc\u202ed' }, 'audit');
    const line = stripVTControlCharacters(lines.join('\n')).replace(/^\d\d:\d\d:\d\d /, '');
    assert.equal(line, "audit { target: 'a\\x1B[2Jb\\x9Bc\\u{202e}d' }");
  });
});
