import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { boundedLines, inBlocks } from '../../server/log/log-destination.ts';

describe('log lines to a reader who may be gone', () => {
  const LINE = `${'x'.repeat(99)}\n`;

  it('beyond the bound are dropped, and their number stands in the log once there is room', async () => {
    const out = new PassThrough({ highWaterMark: 1000 });
    const lines = boundedLines(out, 5_000);
    for (let index = 0; index < 1_000; index += 1) lines.write(LINE);
    assert.ok(out.writableLength + out.readableLength < 8_000, `${out.writableLength} bytes wait`);
    const read: string[] = [];
    out.on('data', (chunk: Buffer) => read.push(chunk.toString()));
    await new Promise((resolve) => lines.flush(() => setImmediate(resolve)));
    const all = read.join('').split('\n').filter(Boolean);
    const dropped = Number(JSON.parse(all.find((line) => line.startsWith('{')) ?? assert.fail('no count')).dropped);
    assert.equal(dropped + all.length - 1, 1_000);
  });

  it('are counted line by line when a block of them is dropped', async () => {
    const out = new PassThrough({ highWaterMark: 10 });
    const lines = boundedLines(out, 50);
    lines.write(LINE);
    lines.write(LINE.repeat(7));
    lines.write(LINE);
    const read: string[] = [];
    out.on('data', (chunk: Buffer) => read.push(chunk.toString()));
    await new Promise((resolve) => lines.flush(() => setImmediate(resolve)));
    assert.match(read.join(''), /"dropped":8,/);
  });

  it('to a stream that broke go nowhere, and flushing ends', async () => {
    const out = new PassThrough();
    const lines = boundedLines(out);
    out.destroy(new Error('EPIPE'));
    lines.write(LINE);
    await new Promise<void>((resolve) => lines.flush(resolve));
  });
});

describe('log lines in blocks', () => {
  const line = (level: number): string => `{"level":${level},"msg":"${'x'.repeat(80)}"}\n`;
  function blocks(limits: { characters: number; ms: number }) {
    const written: string[] = [];
    let flushed = 0;
    const lines = inBlocks(
      {
        write: (text) => void written.push(text),
        flush(done) {
          flushed += 1;
          done?.();
        },
      },
      limits,
    );
    return { lines, written, flushed: () => flushed };
  }
  const NEVER = { characters: 1_000_000, ms: 2 ** 31 - 1 };

  it('are passed on together once a block is full, in order', () => {
    const { lines, written } = blocks({ ...NEVER, characters: 250 });
    const three = [line(20), line(30), line(30)];
    for (const each of three) lines.write(each);
    lines.write(line(30));
    assert.deepEqual(written, [three.join('')]);
    lines.flush();
  });

  it('are passed on when the first of them is old enough', async () => {
    const { lines, written } = blocks({ ...NEVER, ms: 5 });
    lines.write(line(30));
    lines.write(line(30));
    assert.deepEqual(written, []);
    while (written.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    assert.deepEqual(written, [line(30) + line(30)]);
  });

  for (const level of [40, 50, 60])
    it(`of level ${level} take the block with them at once`, () => {
      const { lines, written } = blocks(NEVER);
      lines.write(line(30));
      assert.deepEqual(written, []);
      lines.write(line(level));
      assert.deepEqual(written, [line(30) + line(level)]);
    });

  it('are flushed, and the destination too', async () => {
    const { lines, written, flushed } = blocks(NEVER);
    lines.write(line(30));
    await new Promise<void>((resolve) => lines.flush(resolve));
    assert.deepEqual(written, [line(30)]);
    assert.equal(flushed(), 1);
  });
});
