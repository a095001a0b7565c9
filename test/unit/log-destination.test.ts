import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { boundedLines } from '../../server/log/log-destination.ts';

describe('log lines to a reader who may be gone', () => {
  const LINE = `${'x'.repeat(99)}\n`;

  it('beyond the bound are dropped, and their number stands in the log once there is room', async () => {
    const out = new PassThrough({ highWaterMark: 1000 });
    const lines = boundedLines(out, { maxWaitingBytes: 5_000 });
    for (let index = 0; index < 1_000; index += 1) lines.write(LINE);
    assert.ok(out.writableLength + out.readableLength < 8_000, `${out.writableLength} bytes wait`);
    const read: string[] = [];
    out.on('data', (chunk: Buffer) => read.push(chunk.toString()));
    await new Promise((resolve) => lines.flush(() => setImmediate(resolve)));
    const all = read.join('').split('\n').filter(Boolean);
    const dropped = Number(JSON.parse(all.find((line) => line.startsWith('{')) ?? assert.fail('no count')).dropped);
    assert.equal(dropped + all.length - 1, 1_000);
  });

  it('are held back up to a page, and flushed', async () => {
    const out = new PassThrough();
    const lines = boundedLines(out, { holdBack: 250 });
    lines.write(LINE);
    lines.write(LINE);
    assert.equal(out.readableLength, 0);
    lines.write(LINE);
    assert.equal(out.readableLength, 300);
    lines.write(LINE);
    await new Promise<void>((resolve) => lines.flush(resolve));
    assert.equal(out.readableLength, 400);
  });

  it('to a stream that broke go nowhere, and flushing ends', async () => {
    const out = new PassThrough();
    const lines = boundedLines(out);
    out.destroy(new Error('EPIPE'));
    lines.write(LINE);
    await new Promise<void>((resolve) => lines.flush(resolve));
  });
});
