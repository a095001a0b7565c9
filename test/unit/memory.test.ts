import assert from 'node:assert/strict';
import { memoryBudgets, usableMemory } from '../../server/memory.ts';

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
});

describe('the budgets of memory', () => {
  it('are those of 256 MiB with less, and grow no further with more than a gigabyte', () => {
    const at = (megabytes: number) => ({ ...memoryBudgets(megabytes * MB), usable: 0 });
    assert.deepEqual(at(64), at(256));
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
