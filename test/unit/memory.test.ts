import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { collector } from '../../server/process/collector.ts';
import { fittingBytes, memoryBudgets, usableMemory } from '../../server/process/memory.ts';

const MB = 1024 * 1024;
const NONE = Number.POSITIVE_INFINITY;

describe('the memory that the process may use', () => {
  it('is the least of its cgroup’s limit, the machine’s memory and twice its heap', () => {
    assert.equal(usableMemory(256 * MB, 8_192 * MB, 2_096 * MB), 256 * MB);
    assert.equal(usableMemory(NONE, 512 * MB, 2_096 * MB), 512 * MB);
    assert.equal(usableMemory(NONE, 8_192 * MB, 96 * MB), 192 * MB);
    // What the kernel reports as no limit.
    assert.equal(usableMemory(2 ** 63, 512 * MB, 2_096 * MB), 512 * MB);
  });

  it('is enough from 192 MiB on, and from 256 since Node 24', () => {
    const enough = ['22.18.0', '22.23.3', '24.0.0', '26.1.0'].map((node) => fittingBytes(node) / MB);
    assert.deepEqual(enough, [192, 192, 256, 256]);
  });
});

describe('the budgets of memory', () => {
  it('are those of docs/operations.md', () => {
    const told = [192, 256, 512, 1024].map((megabytes) => {
      const { usable, proxy, ownRequests, settingLists, answerBytes, copiedBytes, ...rest } = memoryBudgets(
        megabytes * MB,
      );
      assert.equal(usable, megabytes * MB);
      const { connections, waiting, heldBytes } = proxy;
      const { auditRecords, unansweredRequests, indexHeapMegabytes, collectEveryBytes } = rest;
      return [
        ...[connections, waiting, Math.round(heldBytes / MB), Math.round(copiedBytes / MB)],
        ...[
          ownRequests?.places,
          ownRequests?.waiting,
          settingLists?.places,
          settingLists?.waiting,
          answerBytes && Math.round(answerBytes / MB),
        ],
        ...[
          auditRecords,
          unansweredRequests,
          indexHeapMegabytes,
          collectEveryBytes && Math.round(collectEveryBytes / MB),
        ],
      ];
    });
    assert.deepEqual(told, [
      [32, 64, 2, 6, 24, 128, 2, 16, 8, 2_000, 1_024, 64, 4],
      [39, 138, 3, 7, 42, 197, 4, 25, 17, 2_615, 2_206, 74, 6],
      [69, 433, 7, 10, 113, 473, 14, 59, 54, 5_077, 6_932, 113, 15],
      [128, 1_024, 16, 16, undefined, undefined, undefined, undefined, undefined, 10_000, 16_384, 192, undefined],
    ]);
  });

  it('are those of 192 MiB with less, and grow no further with more than a gigabyte', () => {
    const at = (megabytes: number) => ({ ...memoryBudgets(megabytes * MB), usable: 0 });
    assert.deepEqual(at(64), at(192));
    assert.deepEqual(at(65_536), at(1024));
  });

  it('hold every copy that their connections can make', () => {
    for (let megabytes = 128; megabytes <= 1024; megabytes += 64) {
      const { proxy, copiedBytes } = memoryBudgets(megabytes * MB);
      // A copy is made of what an admin upstream gets; no copy is longer than 64 KiB.
      assert.ok(copiedBytes >= proxy.connections * 65_536, `${megabytes} MiB`);
    }
  });
});

describe('what streamed bodies leave behind', () => {
  it('is collected each time so many bytes have passed', () => {
    const collected: string[] = [];
    const passed = collector(1_000, (minor) => collected.push(minor ? 'minor' : 'major'));
    for (let chunk = 0; chunk < 39; chunk += 1) passed(100);
    assert.deepEqual(collected, ['minor', 'minor', 'minor']);
    // The tests' own buffers are more than four thousand bytes.
    for (let chunk = 0; chunk < 41; chunk += 1) passed(100);
    assert.deepEqual(collected.slice(3), ['minor', 'minor', 'minor', 'minor', 'minor', 'major']);
  });

  it('is collected also where it outlived minor collections', async () => {
    const passed = collector(MB);
    const { arrayBuffers: before } = process.memoryUsage();
    const slow: Buffer[] = [];
    let most = 0;
    for (let chunk = 0; chunk < 4_000; chunk += 1) {
      const { length } = slow[slow.push(Buffer.allocUnsafeSlow(65_536)) - 1] as Buffer;
      if (slow.length > 64) slow.shift();
      passed(length);
      // What is collected is freed by another thread.
      if (chunk % 64 === 0) await nextTurn();
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    assert.ok(most < 24 * MB, `${most} bytes were left`);
  });

  it('is collected also by V8’s own function', () => {
    let left: Buffer[] = [];
    const passed = collector(MB);
    const { arrayBuffers: before } = process.memoryUsage();
    let most = 0;
    for (let megabyte = 0; megabyte < 64; megabyte += 1) {
      left = Array.from({ length: 16 }, () => Buffer.allocUnsafeSlow(65_536));
      for (const { length } of left) passed(length);
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    assert.ok(most < 16 * MB, `${most} bytes were left`);
  });
});
